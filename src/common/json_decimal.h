/* Decimal numbers in JSON's notation, for those that the fast path of the reader leaves over. */
#ifndef SONDE_COMMON_JSON_DECIMAL_H
#define SONDE_COMMON_JSON_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the number at `text`, which must be followed by some other character; 0 if it is none, with `*wrong` where it
 * goes wrong. */
size_t json_decimal_length(const char *text, const char **wrong);

/* The nearest double of such a number of up to JSON_MAX_NUMBER characters; infinite if it is out of range. */
double json_decimal_value(const char *text, size_t length);

/* False if it is not whole or not within int64. */
bool json_decimal_integer(const char *text, size_t length, int64_t *value);

#endif
