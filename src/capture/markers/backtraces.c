#include "capture/markers/backtraces.h"

#include "capture/core/state.h"
#include "capture/markers/api_parts.h"
#include "capture/sampler/live.h"
#include "capture/sampler/registry.h"
#include "common/memory.h"

#include <string.h>

/* As large as the stack is. */
struct sonde_backtrace {
    uint64_t time;
    uint32_t thread;
    uint32_t count, length; /* of the frames, as they stand in entries */
    char bytes[];
};

static sonde_backtrace *copy(const struct marker_stack *stack)
{
    size_t length = stack->frames.bytes.length;
    sonde_backtrace *backtrace = memory_array(1, sizeof *backtrace + length);
    if (backtrace) {
        *backtrace = (sonde_backtrace){stack->time, stack->thread, stack->frames.count, (uint32_t)length};
        memcpy(backtrace->bytes, stack->frames.bytes.text, length);
    }
    return backtrace;
}

sonde_backtrace *backtrace_capture(enum sonde_capture capture)
{
    struct registration *mine = registration_mine();
    if (!mine || capture == SONDE_NO_STACK || !state_collecting_markers() || state_has_feature(FEATURE_NOMARKERSTACKS))
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
    memory_release(backtrace);
}

const struct marker_stack *backtrace_stack(const sonde_backtrace *backtrace, struct marker_stack *stack)
{
    *stack = (struct marker_stack){
        .thread = backtrace->thread,
        .time = backtrace->time,
        .frames = {{backtrace->bytes, backtrace->length}, backtrace->count},
    };
    return stack;
}
