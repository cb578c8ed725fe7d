/* A thread's samples as plain arrays, for the graphs of its track. */
#ifndef SONDE_API_TRACK_SAMPLES_H
#define SONDE_API_TRACK_SAMPLES_H

#include "common/arena.h"
#include "profile/profile.h"

struct track_samples {
    size_t count;
    bool precede; /* they stand for the time from `starts` on, which has nothing otherwise */
    double *times, *starts;
    uint32_t *stacks; /* of the profile */
    uint8_t *percent; /* of a CPU that was used before each sample; one more than there are samples */
};

/* `reference` is that of CPU deltas (tree/cpu.h), 0 = unknown: every sample had all of its CPU. All lives in the arena; false
 * when the heap is empty. */
bool track_samples_read(const struct profile *profile, struct thread_index thread, double reference, struct arena *arena,
                        struct track_samples *samples);

#endif
