#include "capture/allocations/allocation_visit.h"

#include "capture/core/pages.h"
#include "capture/core/sandbox.h"

/* --- entries -----------------------------------------------------------------------------------------------------------------
 */

bool visit_put_here(const struct marker_place *place, const struct live_session *session, size_t max, entry_fill *fill,
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
    if (marker_place_has_chunk(place, session) && visit_put_here(place, session, max, fill, entry))
        return true;
    if (sandbox_is_closed())
        return false;
    uint64_t now = clock_now();
    return (marker_place_take_begun(place, session, now) && visit_put_here(place, session, max, fill, entry)) ||
           (marker_place_take_new(place, session, now) && visit_put_here(place, session, max, fill, entry));
}

void visit_count_lost(const struct visit *visit, size_t bytes)
{
    live_statistic_add(visit->session, STATISTIC_ENTRIES_LOST, 1);
    live_statistic_add(visit->session, STATISTIC_BYTES_LOST, bytes);
}

bool visit_put(const struct visit *visit, size_t max, entry_fill *fill, const void *entry)
{
    struct marker_place nobodys = {0};
    bool done = put_at(visit->is_own ? &visit->mine->markers.place : &nobodys, visit->session, max, fill, entry);
    if (nobodys.chunk)
        chunk_manager_pass_on(visit->session->chunks, nobodys.chunk, clock_now());
    if (!done)
        visit_count_lost(visit, max);
    return done;
}

/* --- stacks ------------------------------------------------------------------------------------------------------------------
 */

/* For one thread at a time that cannot use its own. */
static struct marker_scratch *_Atomic strange_scratch;
static atomic_flag strange_scratch_is_used = ATOMIC_FLAG_INIT;

static void give_strange_scratch_back(void)
{
    atomic_flag_clear_explicit(&strange_scratch_is_used, memory_order_release);
}

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
        give_strange_scratch_back();
    return scratch;
}

bool visit_stack_take(const struct visit *visit, struct visit_stack *stack)
{
    static struct registration nobody;
    bool native = state_has_feature(FEATURE_STACKWALK);
    stack->is_strange = false;
    if (visit->is_own)
        return marker_stack_take(visit->mine, native, &stack->stack);
    struct marker_scratch *scratch = take_strange_scratch();
    stack->is_strange = scratch;
    if (scratch)
        marker_stack_take_in(scratch, visit->mine ? visit->mine : &nobody, native, &stack->stack);
    return scratch;
}

void visit_stack_done(const struct visit_stack *stack)
{
    if (stack->is_strange)
        give_strange_scratch_back();
}

void visit_forked(void)
{
    /* Whoever used it is the parent's. */
    give_strange_scratch_back();
}
