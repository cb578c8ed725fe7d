/* A play of processes under one limit, and their recorder: all do as they are told, some time later. */
#ifndef TESTS_RECORD_BUDGET_PLAY_H
#define TESTS_RECORD_BUDGET_PLAY_H

#include "ipc/link.h"
#include "record/budget.h"
#include "session/format.h"

enum { CHUNK = CHUNK_BYTES, LEAST = LINK_LEAST_BYTES, USED = LINK_LEAST_BYTES };
static const uint64_t second = 1000000000, ms = 1000000;

enum { ACTORS = 40, CHUNKS_MOST = 4096 };

struct actor {
    struct budget_process share;
    bool lives, frozen;
    uint64_t goes_by; /* its limit … */
    uint64_t taken;   /* … what it took of the quota … */
    uint32_t number;  /* … and the number of that */
    uint64_t told[8]; /* limits under way to it … */
    uint64_t told_taken[8];
    uint32_t told_number[8];
    uint64_t told_at[8];                  /* … and when they are there */
    unsigned told_count;                  /* of those */
    struct budget_usage said;             /* under way to the recorder … */
    uint64_t said_at;                     /* … and when it is there; 0 = nothing is */
    struct budget_usage before;           /* what it said last */
    uint64_t done[CHUNKS_MOST], recycled; /* times, the oldest first */
    size_t done_count;
    struct budget_file *left; /* when it has ended */
};

struct play {
    struct budget budget;
    struct quota quota;
    struct actor actors[ACTORS];
    uint64_t now, seed;
    uint64_t delay; /* at most, of a message */
    uint64_t oldest_cut, cuts;
    size_t files;
};

struct play *play_begin(uint64_t limit, uint64_t seed);
void play_end(struct play *play);

uint64_t play_random_below(struct play *play, uint64_t bound);

/* One of them begins, and one ends: what it held is a file then. */
struct actor *play_join(struct play *play, int number);
void play_die(struct play *play, struct actor *actor);

/* A chunk is full. */
void actor_write_chunk(struct play *play, struct actor *actor);
uint64_t actor_holds(const struct actor *actor);

/* A millisecond. */
void play_step(struct play *play);

/* What all hold, and what the others left. */
uint64_t play_total(const struct play *play);

#endif
