/* pc → rule, shared by all threads of the process without a lock.
 *
 * A rule is 8 bytes. An entry is two words, `key ^ rule` and `rule`; a reader that sees halves of two writes gets a key that is
 * not its own and takes it for a miss, so no ordering is needed. The key is the pc and, in its top bits, the generation of the
 * module list, which changes whenever a module goes: what an unloaded module left behind is never found. So a hit needs no
 * look at the modules at all.
 *
 *     line = 64 bytes: four entries, of which a pc may take any: one access to memory, however many pcs meet in a line
 */
#ifndef SONDE_UNWIND_RULE_CACHE_H
#define SONDE_UNWIND_RULE_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    UNWIND_CACHE_ENTRIES = 1 << 14,
    UNWIND_CACHE_WAYS = 4,
    UNWIND_CACHE_LINE_BITS = 12, /* 2 to this many lines */
    UNWIND_CACHE_PC_BITS = 48,   /* the pcs of user space are below */
};
_Static_assert(UNWIND_CACHE_ENTRIES == UNWIND_CACHE_WAYS << UNWIND_CACHE_LINE_BITS, "lines of four");

struct unwind_cache_entry {
    _Atomic uint64_t check; /* key ^ rule */
    _Atomic uint64_t rule;
};

/* To be had zeroed (from mmap) and aligned to 64 bytes. */
struct unwind_cache {
    struct unwind_cache_entry entries[UNWIND_CACHE_ENTRIES];
    _Atomic uint64_t round; /* how often the generations have gone round; see unwind_cache_ready */
};

static inline uint64_t unwind_cache_key(uint64_t pc, uint64_t generation)
{
    return pc ^ generation << UNWIND_CACHE_PC_BITS;
}

static inline struct unwind_cache_entry *unwind_cache_line(struct unwind_cache *cache, uint64_t key)
{
    return &cache->entries[(key * 0x9e3779b97f4a7c15 >> (64 - UNWIND_CACHE_LINE_BITS)) * UNWIND_CACHE_WAYS];
}

static inline bool unwind_cache_get(struct unwind_cache *cache, uint64_t key, uint64_t *rule)
{
    struct unwind_cache_entry *line = unwind_cache_line(cache, key);
    for (unsigned i = 0; i < UNWIND_CACHE_WAYS; i++) {
        uint64_t found = atomic_load_explicit(&line[i].rule, memory_order_relaxed);
        if ((atomic_load_explicit(&line[i].check, memory_order_relaxed) ^ found) == key) {
            *rule = found;
            return true;
        }
    }
    return false;
}

/* Takes an empty entry of the line, or one that the key picks: keys that meet in a full line pick differently. */
static inline void unwind_cache_put(struct unwind_cache *cache, uint64_t key, uint64_t rule)
{
    struct unwind_cache_entry *line = unwind_cache_line(cache, key);
    unsigned way = (unsigned)(key * 0x9e3779b97f4a7c15 >> (64 - UNWIND_CACHE_LINE_BITS - 2)) % UNWIND_CACHE_WAYS;
    for (unsigned i = 0; i < UNWIND_CACHE_WAYS; i++) {
        if (atomic_load_explicit(&line[i].check, memory_order_relaxed) == 0) {
            way = i;
            break;
        }
    }
    atomic_store_explicit(&line[way].check, key ^ rule, memory_order_relaxed);
    atomic_store_explicit(&line[way].rule, rule, memory_order_relaxed);
}

/* To be called before a walk with this generation. The key holds 16 bits of it: each time they start again from 0, after
 * 65,536 unloaded modules, everything is forgotten. */
static inline void unwind_cache_ready(struct unwind_cache *cache, uint64_t generation)
{
    uint64_t round = generation >> (64 - UNWIND_CACHE_PC_BITS);
    if (atomic_load_explicit(&cache->round, memory_order_relaxed) == round)
        return;
    for (unsigned i = 0; i < UNWIND_CACHE_ENTRIES; i++) {
        atomic_store_explicit(&cache->entries[i].check, 0, memory_order_relaxed);
        atomic_store_explicit(&cache->entries[i].rule, 0, memory_order_relaxed);
    }
    atomic_store_explicit(&cache->round, round, memory_order_relaxed);
}

#endif
