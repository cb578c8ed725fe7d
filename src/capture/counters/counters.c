#include "capture/counters/counters.h"

#include "capture/core/core.h"
#include "common/slice.h"

#include <stdatomic.h>

struct counter {
    _Alignas(64) struct sonde_counter_cell cell; /* read and written by builtins, as programs in C++ do */
    /* The rest is guarded by the core lock. */
    _Alignas(64) struct sonde_counter_cell written; /* what the session knows last */
    bool said;                                      /* COUNTER is in the session */
    char name[64], category[32], description[128];
};

_Alignas(4096) static struct counter counters[COUNTERS_MAX];
static size_t counter_count; /* guarded by the core lock */
static struct counter too_many;

void counter_register(struct sonde_counter *counter)
{
    /* Parts of libsonde are called with the lock held. */
    const struct core_locked *held = core_lock_held(), *locked = held ? held : core_lock();
    if (!counter->cell) {
        struct counter *each = &too_many;
        if (counter_count < COUNTERS_MAX) {
            each = &counters[counter_count++];
            text_copy(each->name, sizeof each->name, counter->name);
            text_copy(each->category, sizeof each->category, counter->category);
            text_copy(each->description, sizeof each->description, counter->description);
        }
        __atomic_store_n(&counter->cell, &each->cell, __ATOMIC_RELEASE);
    }
    if (!held)
        core_unlock(locked);
}

bool counters_are_used(const struct core_locked *locked)
{
    (void)locked;
    return counter_count > 0;
}

/* --- what the session learns ------------------------------------------------------------------------------------------- */

ENTRY_WRITER(counter)
ENTRY_WRITER(counter_sample)

enum { COUNTER_ENTRY_MAX = 320, COUNTER_SAMPLE_MAX = 64 };

void counters_begin(const struct core_locked *locked)
{
    (void)locked;
    for (size_t i = 0; i < counter_count; i++)
        counters[i].said = false;
}

static void say(const struct core_locked *locked, struct counter *counter, uint32_t number, uint64_t now_ns)
{
    struct counter_entry entry = {number, now_ns, slice_of(counter->name), slice_of(counter->category),
                                  slice_of(counter->description)};
    counter->said = kept_put(locked, COUNTER_ENTRY_MAX, write_counter, &entry);
}

void counters_loop(const struct core_locked *locked, uint64_t now_ns)
{
    for (size_t i = 0; i < counter_count; i++) {
        struct counter *counter = &counters[i];
        /* Relaxed, and one after the other: they may be of two moments, a few nanoseconds apart. */
        struct sonde_counter_cell now = {.count = __atomic_load_n(&counter->cell.count, __ATOMIC_RELAXED),
                                         .number = __atomic_load_n(&counter->cell.number, __ATOMIC_RELAXED)};
        bool unused = now.count == 0 && now.number == 0;
        bool known = counter->said && now.count == counter->written.count && now.number == counter->written.number;
        if (known || (!counter->said && unused))
            continue;
        uint32_t number = (uint32_t)i + 1;
        if (!counter->said)
            say(locked, counter, number, now_ns);
        struct counter_sample_entry entry = {number, now_ns, now.count, now.number};
        if (counter->said && common_put(locked, COUNTER_SAMPLE_MAX, write_counter_sample, &entry))
            counter->written = now;
    }
}
