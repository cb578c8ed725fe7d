/* pc → rule, shared by all threads of the process without a lock.
 *
 * A rule is 8 bytes. An entry is two words, `key ^ rule` and `rule`; a reader that sees halves of two writes gets a key that is
 * not its own and takes it for a miss, so no ordering is needed. The key is the pc and, in its top bits, the generation of the
 * module list, which changes whenever a module goes: what an unloaded module left behind is never found. So a hit needs no
 * look at the modules at all.
 *
 *     line = 64 bytes: four entries, of which a pc may take any: one access to memory, however many pcs meet in a line
 *
 * Most processes are young and know some dozens of pcs, and each page of memory that is touched for the first time takes as
 * long as a dozen rules. So a cache begins with two pages, and gets twice as many lines whenever too many rules are pushed out
 * of it. What is where it was before is found by a second look. */
#ifndef SONDE_UNWIND_RULE_CACHE_H
#define SONDE_UNWIND_RULE_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    UNWIND_CACHE_WAYS = 4,
    UNWIND_CACHE_LEAST_BITS = 7, /* 2 to this many lines at first … */
    UNWIND_CACHE_LINE_BITS = 12, /* … and at last */
    UNWIND_CACHE_PC_BITS = 48,   /* the pcs of user space are below */
    UNWIND_CACHE_PAGE = 4096,
};

struct unwind_cache_entry {
    _Atomic uint64_t check; /* key ^ rule */
    _Atomic uint64_t rule;
};

struct unwind_cache_line {
    struct unwind_cache_entry ways[UNWIND_CACHE_WAYS];
};

/* To be had zeroed (from mmap) and aligned to a page. */
struct unwind_cache {
    union {
        /* Instead of line 0, which is not used. */
        struct {
            _Atomic uint64_t round;      /* how often the generations have gone round; see unwind_cache_ready */
            _Atomic uint32_t growths;    /* how often it has grown … */
            _Atomic uint32_t pushed_out; /* … and rules that had to go since */
        };
        struct unwind_cache_line lines[1 << UNWIND_CACHE_LINE_BITS];
    };
};
_Static_assert(sizeof(struct unwind_cache_line) == 64, "a line of the CPU's caches");

static inline uint64_t unwind_cache_key(uint64_t pc, uint64_t generation)
{
    return pc ^ generation << UNWIND_CACHE_PC_BITS;
}

static inline uint64_t unwind_cache_hash(uint64_t key)
{
    return key * 0x9e3779b97f4a7c15;
}

/* In a cache that has grown so often. */
static inline struct unwind_cache_entry *unwind_cache_line(struct unwind_cache *cache, uint64_t key, uint32_t growths)
{
    uint64_t line = unwind_cache_hash(key) >> (64 - UNWIND_CACHE_LINE_BITS);
    line &= ((uint64_t)1 << (UNWIND_CACHE_LEAST_BITS + growths)) - 1;
    return cache->lines[line ? line : 1].ways;
}

/* Relaxed: whoever sees an older number looks in fewer lines, which is as good. */
static inline uint32_t unwind_cache_growths(const struct unwind_cache *cache)
{
    return atomic_load_explicit(&cache->growths, memory_order_relaxed);
}

static inline bool unwind_cache_get(struct unwind_cache *cache, uint64_t key, uint64_t *rule)
{
    struct unwind_cache_entry *line = unwind_cache_line(cache, key, unwind_cache_growths(cache));
    for (unsigned i = 0; i < UNWIND_CACHE_WAYS; i++) {
        uint64_t found = atomic_load_explicit(&line[i].rule, memory_order_relaxed);
        if ((atomic_load_explicit(&line[i].check, memory_order_relaxed) ^ found) == key) {
            *rule = found;
            return true;
        }
    }
    return false;
}

/* Touches the lines, without changing them: a page that is first read and then written to is made twice by the kernel. An
 * exchange of 0 for 0 is a write wherever there is a 0. */
static inline void unwind_cache_touch(struct unwind_cache *cache, size_t from, size_t end)
{
    for (size_t line = from; line < end; line += UNWIND_CACHE_PAGE / sizeof *cache->lines) {
        uint64_t none = 0;
        atomic_compare_exchange_strong_explicit(&cache->lines[line].ways[UNWIND_CACHE_WAYS - 1].rule, &none, 0,
                                                memory_order_relaxed, memory_order_relaxed);
    }
}

static inline void unwind_cache_grow(struct unwind_cache *cache, uint32_t growths)
{
    size_t lines = (size_t)1 << (UNWIND_CACHE_LEAST_BITS + growths);
    unwind_cache_touch(cache, lines, 2 * lines);
    if (atomic_compare_exchange_strong_explicit(&cache->growths, &growths, growths + 1, memory_order_relaxed,
                                                memory_order_relaxed))
        atomic_store_explicit(&cache->pushed_out, 0, memory_order_relaxed);
}

/* Takes an empty entry of the line, or one that the key picks: keys that meet in a full line pick differently. */
static inline void unwind_cache_put(struct unwind_cache *cache, uint64_t key, uint64_t rule)
{
    uint32_t growths = unwind_cache_growths(cache);
    struct unwind_cache_entry *line = unwind_cache_line(cache, key, growths);
    unsigned way = (unsigned)(unwind_cache_hash(key) >> (64 - UNWIND_CACHE_LINE_BITS - 2)) % UNWIND_CACHE_WAYS;
    bool is_full = true;
    for (unsigned i = 0; i < UNWIND_CACHE_WAYS && is_full; i++) {
        if (atomic_load_explicit(&line[i].check, memory_order_relaxed) == 0) {
            way = i;
            is_full = false;
        }
    }
    atomic_store_explicit(&line[way].check, key ^ rule, memory_order_relaxed);
    atomic_store_explicit(&line[way].rule, rule, memory_order_relaxed);
    if (!is_full || growths >= UNWIND_CACHE_LINE_BITS - UNWIND_CACHE_LEAST_BITS)
        return;
    uint32_t pushed_out = atomic_fetch_add_explicit(&cache->pushed_out, 1, memory_order_relaxed);
    if (pushed_out >= (1u << (UNWIND_CACHE_LEAST_BITS + growths)) / 8)
        unwind_cache_grow(cache, growths);
}

/* After a miss: what was put there before the cache grew last moves to where it belongs. */
static inline bool unwind_cache_get_older(struct unwind_cache *cache, uint64_t key, uint64_t *rule)
{
    uint32_t growths = unwind_cache_growths(cache);
    struct unwind_cache_entry *line = growths > 0 ? unwind_cache_line(cache, key, growths - 1) : NULL;
    for (unsigned i = 0; line && i < UNWIND_CACHE_WAYS; i++) {
        uint64_t found = atomic_load_explicit(&line[i].rule, memory_order_relaxed);
        if ((atomic_load_explicit(&line[i].check, memory_order_relaxed) ^ found) != key)
            continue;
        atomic_store_explicit(&line[i].check, 0, memory_order_relaxed); /* what came there meanwhile is forgotten */
        unwind_cache_put(cache, key, *rule = found);
        return true;
    }
    return false;
}

/* To be called before a walk with this generation. The key holds 16 bits of it: each time they start again from 0, after
 * 65,536 unloaded modules, everything is forgotten. */
static inline void unwind_cache_ready(struct unwind_cache *cache, uint64_t generation)
{
    uint64_t round = generation >> (64 - UNWIND_CACHE_PC_BITS);
    if (atomic_load_explicit(&cache->round, memory_order_relaxed) == round)
        return;
    for (size_t line = 1; line < (size_t)1 << UNWIND_CACHE_LINE_BITS; line++) {
        for (unsigned way = 0; way < UNWIND_CACHE_WAYS; way++) {
            atomic_store_explicit(&cache->lines[line].ways[way].check, 0, memory_order_relaxed);
            atomic_store_explicit(&cache->lines[line].ways[way].rule, 0, memory_order_relaxed);
        }
    }
    atomic_store_explicit(&cache->round, round, memory_order_relaxed);
}

#endif
