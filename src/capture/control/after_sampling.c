#include "capture/control/after_sampling.h"

#include <string.h>

static void move_calls(struct after_sampling_call *to, size_t *to_count, const struct after_sampling_call *from,
                       size_t *from_count)
{
    if (*to_count > 0)
        return;
    memcpy(to, from, *from_count * sizeof *from);
    *to_count = *from_count;
    *from_count = 0;
}

bool after_sampling_advance(struct after_sampling *calls, struct active_state *active, bool answered)
{
    enum { PATIENCE = 32 };
    if (calls->due_count == 0)
        calls->due_loops = 0;
    move_calls(calls->due, &calls->due_count, calls->taken, &calls->taken_count);
    move_calls(calls->taken, &calls->taken_count, active->after_sampling, &active->after_sampling_count);
    return calls->due_count > 0 && (answered || calls->due_loops++ == PATIENCE);
}

static void make_calls(const struct after_sampling_call *calls, size_t *count, enum sonde_sampling state)
{
    for (size_t i = 0; i < *count; i++)
        calls[i].call(calls[i].data, state);
    *count = 0;
}

void after_sampling_call_due(struct after_sampling *calls)
{
    make_calls(calls->due, &calls->due_count, SONDE_SAMPLING_COMPLETED);
}

void after_sampling_call_paused(struct after_sampling *calls)
{
    make_calls(calls->taken, &calls->taken_count, SONDE_SAMPLING_PAUSED);
}

void after_sampling_call_stopped(struct after_sampling *calls)
{
    make_calls(calls->due, &calls->due_count, SONDE_JUST_STOPPED);
    make_calls(calls->taken, &calls->taken_count, SONDE_JUST_STOPPED);
}
