/* The "is it on?" word: the only thing that calls look at while nothing is recorded. */
#ifndef SONDE_CAPTURE_CORE_STATE_H
#define SONDE_CAPTURE_CORE_STATE_H

#include "capture/core/feature_set.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The features in the low bits, the state in the top byte (capture/core/feature_set.h asserts that they do not meet). Relaxed:
 * it says whether to try; what is written is protected by its own means. Set last in start, cleared first in stop. */
extern _Atomic uint64_t state_word;

/* Children that come without fork() (_Fork, clone) run no handlers of ours: the kernel sets the word to 0 for them. */
void state_init(void);

enum { STATE_ACTIVE_BIT = 63, STATE_PAUSED_BIT = 62, STATE_SAMPLING_PAUSED_BIT = 61, STATE_LOWEST_BIT = 56 };
#define STATE_ACTIVE (UINT64_C(1) << STATE_ACTIVE_BIT)
#define STATE_PAUSED (UINT64_C(1) << STATE_PAUSED_BIT)
#define STATE_SAMPLING_PAUSED (UINT64_C(1) << STATE_SAMPLING_PAUSED_BIT)

static inline uint64_t state_get(void)
{
    return atomic_load_explicit(&state_word, memory_order_relaxed);
}

static inline bool state_collecting_markers(void)
{
    return (state_get() & (STATE_ACTIVE | STATE_PAUSED)) == STATE_ACTIVE;
}

static inline bool state_has_feature(enum feature feature)
{
    uint64_t word = state_get();
    return (word & STATE_ACTIVE) && (word >> feature & 1);
}

#endif
