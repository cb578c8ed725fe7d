/* What the files of the chunk manager share:
 *
 *     chunk_manager.c   taking chunks and giving them back; the beginning and the end
 *     chunk_supply.c    where chunks come from: the file grows, or one is recycled
 *     chunk_limit.c     how much may be held, and what is held
 *     chunk_rescue.c    what of a chunk that is recycled is written again */
#ifndef SONDE_SESSION_CHUNK_MANAGER_PRIVATE_H
#define SONDE_SESSION_CHUNK_MANAGER_PRIVATE_H

#include "ipc/quota.h"
#include "session/begun_chunks.h"
#include "session/chunk_file.h"
#include "session/chunk_manager.h"
#include "session/lock.h"
#include "session/place.h"

enum {
    READY_CHUNKS = 4,
    /* Most processes end soon, and there may be many under one limit: then chunks have little disk space at first. */
    SHORT_BYTES = 16 << 10,
    SHORT_CHUNKS = 8,         /* the first ones of a file … */
    SHORT_BELOW = 1024 << 10, /* … and all of them where the limit is so low */

    CHUNKS_BEYOND = 64, /* that are mapped beyond the limit: those in use never go */

    LIMIT_LEAST = 4 * SHORT_BYTES,
    UNUSED_MOST = 128 << 10, /* is left to a file that is complete: to give it back can take milliseconds */
};

/* All that a short process touches of it is on its first page. */
struct chunk_manager {
    struct session_file_header *header;
    _Atomic uint64_t limit; /* of the disk space of chunks. Relaxed, both: what changes is seen a little later */
    _Atomic uint64_t held;  /* that they have; written with the lock */
    _Atomic uint64_t wished, changes;
    uint64_t limit_most; /* as the options say */

    /* Any thread takes, without the lock; whoever prepares puts. */
    _Atomic(struct place *) ready[READY_CHUNKS];
    struct begun_chunks begun; /* any thread puts and takes */
    struct begun_chunks begun_samples;
    _Atomic uint64_t last_sequence;
    _Atomic uint64_t last_of_kind[CHUNK_MARKERS + 1]; /* sequence numbers */
    _Atomic uint32_t full;                            /* relaxed: a flag that is seen a little later does no harm */

    struct lock lock;     /* for all below */
    struct chunk *chunks; /* all that there can ever be: mapped at once, without memory or disk space until they are used … */
    struct place *places; /* … and what is known of each */
    size_t most;          /* so many */
    struct place_list free;
    struct place_list bare;             /* without disk space */
    struct place_list samples, markers; /* done, the longest done first */
    struct quota *quota;                /* NULL = not open */
    bool quota_is_own;                  /* opened here */
    uint64_t taken;                     /* from it */
    struct chunk_file file;
    bool (*is_live)(const struct allocation_entry *entry); /* NULL = nothing is written again */
    struct chunk_rescue *rescue;                           /* what that needs */
    struct place *rescued;                                 /* where it goes at the moment; NULL = nowhere */
    size_t rescued_count;                                  /* of such chunks */
};

static inline bool is_full(struct chunk_manager *manager)
{
    return atomic_load_explicit(&manager->full, memory_order_relaxed);
}

static inline uint64_t limit_of(struct chunk_manager *manager)
{
    return atomic_load_explicit(&manager->limit, memory_order_relaxed);
}

static inline uint64_t held_by(struct chunk_manager *manager)
{
    return atomic_load_explicit(&manager->held, memory_order_relaxed);
}

static inline void note_change(struct chunk_manager *manager)
{
    atomic_fetch_add_explicit(&manager->changes, 1, memory_order_relaxed);
}

static inline void note_wish(struct chunk_manager *manager, uint64_t bytes)
{
    atomic_fetch_add_explicit(&manager->wished, bytes, memory_order_relaxed);
}

/* --- chunk_manager.c --- */

/* What never changes. A file that says it is a session is one: it comes last. */
void session_header_fill(struct session_file_header *header, const struct chunk_manager_options *options);

/* The chunk is taken into use. */
struct chunk *chunk_manager_begin_use(struct chunk_manager *manager, struct place *place, enum chunk_kind kind,
                                      uint64_t now_ns);

/* --- chunk_rescue.c: with the lock --- */

/* The chunk is about to be emptied. Of the entries in it those are written again, into another chunk, that are allocations of
 * live blocks, or frees of blocks whose allocations are in other chunks: who reads the session finds blocks live that are, and
 * no others. There is the same twice for a moment, and never nothing. */
void chunk_rescue(struct chunk_manager *manager, struct place *victim);
void chunk_rescue_end(struct chunk_manager *manager);

/* --- chunk_supply.c: with the lock --- */

/* One that has never been used or has lost its disk space, with `bytes` of it, whatever the limit is; NULL: none to be had. */
struct place *chunk_supply_take_new(struct chunk_manager *manager, uint32_t bytes);

/* Makes the file: its header, and chunks without disk space but for the first, which has SHORT_BYTES of it and is free. 0 or a
 * negative errno. */
int chunk_supply_begin(struct chunk_manager *manager);
void chunk_supply_end(struct chunk_manager *manager);

/* The chunk has so much disk space now. */
void chunk_supply_note_disk(struct chunk_manager *manager, struct place *place, uint32_t bytes);

/* Reserves disk space for the chunk up to `bytes`. 0 or a negative errno. */
int chunk_supply_give_disk(struct chunk_manager *manager, struct place *place, uint32_t bytes);

/* A chunk that nobody uses, with disk space; NULL: none to be had. */
struct place *chunk_supply_make(struct chunk_manager *manager);

/* Empties the chunk that is done for the longest time and takes it out of its list. There is one. */
struct place *chunk_supply_recycle(struct chunk_manager *manager);

/* There is no more disk space. Any thread, without the lock. */
void chunk_supply_say_full(struct chunk_manager *manager);

/* --- chunk_limit.c: with the lock --- */

/* Whether so much more may be held; if not by the limit, then by what the session has left. */
bool chunk_limit_fits(struct chunk_manager *manager, uint64_t bytes);

#endif
