/* A thread on its way into the session with an allocation: as itself, or, where its own chunk cannot be used, as nobody in
 * particular.
 *
 * Anything may call malloc(): the dynamic linker with its locks held, signal handlers in the middle of a marker, threads that
 * are not registered yet or no more. So no lock is taken here that somebody may hold who waits for the linker or for this
 * thread. */
#ifndef SONDE_CAPTURE_ALLOCATIONS_ALLOCATION_VISIT_H
#define SONDE_CAPTURE_ALLOCATIONS_ALLOCATION_VISIT_H

#include "capture/core/clock.h"
#include "capture/markers/marker_place.h"
#include "capture/markers/marker_stack.h"
#include "capture/sampler/live.h"
#include "capture/sampler/registry.h"
#include "session/entry_append.h"

struct visit {
    const struct live_session *session; /* NULL = there is none */
    struct registration *mine;          /* NULL = it is not registered */
    bool is_own;                        /* its chunk and its scratch may be used */
};

static inline struct visit visit_begin(void)
{
    struct visit visit = {.mine = registration_mine()};
    visit.is_own = visit.mine && live_enter(visit.mine);
    if (!visit.is_own)
        live_enter_strange();
    visit.session = live_session();
    return visit;
}

static inline void visit_end(const struct visit *visit)
{
    if (visit->is_own) {
        live_leave(visit->mine);
        marker_place_housekeep();
    } else {
        live_leave_strange();
    }
}

/* Something is recorded at the moment. */
static inline bool visit_is_recorded(const struct visit *visit)
{
    return visit->session && state_collecting_markers() && !live_is_paused();
}

/* … and so is what this thread does. */
static inline bool visit_is_wanted(const struct visit *visit)
{
    return !visit->mine || (atomic_load_explicit(&visit->mine->features, memory_order_relaxed) & THREAD_MARKERS);
}

static inline uint32_t visit_thread(const struct visit *visit)
{
    return visit->mine ? visit->mine->info.number : 0;
}

/* Into the chunk that the place has, and nowhere else. False: it does not fit. */
bool visit_put_here(const struct marker_place *place, const struct live_session *session, size_t max, entry_fill *fill,
                    const void *entry);

/* Wherever there is room. False: there is none, which is counted. */
bool visit_put(const struct visit *visit, size_t max, entry_fill *fill, const void *entry);
/* Counts an entry of so many bytes that was lost. */
void visit_count_lost(const struct visit *visit, size_t bytes);

/* The stack of the calling thread, without our frames; valid until visit_stack_done(). False: there is no memory for it, or
 * another thread that is nobody takes its own. */
struct visit_stack {
    struct marker_stack stack;
    bool is_strange;
};
bool visit_stack_take(const struct visit *visit, struct visit_stack *stack);
void visit_stack_done(const struct visit_stack *stack);

/* In a forked child. */
void visit_forked(void);

#endif
