#include "api/request.h"

const char *const ask_names[ASK_KINDS + 1] = {"open",   "rows",      "toggle", "open_all",  "open_heavy",  "find",  "node",
                                              "tracks", "sample_at", "flame",  "butterfly", "stack_chart", "lines", NULL};

static void ask_free(struct ask *ask)
{
    vec_free(&ask->open.steps);
    vec_free(&ask->tracks);
    vec_free(&ask->counters);
    path_free(&ask->path);
    path_free(&ask->anchor);
    path_free(&ask->zoom);
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
