/* What the chunk manager knows of a chunk, and lists of chunks in the same condition. */
#ifndef SONDE_SESSION_PLACE_H
#define SONDE_SESSION_PLACE_H

#include "session/chunk.h"

/* The manager decides by this alone: the chunk itself lies where a program gone wild may write, and
 * once its disk space is given back it may not be touched at all. */
struct place {
    struct chunk *chunk;
    uint64_t offset;             /* in the file */
    struct place *older, *newer; /* in the list it is in */
    uint64_t sequence, done_ns;
    uint32_t disk_bytes; /* that it has, from its start */
    bool is_rescued;     /* what is in it was written again: chunk_rescue.c */
    _Atomic uint64_t start_ns;
    _Atomic uint32_t kind; /* CHUNK_FREE unless in use or done. Release: start_ns is there */
};

struct place_list {
    struct place *oldest, *newest;
    size_t count;
};

static inline void place_list_insert(struct place_list *list, struct place *older, struct place *place)
{
    struct place *newer = older ? older->newer : list->oldest;
    place->older = older;
    place->newer = newer;
    *(older ? &older->newer : &list->oldest) = place;
    *(newer ? &newer->older : &list->newest) = place;
    list->count++;
}

static inline void place_list_add(struct place_list *list, struct place *place)
{
    place_list_insert(list, list->newest, place);
}

static inline struct place *place_list_take_oldest(struct place_list *list)
{
    struct place *place = list->oldest;
    if (place) {
        list->oldest = place->newer;
        *(place->newer ? &place->newer->older : &list->newest) = NULL;
        list->count--;
    }
    return place;
}

/* By done_ns. Usually it is the latest, so the search from that end is short. */
static inline void place_list_add_by_age(struct place_list *list, struct place *place)
{
    struct place *older = list->newest;
    while (older && older->done_ns > place->done_ns)
        older = older->older;
    place_list_insert(list, older, place);
}

#endif
