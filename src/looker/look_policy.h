/* When to look at which thread, and which looks are worth a row. Pure logic: all times are told by the caller.
 *
 *     a thread that runs and waits      a look at random moments, ½ … 1½ of a mean distance (10 ms)
 *     a thread in the same wait         backs off: a sixteenth of what it has waited so far, at most 1 s
 *     more than 1 % of a CPU is used    throttled: all distances are stretched by one factor, until the looks fit the budget;
 *                                       after a burst, as when many threads begin at once, there is a pause
 *
 * Looks come at random moments, so that no program can be in step with them, and a wait is found in proportion to its length.
 * Threads are in a heap, by the due time of their next look. Due times are of a clock that runs slower by the factor, so that a
 * change of the factor counts at once for all threads, and no thread starves. */
#ifndef SONDE_LOOKER_LOOK_POLICY_H
#define SONDE_LOOKER_LOOK_POLICY_H

#include "looker/look.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LOOK_MEAN_NS = 10000000,           /* the usual mean distance */
    LOOK_BACKOFF = 16,                 /* a wait that lasts is looked at again after 1/16 of it … */
    LOOK_BACKOFF_MOST_NS = 1000000000, /* … but no later */
    LOOK_ROW_LEAST_NS = 1000000000,    /* the same wait gets another row after 25 % of it, at least so much */
    LOOK_BUDGET = 100,                 /* the looker may use 1/100 of a CPU */
    LOOK_ROUND_NS = 2500000,  /* threads due within this time are looked at together: to wake up costs more than a look */
    LOOK_ROUND_LOOKS = 64,    /* and no more of them at once: the thread that looks may have other things to do */
    LOOK_BURST_NS = 20000000, /* CPU time that may be used at once, when many threads begin */
    LOOK_STRETCH_MOST = 4096,
};

/* One thread's turn: in the caller's memory, mostly beside its struct look_thread, which must not move while it is added. */
struct look_turn {
    /* For look_policy.c alone. */
    size_t place_plus_1; /* in the heap; 0: not added */
    uint64_t due;        /* by the slow clock */
    bool seen, waiting;
    uint64_t runs, cpu_ns;
    uint64_t wait_start_ns; /* the look that saw the wait first */
    uint64_t row_waited_ns; /* how long it had lasted at its last row */
};

struct look_policy {
    /* For look_policy.c alone. */
    struct look_turn **heap;
    size_t count, capacity;
    uint64_t mean_ns;
    uint64_t random;
    uint64_t now_ns, slow_ns;                    /* the clock told last; the slow clock, which has run 1/stretch as fast */
    double slow_rest;                            /* of a nanosecond */
    double stretch;                              /* ≥ 1 */
    double spent_ns, slow_spent_ns;              /* CPU time and slow time of the last second or so; older ones count less */
    uint64_t spent_at_ns, cpu_at_ns, slow_at_ns; /* the clocks told last */
    bool has_spent;
    double credit_ns;     /* CPU time that may be used now; below 0: nothing is done until it has come in again */
    uint64_t round_ns;    /* when the last round began */
    unsigned round_looks; /* so far */
};

/* `mean_ns` 0: LOOK_MEAN_NS. Any `seed`. */
void look_policy_init(struct look_policy *policy, uint64_t mean_ns, uint64_t seed, uint64_t now_ns);
void look_policy_free(struct look_policy *policy);

/* A new thread (`*turn` is filled in), to be looked at soon. False when there is no memory. */
bool look_policy_add(struct look_policy *policy, struct look_turn *turn, uint64_t now_ns);
/* Removes a thread; does nothing for one that was not added. */
void look_policy_remove(struct look_policy *policy, struct look_turn *turn);

/* The thread to look at now; false: none is due. After true the caller takes the look, and calls look_policy_taken() or
 * look_policy_remove() before the next call. */
bool look_policy_next(struct look_policy *policy, uint64_t now_ns, struct look_turn **turn);

/* What the look found: the thread gets its next turn. True: it is worth a row. */
bool look_policy_taken(struct look_policy *policy, struct look_turn *turn, const struct look *look);

/* When to ask again, by the clock of the caller; UINT64_MAX: there are no threads. */
uint64_t look_policy_wake(const struct look_policy *policy);

/* To be called after each round of looks: `cpu_ns` is the CPU time that looks have used so far, in all. */
void look_policy_spent(struct look_policy *policy, uint64_t now_ns, uint64_t cpu_ns);

/* By how much distances are longer than they should be: 1, or more where the looks would cost too much. */
static inline double look_policy_stretch(const struct look_policy *policy)
{
    return policy->stretch;
}

#endif
