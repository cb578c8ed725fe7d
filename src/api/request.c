#include "api/request.h"

const char *const ask_names[ASK_KINDS + 1] = {
    [ASK_OPEN] = "open",
    [ASK_ROWS] = "rows",
    [ASK_TOGGLE] = "toggle",
    [ASK_OPEN_ALL] = "open_all",
    [ASK_OPEN_HEAVY] = "open_heavy",
    [ASK_FIND] = "find",
    [ASK_NODE] = "node",
    [ASK_TRACKS] = "tracks",
    [ASK_SAMPLE_AT] = "sample_at",
    [ASK_FLAME] = "flame",
    [ASK_BUTTERFLY] = "butterfly",
    [ASK_STACK_CHART] = "stack_chart",
    [ASK_RANGE] = "range",
    [ASK_LINES] = "lines",
    [ASK_CALL_SITES] = "call_sites",
    [ASK_GROUPS] = "groups",
    [ASK_KEYS] = "keys",
    [ASK_FUNCS] = "funcs",
    [ASK_MARKER_ROWS] = "marker_rows",
    [ASK_MARKER_CHART] = "marker_chart",
    [ASK_MARKER_TABLE] = "marker_table",
    [ASK_MARKER] = "marker",
    [ASK_MARKER_STATS] = "marker_stats",
    [ASK_MARKER_LANES] = "marker_lanes",
    [ASK_SOURCE] = "source",
    [ASK_INSTRUCTIONS] = "instructions",
    [ASK_MODULES] = "modules",
    [ASK_COMPARE] = "compare",
    [ASK_EXPORT] = "export",
};

static void ask_free(struct ask *ask)
{
    vec_free(&ask->open.steps);
    vec_free(&ask->tracks);
    vec_free(&ask->counters);
    vec_free(&ask->by_library);
    path_free(&ask->path);
    path_free(&ask->anchor);
    path_free(&ask->zoom);
    vec_free(&ask->keys);
    vec_free(&ask->pinned);
    vec_free(&ask->folded);
}

void request_free(struct request *request)
{
    for (size_t i = 0; i < request->asks.count; i++)
        ask_free(&request->asks.items[i]);
    vec_free(&request->asks);
    vec_free(&request->have);
    vec_free(&request->state.threads);
    vec_free(&request->state.transforms);
    arena_free(&request->arena);
}
