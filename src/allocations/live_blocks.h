/* The sampled blocks of a process that are live, by address: so that the free of such a block is recognised, and all other
 * frees are not held up.
 *
 *     free(address) ──▶ filter: may one of these hashes be live?        no, nearly always ──▶ not ours
 *                                       │ yes
 *                                       ▼
 *                       counts: how many live samples have this hash?   0 ──▶ not ours
 *                                       │ some
 *                                       ▼
 *                       two buckets of 8 blocks: is it there? ──▶ no: another one has this hash
 *                                                             ──▶ yes: taken out
 *
 * Every free of the program reads the filter: it is so small (4 KiB) that the first-level cache keeps it beside what the
 * program has there. One of 64 KiB took 11 % more CPU time from a parser of JSON.
 *
 * Any thread adds and removes at any time, in signal handlers, too: there is no lock, and nothing ever moves. A block is
 * added before the allocation returns, and removed before it is freed, so no two threads are about the same address. Nothing
 * is allocated, and all zero is empty: a page that is wiped in forked children (MADV_WIPEONFORK) is right. */
#ifndef SONDE_ALLOCATIONS_LIVE_BLOCKS_H
#define SONDE_ALLOCATIONS_LIVE_BLOCKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    LIVE_WORD_BITS = 9, /* of the filter: so many words, each with LIVE_WORD_FLAGS flags */
    LIVE_FLAG_BITS = 5,
    LIVE_WORD_FLAGS = 1 << LIVE_FLAG_BITS,
    LIVE_COUNT_BITS = 16,
    LIVE_BUCKET_BITS = 13,
    LIVE_BUCKET_BLOCKS = 8,
    LIVE_BLOCKS_MOST = LIVE_BUCKET_BLOCKS << LIVE_BUCKET_BITS,
    LIVE_BLOCKS_MANY = LIVE_BLOCKS_MOST / 2, /* with more, some may soon find no place: sample less */
    LIVE_BLOCKS_QUICK = 2048,                /* with more, frees are held up that are not of samples: more than an eighth */
};

struct live_block {
    _Atomic uint64_t address; /* 0 = none */
    _Atomic uint64_t value;   /* of who added it, until it is removed: live_value() */
};

/* How many bytes a block stands for, and a mark of when it was allocated: two that had one address are told apart by it. */
enum { LIVE_WEIGHT_BITS = 48 };
static inline uint64_t live_mark(uint64_t time)
{
    return time * UINT64_C(0x9e3779b97f4a7c15) >> LIVE_WEIGHT_BITS << LIVE_WEIGHT_BITS;
}

static inline uint64_t live_weight(uint64_t value)
{
    return value & ((UINT64_C(1) << LIVE_WEIGHT_BITS) - 1);
}

static inline uint64_t live_value(uint64_t weight, uint64_t time)
{
    const uint64_t most = (UINT64_C(1) << LIVE_WEIGHT_BITS) - 1;
    return (weight < most ? weight : most) | live_mark(time);
}

struct live_blocks {
    /* Below, a flag for each hash: whether samples of it may be live. Above, how often flags of this word were set, so that who
     * clears one notices that another thread needs it now. */
    _Atomic uint64_t filter[1 << LIVE_WORD_BITS];
    _Atomic uint8_t counts[1 << LIVE_COUNT_BITS]; /* live samples of this hash; UINT8_MAX stays */
    struct live_block buckets[1 << LIVE_BUCKET_BITS][LIVE_BUCKET_BLOCKS];
    _Atomic uint32_t count;
    _Atomic int64_t bytes; /* they stand for */
};

/* Blocks are aligned to 16 bytes. */
static inline uint64_t live_hash(uintptr_t address)
{
    return (uint64_t)(address >> 4) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline unsigned live_word(uint64_t hash)
{
    return (unsigned)(hash >> (64 - LIVE_WORD_BITS));
}

static inline unsigned live_flag(uint64_t hash)
{
    return hash >> (64 - LIVE_WORD_BITS - LIVE_FLAG_BITS) & (LIVE_WORD_FLAGS - 1);
}

/* False: it is certainly not there. Relaxed: who frees a block has it from who allocated it. */
static inline bool live_blocks_may_have(const struct live_blocks *live, uintptr_t address)
{
    uint64_t hash = live_hash(address);
    return atomic_load_explicit(&live->filter[live_word(hash)], memory_order_relaxed) >> live_flag(hash) & 1;
}

/* From now on every block may be there: all frees are asked about. */
void live_blocks_take_all(struct live_blocks *live);

enum live_added {
    LIVE_ADDED,
    LIVE_REPLACED, /* it was there already: its free was missed */
    LIVE_NO_PLACE,
};
enum live_added live_blocks_add(struct live_blocks *live, uintptr_t address, uint64_t value);

/* False: it is not there. */
bool live_blocks_remove(struct live_blocks *live, uintptr_t address, uint64_t *value);

/* Whether the one that was allocated there at this time is live. */
bool live_blocks_has(struct live_blocks *live, uintptr_t address, uint64_t time);

#endif
