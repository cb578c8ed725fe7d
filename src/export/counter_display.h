/* How counters are drawn: what the counter says of itself, else what its category and name stand for. */
#ifndef SONDE_EXPORT_COUNTER_DISPLAY_H
#define SONDE_EXPORT_COUNTER_DISPLAY_H

#include "common/json_writer.h"
#include "profile/profile.h"

/* Writes how the Firefox Profiler draws a counter, from what the counter says and else from its category and name. */
void counter_display_write(const struct profile *profile, const struct counter *counter, int version, struct json_writer *w);

/* The colour of a counter that brought nothing else along, from a file that had no displays yet; NULL for all others. */
const uint8_t *counter_display_color(const struct profile *profile, const struct counter *counter);

/* The oldest version that gives the counter the display it has. 0 or a negative errno. */
int counter_display_version(const struct profile *profile, const struct counter *counter, int *version, struct error *error);

/* Whether its graph shows what all changes up to a time add up to (memory in use), not each change on its own (CPU time,
 * energy). */
bool counter_display_accumulates(const struct profile *profile, const struct counter *counter);

#endif
