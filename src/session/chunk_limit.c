#include "session/chunk_manager_private.h"

#include <errno.h>

/* More than the limit, of what the session has left. Large files take more at a time: it is said to the recorder each time.
 * With the lock. */
static bool take_room(struct chunk_manager *manager, uint64_t missing)
{
    const uint64_t most = 1 << 20;
    uint64_t limit = limit_of(manager), wanted = held_by(manager) / 8 / CHUNK_BYTES * CHUNK_BYTES;
    if (!manager->quota || limit > manager->limit_most || missing > manager->limit_most - limit)
        return false;
    wanted = wanted > most ? most : wanted < CHUNK_BYTES ? CHUNK_BYTES : wanted;
    uint64_t allowed = manager->limit_most - limit;
    wanted = wanted < missing ? missing : wanted > allowed ? allowed : wanted;
    uint64_t taken = quota_take(manager->quota, missing, wanted);
    if (taken == 0)
        return false;
    manager->taken += taken;
    atomic_store_explicit(&manager->header->quota_taken, manager->taken, memory_order_relaxed);
    atomic_store_explicit(&manager->limit, limit + taken, memory_order_relaxed);
    return true;
}

bool chunk_limit_fits(struct chunk_manager *manager, uint64_t bytes)
{
    uint64_t held = held_by(manager) + bytes, limit = limit_of(manager);
    return held <= limit || take_room(manager, held - limit);
}

/* --- as the recorder says -------------------------------------------------------------------------------------------- */

static uint64_t allowed_limit(const struct chunk_manager *manager, uint64_t bytes)
{
    return bytes < LIMIT_LEAST ? LIMIT_LEAST : bytes > manager->limit_most ? manager->limit_most : bytes;
}

void chunk_manager_set_limit(struct chunk_manager *manager, uint64_t bytes)
{
    chunk_manager_set_share(manager, bytes, UINT64_MAX);
}

void chunk_manager_set_share(struct chunk_manager *manager, uint64_t bytes, uint64_t taken)
{
    struct lock_hold hold;
    lock_enter(&manager->lock, &hold);
    uint64_t since = manager->taken > taken ? manager->taken - taken : 0;
    bytes = bytes < UINT64_MAX - since ? bytes + since : UINT64_MAX;
    atomic_store_explicit(&manager->limit, allowed_limit(manager, bytes), memory_order_relaxed);
    lock_leave(&manager->lock, &hold);
}

void chunk_manager_share_quota(struct chunk_manager *manager, struct quota *quota)
{
    struct lock_hold hold;
    lock_enter(&manager->lock, &hold);
    if (!manager->quota) {
        manager->quota_is_own = !quota;
        manager->quota = quota ? quota : quota_open_beside(manager->file.path);
    }
    lock_leave(&manager->lock, &hold);
}

/* What goes next, out of its list and empty; NULL = nothing can. With the lock. */
static struct place *take_excess(struct chunk_manager *manager)
{
    struct place *place = place_list_take_oldest(&manager->free);
    for (size_t i = READY_CHUNKS - 1; !place && i > 0; i--)
        place = atomic_exchange_explicit(&manager->ready[i], NULL, memory_order_acquire);
    if (!place && (manager->markers.oldest || manager->samples.oldest))
        place = chunk_supply_recycle(manager);
    return place;
}

/* Nobody else knows the chunk while its disk space is given back, which can take long. */
static bool throw_one_away(struct chunk_manager *manager)
{
    struct lock_hold hold;
    lock_enter(&manager->lock, &hold);
    struct place *place = held_by(manager) > limit_of(manager) ? take_excess(manager) : NULL;
    lock_leave(&manager->lock, &hold);
    if (!place)
        return false;
    chunk_file_release(&manager->file, place->offset, place->disk_bytes);
    lock_enter(&manager->lock, &hold);
    chunk_supply_note_disk(manager, place, 0);
    place_list_add(&manager->bare, place);
    lock_leave(&manager->lock, &hold);
    return true;
}

bool chunk_manager_obey(struct chunk_manager *manager)
{
    enum { AT_ONCE = 8 };
    if (held_by(manager) <= limit_of(manager))
        return true;
    int saved = errno;
    for (int i = 0; i < AT_ONCE && throw_one_away(manager); i++)
        continue;
    errno = saved;
    struct lock_hold hold;
    lock_enter(&manager->lock, &hold);
    bool more = manager->free.oldest || manager->samples.oldest || manager->markers.oldest;
    lock_leave(&manager->lock, &hold);
    return !more || held_by(manager) <= limit_of(manager);
}

uint64_t chunk_manager_changes(struct chunk_manager *manager)
{
    return atomic_load_explicit(&manager->changes, memory_order_relaxed);
}

void chunk_manager_wish_told(struct chunk_manager *manager, uint64_t bytes)
{
    atomic_fetch_sub_explicit(&manager->wished, bytes, memory_order_relaxed);
}

void chunk_manager_usage(struct chunk_manager *manager, struct chunk_manager_usage *usage)
{
    struct lock_hold hold;
    lock_enter(&manager->lock, &hold);
    *usage = (struct chunk_manager_usage){.bytes_held = held_by(manager),
                                          .bytes_limit = limit_of(manager),
                                          .bytes_wished = atomic_load_explicit(&manager->wished, memory_order_relaxed),
                                          .bytes_taken = manager->taken,
                                          .oldest_start_ns = UINT64_MAX};
    for (const struct place *place = manager->samples.oldest; place; place = place->newer)
        usage->bytes_done += place->disk_bytes;
    for (const struct place *place = manager->markers.oldest; place; place = place->newer)
        usage->bytes_done += place->disk_bytes;
    const struct place *samples = manager->samples.oldest, *markers = manager->markers.oldest;
    if (samples)
        usage->oldest_done_ns = samples->done_ns;
    if (markers && (!samples || markers->done_ns < samples->done_ns))
        usage->oldest_done_ns = markers->done_ns;
    size_t count = atomic_load_explicit(&manager->header->chunk_count, memory_order_relaxed);
    for (size_t i = 0; i < count && i < manager->most; i++) {
        struct place *place = &manager->places[i];
        /* Acquire: start_ns is of this use. */
        uint32_t kind = atomic_load_explicit(&place->kind, memory_order_acquire);
        uint64_t start = atomic_load_explicit(&place->start_ns, memory_order_relaxed);
        if (kind != CHUNK_FREE)
            usage->bytes_in_use += place->disk_bytes;
        if ((kind == CHUNK_SAMPLES || kind == CHUNK_MARKERS) && start < usage->oldest_start_ns)
            usage->oldest_start_ns = start;
    }
    usage->bytes_in_use -= usage->bytes_done;
    lock_leave(&manager->lock, &hold);
}
