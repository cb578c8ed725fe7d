/* Sums of sampled allocations for people, with what is known of their error: `12.4 MiB ±0.6`. */
#ifndef SONDE_PRINT_ESTIMATE_H
#define SONDE_PRINT_ESTIMATE_H

#include "print/number.h"
#include "tree/uncertainty.h"

enum { ESTIMATE_WIDTH = 19 }; /* columns of a padded estimate, at most */

struct estimate_text {
    char text[80];
    size_t width; /* in columns */
};

/* ±: two standard errors; `few`: of less than three samples no error can be told; nothing where all blocks were recorded. Bytes
 * are in the unit that suits them. Padded, so that values and errors of several lines stand below each other. */
struct estimate_text estimate_text(double weight, struct uncertainty uncertainty, enum weight_type type, bool padded);

/* 12.4 MiB; whole bytes below 1 KiB. */
struct number_text number_bytes(double bytes);

#endif
