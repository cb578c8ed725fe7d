/* The running session, for threads that write their markers into it without a lock.
 *
 *     thread:   enter (busy = here) · session? · write · leave (busy = 0)
 *     stop:     session = none · barrier · is any thread busy?  no: unmap     yes: unmap later
 *
 * So a session is never unmapped under a thread's hands, and stop never waits for a thread, which may be stopped itself. The
 * barrier is one system call on the side of stop (membarrier), so that entering costs two plain stores. */
#ifndef SONDE_CAPTURE_SAMPLER_LIVE_H
#define SONDE_CAPTURE_SAMPLER_LIVE_H

#include "capture/core/core.h"
#include "capture/sampler/registration.h"
#include "ipc/quota.h"

extern struct live_session *_Atomic live_current;
/* Where there is no membarrier, entering has to be sequentially consistent. */
extern _Atomic bool live_strict;

/* Whether the thread, now at `here`, jumped out of what it was doing at `busy` (a handler that ended with longjmp): that lies
 * where the stack has been given up. */
bool live_was_left(const struct registration *mine, uintptr_t busy, uintptr_t here);

/* On the thread itself. False when it is inside already: this is a signal handler that interrupted a marker. */
static inline bool live_enter(struct registration *mine)
{
    char on_stack;
    uintptr_t here = (uintptr_t)&on_stack, busy = atomic_load_explicit(&mine->markers.busy, memory_order_relaxed);
    if (__builtin_expect(busy != 0, 0) && !live_was_left(mine, busy, here))
        return false;
    if (atomic_load_explicit(&live_strict, memory_order_relaxed)) {
        atomic_exchange_explicit(&mine->markers.busy, here, memory_order_seq_cst);
    } else {
        /* The barrier of stop makes this store visible or stops us before the load of live_current. */
        atomic_store_explicit(&mine->markers.busy, here, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
    }
    return true;
}

/* The same for the thread's signal handler, which may come in the middle of a marker, and never in the middle of itself. */
static inline void live_enter_sample(struct registration *mine)
{
    if (atomic_load_explicit(&live_strict, memory_order_relaxed)) {
        atomic_exchange_explicit(&mine->sampling, true, memory_order_seq_cst);
    } else {
        atomic_store_explicit(&mine->sampling, true, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
    }
}

static inline void live_leave_sample(struct registration *mine)
{
    /* Release: as in live_leave(). */
    atomic_store_explicit(&mine->sampling, false, memory_order_release);
}

/* The same for who writes into a chunk that is nobody's: a thread that is not registered, or a signal handler that came in the
 * middle of a marker. Any number of them at a time. */
extern _Atomic uint32_t live_strangers;

static inline void live_enter_strange(void)
{
    atomic_fetch_add_explicit(&live_strangers, 1, memory_order_seq_cst);
}

static inline void live_leave_strange(void)
{
    /* Release: as in live_leave(). */
    atomic_fetch_sub_explicit(&live_strangers, 1, memory_order_release);
}

/* Where the recorder says that it has paused or ended the session, in memory that it shares with its processes; NULL = nowhere.
 * Safe in a signal handler. */
extern const struct quota *_Atomic live_quota;
static inline bool live_is_over(void)
{
    const struct quota *quota = atomic_load_explicit(&live_quota, memory_order_relaxed);
    return quota && atomic_load_explicit(&quota->is_over, memory_order_relaxed);
}

/* … or over. */
static inline bool live_is_paused(void)
{
    const struct quota *quota = atomic_load_explicit(&live_quota, memory_order_relaxed);
    return quota && (atomic_load_explicit(&quota->is_paused, memory_order_relaxed) ||
                     atomic_load_explicit(&quota->is_over, memory_order_relaxed));
}

/* NULL when nothing is recorded. Valid until live_leave() or live_leave_sample(). */
static inline const struct live_session *live_session(void)
{
    return atomic_load_explicit(&live_current, memory_order_seq_cst);
}

static inline void live_leave(struct registration *mine)
{
    /* Release: what was written is written before the session can be unmapped. */
    atomic_store_explicit(&mine->markers.busy, 0, memory_order_release);
}

/* By a thread that has found live_is_paused(), outside of live_enter(): where the recorder has ended the session for good, it
 * ends here, too. The life cycle sets it. */
extern void (*live_stop_if_over)(void);

/* The recorder has seen that the program has forbidden itself system calls (sandbox.h): from now on it is known here. Before
 * calls that could be refused; `mine` may be NULL. */
void live_note_filter(struct registration *mine);

/* The rest is for the life cycle. */
void live_init(void);
int live_publish(const struct core_locked *locked, struct chunk_manager *chunks, uint64_t generation);
/* `first` is the first of all threads. `for_good`: the process is about to end, and the kernel unmaps all at once. */
void live_retire(const struct core_locked *locked, const struct registration *first, bool for_good);
/* Unmaps retired sessions that no thread uses any more. False: some are left. */
bool live_collect(const struct core_locked *locked, const struct registration *first);
void live_forked(void);
/* The same without a system call: nothing is unmapped. */
void live_forget(void);

#endif
