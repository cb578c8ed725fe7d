#include "trace/trace.h"

#include <math.h>

static uint64_t trace_id_hash(double trace_id)
{
    uint64_t bits;
    memcpy(&bits, &trace_id, sizeof bits);
    return hash_u64(bits);
}

static struct trace_stack *find_stack(const struct trace_profile *profile, double trace_id)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&profile->stack_of_trace_id, trace_id_hash(trace_id));
         map_probe_next(&probe, &row);)
        if (profile->stacks.items[row].trace_id == trace_id)
            return &profile->stacks.items[row];
    return NULL;
}

double trace_profile_stack(const struct trace_profile *profile, double trace_id)
{
    const struct trace_stack *stack = find_stack(profile, trace_id);
    return stack ? stack->node : NAN;
}

bool trace_profile_add_stack(struct trace_profile *profile, double trace_id, double node)
{
    struct trace_stack *stack = find_stack(profile, trace_id);
    if (stack) {
        stack->node = node;
        return true;
    }
    size_t row = profile->stacks.count;
    return row < INDEX_NONE - 1 && vec_push(&profile->stacks, ((struct trace_stack){trace_id, node})) &&
           map_insert(&profile->stack_of_trace_id, trace_id_hash(trace_id), (uint32_t)row);
}

void trace_profile_free(struct trace_profile *profile)
{
    vec_free(&profile->nodes);
    vec_free(&profile->children);
    vec_free(&profile->samples);
    vec_free(&profile->deltas);
    vec_free(&profile->lines);
    vec_free(&profile->columns);
    vec_free(&profile->stacks);
    map_free(&profile->stack_of_trace_id);
    vec_free(&profile->categories);
}

void trace_free(struct trace *trace)
{
    for (size_t i = 0; i < trace->threads.count; i++) {
        vec_free(&trace->threads.items[i].events);
        vec_free(&trace->threads.items[i].others);
    }
    vec_free(&trace->threads);
    vec_free(&trace->processes);
    for (size_t i = 0; i < trace->profiles.count; i++)
        trace_profile_free(&trace->profiles.items[i]);
    vec_free(&trace->profiles);
    vec_free(&trace->arguments);
    arena_free(&trace->texts);
    string_table_free(&trace->strings);
}
