#include "capture/allocations/allocation_write.h"

#include "capture/core/clock.h"
#include "capture/core/core.h"
#include "capture/core/pages.h"
#include "capture/core/sandbox.h"
#include "capture/markers/marker_place.h"
#include "capture/markers/marker_stack.h"
#include "capture/sampler/live.h"
#include "capture/sampler/registry.h"
#include "session/entry_append.h"

#include <errno.h>

ENTRY_WRITER(allocation)
ENTRY_WRITER(free)
ENTRY_WRITER(unmap)

/* --- where to ----------------------------------------------------------------------------------------------------------------
 */

/* A thread on its way into the session: as itself, or as nobody in particular. */
struct visit {
    const struct live_session *session; /* NULL = there is none */
    struct registration *mine;          /* NULL = it is not registered */
    bool is_own;                        /* its chunk and its scratch may be used */
};

static struct visit visit_begin(void)
{
    struct visit visit = {.mine = registration_mine()};
    visit.is_own = visit.mine && live_enter(visit.mine);
    if (!visit.is_own)
        live_enter_strange();
    visit.session = live_session();
    return visit;
}

static void visit_end(const struct visit *visit)
{
    if (visit->is_own) {
        live_leave(visit->mine);
        marker_place_housekeep();
    } else {
        live_leave_strange();
    }
}

static bool is_recording(void)
{
    return state_collecting_markers() && !live_is_paused();
}

static bool is_wanted_of(const struct registration *mine)
{
    return !mine || (atomic_load_explicit(&mine->features, memory_order_relaxed) & THREAD_MARKERS);
}

static uint32_t number_of(const struct visit *visit)
{
    return visit->mine ? visit->mine->info.number : 0;
}

static bool put_into(const struct marker_place *place, const struct live_session *session, size_t max, entry_fill *fill,
                     const void *entry)
{
    uint8_t *out = chunk_reserve(place->chunk, max);
    if (!out && marker_place_extend(place, session))
        out = chunk_reserve(place->chunk, max);
    size_t length = out ? fill(out, max, entry) : 0;
    if (length > 0)
        chunk_commit(place->chunk, max, length);
    return length > 0;
}

static bool put_at(struct marker_place *place, const struct live_session *session, size_t max, entry_fill *fill,
                   const void *entry)
{
    if (max > ENTRY_MAX)
        return false;
    if (marker_place_has_chunk(place, session) && put_into(place, session, max, fill, entry))
        return true;
    if (sandbox_is_closed())
        return false;
    uint64_t now = clock_now();
    return (marker_place_take_begun(place, session, now) && put_into(place, session, max, fill, entry)) ||
           (marker_place_take_new(place, session, now) && put_into(place, session, max, fill, entry));
}

/* Counts what found no room. */
static bool put(const struct visit *visit, size_t max, entry_fill *fill, const void *entry)
{
    struct marker_place nobodys = {0};
    bool done = put_at(visit->is_own ? &visit->mine->markers.place : &nobodys, visit->session, max, fill, entry);
    if (nobodys.chunk)
        chunk_manager_pass_on(visit->session->chunks, nobodys.chunk, clock_now());
    if (!done) {
        live_statistic_add(visit->session, STATISTIC_ENTRIES_LOST, 1);
        live_statistic_add(visit->session, STATISTIC_BYTES_LOST, max);
    }
    return done;
}

/* --- stacks ------------------------------------------------------------------------------------------------------------------
 */

/* For one thread at a time that cannot use its own. */
static struct marker_scratch *_Atomic strange_scratch;
static atomic_flag strange_scratch_is_used = ATOMIC_FLAG_INIT;

static struct marker_scratch *take_strange_scratch(void)
{
    if (atomic_flag_test_and_set_explicit(&strange_scratch_is_used, memory_order_acquire))
        return NULL;
    struct marker_scratch *scratch = atomic_load_explicit(&strange_scratch, memory_order_relaxed);
    if (!scratch && !sandbox_is_closed()) {
        scratch = pages_map(sizeof *scratch);
        atomic_store_explicit(&strange_scratch, scratch, memory_order_relaxed);
    }
    if (!scratch)
        atomic_flag_clear_explicit(&strange_scratch_is_used, memory_order_release);
    return scratch;
}

static void give_strange_scratch_back(void)
{
    atomic_flag_clear_explicit(&strange_scratch_is_used, memory_order_release);
}

/* False: there is no memory for it, or another thread uses it. */
static bool take_stack(const struct visit *visit, struct marker_stack *stack, bool *is_strange)
{
    static struct registration nobody;
    bool native = state_has_feature(FEATURE_STACKWALK);
    *is_strange = false;
    if (visit->is_own)
        return marker_stack_take(visit->mine, native, stack);
    struct marker_scratch *scratch = take_strange_scratch();
    *is_strange = scratch;
    if (scratch)
        marker_stack_take_in(scratch, visit->mine ? visit->mine : &nobody, native, stack);
    return scratch;
}

/* --- what libsonde-allocations calls -----------------------------------------------------------------------------------------
 */

static enum allocation_outcome write_sampled(const struct visit *visit, const struct sampled_block *block)
{
    if (!visit->session || !is_recording())
        return ALLOCATION_UNWANTED;
    live_statistic_add(visit->session, STATISTIC_ALLOCATED_BYTES, block->bytes);
    live_statistic_add(visit->session, STATISTIC_FREES_MISSED, block->is_repeated);
    if (!is_wanted_of(visit->mine))
        return ALLOCATION_UNWANTED;
    struct marker_stack stack;
    bool is_strange, has_stack = take_stack(visit, &stack, &is_strange);
    struct allocation_entry entry = {
        .thread = number_of(visit),
        .source = block->is_mapped ? ALLOCATION_MAPPED : ALLOCATION_HEAP,
        .time = has_stack ? stack.time : clock_now(),
        .address = block->address,
        .size = block->size,
        .mean = block->mean,
        .stack.truncated = true,
    };
    if (has_stack)
        entry.stack = (struct stack_part){.truncated = stack.truncated, .frames = stack.frames};
    bool done = put(visit, ENTRY_NUMBERS_MAX + entry.stack.frames.bytes.length, write_allocation, &entry);
    if (is_strange)
        give_strange_scratch_back();
    live_statistic_add(visit->session, done ? STATISTIC_ALLOCATIONS : STATISTIC_ALLOCATIONS_LOST, 1);
    return done ? ALLOCATION_WRITTEN : ALLOCATION_LOST;
}

static enum allocation_outcome sampled(const struct sampled_block *block, uint64_t since)
{
    int saved_errno = errno;
    struct visit visit = visit_begin();
    enum allocation_outcome outcome = write_sampled(&visit, block);
    if (outcome != ALLOCATION_UNWANTED)
        live_statistic_add(visit.session, STATISTIC_ALLOCATIONS_NS, clock_now() - since);
    visit_end(&visit);
    errno = saved_errno;
    return outcome;
}

static bool freed(uint64_t address, uint64_t time)
{
    int saved_errno = errno;
    struct visit visit = visit_begin();
    bool done = visit.session && is_recording();
    if (done) {
        struct free_entry entry = {.thread = number_of(&visit), .time = time, .address = address};
        put(&visit, ENTRY_NUMBERS_MAX, write_free, &entry);
        live_statistic_add(visit.session, STATISTIC_ALLOCATIONS_NS, clock_now() - time);
    }
    visit_end(&visit);
    errno = saved_errno;
    return done;
}

static void unmapped(uint64_t address, uint64_t size, uint64_t time)
{
    int saved_errno = errno;
    struct visit visit = visit_begin();
    if (visit.session && is_recording()) {
        struct unmap_entry entry = {.thread = number_of(&visit), .time = time, .address = address, .size = size};
        put(&visit, ENTRY_NUMBERS_MAX, write_unmap, &entry);
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

const struct allocation_recorder allocation_recorder = {
    .size = sizeof allocation_recorder,
    .now = now,
    .thread_cpu = thread_cpu,
    .process_cpu = process_cpu,
    .sampled = sampled,
    .freed = freed,
    .unmapped = unmapped,
    .lost = lost,
};

void allocation_write_forked(void)
{
    /* Whoever used it is the parent's. */
    give_strange_scratch_back();
}
