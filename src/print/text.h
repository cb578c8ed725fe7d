/* Text for a terminal: how wide it is, how to shorten it, and how to keep what a file says from steering the terminal. */
#ifndef SONDE_PRINT_TEXT_H
#define SONDE_PRINT_TEXT_H

#include "common/slice.h"
#include "common/vec.h"

/* A line being put together. Memory running out leaves it short and sets `failed`. */
struct line {
    VEC(char) bytes;
    size_t width; /* columns it takes on a terminal */
    bool failed;
};

void line_clear(struct line *line);
void line_free(struct line *line);

/* Adds text of ours, which is known to be `width` columns wide (colours take none). */
void line_add(struct line *line, struct slice text, size_t width);

/* ASCII text of ours. */
void line_print(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a name from a file in at most `room` columns; what does not fit is cut and ends in `…`. Control characters are shown
 * as U+FFFD, and so is what is no UTF-8. Does nothing without room. */
void line_add_name(struct line *line, struct slice name, size_t room);

/* The same for paths and addresses, whose ends say most: `…` comes first, where the beginning is cut. */
void line_add_ending(struct line *line, struct slice name, size_t room);

/* The end alone, without a … */
void line_add_ending_of(struct line *line, struct slice name, size_t room);

/* Spaces up to this column, if it is not there yet. */
void line_pad(struct line *line, size_t column);

/* The order of an alphabetical list, less than, equal to or greater than 0: the case of letters (of ASCII) does not matter. */
int text_order(struct slice a, struct slice b);

/* Columns that line_add_name would take without a limit. */
size_t text_width(struct slice name);

#endif
