#include "session/chunk_manager_private.h"

#include "session/own_memory.h"

#include <errno.h>

void chunk_supply_note_oldest(struct chunk_manager *manager)
{
    const struct place *samples = manager->samples.oldest, *markers = manager->markers.oldest;
    atomic_store_explicit(&manager->oldest_done[CHUNK_SAMPLES], samples ? samples->sequence : 0, memory_order_relaxed);
    atomic_store_explicit(&manager->oldest_done[CHUNK_MARKERS], markers ? markers->sequence : 0, memory_order_relaxed);
}

/* --- growing ------------------------------------------------------------------------------------------------------- */

void chunk_supply_say_full(struct chunk_manager *manager)
{
    atomic_store_explicit(&manager->full, 1, memory_order_relaxed);
    atomic_store_explicit(&manager->header->state, SESSION_DISK_FULL, memory_order_relaxed);
}

static size_t growth(const struct chunk_manager *manager)
{
    size_t count = manager->count / 4;
    return count < SEGMENT_LEAST ? SEGMENT_LEAST : count > SEGMENT_MOST ? SEGMENT_MOST : count;
}

void chunk_supply_note_disk(struct chunk_manager *manager, struct place *place, uint32_t bytes)
{
    atomic_fetch_add_explicit(&manager->held, bytes - (uint64_t)place->disk_bytes, memory_order_relaxed);
    note_change(manager);
    place->disk_bytes = bytes;
    /* Only where there is disk space the chunk may be touched. */
    if (bytes > 0)
        atomic_store_explicit(&place->chunk->header.missing, CHUNK_BYTES - bytes, memory_order_relaxed);
}

static void add_segment(struct chunk_manager *manager, struct segment *segment)
{
    for (size_t i = 0; i < segment->count; i++) {
        segment->places[i].chunk = segment->chunks + i;
        segment->places[i].offset = segment->offset + i * CHUNK_BYTES;
        place_list_add(&manager->bare, &segment->places[i]);
    }
    segment->next = atomic_load_explicit(&manager->segments, memory_order_relaxed);
    /* Release: a child forked at this very moment finds the list whole. */
    atomic_store_explicit(&manager->segments, segment, memory_order_release);
    manager->count += segment->count;
    /* Release: a reader that sees the new count sees a file that is that long, with zeros in the headers. */
    atomic_store_explicit(&manager->header->chunk_count, (uint32_t)manager->count, memory_order_release);
}

/* In use, as whoever wrote it left it. */
static void go_on_with(struct chunk_manager *manager, struct place *place)
{
    const struct chunk_header *header = &place->chunk->header;
    place->sequence = atomic_load_explicit(&header->sequence, memory_order_relaxed);
    atomic_store_explicit(&place->start_ns, atomic_load_explicit(&header->start_ns, memory_order_relaxed),
                          memory_order_relaxed);
    atomic_store_explicit(&place->kind, CHUNK_KEPT, memory_order_relaxed);
    atomic_store_explicit(&manager->last_sequence, place->sequence, memory_order_relaxed);
    atomic_store_explicit(&manager->last_of_kind[CHUNK_KEPT], place->sequence, memory_order_relaxed);
}

int chunk_supply_begin(struct chunk_manager *manager, size_t written)
{
    void *bytes;
    int failed = chunk_file_begin(&manager->file, SESSION_HEADER_BYTES + SEGMENT_LEAST * CHUNK_BYTES,
                                  SESSION_HEADER_BYTES + SHORT_BYTES, written, &bytes);
    if (failed)
        return failed;
    manager->header = bytes;
    manager->first = (struct segment){
        .offset = SESSION_HEADER_BYTES,
        .count = SEGMENT_LEAST,
        .chunks = (struct chunk *)(void *)((char *)bytes + SESSION_HEADER_BYTES),
        .places = manager->first_places,
    };
    add_segment(manager, &manager->first);
    struct place *place = place_list_take_oldest(&manager->bare);
    chunk_supply_note_disk(manager, place, SHORT_BYTES);
    if (written > 0)
        go_on_with(manager, place);
    else
        place_list_add(&manager->free, place);
    return 0;
}

/* Adds bare chunks to the file. 0 or a negative errno. */
static int grow(struct chunk_manager *manager)
{
    size_t count = growth(manager);
    if (manager->count + count > UINT32_MAX)
        return -EFBIG;
    uint64_t offset = SESSION_HEADER_BYTES + (uint64_t)manager->count * CHUNK_BYTES;
    int failed = chunk_file_extend(&manager->file, offset + (uint64_t)count * CHUNK_BYTES);
    if (failed)
        return failed;
    struct segment *segment = own_memory_map(segment_bytes(count));
    struct chunk *chunks = chunk_file_map(&manager->file, offset, count * CHUNK_BYTES);
    if (!segment || !chunks) {
        own_memory_unmap(segment, segment_bytes(count));
        if (chunks)
            chunk_file_unmap(chunks, count * CHUNK_BYTES);
        return -ENOMEM;
    }
    *segment = (struct segment){.offset = offset, .count = count, .chunks = chunks, .places = (struct place *)(segment + 1)};
    add_segment(manager, segment);
    return 0;
}

int chunk_supply_give_disk(struct chunk_manager *manager, struct place *place, uint32_t bytes)
{
    int failed = chunk_file_reserve(&manager->file, place->offset + place->disk_bytes, bytes - place->disk_bytes);
    if (!failed)
        chunk_supply_note_disk(manager, place, bytes);
    else if (chunk_file_is_full(failed))
        chunk_supply_say_full(manager);
    return failed;
}

static uint32_t bytes_at_first(struct chunk_manager *manager)
{
    bool few = atomic_load_explicit(&manager->last_sequence, memory_order_relaxed) < SHORT_CHUNKS;
    return few || limit_of(manager) < SHORT_BELOW ? SHORT_BYTES : CHUNK_BYTES;
}

/* --- recycling ----------------------------------------------------------------------------------------------------- */

static struct place *take_victim(struct chunk_manager *manager)
{
    struct place *samples = manager->samples.oldest, *markers = manager->markers.oldest;
    /* Acquire: what the sampler stated anew is in the file before the chunk goes. */
    bool free = samples && samples->sequence <= atomic_load_explicit(&manager->free_victim, memory_order_acquire);
    bool take_samples = samples && (!markers || (free && samples->done_ns <= markers->done_ns));
    return place_list_take_oldest(take_samples ? &manager->samples : &manager->markers);
}

/* From here on readers find nothing in it. See format.h. */
static void empty_chunk(struct chunk_manager *manager, struct place *place)
{
    struct chunk_header *header = &place->chunk->header;
    atomic_store_explicit(&header->sequence, 0, memory_order_relaxed);
    /* Release: whatever is stored from here on is seen only with the 0. */
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&header->kind, CHUNK_FREE, memory_order_relaxed);
    atomic_store_explicit(&header->used, 0, memory_order_relaxed);
    atomic_store_explicit(&header->done_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&place->kind, CHUNK_FREE, memory_order_relaxed);
    atomic_fetch_add_explicit(&manager->header->statistics[STATISTIC_CHUNKS_RECYCLED], 1, memory_order_relaxed);
}

struct place *chunk_supply_recycle(struct chunk_manager *manager)
{
    struct place *place = take_victim(manager);
    chunk_supply_note_oldest(manager);
    empty_chunk(manager, place);
    return place;
}

/* One that has no disk space yet. NULL: none to be had. */
static struct place *make_new_chunk(struct chunk_manager *manager, uint32_t bytes)
{
    int failed = manager->bare.oldest ? 0 : grow(manager);
    if (chunk_file_is_full(failed))
        chunk_supply_say_full(manager);
    if (failed || chunk_supply_give_disk(manager, manager->bare.oldest, bytes) != 0)
        return NULL;
    return place_list_take_oldest(&manager->bare);
}

struct place *chunk_supply_make(struct chunk_manager *manager)
{
    if (is_full(manager))
        return NULL;
    if (!chunk_file_has_room(&manager->file)) {
        chunk_supply_say_full(manager);
        return NULL;
    }
    struct place *place = place_list_take_oldest(&manager->free);
    if (place)
        return place;
    uint32_t bytes = bytes_at_first(manager);
    bool any_done = manager->samples.oldest || manager->markers.oldest;
    if (chunk_limit_fits(manager, bytes) || !any_done)
        return make_new_chunk(manager, bytes);
    place = chunk_supply_recycle(manager);
    note_change(manager);
    note_wish(manager, place->disk_bytes);
    return place;
}
