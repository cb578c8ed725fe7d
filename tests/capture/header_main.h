/* The program that header_c.c and header_cpp.cpp are. Argument: "absent", "off" or "on", which is what it expects of the
 * library. Ends with 0 where it is so. */
#include "header_use.h"

#include <stdio.h>
#include <string.h>

static int says(const char *what)
{
    fprintf(stderr, "%s\n", what);
    return 1;
}

int main(int argc, char **argv)
{
    const char *expected = argc > 1 ? argv[1] : "absent";
    int evaluated = use_markers();
    bool loaded = sonde_find();
    if (strcmp(expected, "absent") == 0) {
        if (loaded || sonde_now() != 0 || sonde_is_recording() || sonde_start(NULL) != -ENOSYS)
            return says("the library is there, but should not be");
    } else if (!loaded || sonde_now() == 0) {
        return says("the library is not there");
    } else if (sonde_is_recording() != (strcmp(expected, "on") == 0)) {
        return says(sonde_is_recording() ? "it is recording" : "it is not recording");
    }
    if (evaluated != (strcmp(expected, "on") == 0))
        return says("the text of a marker is evaluated if and only if it is recorded");
    use_everything_else();
    return 0;
}
