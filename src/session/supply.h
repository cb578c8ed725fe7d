/* Chunks for samples, made ready by somebody else.
 *
 * A thread that is sampled writes in its signal handler, where nothing can be made, no lock taken and no system call made that
 * the program may have forbidden itself. So whoever is not in a handler sees to it that chunks are there: the recorder, from
 * its own process, or the background thread of a program that records itself.
 *
 *     supplier     reserves disk space ──▶ header.supplied[i] = number + 1
 *     handler                              header.supplied[i] → 0 ──▶ writes ──▶ chunk.done_ns
 *     supplier     the limit is reached: the one that is done for the longest time is recycled ◀──┘
 *
 * Both take chunks that were never used from one count in the header, so that readers find all of them in one row. A chunk that
 * is supplied has a mark, by which a supplier finds those of another one, or of the process itself. A handler that finds no
 * chunk loses its sample; the CPU time of it counts for the next.
 *
 * What is in the file is written by the process, and not trusted: numbers are checked against what there is. */
#ifndef SONDE_SESSION_SUPPLY_H
#define SONDE_SESSION_SUPPLY_H

#include "common/error.h"
#include "session/chunk_file.h"
#include "session/chunk_manager.h"

struct supplied {
    uint64_t done_ns;
    uint32_t disk_bytes;
    uint32_t next; /* in its list; SUPPLY_NONE = the last one */
    uint8_t state;
};

struct supplied_list {
    uint32_t first, last;
};

struct supply {
    struct supply_view view;
    struct chunk_file own_file; /* of a view that was opened here */
    struct supplied *chunks;    /* as many as the view has */
    struct supplied_list given; /* in a slot, or being written */
    struct supplied_list done;  /* about in the order in which they were done */
    struct supplied_list bare;  /* without disk space */
    uint32_t first_unknown;     /* chunks of the file before it are known */
    uint32_t fills;             /* how often a slot was filled: many need more at once */
    uint64_t lost;              /* samples that found no chunk, as it was last seen */
    uint64_t limit;             /* of disk space … */
    uint64_t held, done_bytes;  /* … which all have, and those that are done */
    uint64_t wanted;            /* more: recycled because of the limit, since it was last asked */
    uint64_t oldest_ns;         /* when the oldest that is done was done; 0 = none */
    bool is_full;               /* there is no disk space */
};

/* In the process itself. 0 or -ENOMEM. */
int supply_begin(struct supply *supply, const struct supply_view *view);

/* From outside, by a descriptor of the file that can be written; it is closed in any case. 0 or a negative errno. */
int supply_open(struct supply *supply, int fd);

void supply_end(struct supply *supply);

/* Looks which chunks are done, fills empty slots, and throws away what is beyond the limit. */
void supply_turn(struct supply *supply);

/* Whether the chunk is one of those that are supplied, as far as is known. */
bool supply_has(const struct supply *supply, uint32_t number);

#endif
