#include "cli/terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_ELSEWHERE = 120, WIDTH_LEAST = 40 };

static size_t width_of_output(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    unsigned long width = columns ? strtoul(columns, NULL, 10) : 0;
    return width > 0 && width < 10000 ? width : WIDTH_ELSEWHERE;
}

struct terminal terminal_of_output(size_t width, enum colour_choice colour)
{
    if (width == SIZE_MAX)
        width = width_of_output();
    else if (width == 0)
        width = SIZE_MAX;
    const char *no_colour = getenv("NO_COLOR"), *kind = getenv("TERM"), *true_colour = getenv("COLORTERM");
    bool dumb = !kind || strcmp(kind, "dumb") == 0;
    bool suitable = isatty(STDOUT_FILENO) && !(no_colour && *no_colour) && !dumb;
    return (struct terminal){
        .width = width < WIDTH_LEAST ? WIDTH_LEAST : width,
        .colour = colour == COLOUR_ALWAYS || (colour == COLOUR_AUTO && suitable),
        .many_colours = (kind && strstr(kind, "256color")) || (true_colour && *true_colour),
    };
}
