/* Chunks that are half full and that nobody writes at the moment. One thread puts a chunk in, another takes it out, and is its
 * only writer from then on. Of markers they are those of threads that have ended: short threads would fill a session with
 * nearly empty chunks otherwise. Of samples they are all: a thread has one only while it writes a sample, so that thousands of
 * threads need no more chunks than there are CPUs. Safe in a signal handler: nobody waits. */
#ifndef SONDE_SESSION_BEGUN_CHUNKS_H
#define SONDE_SESSION_BEGUN_CHUNKS_H

#include "session/chunk.h"

enum { BEGUN_CHUNKS = 32 };

struct begun_chunks {
    _Atomic(struct chunk *) slots[BEGUN_CHUNKS]; /* NULL = empty */
};

/* False: the first `most` ≤ BEGUN_CHUNKS slots are taken. */
static inline bool begun_chunks_put(struct begun_chunks *begun, struct chunk *chunk, size_t most)
{
    for (size_t i = 0; i < most; i++) {
        struct chunk *empty = NULL;
        /* Release: the next owner goes on behind what this one wrote. */
        if (atomic_compare_exchange_strong_explicit(&begun->slots[i], &empty, chunk, memory_order_release,
                                                    memory_order_relaxed))
            return true;
    }
    return false;
}

/* `wanted`, if it is there; else any of them. NULL: there is none. */
static inline struct chunk *begun_chunks_take(struct begun_chunks *begun, const struct chunk *wanted)
{
    for (unsigned any = wanted ? 0 : 1; any < 2; any++) {
        for (size_t i = 0; i < BEGUN_CHUNKS; i++) {
            /* A look first, so that others cost no write. Acquire: see above. */
            struct chunk *chunk = atomic_load_explicit(&begun->slots[i], memory_order_relaxed);
            if (chunk && (any || chunk == wanted) &&
                atomic_compare_exchange_strong_explicit(&begun->slots[i], &chunk, NULL, memory_order_acquire,
                                                        memory_order_relaxed))
                return chunk;
        }
    }
    return NULL;
}

static inline size_t begun_chunks_count(const struct begun_chunks *begun)
{
    size_t count = 0;
    for (size_t i = 0; i < BEGUN_CHUNKS; i++)
        count += atomic_load_explicit(&begun->slots[i], memory_order_relaxed) != NULL;
    return count;
}

#endif
