#include "cli/report.h"

#include "cli/exit_status.h"

#include <stdarg.h>
#include <stdio.h>

static void put_line(char *line)
{
    for (unsigned char *c = (unsigned char *)line; *c; c++)
        if (*c < 0x20 || *c == 0x7f)
            *c = '?';
    fprintf(stderr, "sonde: %s\n", line);
}

void report(const char *format, ...)
{
    char line[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    put_line(line);
}

int report_file(const char *file, const struct error *error)
{
    report("%s: %s", file, error->message);
    return EXIT_DATA;
}
