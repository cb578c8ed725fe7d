#include "trace/trace.h"

void trace_profile_free(struct trace_profile *profile)
{
    vec_free(&profile->nodes);
    vec_free(&profile->children);
    vec_free(&profile->samples);
    vec_free(&profile->deltas);
    vec_free(&profile->lines);
    vec_free(&profile->columns);
    vec_free(&profile->timestamps);
    map_free(&profile->node_of_trace_id);
    vec_free(&profile->trace_id_nodes);
}

void trace_free(struct trace *trace)
{
    for (size_t i = 0; i < trace->threads.count; i++)
        vec_free(&trace->threads.items[i].events);
    vec_free(&trace->threads);
    vec_free(&trace->processes);
    for (size_t i = 0; i < trace->profiles.count; i++)
        trace_profile_free(&trace->profiles.items[i]);
    vec_free(&trace->profiles);
    vec_free(&trace->arguments);
    arena_free(&trace->texts);
    string_table_free(&trace->strings);
}
