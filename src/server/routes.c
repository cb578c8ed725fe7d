#include "server/routes.h"

#include "api/api.h"
#include "server/export.h"
#include "server/reply.h"
#include "server/state.h"
#include "server/upgrade.h"
#include "symbols/api.h"

/* More than the API takes, so that it can say so itself. */
enum { ASK_BODY_MOST = 128 << 10 };

static enum MHD_Result reply_profile(struct request *request)
{
    return reply_file(request, REPLY_GZIP, request->server->options.profile);
}

static enum MHD_Result reply_page(struct request *request)
{
    const char *accepted = mhd.lookup_connection_value(request->http, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT_ENCODING);
    if (!accepted || !strstr(accepted, "gzip"))
        return reply_error(request, MHD_HTTP_NOT_ACCEPTABLE, "the page is packed with gzip: ask with Accept-Encoding: gzip");
    return reply_page_file(request, request->page_file, request->host);
}

static int ask_symbols(struct request *request)
{
    return symbol_api_answer(request->server->options.symbols, request->route->path, text_slice(&request->body),
                             &request->answer);
}

static int ask_api(struct request *request)
{
    if (!request->wants_json)
        request->answer_type = REPLY_BINARY;
    return api_ask(request->server->options.api, text_slice(&request->body), request->wants_json ? API_JSON : API_BINARY,
                   &request->answer);
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

const struct route *route_find_open(struct request *request, struct slice path)
{
    static const struct route page_route = {"GET", {"/", 1}, 0, reply_page, NULL, 0};
    static const struct route socket_route = {"GET", {"/api/v1/socket", 14}, 0, upgrade_to_socket, NULL, 0};
    const struct page_files *page = request->server->options.page;
    if (slice_equal(path, socket_route.path))
        return &socket_route;
    request->page_file = page ? page_file_find(page, path) : NULL;
    return request->page_file ? &page_route : NULL;
}
