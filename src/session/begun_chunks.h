/* Chunks of markers that are half full and that nobody writes: their threads have ended. Short threads would fill a session
 * with nearly empty chunks otherwise. One thread puts a chunk in, another takes it out, and is its only writer from then on. */
#ifndef SONDE_SESSION_BEGUN_CHUNKS_H
#define SONDE_SESSION_BEGUN_CHUNKS_H

#include "session/chunk.h"

struct begun_chunks {
    _Atomic(struct chunk *) slots[8]; /* NULL = empty */
};

/* False: all slots are taken. */
static inline bool begun_chunks_put(struct begun_chunks *begun, struct chunk *chunk)
{
    for (size_t i = 0; i < sizeof begun->slots / sizeof *begun->slots; i++) {
        struct chunk *empty = NULL;
        /* Release: the next owner goes on behind what this one wrote. */
        if (atomic_compare_exchange_strong_explicit(&begun->slots[i], &empty, chunk, memory_order_release,
                                                    memory_order_relaxed))
            return true;
    }
    return false;
}

/* NULL: there is none. Safe in a signal handler. */
static inline struct chunk *begun_chunks_take(struct begun_chunks *begun)
{
    for (size_t i = 0; i < sizeof begun->slots / sizeof *begun->slots; i++) {
        /* A look first, so that empty slots cost no write. Acquire: see above. */
        if (!atomic_load_explicit(&begun->slots[i], memory_order_relaxed))
            continue;
        struct chunk *chunk = atomic_exchange_explicit(&begun->slots[i], NULL, memory_order_acquire);
        if (chunk)
            return chunk;
    }
    return NULL;
}

#endif
