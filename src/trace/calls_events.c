#include "trace/calls.h"

#include <math.h>

/* A node for each name, so that calls are named as those of samples are. */
struct event_nodes {
    struct trace_profile *profile;
    struct cpu_model *model;
    VEC(uint32_t) of_name; /* by string: row of the model, INDEX_NONE = none yet */
};

static bool find_node(struct event_nodes *nodes, const struct trace *trace, struct string_index name, uint32_t *row)
{
    if (!vec_reserve(&nodes->of_name, string_table_count(&trace->strings)))
        return false;
    while (nodes->of_name.count < string_table_count(&trace->strings))
        nodes->of_name.items[nodes->of_name.count++] = INDEX_NONE;
    *row = nodes->of_name.items[name.i];
    if (*row != INDEX_NONE)
        return true;
    *row = (uint32_t)nodes->profile->nodes.count;
    nodes->of_name.items[name.i] = *row;
    struct string_index none = string_table_find(&trace->strings, SLICE(""));
    struct trace_function function = {
        .name = name,
        .url = none,
        .script_id = none,
        .line = -1,
        .column = -1,
        .kind = STRING_NONE,
        .lib = STRING_NONE,
    };
    struct trace_node node = {
        .id = *row,
        .parent = NAN,
        .function = trace_profile_add_function(nodes->profile, &function),
        .first_child = INDEX_NONE,
        .child_count = INDEX_NONE,
    };
    struct cpu_model_node shown = {.raw = *row, .function = node.function, .parent = INDEX_NONE};
    return node.function != INDEX_NONE && vec_push(&nodes->profile->nodes, node) && vec_push(&nodes->model->nodes, shown);
}

static bool add_calls(struct thread_calls *calls, struct event_nodes *nodes, const struct trace *trace)
{
    size_t kept = 0;
    for (size_t i = 0; i < calls->entries.count; i++) {
        uint32_t event_row = calls->entries.items[i].row, node;
        const struct trace_event *event = &calls->thread->events.items[event_row];
        if (event->phase != 'X' || calls->event_depths.items[event_row] < 0)
            continue;
        if (!find_node(nodes, trace, event->name, &node))
            return false;
        struct call call = {
            .ts = event->ts,
            .dur = event->dur,
            .self = calls->event_selfs.items[event_row],
            .node = node,
            .depth = calls->event_depths.items[event_row],
            .sample_index = -1,
        };
        calls->entries.items[kept++] = entry_of_call((uint32_t)calls->calls.count);
        if (!vec_push(&calls->calls, call))
            return false;
    }
    calls->entries.count = kept;
    return true;
}

bool trace_has_samples(const struct trace *trace)
{
    for (size_t i = 0; i < trace->threads.count; i++) {
        uint32_t profile = trace->threads.items[i].profile;
        if (profile != INDEX_NONE && trace->profiles.items[profile].samples.count > 0)
            return true;
    }
    return false;
}

int trace_calls_take_events(struct trace_calls *calls, struct trace *trace, struct error *error)
{
    size_t count = calls->threads.count;
    bool ok = string_exists(string_table_add(&trace->strings, SLICE(""))) && vec_reserve(&calls->models, count) &&
              vec_reserve(&calls->of_events, count);
    for (size_t i = 0; ok && i < count; i++) {
        struct event_nodes nodes = {&calls->of_events.items[i], &calls->models.items[i], {0}};
        *nodes.profile = (struct trace_profile){0};
        *nodes.model = (struct cpu_model){.profile = nodes.profile};
        calls->of_events.count = calls->models.count = i + 1;
        calls->threads.items[i].model = nodes.model;
        ok = add_calls(&calls->threads.items[i], &nodes, trace);
        vec_free(&nodes.of_name);
    }
    return ok ? 0 : error_out_of_memory(error);
}
