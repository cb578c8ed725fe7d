#include "server/routes.h"

#include "server/export.h"
#include "server/reply.h"
#include "server/state.h"
#include "server/upgrade.h"
#include "symbols/api.h"

#include <errno.h>

/* ---- queues ---- */

static struct work_queue *symbol_queue(struct request *request)
{
    return &request->server->symbols;
}

static struct work_queue *own_queue(struct request *request)
{
    return profile_queue(request->profile);
}

/* ---- what there is ---- */

static enum MHD_Result reply_profiles(struct request *request)
{
    struct text_buffer list = {0};
    if (profiles_list(&request->server->profiles, &list))
        return reply_text(request, REPLY_JSON, &list);
    text_free(&list);
    return reply_error(request, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
}

static int pack_profile(struct request *request)
{
    struct error error = {0};
    request->file = profile_packed(request->profile, &error);
    return error.code == -ENOMEM ? -ENOMEM : 0;
}

static enum MHD_Result reply_profile(struct request *request)
{
    if (request->file < 0)
        return reply_error(request, MHD_HTTP_NOT_FOUND, "this profile cannot be read");
    return reply_file(request, REPLY_GZIP, request->file);
}

static int ask_symbols(struct request *request)
{
    struct error error = {0};
    const struct opened_profile *opened = profile_open(request->profile, &error);
    if (opened)
        return symbol_api_answer(opened->symbols, request->route->path, text_slice(&request->body), &request->answer);
    text_add(&request->answer, SLICE("{\"error\":\"this profile cannot be read\"}\n"));
    return request->answer.failed ? -ENOMEM : 0;
}

static int ask_api(struct request *request)
{
    if (!request->wants_json)
        request->answer_type = REPLY_BINARY;
    return profile_ask(request->profile, text_slice(&request->body), request->wants_json ? API_JSON : API_BINARY,
                       &request->answer);
}

static enum MHD_Result reply_page(struct request *request)
{
    return reply_page_file(request, request->page_file, request->host);
}

/* ---- paths ---- */

#define PATH(text)                                                                                                             \
    {                                                                                                                          \
        text, sizeof text - 1                                                                                                  \
    }

static const struct route routes[] = {
    {"GET", PATH("/profile.json.gz"), PATH("/profile.json.gz"), 0, reply_profile, pack_profile, symbol_queue},
    {"POST", PATH("/symbolicate/v5"), PATH("/symbolicate/v5"), API_MOST_BYTES, NULL, ask_symbols, symbol_queue},
    {"POST", PATH("/source/v1"), PATH("/source/v1"), API_MOST_BYTES, NULL, ask_symbols, symbol_queue},
    {"POST", PATH("/asm/v1"), PATH("/asm/v1"), API_MOST_BYTES, NULL, ask_symbols, symbol_queue},
    {"POST", PATH("/api/v1/ask"), PATH("/ask"), SOCKET_MESSAGE_MOST, NULL, ask_api, own_queue},
    {"POST", PATH("/api/v1/export"), PATH("/export"), SOCKET_MESSAGE_MOST, NULL, export_answer, own_queue},
    {"POST", PATH("/api/v1/part"), PATH("/part"), SOCKET_MESSAGE_MOST, NULL, part_answer, symbol_queue},
};
static const struct route list_route = {"GET", PATH("/api/v1/files"), PATH(""), 0, reply_profiles, NULL, NULL};
static const struct route socket_route = {"GET", PATH("/api/v1/socket"), PATH("/socket"), 0, upgrade_to_socket, NULL, NULL};
static const struct route page_route = {"GET", PATH("/"), PATH(""), 0, reply_page, NULL, NULL};

/* Takes `/api/v1/files/ID` from the start of `path`: the number, or SIZE_MAX where it is none of ours. False where something
 * else is there. */
static bool take_number(struct slice *path, size_t *number)
{
    static const struct slice files = PATH("/api/v1/files/");
    if (!slice_starts_with(*path, files))
        return false;
    struct slice rest = slice_from(*path, files.length);
    size_t digits = 0, found = 0;
    for (; digits < rest.length && digits < 6 && rest.text[digits] >= '0' && rest.text[digits] <= '9'; digits++)
        found = found * 10 + (size_t)(rest.text[digits] - '0');
    *number = digits == 0 || (digits > 1 && *rest.text == '0') ? SIZE_MAX : found;
    *path = slice_from(rest, digits);
    return true;
}

/* Whether the path is that of the route; notes which profile it is about: NULL for one that is not there. */
static bool is_route(struct request *request, const struct route *route, struct slice path)
{
    size_t number = 0;
    bool has_number = take_number(&path, &number);
    request->profile = profiles_at(&request->server->profiles, number);
    return slice_equal(path, has_number ? route->file_path : route->path);
}

const struct route *route_find(struct request *request, struct slice path)
{
    if (slice_equal(path, list_route.path))
        return &list_route;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (is_route(request, &routes[i], path))
            return request->profile ? &routes[i] : NULL;
    return NULL;
}

const struct route *route_find_open(struct request *request, struct slice path)
{
    const struct page_files *page = request->server->options.page;
    if (is_route(request, &socket_route, path))
        return &socket_route;
    request->page_file = page ? page_file_find(page, path) : NULL;
    return request->page_file ? &page_route : NULL;
}
