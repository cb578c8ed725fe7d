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

static _Atomic uint8_t *filter_of(struct live_blocks *live, uint64_t hash)
{
    return &live->filter[hash >> (64 - LIVE_FILTER_BITS)];
}

/* One that has reached its end stays there, since nobody knows any more how many there are. */
static void filter_change(_Atomic uint8_t *filter, bool added)
{
    uint8_t count = atomic_load_explicit(filter, memory_order_relaxed);
    while (count < UINT8_MAX && !atomic_compare_exchange_weak_explicit(filter, &count, (uint8_t)(added ? count + 1 : count - 1),
                                                                       memory_order_relaxed, memory_order_relaxed))
        ;
}

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
    filter_change(filter_of(live, hash), true);
    if (!claim(places.buckets[second], address, value) && !claim(places.buckets[!second], address, value)) {
        filter_change(filter_of(live, hash), false);
        return LIVE_NO_PLACE;
    }
    count_block(live, value, true);
    return is_there ? LIVE_REPLACED : LIVE_ADDED;
}

bool live_blocks_remove(struct live_blocks *live, uintptr_t address, uint64_t *value)
{
    uint64_t hash = live_hash(address), expected = address;
    struct places places = places_of(live, hash);
    struct live_block *block = address > 1 ? find(&places, address) : NULL;
    if (!block)
        return false;
    *value = atomic_load_explicit(&block->value, memory_order_relaxed);
    /* Only one of two that free it at the same time, which is a mistake of the program, has removed it. */
    if (!atomic_compare_exchange_strong_explicit(&block->address, &expected, 0, memory_order_release, memory_order_relaxed))
        return false;
    filter_change(filter_of(live, hash), false);
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
