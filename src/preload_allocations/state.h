/* What threads have of sampling, and what they share. */
#ifndef SONDE_PRELOAD_ALLOCATIONS_STATE_H
#define SONDE_PRELOAD_ALLOCATIONS_STATE_H

#include "allocations/library.h"

#pragma GCC visibility push(hidden)

/* What a thread has. All zero at first: its first allocation takes the slow path, which draws its first gap. */
struct own_state {
    uint64_t spare; /* bytes up to the next sample, less one */
    uint64_t drawn; /* what that was when it was drawn */
    uint64_t random, mean;
    uint64_t taken;                     /* how often the slow path was taken */
    uintptr_t inside;                   /* where on the stack the slow path began; 0 = nowhere */
    uint64_t batch_ns, batch_start_cpu; /* since its mean was last adapted: adapt.c */
    uint32_t batch_samples;
    bool has_batch; /* it has had one */
};
extern __thread struct own_state own __attribute__((tls_model("initial-exec")));

extern struct live_blocks live;

extern const struct allocation_recorder *_Atomic recorder; /* NULL = no session has begun, or it is over */
extern struct allocation_plan plan;

#pragma GCC visibility pop

#endif
