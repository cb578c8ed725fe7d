#include "preload_allocations/sampler.h"

#include "allocations/sampling.h"
#include "preload_allocations/adapt.h"

#include <errno.h>

static _Atomic bool rests;

void sampler_rest(void)
{
    atomic_store_explicit(&rests, true, memory_order_relaxed);
}

/* --- inside ----------------------------------------------------------------------------------------------------------------
 */

/* The handler runs further down the stack. (One that ended with longjmp() has left what it interrupted for good: then we are
 * further up.) */
bool slow_path_enter(void)
{
    char here;
    if (own.inside != 0 && (uintptr_t)&here < own.inside)
        return false;
    own.inside = (uintptr_t)&here;
    return true;
}

void slow_path_leave(void)
{
    own.inside = 0;
}

/* --- counting --------------------------------------------------------------------------------------------------------------
 */

static void draw(void)
{
    own.drawn = own.spare = sampling_gap(&own.random, own.mean) - 1;
}

/* The thread's first allocation: its gap begins here. */
static void begin_thread(const struct allocation_recorder *to)
{
    own.random = plan.seed != 0 ? plan.seed : ((uintptr_t)&own * UINT64_C(0x9e3779b97f4a7c15) ^ to->now()) | 1;
    own.mean = plan.is_all ? SAMPLING_MEAN_ALL : adapt_first_mean();
    draw();
}

/* Whether the block reaches the next sample; if not, it is counted. */
static bool count(const struct allocation_recorder *to, size_t size)
{
    if (!to) {
        /* Where nobody will ask any more: then so much at a time. */
        if (atomic_load_explicit(&rests, memory_order_relaxed))
            own.spare = own.drawn = UINT64_MAX / 2;
        return false;
    }
    if (own.random == 0)
        begin_thread(to);
    uint64_t counted = sampling_size(size);
    if (counted - 1 >= own.spare)
        return true;
    own.spare -= counted;
    return false;
}

bool take_begin(size_t size)
{
    if (!slow_path_enter())
        return false;
    own.taken++;
    bool is_reached = count(atomic_load_explicit(&recorder, memory_order_acquire), size);
    if (!is_reached)
        slow_path_leave();
    return is_reached;
}

/* --- samples ---------------------------------------------------------------------------------------------------------------
 */

static void write_sample(const struct allocation_recorder *to, uint64_t address, size_t size, uint64_t bytes)
{
    uint64_t since = to->now();
    struct sampled_block block = {.time = since, .address = address, .size = size, .mean = own.mean, .bytes = bytes};
    enum live_added added =
        live_blocks_add(&live, address, live_value((uint64_t)(sampling_weight(size, own.mean) + 0.5), since));
    enum allocation_outcome outcome = ALLOCATION_UNWANTED;
    block.is_repeated = added == LIVE_REPLACED;
    if (added == LIVE_NO_PLACE)
        to->lost();
    else
        outcome = to->sampled(&block);
    uint64_t value;
    if (added != LIVE_NO_PLACE && outcome != ALLOCATION_WRITTEN)
        live_blocks_remove(&live, address, &value);
    adapt_note(to->now() - since, true);
}

void take_end(void *block, size_t size)
{
    int saved_errno = errno;
    const struct allocation_recorder *to = atomic_load_explicit(&recorder, memory_order_acquire);
    /* One that failed is none: the bytes are still to come. */
    if (block && to) {
        uint64_t bytes = own.drawn - own.spare + sampling_size(size);
        if (plan.is_all)
            to->allocated((uintptr_t)block, size);
        else
            write_sample(to, (uintptr_t)block, size, bytes);
        draw();
    }
    slow_path_leave();
    errno = saved_errno;
}

/* --- frees -----------------------------------------------------------------------------------------------------------------
 */

static void write_free(const struct allocation_recorder *to, uint64_t address, uint64_t time)
{
    if (plan.is_all) {
        to->freed_any(address, time);
    } else {
        to->freed(address, time);
        adapt_note(to->now() - time, false);
    }
}

struct moved_block move_begin(void *block)
{
    struct moved_block moved = {.address = (uintptr_t)block};
    const struct allocation_recorder *to = atomic_load_explicit(&recorder, memory_order_acquire);
    moved.time = to ? to->now() : 0;
    moved.was_sampled = plan.is_all || live_blocks_remove(&live, (uintptr_t)block, &moved.value);
    return moved;
}

void move_end(const struct moved_block *moved, bool is_freed)
{
    int saved_errno = errno;
    const struct allocation_recorder *to = atomic_load_explicit(&recorder, memory_order_acquire);
    if (moved->was_sampled && is_freed && to)
        write_free(to, moved->address, moved->time);
    else if (moved->was_sampled && !is_freed && !plan.is_all &&
             live_blocks_add(&live, moved->address, moved->value) == LIVE_NO_PLACE && to)
        to->freed(moved->address, moved->time);
    errno = saved_errno;
}

void note_free(void *block)
{
    struct moved_block moved = move_begin(block);
    move_end(&moved, true);
}
