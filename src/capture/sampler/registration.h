/* What is known of one thread. Who may touch what:
 *
 *     part         written by                              read by
 *     info         once, before it is in the registry      anyone
 *     name         under the core lock                     under the core lock
 *     labels       the thread itself                       its signal handler; the looker, which finds out whether it ran
 *     interpreter  the thread itself                       the looker
 *     markers      the thread itself                       the thread itself
 *     allocations  the thread itself                       the thread itself; its counts under the core lock
 *     samples      the thread's signal handler             the same
 *     features     under the core lock                     anyone (relaxed: a hint)
 *     clock        under the core lock                     under the core lock
 *     faults       under the core lock                     under the core lock
 *
 * A registration lives in pages of its own, is used again for another thread only when its thread has ended, and is never
 * unmapped. */
#ifndef SONDE_CAPTURE_SAMPLER_REGISTRATION_H
#define SONDE_CAPTURE_SAMPLER_REGISTRATION_H

#include "capture/sampler/fault_events.h"
#include "capture/sampler/sample_writer.h"
#include "capture/sampler/thread_clock.h"
#include "session/chunk.h"
#include "sonde/api.h"
#include "stack/labels.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum { THREAD_NAME_MAX = 64 };

/* What is recorded of a thread. */
enum { THREAD_CPU = 1, THREAD_SAMPLING = 2, THREAD_MARKERS = 4 };

/* Where markers are written. */
struct marker_place {
    struct chunk *chunk; /* NULL = none yet */
    uint64_t generation; /* of the session that the chunk belongs to */
};

struct registration {
    struct registration *next; /* in the registry or in its list of free ones */
    _Atomic uint32_t features; /* THREAD_CPU … */

    struct {
        uint32_t number; /* never used again in this process */
        pid_t tid;
        pthread_t handle;
        bool main;
        clockid_t cpu_clock;
        uint64_t register_ns;
        uint64_t stack_start, stack_end; /* lowest address and one past the highest; 0, 0 = unknown */
    } info;

    struct {
        sonde_runtime_walk *_Atomic walk;
        void *runtime;
        uint64_t (*_Atomic event_delay)(void *loop);
        void *loop;
    } hooks; /* set on the thread itself; its handler calls them */

    struct {
        char now[THREAD_NAME_MAX];
        char system[16]; /* the system's name for it when last looked at: programs change it behind our back */
        bool given;      /* by somebody who knew, not taken from the system */
    } name;

    struct {
        struct marker_place place;
        struct marker_scratch *scratch; /* for its own stack (marker_stack.h); mapped when first needed */
        /* Where on the stack a marker is being written: one from a signal handler must not get between. 0 = nowhere. */
        _Atomic uintptr_t busy;
    } markers;

    struct {
        struct allocation_events *events; /* where every allocation is written down: mapped when first needed */
        _Atomic uint64_t bytes, count;    /* of blocks that are not in the statistics yet: the thread itself adds */
    } allocations;

    struct thread_clock clock;
    struct fault_events faults;
    uint64_t
        interrupted_at;     /* the handler's: where it came last (unwind_context_mark()); only where page faults are recorded */
    _Atomic bool sampling;  /* its handler is writing: see live.h */
    uint32_t ticks_to_skip; /* the handler's: see handler.c */
    uint32_t ticks_skipped; /* … since its last sample */
    struct label_stack labels;
    _Atomic uint64_t interpreter; /* label_stack_interpreter_at() */
    struct sample_writer samples;
};

_Static_assert(offsetof(struct registration, interpreter) == offsetof(struct registration, labels) + sizeof(struct label_stack),
               "right behind the labels");

#endif
