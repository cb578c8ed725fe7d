/* How many samples, of all threads, are in each module: a sample counts once, however many frames of it are there. */
#ifndef SONDE_PROFILE_MODULE_SAMPLES_H
#define SONDE_PROFILE_MODULE_SAMPLES_H

#include "profile/profile.h"

/* The module of each frame; INDEX_NONE for those without an address in one. */
void module_owners_read(const struct frame_table *frames, uint32_t *owners);

/* The same for any division of the frames: `owners` has a number for each, those from `count` on stand for none. `samples` gets
 * `count` sums. False when the heap is empty. */
bool module_samples_count(const struct profile *profile, const uint32_t *owners, size_t count, size_t *samples);

#endif
