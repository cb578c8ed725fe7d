/* Ranges of time: rows within them, and the form they have in addresses of the Firefox Profiler. */
#ifndef SONDE_TREE_RANGE_H
#define SONDE_TREE_RANGE_H

#include "common/slice.h"
#include "common/text_buffer.h"
#include "tree/view.h"

/* The first of the rows [first, end) whose time is not before `time`; `end` where there is none. */
size_t times_lower_bound(const double *times, size_t first, size_t end, double time);

/* `10m20`: start and duration in ms, us (`u`) or ns (`n`), relative to the root span. The unit depends on the duration; the
 * start is rounded down and the end up to it. */
void range_encode(const struct time_range *range, struct text_buffer *out);

/* False where the text is none. A duration of 0 is made a little longer, since it would show nothing at all. */
bool range_decode(struct slice text, struct time_range *range);

#endif
