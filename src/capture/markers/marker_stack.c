#include "capture/markers/marker_stack.h"

#include "capture/core/clock.h"
#include "capture/core/core.h"
#include "capture/core/pages.h"
#include "capture/sampler/handler.h"
#include "capture/sampler/live.h"
#include "capture/sampler/registry.h"
#include "common/memory.h"
#include "stack/merge.h"

#include <string.h>

void marker_stack_expect(void)
{
    static _Atomic bool done; /* relaxed: once more does no harm */
    if (atomic_load_explicit(&done, memory_order_relaxed) || !core_may_lock())
        return;
    const struct core_locked *locked = core_lock();
    const struct capture_parts *parts = core_state(locked)->parts;
    if (parts && active_state(locked)) {
        parts->refresh(clock_now());
        atomic_store_explicit(&done, true, memory_order_relaxed);
    }
    core_unlock(locked);
}

void marker_stack_merge(struct marker_scratch *scratch, const struct registration *mine, struct marker_stack *stack)
{
    bool cut;
    size_t count = merge_stack(&scratch->raw, true, scratch->frames, &cut);

    size_t used = 0, written = 0;
    uint64_t previous = 0;
    for (; written < count; written++) {
        size_t length = frame_write(scratch->bytes + used, sizeof scratch->bytes - used, &scratch->frames[written], &previous);
        if (length == 0)
            break;
        used += length;
    }
    *stack = (struct marker_stack){
        .thread = mine->info.number,
        .time = scratch->raw.time,
        .truncated = cut || scratch->raw.end != UNWIND_COMPLETE,
        .frames = {{(const char *)scratch->bytes, used}, (uint32_t)written},
    };
}

void marker_stack_take_in(struct marker_scratch *scratch, struct registration *mine, bool native, struct marker_stack *stack)
{
    stack_of_myself(mine, native, &scratch->raw);
    marker_stack_merge(scratch, mine, stack);
}

struct marker_scratch *marker_stack_scratch(struct registration *mine)
{
    if (!mine->markers.scratch && !sandbox_is_closed())
        mine->markers.scratch = pages_map(sizeof *mine->markers.scratch);
    return mine->markers.scratch;
}

bool marker_stack_take(struct registration *mine, bool native, struct marker_stack *stack)
{
    struct marker_scratch *scratch = marker_stack_scratch(mine);
    if (scratch)
        marker_stack_take_in(scratch, mine, native, stack);
    return scratch;
}

/* --- backtraces -------------------------------------------------------------------------------------------------------- */

/* As large as the stack is, whose frames are in `bytes`. */
struct sonde_backtrace {
    struct marker_stack stack;
    char bytes[];
};

static sonde_backtrace *copy(const struct marker_stack *stack)
{
    size_t length = stack->frames.bytes.length;
    sonde_backtrace *backtrace = memory_array(1, sizeof *backtrace + length);
    if (backtrace) {
        backtrace->stack = *stack;
        backtrace->stack.frames.bytes.text = memcpy(backtrace->bytes, stack->frames.bytes.text, length);
    }
    return backtrace;
}

sonde_backtrace *backtrace_capture(enum sonde_capture capture)
{
    struct registration *mine = registration_mine();
    if (!mine || capture == SONDE_NO_STACK || sandbox_is_closed() || !state_collecting_markers() ||
        state_has_feature(FEATURE_NOMARKERSTACKS))
        return NULL;
    marker_stack_expect();
    if (!live_enter(mine))
        return NULL;
    struct marker_stack stack;
    sonde_backtrace *backtrace = marker_stack_take(mine, capture == SONDE_FULL_STACK, &stack) ? copy(&stack) : NULL;
    live_leave(mine);
    return backtrace;
}

void backtrace_free(sonde_backtrace *backtrace)
{
    if (!sandbox_is_closed())
        memory_release(backtrace);
}

const struct marker_stack *backtrace_stack(const sonde_backtrace *backtrace)
{
    return &backtrace->stack;
}
