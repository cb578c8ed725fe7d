/* How text is shown where there may be colours: on a terminal. */
#ifndef SONDE_PRINT_STYLE_H
#define SONDE_PRINT_STYLE_H

#include "common/slice.h"

enum style { STYLE_PLAIN, STYLE_HEADING, STYLE_DIM, STYLE_HOTTEST, STYLE_HOT, STYLE_WARM, STYLE_BETTER, STYLE_COUNT };

struct terminal {
    size_t width; /* columns a line may take; SIZE_MAX = any number */
    bool colour;
    bool many_colours; /* 256 of them */
    bool folds_names;  /* functions are shown without template arguments (func_name.h) */
};

/* The bytes that switch to a style: nothing without colours. */
struct slice terminal_style(const struct terminal *terminal, enum style style);

/* How hot a share of the total is. */
enum style style_of_share(double part, double whole);

#endif
