/* What is known of one thread. Who may touch what:
 *
 *     part         written by                              read by
 *     info         once, before it is in the registry      anyone
 *     name         under the core lock                     under the core lock
 *     labels       the thread itself                       the thread itself, also in its signal handler
 *     markers      the thread itself                       the thread itself
 *     features     under the core lock                     anyone (relaxed: a hint)
 *     sleep        the thread (0, 1), the sampler (1 → 2)  anyone
 *     slot         sampler and handler in turn, see below
 *     sampled      the sampler, under the core lock        the sampler
 *     mask         the thread itself, also in its handler  anyone (relaxed: a hint)
 *     timer        under the core lock, and the handler    as own_timer.h says
 *
 * A registration lives in pages of its own and is used again for another thread only when its thread has ended, the sampler
 * has let go of it, and no signal to it is under way. */
#ifndef SONDE_CAPTURE_REGISTRATION_H
#define SONDE_CAPTURE_REGISTRATION_H

#include "capture/call_again.h"
#include "capture/cpu_time.h"
#include "capture/labels.h"
#include "capture/own_timer.h"
#include "capture/raw_stack.h"
#include "session/chunk.h"
#include "sonde/api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum { THREAD_NAME_MAX = 64, MASKS_KEPT = 4 };
enum thread_sleep { THREAD_AWAKE, THREAD_SLEEPING_NOT_OBSERVED, THREAD_SLEEPING_OBSERVED };

/* The handshake between sampler and signal handler. The sampler raises `asked` and sends the signal; the handler fills
 * `raw`, then stores the number it answers into `answered` (release). While asked ≠ answered a signal is under way: no other is
 * sent, and `raw` is the handler's; else it is the sampler's. */
struct sample_slot {
    _Atomic uint32_t asked, answered;
    _Atomic uint64_t held_ns;   /* how long the handler took */
    _Atomic int number;         /* of the signal that it was asked with */
    bool quiet;                 /* the thread is not to be asked; under the core lock */
    struct blocked_at asked_in; /* the sampler's, like `raw` below: where it was blocked when it was asked … */
    bool interrupted;           /* … the handler's: and now a call ends with EINTR */
    struct raw_stack raw;
};

/* Where markers are written. */
struct marker_place {
    struct chunk *chunk; /* NULL = none yet */
    uint64_t generation; /* of the session that the chunk belongs to */
};

/* What the sampler looks at for every thread in every loop comes first, close together. */
struct registration {
    struct registration *next; /* in the registry or in its list of free ones */
    _Atomic uint32_t features; /* THREAD_CPU … */
    _Atomic uint32_t sleep;    /* enum thread_sleep */
    /* It was about to, or its handler has found it, in a call that lets signals in for as long as it waits: see timed.h. */
    _Atomic bool waits_for_signals;
    /* The frame from which it waits, and will say when that is over: announced_wait.h. 0 = none. The thread's. */
    _Atomic uint64_t announced_at;

    struct {
        uint32_t number; /* never used again in this process */
        pid_t tid;
        pthread_t handle;
        bool main;
        clockid_t cpu_clock;
        uint64_t register_ns;
        uint64_t stack_start, stack_end; /* lowest address and one past the highest; 0, 0 = unknown */
        char name[THREAD_NAME_MAX];      /* as registered */
    } info;

    /* The sampler's memory of this thread. */
    struct {
        uint64_t generation; /* of the session that it is about; below: valid only for that */
        uint64_t cpu_ns;     /* CPU clock at the last sample */
        struct cpu_watch watch;
        uint32_t idle;           /* looks in a row at which it had not run; see sample.h */
        uint32_t busy;           /* … and at which it was running; half as many for each at which it was blocked */
        uint32_t busy_doublings; /* of how many it takes to get a timer (timed.h) */

        bool is_over;                       /* it has ended: it has no rows any more, although its clock may still go */
        bool timed;                         /* it is in sampling.timed (timed.h) … */
        uint64_t timed_since;               /* … since this tick … */
        uint64_t timed_cpu_ns;              /* … and this was its CPU clock when it last took a sample */
        struct cpu_time timed_clocks;       /* its clocks when the sampler last read them */
        struct cpu_time even_from, even_to; /* its clocks at the last two looks, between which it ran evenly */
        struct {
            bool waits;        /* it has said so, and not that this is over */
            bool spoke;        /* it has put something into its ring since the sampler last looked there … */
            bool has_waited;   /* … and waited in between, without saying so */
            long waited_times; /* by then; -1 = not known */
        } by_cpu;              /* for timers that go by the CPU time */
        uint64_t look_at;      /* the tick of the next one */

        /* The last stack as it was written, oldest frame first, for writing only what is new of the next. */
        uint64_t stack_chunk; /* sequence of the chunk that holds its last STACK entry; 0 = none */
        uint32_t frame_count;
        bool truncated;
        struct frame_entry *frames; /* room for STACK_FRAMES_MAX, mapped when first needed; texts in `text` */
        char *text;

        /* The last stack as it was found: slot.raw or `blocked`; NULL = none. */
        const struct raw_stack *last;
        struct raw_stack *blocked;    /* for stacks taken from outside; mapped when first needed */
        int syscall_fd;               /* /proc/self/task/TID/syscall; -1 = not open */
        bool syscall_later;           /* … and the sampler opens it when it needs it */
        struct blocked_at blocked_at; /* as just seen, if it needs a signal */
        bool only_answered;           /* in the tick before: see registration_only_answered() */

        uint64_t row_tick; /* the last tick that it has a row of its own in */

        /* A signal that is under way, and the sample that it is for. */
        bool waiting;
        uint64_t asked_time, asked_cpu_ns; /* when it was last asked, and its CPU clock then … */
        uint64_t seen_cpu_ns;              /* … and when it was last looked at from outside or without an answer */
        struct blocked_at answered_at; /* where it was blocked when it was asked for the stack that it has now; 0 = nowhere */
        uint64_t answered_cpu_ns;      /* its CPU clock then */
        uint32_t timeouts;             /* in a row: such a thread is asked less and less often … */
        uint64_t skip_until;           /* … not before this tick */
    } sampled;

    struct {
        sonde_runtime_walk *_Atomic walk;
        void *runtime;
        uint64_t (*_Atomic event_delay)(void *loop);
        void *loop;
    } hooks; /* set on the thread itself; its handler calls them, the sampler looks whether they are there */

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

    /* See masks.h. */
    struct {
        _Atomic int number;        /* of the signal that it lets through for us; 0 = not known */
        _Atomic bool shown;        /* between masks_show() and masks_hide() */
        _Atomic uint64_t withheld; /* all of those below */
        struct {
            uint64_t mask;     /* that was set, the kernel's … */
            uint64_t withheld; /* … and what the program wanted blocked besides */
        } set[MASKS_KEPT];     /* the last ones, of different masks, the latest first */
    } mask;

    struct own_timer timer;
    struct label_stack labels;
    struct sample_slot slot;
};

/* For the sampler: the thread's last stack is from its handler, and all CPU time that it has used since is what a handler
 * takes. How long that held the thread is an upper bound, and a useless one where the thread lost its CPU meanwhile. */
static inline bool registration_only_answered(const struct registration *thread)
{
    enum { DELIVERY_NS = 20000, HANDLER_MOST_NS = 50000 };
    uint64_t held = atomic_load_explicit(&thread->slot.held_ns, memory_order_relaxed);
    return thread->sampled.last == &thread->slot.raw && thread->sampled.seen_cpu_ns - thread->sampled.asked_cpu_ns <=
                                                            (held < HANDLER_MOST_NS ? held : HANDLER_MOST_NS) + DELIVERY_NS;
}

#endif
