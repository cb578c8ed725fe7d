/* The running session, for threads that write their markers into it without a lock.
 *
 *     thread:   enter (busy = here) · session? · write · leave (busy = 0)
 *     stop:     session = none · barrier · is any thread busy?  no: unmap     yes: unmap later
 *
 * So a session is never unmapped under a thread's hands, and stop never waits for a thread, which may be stopped itself. The
 * barrier is one system call on the side of stop (membarrier), so that entering costs two plain stores. */
#ifndef SONDE_CAPTURE_LIVE_H
#define SONDE_CAPTURE_LIVE_H

#include "capture/core.h"
#include "capture/registration.h"

struct live_session {
    uint64_t generation;
    struct chunk_manager *chunks;
    struct session_file_header *header; /* statistics */
    struct live_session *next;          /* among those that wait to be unmapped */
};

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

/* NULL when nothing is recorded. Valid until live_leave(). */
static inline const struct live_session *live_session(void)
{
    return atomic_load_explicit(&live_current, memory_order_seq_cst);
}

static inline void live_leave(struct registration *mine)
{
    /* Release: what was written is written before the session can be unmapped. */
    atomic_store_explicit(&mine->markers.busy, 0, memory_order_release);
}

/* Any thread inside enter and leave, or with the core lock. */
static inline void live_statistic_add(const struct live_session *session, enum session_statistic statistic, uint64_t amount)
{
    atomic_fetch_add_explicit(&session->header->statistics[statistic], amount, memory_order_relaxed);
}

/* The rest is for the life cycle. */
void live_init(void);
int live_publish(const struct core_locked *locked, struct chunk_manager *chunks, uint64_t generation);
/* `for_good`: the process is about to end, and the kernel unmaps all at once. */
void live_retire(const struct core_locked *locked, bool for_good);
/* Unmaps retired sessions that no thread uses any more. */
void live_collect(const struct core_locked *locked);
void live_forked(void);

#endif
