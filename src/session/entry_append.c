#include "session/entry_append.h"

static uint8_t *reserve(struct chunk_manager *chunks, struct chunk *chunk, size_t max)
{
    uint8_t *out = chunk ? chunk_reserve(chunk, max) : NULL;
    return out || !chunk || !chunk_manager_extend(chunks, chunk) ? out : chunk_reserve(chunk, max);
}

bool entry_append(struct chunk_manager *chunks, struct entry_place *place, enum chunk_kind kind, uint64_t now_ns, size_t max,
                  entry_fill *fill, const void *entry)
{
    if (max > ENTRY_MAX)
        return false;
    uint8_t *out = reserve(chunks, place->chunk, max);
    if (!out) {
        entry_place_end(chunks, place, now_ns);
        place->chunk = chunk_manager_take(chunks, kind, now_ns);
        if (place->chunk)
            place->chunk->header.owner = place->owner;
        place->is_new = true;
        out = reserve(chunks, place->chunk, max);
    }
    size_t length = out ? fill(out, max, entry) : 0;
    if (length > 0)
        chunk_commit(place->chunk, max, length);
    return length > 0;
}

void entry_place_end(struct chunk_manager *chunks, struct entry_place *place, uint64_t now_ns)
{
    if (place->chunk)
        chunk_manager_give_back(chunks, place->chunk, now_ns);
    place->chunk = NULL;
}
