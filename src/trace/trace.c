#include "trace/trace.h"

#include <math.h>

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static uint64_t trace_id_hash(double trace_id)
{
    return hash_u64(bits_of(trace_id));
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

static bool same_function(const struct trace_function *x, const struct trace_function *y)
{
    return bits_of(x->line) == bits_of(y->line) && bits_of(x->column) == bits_of(y->column) && string_same(x->name, y->name) &&
           string_same(x->url, y->url) && string_same(x->script_id, y->script_id) && string_same(x->kind, y->kind) &&
           string_same(x->lib, y->lib);
}

uint32_t trace_profile_add_function(struct trace_profile *profile, const struct trace_function *function)
{
    uint64_t place = hash_combine(hash_combine(function->url.i, function->script_id.i), bits_of(function->line));
    uint64_t hash = hash_combine(hash_combine(function->name.i, place), bits_of(function->column));
    uint32_t row;
    for (struct map_probe probe = map_probe(&profile->function_rows, hash); map_probe_next(&probe, &row);)
        if (same_function(&profile->functions.items[row], function))
            return row;
    row = (uint32_t)profile->functions.count;
    bool ok =
        row < INDEX_NONE - 1 && vec_push(&profile->functions, *function) && map_insert(&profile->function_rows, hash, row);
    return ok ? row : INDEX_NONE;
}

void trace_profile_free(struct trace_profile *profile)
{
    vec_free(&profile->nodes);
    vec_free(&profile->functions);
    map_free(&profile->function_rows);
    vec_free(&profile->hits);
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
