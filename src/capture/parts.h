/* What libsonde adds to libsonde-base, and what the base offers to it. Two tables of functions, because the libraries share no
 * symbol but sonde_base_attach().
 *
 * The base alone samples the main thread, with labels and the place it stands at. libsonde brings whole native stacks of all
 * threads, stacks of blocked threads from outside, counters and the search for unregistered threads. If a session of the base
 * is running when libsonde is loaded, it goes on: same file, same numbers, same clock; an interval marker "Profilers handover"
 * says when.
 *
 * `begin` to `end` are called under the core lock: the first by whoever starts the session or loads libsonde, so that files are
 * opened by a thread of the program, which may rely on the numbers of its descriptors; `tick` and `after_tick` by the sampler;
 * `end` by whoever stops. */
#ifndef SONDE_CAPTURE_PARTS_H
#define SONDE_CAPTURE_PARTS_H

#include "capture/raw_stack.h"
#include "capture/thread_place.h"
#include "sonde/api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct registration;

/* What was found about a thread that is blocked in a system call. */
enum blocked_result {
    BLOCKED_NOT,           /* it runs, or nothing is known: it has to be asked by a signal */
    BLOCKED_SAME,          /* at the same place with the same stack as when it was last seen */
    BLOCKED_STACK,         /* its stack is in `out`, complete, and it did not run meanwhile */
    BLOCKED_UNSIGNALLABLE, /* it waits for signals themselves: it must not be sent one; `out` has what could be found */
    BLOCKED_NEEDS_SIGNAL,  /* blocked, but its stack cannot be walked from outside */
    BLOCKED_WITH_LIMIT,    /* the same, maybe for a time only; `out` has what could be found */
};

struct capture_base;

struct capture_parts {
    size_t size;
    /* First of all: what the base offers. */
    void (*attached)(const struct capture_base *base);
    /* The native stack of the calling thread from the registers in `context` (a ucontext_t *; NULL = from here) into `raw`. In
     * a signal handler. */
    void (*walk)(const struct registration *thread, const void *context, struct raw_stack *raw);
    /* Whether a thread can be made where this stack was taken. In a signal handler, too. */
    bool (*may_make_thread)(const struct raw_stack *raw, enum thread_place place);
    /* Looks at a thread from outside. */
    enum blocked_result (*look_at_blocked)(struct registration *thread, struct raw_stack *out);
    /* Start of a session, or of the parts' role in a running one. */
    void (*begin)(uint64_t features, uint64_t now_ns);
    /* Somebody is about to take a stack of its own, maybe before the first tick. Under the core lock; in a signal handler with
     * its third argument, else NULL. Once is enough, unless libraries came meanwhile. False: it cannot be done right now. */
    bool (*expect_stacks)(uint64_t now_ns, const void *context);
    /* Every tick, before threads are looked at: modules that came and went, counters. */
    void (*tick)(uint64_t now_ns);
    /* From now on handlers can make no system calls (sandbox.h). Under the core lock. */
    void (*shut_in)(void);
    /* After the threads: work that may take longer (unregistered threads). */
    void (*after_tick)(uint64_t now_ns);
    void (*end)(void);
    void (*forked)(void); /* in the child */
};

struct capture_base {
    size_t size;
    /* Appends an entry: `write` is called with room for `max` bytes and returns the length (0 = nothing). Any thread but the
     * handler; `kept` entries go to CHUNK_KEPT, others to the sampler's chunk (then only from tick and after_tick). False = no
     * room. */
    bool (*put)(bool kept, size_t max, size_t (*write)(uint8_t *out, size_t room, const void *entry), const void *entry);
    const struct sonde_api *api;
    /* As api->marker_add, on the main thread's track, with or without the core lock held. */
    void (*marker)(struct sonde_marker_type *type, const char *name, size_t name_length, sonde_category category,
                   const struct sonde_marker_options *options, const void *values);
    void (*statistic_add)(int statistic, uint64_t amount); /* enum session_statistic */
    bool (*is_registered)(int tid);                        /* or one of our own */
    uint64_t (*session_bytes)(void);                       /* memory that the session's chunks take: not the program's */
    bool (*may_wait)(void);                                /* for the first tick: processes come and go */
    const char *(*program)(void);                          /* its path, which stays; NULL: not known */
    const uint64_t *clock_origin;                          /* for clock_now() in libsonde; changes only at fork */
};

/* The one function that libsonde-base exports for libsonde; `parts` must stay. 0, or -EINVAL: another version, or there are
 * parts already. */
__attribute__((visibility("default"))) int sonde_base_attach(const struct capture_parts *parts);

#endif
