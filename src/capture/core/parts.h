/* What libsonde adds to libsonde-base, and what the base offers to it. Two tables of functions, because the libraries share no
 * symbol but sonde_base_attach() and the table of the public API.
 *
 * The base alone samples the main thread, with labels and the place it stands at. libsonde brings whole native stacks of all
 * threads, stacks of blocked threads from outside, counters and the search for unregistered threads. If a session of the base
 * is running when libsonde is loaded, it goes on: same file, same numbers, same clock; an interval marker "Profilers handover"
 * says when.
 *
 * `begin` to `end` are called under the core lock: `begin` by whoever starts the session or loads libsonde, so that files are
 * opened by a thread of the program, which may rely on the numbers of its descriptors; `loop`, `look` and `after_loop` by the
 * background thread, where there is one; `end` by whoever stops. */
#ifndef SONDE_CAPTURE_CORE_PARTS_H
#define SONDE_CAPTURE_CORE_PARTS_H

#include "session/entry_append.h"
#include "sonde/api.h"
#include "stack/raw_stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct registration;

struct capture_base;

struct capture_parts {
    size_t size;
    /* First of all: what the base offers. */
    void (*attached)(const struct capture_base *base);
    /* The native stack of the calling thread from these registers, which it changes, into `raw`. In a signal handler. */
    void (*walk)(const struct registration *thread, struct unwind_registers *registers, struct raw_stack *raw);
    /* Start of a session, or of the parts' role in a running one. */
    void (*begin)(uint64_t features, uint64_t now_ns);
    /* Looks which modules came and went. Not in a handler: asks the dynamic linker. */
    void (*refresh)(uint64_t now_ns);
    /* There is work that only the background thread can do: it is to be made, also under a recorder. */
    bool (*needs_background)(void);
    /* The counters of the system. */
    void (*loop)(uint64_t now_ns);
    /* Looks at the threads that are due (looker/look_policy.h). Returns when the next one is. */
    uint64_t (*look)(uint64_t now_ns);
    /* Without the lock: work that may take longer (unregistered threads). */
    void (*after_loop)(uint64_t now_ns);
    void (*end)(void);
    void (*forked)(void); /* in the child */
};

/* Under the core lock, but for what says otherwise. */
struct capture_base {
    size_t size;
    /* kept_put() or common_put() of core.h. */
    bool (*put)(bool kept, size_t max, entry_fill *fill, const void *entry);
    /* kept_put() for who does not hold the lock; false also where it may not be taken. */
    bool (*put_alone)(size_t max, entry_fill *fill, const void *entry);
    /* As sonde_api.marker_add, on the main thread's track. Also without the lock. */
    void (*marker)(struct sonde_marker_type *type, const char *name, size_t name_length, sonde_category category,
                   const struct sonde_marker_options *options, const void *values);
    void (*statistic_add)(int statistic, uint64_t amount); /* enum session_statistic. Also without the lock */
    bool (*is_registered)(int tid);                        /* or one of our own. Without the lock */
    uint64_t (*session_bytes)(void);                       /* memory that the session's chunks take: not the program's */
    bool (*is_observed)(void);                             /* a recorder looks after the process, and counts its CPU time */
    /* All threads that are to be sampled, one after the other; NULL = the first one, and at the end. */
    struct registration *(*next_thread)(struct registration *thread);
    bool (*modules_changed)(
        void); /* a recorder is to look which there are; false: nothing is recorded. Safe in a signal handler */
    const char *(*program)(void); /* its path, which stays; NULL: not known */
    /* Where the interpreter is that the V8 of the calling thread has for itself (struct v8_interpreter), which stays until the
     * thread ends; NULL = nowhere. Without the lock. */
    void (*show_interpreter)(const void *interpreter);
    /* Of labels.h. Without the lock. */
    uint32_t (*label_push_own)(const void *stack_address);
    void (*label_pop)(uint32_t depth);
    const uint64_t *clock_origin; /* for clock_now() in libsonde; changes only at fork */
};

/* The one function that libsonde-base exports for libsonde; `parts` must stay. 0, or -EINVAL: another version, or there are
 * parts already. */
__attribute__((visibility("default"))) int sonde_base_attach(const struct capture_parts *parts);

#endif
