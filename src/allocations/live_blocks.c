#include "allocations/live_blocks.h"

#include <stddef.h>

/* Both buckets that a block may be in: with two to choose from hardly any overflows before half of all places are taken. */
struct places {
    struct live_block *buckets[2];
};

static struct places places_of(struct live_blocks *live, uint64_t hash)
{
    const uint64_t mask = (1 << LIVE_BUCKET_BITS) - 1;
    return (struct places){{live->buckets[hash >> (64 - LIVE_BUCKET_BITS)], live->buckets[hash >> 20 & mask]}};
}

static struct live_block *find(const struct places *places, uint64_t address)
{
    for (size_t i = 0; i < 2 * LIVE_BUCKET_BLOCKS; i++) {
        struct live_block *block = &places->buckets[i / LIVE_BUCKET_BLOCKS][i % LIVE_BUCKET_BLOCKS];
        /* Acquire: with the address comes the value, from another thread. */
        if (atomic_load_explicit(&block->address, memory_order_acquire) == address)
            return block;
    }
    return NULL;
}

/* --- filter and counts -------------------------------------------------------------------------------------------------------
 *
 * All of it is in one order that all threads agree on (seq_cst): who adds raises the count, and sets the flag; who removes
 * reads the word, then the counts, and clears the flag if the word is still the same. So either it sees the count, or the word
 * has changed, or the flag is set again after it. */

/* Of all hashes that have a flag together. */
enum { COUNTS_OF_FLAG = 1 << (LIVE_COUNT_BITS - LIVE_WORD_BITS - LIVE_FLAG_BITS) };
static const uint64_t one_more = UINT64_C(1) << LIVE_WORD_FLAGS;

static _Atomic uint8_t *count_of(struct live_blocks *live, uint64_t hash)
{
    return &live->counts[hash >> (64 - LIVE_COUNT_BITS)];
}

/* One that has reached its end stays there, since nobody knows any more how many there are. */
static void change_count(_Atomic uint8_t *at, bool added)
{
    uint8_t count = atomic_load_explicit(at, memory_order_relaxed);
    while (count < UINT8_MAX && !atomic_compare_exchange_weak(at, &count, (uint8_t)(added ? count + 1 : count - 1)))
        ;
}

static void set_flag(struct live_blocks *live, uint64_t hash)
{
    _Atomic uint64_t *at = &live->filter[live_word(hash)];
    uint64_t word = atomic_load(at);
    while (!atomic_compare_exchange_weak(at, &word, (word + one_more) | UINT64_C(1) << live_flag(hash)))
        ;
}

static bool is_counted(struct live_blocks *live, uint64_t hash)
{
    const size_t first = (hash >> (64 - LIVE_COUNT_BITS)) / COUNTS_OF_FLAG * COUNTS_OF_FLAG;
    bool any = false;
    for (size_t i = 0; i < COUNTS_OF_FLAG; i++)
        any |= atomic_load(&live->counts[first + i]) != 0;
    return any;
}

static void clear_flag(struct live_blocks *live, uint64_t hash)
{
    _Atomic uint64_t *at = &live->filter[live_word(hash)];
    uint64_t word = atomic_load(at);
    while (!is_counted(live, hash) && !atomic_compare_exchange_weak(at, &word, word & ~(UINT64_C(1) << live_flag(hash))))
        ;
}

static void filter_add(struct live_blocks *live, uint64_t hash)
{
    change_count(count_of(live, hash), true);
    set_flag(live, hash);
}

static void filter_remove(struct live_blocks *live, uint64_t hash)
{
    change_count(count_of(live, hash), false);
    clear_flag(live, hash);
}

void live_blocks_take_all(struct live_blocks *live)
{
    for (size_t i = 0; i < 1 << LIVE_WORD_BITS; i++)
        atomic_store(&live->filter[i], one_more - 1);
}

/* --- blocks ------------------------------------------------------------------------------------------------------------------
 */

static size_t count_taken(const struct live_block *bucket)
{
    size_t taken = 0;
    for (size_t i = 0; i < LIVE_BUCKET_BLOCKS; i++)
        taken += atomic_load_explicit(&bucket[i].address, memory_order_relaxed) != 0;
    return taken;
}

/* The value is there before the address: who finds the one finds the other. While it is claimed, the place has an address that
 * no block has. */
static bool claim(struct live_block *bucket, uint64_t address, uint64_t value)
{
    const uint64_t claimed = 1;
    for (size_t i = 0; i < LIVE_BUCKET_BLOCKS; i++) {
        uint64_t none = 0;
        if (atomic_load_explicit(&bucket[i].address, memory_order_relaxed) != 0 ||
            !atomic_compare_exchange_strong_explicit(&bucket[i].address, &none, claimed, memory_order_acquire,
                                                     memory_order_relaxed))
            continue;
        atomic_store_explicit(&bucket[i].value, value, memory_order_relaxed);
        atomic_store_explicit(&bucket[i].address, address, memory_order_release);
        return true;
    }
    return false;
}

static void count_block(struct live_blocks *live, uint64_t value, bool added)
{
    int64_t weight = (int64_t)live_weight(value);
    atomic_fetch_add_explicit(&live->count, added ? 1 : UINT32_MAX, memory_order_relaxed);
    atomic_fetch_add_explicit(&live->bytes, added ? weight : -weight, memory_order_relaxed);
}

enum live_added live_blocks_add(struct live_blocks *live, uintptr_t address, uint64_t value)
{
    uint64_t hash = live_hash(address), before;
    bool is_there = live_blocks_may_have(live, address) && live_blocks_remove(live, address, &before);
    struct places places = places_of(live, hash);
    bool second = count_taken(places.buckets[0]) > count_taken(places.buckets[1]);
    filter_add(live, hash);
    if (!claim(places.buckets[second], address, value) && !claim(places.buckets[!second], address, value)) {
        filter_remove(live, hash);
        return LIVE_NO_PLACE;
    }
    count_block(live, value, true);
    return is_there ? LIVE_REPLACED : LIVE_ADDED;
}

bool live_blocks_remove(struct live_blocks *live, uintptr_t address, uint64_t *value)
{
    uint64_t hash = live_hash(address), expected = address;
    if (address <= 1 || atomic_load_explicit(count_of(live, hash), memory_order_relaxed) == 0)
        return false;
    struct places places = places_of(live, hash);
    struct live_block *block = find(&places, address);
    if (!block)
        return false;
    *value = atomic_load_explicit(&block->value, memory_order_relaxed);
    /* Only one of two that free it at the same time, which is a mistake of the program, has removed it. */
    if (!atomic_compare_exchange_strong_explicit(&block->address, &expected, 0, memory_order_release, memory_order_relaxed))
        return false;
    filter_remove(live, hash);
    count_block(live, *value, false);
    return true;
}

bool live_blocks_has(struct live_blocks *live, uintptr_t address, uint64_t time)
{
    struct places places = places_of(live, live_hash(address));
    const struct live_block *block = address > 1 ? find(&places, address) : NULL;
    return block && live_mark(time) == (atomic_load_explicit(&block->value, memory_order_relaxed) ^
                                        live_weight(atomic_load_explicit(&block->value, memory_order_relaxed)));
}
