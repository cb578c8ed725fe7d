#include "session/chunk_manager_private.h"

#include "session/own_memory.h"

#include <errno.h>
#include <sys/resource.h>

/* --- the file ------------------------------------------------------------------------------------------------------ */

void chunk_supply_say_full(struct chunk_manager *manager)
{
    atomic_store_explicit(&manager->full, 1, memory_order_relaxed);
    atomic_store_explicit(&manager->header->state, SESSION_DISK_FULL, memory_order_relaxed);
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

static size_t file_bytes(size_t chunks)
{
    return SESSION_HEADER_BYTES + chunks * CHUNK_BYTES;
}

/* Where the program is allowed so much address space and no more (ulimit -v), nearly all of it is left to the program. */
static uint64_t chunks_allowed(void)
{
    enum { SHARE = 16 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return CHUNKS_MOST;
    uint64_t chunks = limit.rlim_cur / SHARE / CHUNK_BYTES;
    return chunks < CHUNKS_LEAST ? CHUNKS_LEAST : chunks < CHUNKS_MOST ? chunks : CHUNKS_MOST;
}

/* All chunks that the limit allows are mapped at once: a signal handler can go on to the next without a system call. Programs
 * may be allowed only shorter files, or have little address space left. */
static int map_file(struct chunk_manager *manager, size_t most)
{
    void *bytes = NULL;
    int failed;
    do {
        failed = chunk_file_begin(&manager->file, file_bytes(most), SESSION_HEADER_BYTES + SHORT_BYTES, &bytes);
        if (failed != -ENOMEM && failed != -EFBIG)
            break;
        most /= 2;
    } while (failed && most >= CHUNKS_LEAST);
    if (failed)
        return failed;
    manager->header = bytes;
    manager->chunks = (struct chunk *)(void *)((char *)bytes + SESSION_HEADER_BYTES);
    manager->most = most;
    /* Not in core dumps, which would have to read all of it. */
    (void)madvise(bytes, file_bytes(most), MADV_DONTDUMP);
    return 0;
}

int chunk_supply_begin(struct chunk_manager *manager)
{
    uint64_t most = manager->limit_most / CHUNK_BYTES + CHUNKS_BEYOND, allowed = chunks_allowed();
    int failed = map_file(manager, (size_t)(most < allowed ? most : allowed));
    if (failed)
        return failed;
    manager->places = own_memory_map(manager->most * sizeof *manager->places);
    if (!manager->places)
        return -ENOMEM;
    manager->header->chunks_most = (uint32_t)manager->most;
    struct place *place = &manager->places[0];
    place->chunk = manager->chunks;
    place->offset = SESSION_HEADER_BYTES;
    chunk_supply_note_disk(manager, place, SHORT_BYTES);
    place_list_add(&manager->free, place);
    /* Release: a reader that sees the count sees a file that is that long. */
    atomic_store_explicit(&manager->header->chunk_count, 1, memory_order_release);
    return 0;
}

void chunk_supply_end(struct chunk_manager *manager)
{
    own_memory_unmap(manager->places, manager->most * sizeof *manager->places);
    if (manager->header)
        chunk_file_unmap(manager->header, file_bytes(manager->most));
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
    bool take_samples = samples && (!markers || samples->done_ns <= markers->done_ns);
    return place_list_take_oldest(take_samples ? &manager->samples : &manager->markers);
}

struct place *chunk_supply_recycle(struct chunk_manager *manager)
{
    struct place *place = take_victim(manager);
    chunk_rescue(manager, place);
    chunk_empty(place->chunk);
    atomic_store_explicit(&place->kind, CHUNK_FREE, memory_order_relaxed);
    atomic_fetch_add_explicit(&manager->header->statistics[STATISTIC_CHUNKS_RECYCLED], 1, memory_order_relaxed);
    return place;
}

/* --- new ones ------------------------------------------------------------------------------------------------------ */

/* One that has no disk space: of those whose space was given back, or one that nobody has used before. NULL: there are no more.
 * Whoever supplies chunks (supply.h) takes from the same count. */
static struct place *take_bare(struct chunk_manager *manager)
{
    struct place *place = place_list_take_oldest(&manager->bare);
    if (place)
        return place;
    size_t number = chunk_count_take(manager->header, manager->most);
    if (number == manager->most)
        return NULL;
    place = &manager->places[number];
    place->chunk = manager->chunks + number;
    place->offset = file_bytes(number);
    return place;
}

struct place *chunk_supply_take_new(struct chunk_manager *manager, uint32_t bytes)
{
    struct place *place = take_bare(manager);
    if (place && chunk_supply_give_disk(manager, place, bytes) != 0) {
        place_list_add(&manager->bare, place);
        place = NULL;
    }
    return place;
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
        place = chunk_supply_take_new(manager, bytes);
    if (place || !any_done || is_full(manager))
        return place;
    place = chunk_supply_recycle(manager);
    note_change(manager);
    note_wish(manager, place->disk_bytes);
    return place;
}
