#include "server/routes.h"

#include "api/api.h"
#include "server/export.h"
#include "server/reply.h"
#include "server/state.h"
#include "symbols/api.h"

/* More than the API takes, so that it can say so itself. */
enum { ASK_BODY_MOST = 128 << 10 };

static enum MHD_Result reply_profile(struct request *request)
{
    return reply_file(request, REPLY_GZIP, request->server->options.profile);
}

static bool ask_symbols(struct request *request)
{
    return symbol_api_answer(request->server->options.symbols, request->route->path, text_slice(&request->body),
                             &request->answer) == 0;
}

static bool ask_api(struct request *request)
{
    if (!request->wants_json)
        request->answer_type = REPLY_BINARY;
    int failed = api_ask(request->server->options.api, text_slice(&request->body), request->wants_json ? API_JSON : API_BINARY,
                         &request->answer);
    return failed == 0;
}

static const struct route routes[] = {
    {"GET", {"/profile.json.gz", 16}, 0, reply_profile, NULL, 0},
    {"POST", {"/symbolicate/v5", 15}, API_MOST_BYTES, NULL, ask_symbols, WORK_SYMBOLS},
    {"POST", {"/source/v1", 10}, API_MOST_BYTES, NULL, ask_symbols, WORK_SYMBOLS},
    {"POST", {"/asm/v1", 7}, API_MOST_BYTES, NULL, ask_symbols, WORK_SYMBOLS},
    {"POST", {"/api/v1/ask", 11}, ASK_BODY_MOST, NULL, ask_api, WORK_API},
    {"POST", {"/api/v1/export", 14}, ASK_BODY_MOST, NULL, export_answer, WORK_API},
};

const struct route *route_find(struct slice path)
{
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (slice_equal(path, routes[i].path))
            return &routes[i];
    return NULL;
}
