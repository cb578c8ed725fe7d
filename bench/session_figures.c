/* Prints the figures of a session as JSON, and removes it: session_figures FOLDER */
#include "recording.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: session_figures FOLDER\n", stderr);
        return 2;
    }
    struct recorded recorded = {0};
    recording_read(argv[1], &recorded);
    putchar('{');
    recorded_print_figures(stdout, &recorded);
    puts("}");
    return 0;
}
