#ifndef SONDE_COMMON_DECIMAL_H
#define SONDE_COMMON_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* A decimal number in the usual writing: strtod alone would also take "inf", "nan", "0x1p3" and leading blanks. */
bool parse_decimal(const char *text, size_t length, double *value);

/* The same with a unit, in seconds: "1.5ms", "20us", "2min". A number alone is in `unit` seconds. */
bool parse_time(const char *text, size_t length, double unit, double *seconds);

#endif
