#include "capture/markers/marker_place.h"

#include "capture/core/sandbox.h"
#include "capture/recorder/link.h"

static _Atomic bool housekeeping_is_due;

static void move_to(struct marker_place *place, const struct live_session *session, struct chunk *next, uint64_t now)
{
    if (marker_place_has_chunk(place, session))
        chunk_manager_give_back(session->chunks, place->chunk, now);
    *place = (struct marker_place){next, session->generation};
}

bool marker_place_extend(const struct marker_place *place, const struct live_session *session)
{
    return !sandbox_is_closed() && chunk_manager_extend(session->chunks, place->chunk);
}

bool marker_place_take_begun(struct marker_place *place, const struct live_session *session, uint64_t now)
{
    struct chunk *next = chunk_manager_take_begun(session->chunks);
    if (next)
        move_to(place, session, next, now);
    return next;
}

bool marker_place_take_new(struct marker_place *place, const struct live_session *session, uint64_t now)
{
    atomic_store_explicit(&housekeeping_is_due, true, memory_order_relaxed);
    struct chunk *next = chunk_manager_take_ready(session->chunks, CHUNK_MARKERS, now);
    if (!next)
        next = chunk_manager_take(session->chunks, CHUNK_MARKERS, now);
    if (next)
        move_to(place, session, next, now);
    return next;
}

void marker_place_housekeep(void)
{
    if (__builtin_expect(!atomic_load_explicit(&housekeeping_is_due, memory_order_relaxed), 1))
        return;
    atomic_store_explicit(&housekeeping_is_due, false, memory_order_relaxed);
    link_housekeep();
}
