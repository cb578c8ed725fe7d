/* The values of a counter over time, as they are drawn. */
#ifndef SONDE_API_COUNTER_VALUES_H
#define SONDE_API_COUNTER_VALUES_H

#include "tree/view.h"

/* Whether the counter is drawn as the sum of its changes (memory), or else as changes per second. */
bool counter_is_accumulated(const struct profile *profile, const struct counter *counter);

struct counter_values {
    size_t count;
    double *times;
    double *changes; /* 0 where nothing is known */
    double *values;  /* NaN likewise */
};

/* `values` needs no initialisation and is to be freed in any case. 0 or -ENOMEM. */
int counter_values_read(const struct profile *profile, const struct counter *counter, struct counter_values *values);
void counter_values_free(struct counter_values *values);

/* Those in a range. NaN where it has none. */
struct counter_summary {
    double least, most;
    double mean;   /* of sums: of the values; of rates: of the time before them */
    double change; /* all changes together */
};

struct counter_summary counter_summary_of(const struct counter_values *values, bool accumulated, struct time_range range);

#endif
