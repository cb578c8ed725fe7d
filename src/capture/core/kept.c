#include "capture/core/kept.h"

#include "capture/core/clock.h"

static struct chunk *next_kept_chunk(struct active_state *active)
{
    uint64_t now = clock_now();
    if (active->kept)
        chunk_manager_give_back(active->chunks, active->kept, now);
    active->kept = chunk_manager_take(active->chunks, CHUNK_KEPT, now);
    return active->kept;
}

static uint8_t *reserve(struct active_state *active, size_t max)
{
    uint8_t *out = chunk_reserve(active->kept, max);
    return out || !chunk_manager_extend(active->chunks, active->kept) ? out : chunk_reserve(active->kept, max);
}

bool kept_put(const struct core_locked *locked, size_t max, size_t (*write)(uint8_t *out, size_t room, const void *entry),
              const void *entry)
{
    struct active_state *active = active_state(locked);
    if (!active)
        return false;
    uint8_t *out = NULL;
    if (max <= ENTRY_MAX) {
        out = active->kept ? reserve(active, max) : NULL;
        if (!out && next_kept_chunk(active))
            out = reserve(active, max);
    }
    size_t length = out ? write(out, max, entry) : 0;
    if (length > 0) {
        chunk_commit(active->kept, max, length);
        return true;
    }
    struct session_file_header *header = chunk_manager_header(active->chunks);
    atomic_fetch_add_explicit(&header->statistics[STATISTIC_ENTRIES_LOST], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&header->statistics[STATISTIC_BYTES_LOST], max, memory_order_relaxed);
    return false;
}
