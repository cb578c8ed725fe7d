/* Doubles as text: the shortest that reads back as the same double, in the form JavaScript prints them (`0.000001`, `1e-7`,
 * `100000000000000000000`, `1e+21`; both zeros are `0`). */
#ifndef SONDE_COMMON_NUMBER_TEXT_H
#define SONDE_COMMON_NUMBER_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum { NUMBER_TEXT_SIZE = 32 };

/* Into `out`, which has room for NUMBER_TEXT_SIZE bytes; not NUL-terminated. The length. `value` must be finite. */
size_t number_text(double value, char *out);
size_t integer_text(int64_t value, char *out);

/* `value` × 10^-places without zeros at the end, for up to 6 places: whole nanoseconds as milliseconds have 6. */
size_t decimal_text(int64_t value, unsigned places, char *out);

#endif
