/* What standard output is: how wide, and whether colours are wanted there. */
#ifndef SONDE_CLI_TERMINAL_H
#define SONDE_CLI_TERMINAL_H

#include "print/style.h"

enum colour_choice {
    COLOUR_AUTO, /* for terminals only, and not where NO_COLOR is set or TERM is "dumb" */
    COLOUR_ALWAYS,
    COLOUR_NEVER,
};

/* `width` as given by --width (0 = any), or SIZE_MAX for the terminal's own, else $COLUMNS, else 120. */
struct terminal terminal_of_output(size_t width, enum colour_choice colour);

#endif
