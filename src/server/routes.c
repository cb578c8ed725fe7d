#include "server/routes.h"

#include "server/reply.h"
#include "server/state.h"
#include "symbols/api.h"

static enum MHD_Result reply_profile(struct request *request)
{
    return reply_file(request, REPLY_GZIP, request->server->options.profile);
}

static bool ask_symbols(struct request *request)
{
    return symbol_api_answer(request->server->options.symbols, request->route->path, text_slice(&request->body),
                             &request->answer) == 0;
}

static const struct route routes[] = {
    {"GET", {"/profile.json.gz", 16}, 0, reply_profile, NULL},
    {"POST", {"/symbolicate/v5", 15}, API_MOST_BYTES, NULL, ask_symbols},
    {"POST", {"/source/v1", 10}, API_MOST_BYTES, NULL, ask_symbols},
    {"POST", {"/asm/v1", 7}, API_MOST_BYTES, NULL, ask_symbols},
};

const struct route *route_find(struct slice path)
{
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (slice_equal(path, routes[i].path))
            return &routes[i];
    return NULL;
}
