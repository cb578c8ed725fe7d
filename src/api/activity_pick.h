/* Which sample is at a place of the activity graph: what is pointed at. */
#ifndef SONDE_API_ACTIVITY_PICK_H
#define SONDE_API_ACTIVITY_PICK_H

#include "api/activity.h"

/* The sample whose part of a column is at `height` (0 the lower edge, 1 a whole CPU); SIZE_MAX above all of them. `states` has
 * an activity_state for each sample, `order` the number by which samples of one fill lie on each other. In `sample`; 0 or
 * -ENOMEM. */
int activity_pick(const struct activity_scale *scale, const struct track_samples *samples, const uint8_t *states,
                  const uint32_t *order, uint32_t column, double height, size_t *sample);

#endif
