#include "record/kept_threads.h"

#include "common/leb128.h"
#include "session/entry.h"

static uint64_t offset_of(uint32_t number)
{
    return SESSION_HEADER_BYTES + (uint64_t)number * CHUNK_BYTES;
}

/* The KEPT chunk with the lowest sequence number above that of `reader`; false: there is none (yet). */
static bool find_next(struct kept_threads *reader, const struct supply *supply)
{
    uint32_t count = atomic_load_explicit(&supply->view.header->chunk_count, memory_order_acquire);
    struct kept_threads best = {.sequence = UINT64_MAX};
    for (uint32_t i = 0; i < count && i < supply->view.most; i++) {
        struct chunk_header chunk;
        if (!supply_has(supply, i) && chunk_file_read(supply->view.file, offset_of(i), &chunk, sizeof chunk) &&
            chunk.kind == CHUNK_KEPT && chunk.sequence > reader->sequence && chunk.sequence < best.sequence)
            best = (struct kept_threads){.sequence = chunk.sequence, .chunk = i};
    }
    if (best.sequence == UINT64_MAX)
        return false;
    *reader = best;
    return true;
}

/* One entry behind the other, in bytes that nobody changes meanwhile. */
static void read_entries(struct kept_threads *reader, const uint8_t *bytes, uint32_t used,
                         void (*found)(void *data, const struct any_entry *entry), void *data)
{
    while (reader->offset < used) {
        uint64_t length;
        size_t prefix = leb128_read(bytes + reader->offset, bytes + used, &length);
        if (prefix == 0 || length > used - reader->offset - prefix) {
            reader->offset = used; /* makes no sense: the rest is left out */
            return;
        }
        const uint8_t *at = bytes + reader->offset + prefix;
        struct any_entry entry;
        if (length > 0 && (at[0] == ENTRY_THREAD || at[0] == ENTRY_RUNTIME) &&
            entry_read((struct slice){(const char *)at, length}, &entry))
            found(data, &entry);
        reader->offset += (uint32_t)(prefix + length);
    }
}

static void read_chunk(struct kept_threads *reader, const struct supply *supply,
                       void (*found)(void *data, const struct any_entry *entry), void *data)
{
    static struct chunk chunk;
    uint64_t offset = offset_of(reader->chunk);
    if (!chunk_file_read(supply->view.file, offset, &chunk.header, sizeof chunk.header))
        return;
    uint32_t used = chunk.header.used;
    if (used > sizeof chunk.bytes || used <= reader->offset)
        return;
    /* Acquire: with the length comes what is in it. */
    atomic_thread_fence(memory_order_acquire);
    if (chunk_file_read(supply->view.file, offset + CHUNK_HEADER_BYTES + reader->offset, chunk.bytes + reader->offset,
                        used - reader->offset))
        read_entries(reader, chunk.bytes, used, found, data);
}

void kept_threads_read(struct kept_threads *reader, const struct supply *supply,
                       void (*found)(void *data, const struct any_entry *entry), void *data)
{
    if (reader->sequence == 0 && !find_next(reader, supply))
        return;
    /* A process that changes numbers all the time does not hold anybody up. */
    size_t rounds = supply->view.most;
    do
        read_chunk(reader, supply, found, data);
    while (--rounds > 0 && find_next(reader, supply));
}
