#include "capture/allocations/allocation_write.h"

#include "capture/allocations/allocation_events.h"
#include "capture/allocations/allocation_visit.h"
#include "capture/core/sandbox.h"

#include <errno.h>

ENTRY_WRITER(allocation)
ENTRY_WRITER(free)
ENTRY_WRITER(unmap)
ENTRY_WRITER(object)

static enum allocation_outcome write_sampled(const struct visit *visit, const struct sampled_block *block)
{
    if (!visit_is_recorded(visit))
        return ALLOCATION_UNWANTED;
    live_statistic_add(visit->session, STATISTIC_ALLOCATED_BYTES, block->bytes); /* mapped: none */
    live_statistic_add(visit->session, STATISTIC_FREES_MISSED, block->is_repeated);
    if (!visit_is_wanted(visit))
        return ALLOCATION_UNWANTED;
    struct visit_stack taken;
    bool has_stack = visit_stack_take(visit, &taken);
    struct allocation_entry entry = {
        .thread = visit_thread(visit),
        .source = block->is_mapped ? ALLOCATION_MAPPED : ALLOCATION_HEAP,
        .time = block->time,
        .address = block->address,
        .size = block->size,
        .mean = block->mean,
        .stack.truncated = true,
    };
    if (has_stack)
        entry.stack = (struct stack_part){.truncated = taken.stack.truncated, .frames = taken.stack.frames};
    bool done = visit_put(visit, ENTRY_NUMBERS_MAX + entry.stack.frames.bytes.length, write_allocation, &entry);
    if (has_stack)
        visit_stack_done(&taken);
    if (!done || !block->is_mapped)
        live_statistic_add(visit->session, done ? STATISTIC_ALLOCATIONS : STATISTIC_ALLOCATIONS_LOST, 1);
    return done ? ALLOCATION_WRITTEN : ALLOCATION_LOST;
}

static enum allocation_outcome sampled(const struct sampled_block *block)
{
    int saved_errno = errno;
    struct visit visit = visit_begin();
    enum allocation_outcome outcome = write_sampled(&visit, block);
    if (outcome != ALLOCATION_UNWANTED)
        live_statistic_add(visit.session, STATISTIC_ALLOCATIONS_NS, allocation_cost(clock_now() - block->time));
    visit_end(&visit);
    errno = saved_errno;
    return outcome;
}

static bool freed(uint64_t address, uint64_t time)
{
    int saved_errno = errno;
    struct visit visit = visit_begin();
    bool done = visit_is_recorded(&visit);
    if (done) {
        struct free_entry entry = {.thread = visit_thread(&visit), .time = time, .address = address};
        visit_put(&visit, ENTRY_NUMBERS_MAX, write_free, &entry);
        live_statistic_add(visit.session, STATISTIC_ALLOCATIONS_NS, allocation_cost(clock_now() - time));
    }
    visit_end(&visit);
    errno = saved_errno;
    return done;
}

static enum allocation_outcome write_sampled_object(const struct visit *visit, const struct sampled_object *object)
{
    if (!visit_is_recorded(visit) || !visit_is_wanted(visit))
        return ALLOCATION_UNWANTED;
    struct visit_stack taken;
    bool has_stack = visit_stack_take(visit, &taken);
    struct object_entry entry = {
        .thread = visit_thread(visit),
        .time = object->time,
        .size = object->size,
        .mean = object->mean,
        .class_name = slice_of(object->class_name),
        .stack.truncated = true,
    };
    if (has_stack)
        entry.stack = (struct stack_part){.truncated = taken.stack.truncated, .frames = taken.stack.frames};
    size_t most = ENTRY_NUMBERS_MAX + entry.class_name.length + entry.stack.frames.bytes.length;
    bool done = visit_put(visit, most, write_object, &entry);
    if (has_stack)
        visit_stack_done(&taken);
    live_statistic_add(visit->session, STATISTIC_ALLOCATIONS_LOST, !done);
    return done ? ALLOCATION_WRITTEN : ALLOCATION_LOST;
}

static enum allocation_outcome sampled_object(const struct sampled_object *object)
{
    int saved_errno = errno;
    struct visit visit = visit_begin();
    enum allocation_outcome outcome = write_sampled_object(&visit, object);
    if (outcome != ALLOCATION_UNWANTED)
        live_statistic_add(visit.session, STATISTIC_ALLOCATIONS_NS, allocation_cost(clock_now() - object->time));
    visit_end(&visit);
    errno = saved_errno;
    return outcome;
}

static void unmapped(uint64_t address, uint64_t size, uint64_t time)
{
    int saved_errno = errno;
    struct visit visit = visit_begin();
    if (visit_is_recorded(&visit)) {
        struct unmap_entry entry = {.thread = visit_thread(&visit), .time = time, .address = address, .size = size};
        visit_put(&visit, ENTRY_NUMBERS_MAX, write_unmap, &entry);
    }
    visit_end(&visit);
    errno = saved_errno;
}

static void lost(void)
{
    struct visit visit = visit_begin();
    if (visit.session)
        live_statistic_add(visit.session, STATISTIC_ALLOCATIONS_LOST, 1);
    visit_end(&visit);
}

static uint64_t now(void)
{
    return clock_now();
}

static uint64_t cpu_of(clockid_t clock)
{
    return sandbox_is_closed() ? 0 : clock_read(clock);
}

static uint64_t thread_cpu(void)
{
    return cpu_of(CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t process_cpu(void)
{
    return cpu_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* The bounds of this library, from the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

const struct allocation_recorder allocation_recorder = {
    .size = sizeof allocation_recorder,
    .start = __ehdr_start,
    .end = _end,
    .now = now,
    .thread_cpu = thread_cpu,
    .process_cpu = process_cpu,
    .sampled = sampled,
    .freed = freed,
    .allocated = events_allocated,
    .freed_any = events_freed,
    .object = sampled_object,
    .unmapped = unmapped,
    .lost = lost,
};
