#include "session/chunk_manager_private.h"

#include "common/leb128.h"
#include "session/entry.h"
#include "session/own_memory.h"

#include <string.h>

/* --- what is in a chunk ------------------------------------------------------------------------------------------------------
 */

struct entries {
    const uint8_t *at, *end;
};

static struct entries entries_of(const struct chunk *chunk)
{
    /* Acquire: entries below it are there. The chunk may be in use. */
    uint32_t used = atomic_load_explicit(&chunk->header.used, memory_order_acquire);
    return (struct entries){chunk->bytes, chunk->bytes + (used < sizeof chunk->bytes ? used : sizeof chunk->bytes)};
}

/* The next entry that is an ALLOCATION or a FREE, as it stands there with its size (`whole`). False at the end, and where the
 * bytes are no entry. */
static bool next_entry(struct entries *entries, struct slice *whole, struct any_entry *entry)
{
    while (entries->at < entries->end) {
        uint64_t size;
        size_t prefix = leb128_read(entries->at, entries->end, &size);
        if (prefix == 0 || size == 0 || size > (size_t)(entries->end - entries->at) - prefix)
            return false;
        const uint8_t *bytes = entries->at + prefix;
        *whole = (struct slice){(const char *)entries->at, prefix + size};
        entries->at = bytes + size;
        if ((*bytes == ENTRY_ALLOCATION || *bytes == ENTRY_FREE) &&
            entry_read((struct slice){(const char *)bytes, size}, entry))
            return true;
    }
    return false;
}

/* --- frees whose allocations stay
 * ---------------------------------------------------------------------------------------------- */

enum { FREES_BITS = 14, FREES_MOST = 1 << (FREES_BITS - 1) };
_Static_assert((int)FREES_MOST >= CHUNK_BYTES / 8, "as many as a chunk has");

/* By address: the latest free of each, and the oldest allocation of it that is in another chunk. */
struct chunk_rescue {
    struct rescued_free {
        uint64_t address; /* 0 = none */
        uint64_t last_time;
        uint64_t needed_from; /* UINT64_MAX = nobody needs it */
    } frees[1 << FREES_BITS];
};

static struct rescued_free *find_free(struct chunk_rescue *rescue, uint64_t address)
{
    size_t at = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> (64 - FREES_BITS));
    while (rescue->frees[at].address != 0 && rescue->frees[at].address != address)
        at = (at + 1) & ((1 << FREES_BITS) - 1);
    return &rescue->frees[at];
}

static size_t collect_frees(struct chunk_rescue *rescue, const struct chunk *chunk)
{
    struct entries entries = entries_of(chunk);
    struct slice whole;
    struct any_entry entry;
    size_t count = 0;
    memset(rescue->frees, 0, sizeof rescue->frees);
    while (count < FREES_MOST && next_entry(&entries, &whole, &entry)) {
        if (entry.kind != ENTRY_FREE || entry.free.address == 0)
            continue;
        struct rescued_free *place = find_free(rescue, entry.free.address);
        uint64_t last = place->last_time > entry.free.time ? place->last_time : entry.free.time;
        *place = (struct rescued_free){entry.free.address, last, UINT64_MAX};
        count++;
    }
    return count;
}

static void note_allocations(struct chunk_rescue *rescue, const struct chunk *chunk)
{
    struct entries entries = entries_of(chunk);
    struct slice whole;
    struct any_entry entry;
    while (next_entry(&entries, &whole, &entry)) {
        if (entry.kind != ENTRY_ALLOCATION || entry.allocation.address == 0)
            continue;
        struct rescued_free *place = find_free(rescue, entry.allocation.address);
        if (place->address != 0 && entry.allocation.time <= place->last_time && entry.allocation.time < place->needed_from)
            place->needed_from = entry.allocation.time;
    }
}

/* Those that began before the victim was done: what it frees can have been allocated there. */
static void note_other_chunks(struct chunk_manager *manager, const struct place *victim)
{
    size_t count = atomic_load_explicit(&manager->header->chunk_count, memory_order_relaxed);
    for (size_t i = 0; i < count && i < manager->most; i++) {
        const struct place *place = &manager->places[i];
        /* Acquire: as in chunk_manager_usage(). */
        uint32_t kind = atomic_load_explicit(&place->kind, memory_order_acquire);
        if (place != victim && kind == CHUNK_MARKERS &&
            atomic_load_explicit(&place->start_ns, memory_order_relaxed) <= victim->done_ns)
            note_allocations(manager->rescue, place->chunk);
    }
}

static bool is_needed(struct chunk_manager *manager, const struct any_entry *entry)
{
    if (entry->kind == ENTRY_ALLOCATION)
        return manager->is_live(&entry->allocation);
    const struct rescued_free *place = find_free(manager->rescue, entry->free.address);
    return place->address != 0 && place->needed_from <= entry->free.time;
}

/* --- where they go
 * ------------------------------------------------------------------------------------------------------------ */

/* It is full, and the newest of those that are done. */
static void finish_rescued(struct chunk_manager *manager)
{
    struct place *place = manager->rescued;
    manager->rescued = NULL;
    place->done_ns = manager->markers.newest ? manager->markers.newest->done_ns : 1;
    atomic_store_explicit(&place->chunk->header.done_ns, place->done_ns, memory_order_relaxed);
    place_list_add(&manager->markers, place);
}

static bool begin_rescued(struct chunk_manager *manager, uint64_t start_ns)
{
    /* Live blocks get at most half of the memory: else there would be no place for what is new. */
    if ((manager->rescued_count + 1) * (uint64_t)CHUNK_BYTES > limit_of(manager) / 2)
        return false;
    struct place *place = chunk_supply_take_new(manager, CHUNK_BYTES);
    if (!place)
        return false;
    chunk_manager_begin_use(manager, place, CHUNK_MARKERS, start_ns);
    place->is_rescued = true;
    manager->rescued_count++;
    manager->rescued = place;
    return true;
}

static bool append(struct chunk_manager *manager, struct slice whole)
{
    struct chunk *chunk = manager->rescued ? manager->rescued->chunk : NULL;
    size_t used = chunk ? atomic_load_explicit(&chunk->header.used, memory_order_relaxed) : 0;
    if (!chunk || whole.length > chunk_room(chunk) - used)
        return false;
    memcpy(chunk->bytes + used, whole.text, whole.length);
    /* Release: as in chunk_commit(). */
    atomic_store_explicit(&chunk->header.used, (uint32_t)(used + whole.length), memory_order_release);
    return true;
}

static void put_again(struct chunk_manager *manager, struct slice whole, uint64_t start_ns)
{
    if (append(manager, whole))
        return;
    if (manager->rescued)
        finish_rescued(manager);
    if (!begin_rescued(manager, start_ns) || !append(manager, whole))
        atomic_fetch_add_explicit(&manager->header->statistics[STATISTIC_ALLOCATIONS_LOST], 1, memory_order_relaxed);
}

void chunk_rescue(struct chunk_manager *manager, struct place *victim)
{
    if (victim->is_rescued) {
        victim->is_rescued = false;
        manager->rescued_count--;
    }
    if (!manager->is_live || atomic_load_explicit(&victim->kind, memory_order_relaxed) != CHUNK_MARKERS)
        return;
    if (!manager->rescue)
        manager->rescue = own_memory_map(sizeof *manager->rescue);
    if (!manager->rescue)
        return;
    if (collect_frees(manager->rescue, victim->chunk) > 0)
        note_other_chunks(manager, victim);
    struct entries entries = entries_of(victim->chunk);
    struct slice whole;
    struct any_entry entry;
    uint64_t start_ns = atomic_load_explicit(&victim->start_ns, memory_order_relaxed);
    while (next_entry(&entries, &whole, &entry))
        if (is_needed(manager, &entry))
            put_again(manager, whole, start_ns);
}

void chunk_rescue_end(struct chunk_manager *manager)
{
    own_memory_unmap(manager->rescue, sizeof *manager->rescue);
    manager->rescue = NULL;
}

void chunk_manager_rescue(struct chunk_manager *manager, bool (*is_live)(const struct allocation_entry *entry))
{
    struct lock_hold hold;
    lock_enter(&manager->lock, &hold);
    manager->is_live = is_live;
    lock_leave(&manager->lock, &hold);
}
