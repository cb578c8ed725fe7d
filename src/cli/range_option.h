/* --range A,B: from when to when.
 *
 *     1.5,3         seconds after the start of the profile; either side may be empty
 *     1500ms,3s     with units: ns, us, ms, s, min
 *     2s,+5ms       5 ms from 2 s on
 *     -500ms,       the last half second: counted back from the end
 *
 * Durations of other options (--min-duration) are written the same way. */
#ifndef SONDE_CLI_RANGE_OPTION_H
#define SONDE_CLI_RANGE_OPTION_H

#include <stdbool.h>

struct time_point {
    double seconds;
    bool given;
    bool from_end;   /* so long before the end */
    bool from_start; /* of the end of a range: so long after its start */
};

struct seconds_range {
    bool given;
    const char *text; /* as it was given */
    struct time_point start, end;
};

/* False where it cannot be read. */
bool range_option_parse(const char *text, struct seconds_range *range);

/* What can be said without a profile: whether it ends before it starts. */
bool range_option_is_backwards(const struct seconds_range *range);

/* In seconds from the start of a profile that is so long; infinite where a side is open or nothing was given. */
void range_option_resolve(const struct seconds_range *range, double length, double *start, double *end);

/* `5ms`, `1.5s`, `200us`; a bare number is in units of `unit` seconds. False where it cannot be read. */
bool duration_parse(const char *text, double unit, double *seconds);

#endif
