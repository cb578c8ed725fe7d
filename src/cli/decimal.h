#ifndef SONDE_CLI_DECIMAL_H
#define SONDE_CLI_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* A decimal number in the usual writing: strtod alone would also take "inf", "nan", "0x1p3" and leading blanks. */
bool parse_decimal(const char *text, size_t length, double *value);

#endif
