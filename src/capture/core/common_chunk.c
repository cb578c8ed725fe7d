#include "capture/core/common_chunk.h"

#include "capture/core/clock.h"

static uint8_t *reserve(struct active_state *active, size_t max)
{
    uint8_t *out = chunk_reserve(active->common, max);
    return out || !chunk_manager_extend(active->chunks, active->common) ? out : chunk_reserve(active->common, max);
}

void common_end(const struct core_locked *locked)
{
    struct active_state *active = active_state(locked);
    if (active->common)
        chunk_manager_give_back(active->chunks, active->common, clock_now());
    active->common = NULL;
}

bool common_put(const struct core_locked *locked, size_t max, size_t (*write)(uint8_t *out, size_t room, const void *entry),
                const void *entry)
{
    struct active_state *active = active_state(locked);
    if (!active)
        return false;
    uint8_t *out = active->common ? reserve(active, max) : NULL;
    if (!out) {
        common_end(locked);
        active->common = chunk_manager_take(active->chunks, CHUNK_SAMPLES, clock_now());
        out = active->common ? reserve(active, max) : NULL;
    }
    size_t length = out ? write(out, max, entry) : 0;
    if (length > 0) {
        chunk_commit(active->common, max, length);
        return true;
    }
    struct session_file_header *header = chunk_manager_header(active->chunks);
    atomic_fetch_add_explicit(&header->statistics[STATISTIC_ENTRIES_LOST], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&header->statistics[STATISTIC_BYTES_LOST], max, memory_order_relaxed);
    return false;
}
