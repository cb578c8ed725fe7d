/* What standard output is: how wide, and whether colours are wanted there. */
#ifndef SONDE_CLI_TERMINAL_H
#define SONDE_CLI_TERMINAL_H

#include "common/slice.h"

enum style { STYLE_PLAIN, STYLE_HEADING, STYLE_DIM, STYLE_HOT, STYLE_WARM, STYLE_COUNT };

struct terminal {
    size_t width; /* columns a line may take; SIZE_MAX = any number */
    bool colour;
};

/* `width` as given by --width (0 = any), or SIZE_MAX for the terminal's own, else $COLUMNS, else 120. Colours are for
 * terminals only, and not where NO_COLOR is set or TERM is "dumb". */
struct terminal terminal_of_output(size_t width);

/* The bytes that switch to a style: nothing without colours. */
struct slice terminal_style(const struct terminal *terminal, enum style style);

#endif
