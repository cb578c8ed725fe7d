/* The methods that were met on stacks: whose names somebody has yet to find out.
 *
 * Handlers of any thread add to it; one reader follows in the order in which they came. A method is known by the address of its
 * Method, which another one can have once its class is gone: then its bytecodes are elsewhere, and it is told again. */
#ifndef SONDE_RUNTIME_HOTSPOT_METHODS_H
#define SONDE_RUNTIME_HOTSPOT_METHODS_H

#include "runtime/hotspot/memory.h"

#include <stdatomic.h>

enum { HOTSPOT_METHODS_MAX = 1 << 15, HOTSPOT_METHODS_TOLD_MAX = 1 << 16 };

struct hotspot_known_method {
    _Atomic uint64_t method;    /* 0 = free */
    _Atomic uint64_t bytecodes; /* where they begin; 0 = being filled in */
    _Atomic uint64_t since;     /* when it was first met */
    _Atomic uint32_t size;      /* of the bytecodes */
};

/* All 0 at the start. */
struct hotspot_methods {
    _Atomic uint32_t count;                           /* of `order`: how many there are to be told */
    _Atomic uint32_t order[HOTSPOT_METHODS_TOLD_MAX]; /* 1 + index in `known`; 0 = about to be written */
    struct hotspot_known_method known[HOTSPOT_METHODS_MAX];
};

/* Whether there is a method at this address: it looks like one. Adds it, met at `time`, if it is new. `fresh`: what is known of
 * it is not to be trusted, such as when somebody else's code refers to it for the first time. */
const struct hotspot_known_method *hotspot_method_meet(struct hotspot_reader *reader, struct hotspot_methods *methods,
                                                       uint64_t method, uint64_t time, bool fresh);

/* For the one reader: the next that is to be told, in the order in which they came; NULL = none. `*at` starts as 0. */
const struct hotspot_known_method *hotspot_methods_next(const struct hotspot_methods *methods, uint32_t *at);

/* Whether the method at this address still is the one that was met. */
bool hotspot_method_is(struct hotspot_reader *reader, const struct hotspot_known_method *known, uint64_t method);

#endif
