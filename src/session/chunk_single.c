#include "session/chunk_single.h"

/* Nobody else sees the chunk, so no order is needed. */

void chunk_single_reset(struct chunk_single *single, struct chunk *chunk)
{
    *single = (struct chunk_single){.chunk = chunk};
    atomic_store_explicit(&chunk->header.sequence, 0, memory_order_relaxed);
    atomic_store_explicit(&chunk->header.used, 0, memory_order_relaxed);
    atomic_store_explicit(&chunk->header.kind, CHUNK_FREE, memory_order_relaxed);
    atomic_store_explicit(&chunk->header.start_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&chunk->header.done_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&chunk->header.previous, 0, memory_order_relaxed);
    atomic_store_explicit(&chunk->header.missing, 0, memory_order_relaxed);
}

struct chunk *chunk_single_take(struct chunk_single *single, enum chunk_kind kind, uint64_t now_ns)
{
    if (single->given)
        return NULL;
    single->given = true;
    atomic_store_explicit(&single->chunk->header.kind, kind, memory_order_relaxed);
    atomic_store_explicit(&single->chunk->header.start_ns, now_ns, memory_order_relaxed);
    atomic_store_explicit(&single->chunk->header.sequence, 1, memory_order_relaxed);
    return single->chunk;
}
