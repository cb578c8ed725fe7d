/* Leaves the code of a HotSpot: the hook of the unwinder (unwind.h) for the VM's code cache.
 *
 *     interpreter        rbp frame: method, bytecode and the caller's stack pointer are words of it
 *     compiled code      the caller's sp = sp + frame size of the blob; rbp is a register like any other there
 *     stubs              by rbp, by frame size, or as leaves
 *     call stub          what C++ calls Java through: the native walk goes on behind it
 *
 * On the way it tells the Java frames it passes, youngest first: of one place are those that were inlined and the one that they
 * were inlined into. */
#ifndef SONDE_RUNTIME_HOTSPOT_STEP_H
#define SONDE_RUNTIME_HOTSPOT_STEP_H

#include "common/frame_tier.h"
#include "runtime/hotspot/methods.h"
#include "runtime/hotspot/scopes.h"
#include "unwind/unwind.h"

struct hotspot_frame {
    uint64_t stack_address; /* sp of the native frame that it is */
    uint64_t method;        /* 0: a virtual thread, whose older frames are not on the stack */
    int32_t bci;            /* HOTSPOT_NO_BCI = not known */
    enum frame_tier tier;
};

/* One walk. */
struct hotspot_walk {
    struct hotspot_reader reader; /* its memory is that of the walk */
    struct hotspot_methods *methods;
    struct hotspot_scope_cache *cache; /* NULL: none */
    uint64_t time;                     /* of the sample */
    void (*emit)(void *data, const struct hotspot_frame *frame);
    void *data;
    uint32_t steps; /* that were made so far; starts as 0 */
};

/* The hook for a walk; start = end as long as the VM has no code. */
struct unwind_hook hotspot_hook(struct hotspot_walk *walk);

#endif
