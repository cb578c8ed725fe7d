/* The narrow lanes of a thread's track: a bar for each sample, and what the thread waited for. */
#ifndef SONDE_API_TRACK_LANES_H
#define SONDE_API_TRACK_LANES_H

#include "api/activity.h"

enum strip_state { STRIP_NOTHING, STRIP_SAMPLE, STRIP_SELECTED, STRIP_IDLE };

/* Fills `columns` with a strip_state each. `states` has an activity_state for each sample; samples that are filtered out are
 * gaps. Where samples share a column, the selected ones are seen before others, and those before idle ones. */
void sample_strip_fill(const struct activity_scale *scale, const struct track_samples *samples, const uint8_t *states,
                       bool has_selection, uint8_t *columns);

enum wait_state { WAIT_UNKNOWN, WAIT_CPU, WAIT_READY, WAIT_WAITING, WAIT_UNSEEN, WAIT_STATES };

/* Fills `columns` with the wait_state that most of each one has, and `names` with the name of the function of the longest wait
 * in it, INDEX_NONE where it has none. Only rows of Sonde's own recordings know. 0 or -ENOMEM. */
int wait_lane_fill(const struct activity_scale *scale, const struct track_samples *samples, uint8_t *columns, uint32_t *names);

#endif
