/* The smallest and the largest value of a counter in each pixel column. */
#ifndef SONDE_API_COUNTER_COLUMNS_H
#define SONDE_API_COUNTER_COLUMNS_H

#include "api/counter_values.h"

/* `least` and `most` have `width` columns each; NaN where no row of the counter is. 0 or -ENOMEM. */
int counter_columns_fill(const struct profile *profile, const struct counter *counter, struct time_range range, uint32_t width,
                         float *least, float *most);

#endif
