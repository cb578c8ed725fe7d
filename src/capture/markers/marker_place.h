/* Where a thread's markers and allocations go: a chunk that it alone writes, until that is full. */
#ifndef SONDE_CAPTURE_MARKERS_MARKER_PLACE_H
#define SONDE_CAPTURE_MARKERS_MARKER_PLACE_H

#include "capture/core/core.h"
#include "capture/sampler/registration.h"

/* All of them between live_enter() and live_leave(). */

static inline bool marker_place_has_chunk(const struct marker_place *place, const struct live_session *session)
{
    return place->chunk && place->generation == session->generation;
}

/* The chunk gets all its disk space, if it had less. */
bool marker_place_extend(const struct marker_place *place, const struct live_session *session);

/* What a thread that has ended left half full: it may have no room for what is to be written. False: there is none. */
bool marker_place_take_begun(struct marker_place *place, const struct live_session *session, uint64_t now);
/* A new chunk. False: there is none to be had. */
bool marker_place_take_new(struct marker_place *place, const struct live_session *session, uint64_t now);

/* What is held may have changed: it is told to the recorder, when nobody can be waiting for this thread. Not between
 * live_enter() and live_leave(). */
void marker_place_housekeep(void);

#endif
