/* The fills of tracks as columns of a reply: of the activity graphs, one after the other. */
#ifndef SONDE_API_TRACK_FILLS_H
#define SONDE_API_TRACK_FILLS_H

#include "api/activity.h"
#include "api/reply.h"

/* A zeroed struct has none. */
struct track_fills {
    VEC(uint16_t) track, category;
    VEC(uint32_t) resource; /* INDEX_NONE = the whole category */
    VEC(uint8_t) state, heights, totals;
};

/* What is `whole` high in the activity is as high as the track. False when the heap is empty. */
bool track_fills_add(struct track_fills *fills, size_t track, uint32_t width, const struct activity *activity, float whole);

size_t track_fills_columns(const struct track_fills *fills);
/* `names`: of track, category, state, heights, totals and library; without the last one (NULL) libraries are left out. */
void track_fills_put(struct reply *reply, const char *const names[6], struct track_fills *fills);
void track_fills_free(struct track_fills *fills);

#endif
