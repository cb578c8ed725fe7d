/* A chunk in memory, and writing entries into it. One thread writes a chunk at a time; see format.h for the protocol. */
#ifndef SONDE_SESSION_CHUNK_H
#define SONDE_SESSION_CHUNK_H

#include "session/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chunk {
    struct chunk_header header;
    uint8_t bytes[CHUNK_BYTES - CHUNK_HEADER_BYTES];
};
_Static_assert(sizeof(struct chunk) == CHUNK_BYTES, "a chunk has no padding");

/* Room for an entry of at most `max` bytes, behind its size; NULL when it does not fit what is left of chunk_room(). */
static inline uint8_t *chunk_reserve(struct chunk *chunk, size_t max);

/* The entry is there and takes `length` ≤ max bytes: publishes it. */
static inline void chunk_commit(struct chunk *chunk, size_t max, size_t length);

/* The size is written before its number is known, so it always takes as many bytes as that of `max` would: one up to 127, two
 * up to 16383, else three. A LEB128 number may have leading zeros. */
static inline size_t chunk_size_bytes(size_t max)
{
    return max < 1 << 7 ? 1 : max < 1 << 14 ? 2 : 3;
}

/* For all entries. The end of a chunk may have no disk space yet; see chunk_manager_extend(). */
static inline size_t chunk_room(const struct chunk *chunk)
{
    /* Only who writes the chunk changes it. */
    size_t missing = atomic_load_explicit(&chunk->header.missing, memory_order_relaxed);
    return missing < sizeof chunk->bytes ? sizeof chunk->bytes - missing : 0;
}

static inline uint8_t *chunk_reserve(struct chunk *chunk, size_t max)
{
    /* Only this thread writes `used`. */
    size_t used = atomic_load_explicit(&chunk->header.used, memory_order_relaxed);
    size_t prefix = chunk_size_bytes(max), room = chunk_room(chunk);
    if (max > room || used > room || room - used < prefix + max)
        return NULL;
    return chunk->bytes + used + prefix;
}

static inline void chunk_commit(struct chunk *chunk, size_t max, size_t length)
{
    size_t used = atomic_load_explicit(&chunk->header.used, memory_order_relaxed);
    uint8_t *size = chunk->bytes + used;
    size_t prefix = chunk_size_bytes(max);
    if (prefix == 1) {
        size[0] = (uint8_t)length;
    } else if (prefix == 2) {
        size[0] = (uint8_t)(length | 0x80);
        size[1] = (uint8_t)(length >> 7);
    } else {
        size[0] = (uint8_t)(length | 0x80);
        size[1] = (uint8_t)(length >> 7 | 0x80);
        size[2] = (uint8_t)(length >> 14);
    }
    /* Release: a reader that sees the new end sees the entry before it. */
    atomic_store_explicit(&chunk->header.used, (uint32_t)(used + prefix + length), memory_order_release);
}

/* From here on readers find nothing in it. See format.h. */
static inline void chunk_empty(struct chunk *chunk)
{
    struct chunk_header *header = &chunk->header;
    atomic_store_explicit(&header->sequence, 0, memory_order_relaxed);
    /* Release: whatever is stored from here on is seen only with the 0. */
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&header->kind, CHUNK_FREE, memory_order_relaxed);
    atomic_store_explicit(&header->used, 0, memory_order_relaxed);
    atomic_store_explicit(&header->done_ns, 0, memory_order_relaxed);
}

/* A chunk of the file that nobody has used before: its number, or `most` where there are no more. */
static inline size_t chunk_count_take(struct session_file_header *file, size_t most)
{
    uint32_t count = atomic_load_explicit(&file->chunk_count, memory_order_relaxed);
    while (count < most)
        if (atomic_compare_exchange_weak_explicit(&file->chunk_count, &count, count + 1, memory_order_relaxed,
                                                  memory_order_relaxed))
            return count;
    return most;
}

#endif
