/* Numbers for people. */
#ifndef SONDE_PRINT_NUMBER_H
#define SONDE_PRINT_NUMBER_H

#include "profile/sample_table.h"

struct number_text {
    char text[48];
};

/* `decimals` digits after the point, and commas between thousands: 1,234,567.8 */
struct number_text number_grouped(double number, int decimals);

/* A weight without its unit, as it stands in a column: whole samples and bytes, milliseconds with one decimal. */
struct number_text number_weight(double weight, enum weight_type type);

/* "samples", "ms", "bytes", "blocks"; "sample" for one. */
const char *number_unit(double weight, enum weight_type type);

/* The share of `whole` as `12.3%`; `-` where there is no whole. */
struct number_text number_share(double part, double whole);

/* A time in ms with the unit that suits it: 12.3 ms, 4.56 s, 3 min 20 s. */
struct number_text number_duration(double ms);

#endif
