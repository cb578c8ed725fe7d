#include "server/upgrade.h"

#include "server/headers.h"
#include "server/reply.h"
#include "server/state.h"
#include "server/websocket_accept.h"

static bool is_token(const void *data, struct slice item)
{
    static const struct slice prefix = {"token.", 6};
    return slice_starts_with(item, prefix) && token_is(data, slice_from(item, prefix.length));
}

static bool is_protocol(const void *data, struct slice item)
{
    (void)data;
    return slice_is(item, REPLY_WEBSOCKET_PROTOCOL);
}

static int answer_api(void *data, struct slice message, struct text_buffer *reply)
{
    return profile_ask(data, message, API_BINARY, reply);
}

static void look_for_sources(void *data)
{
    profile_look(data);
}

/* By libmicrohttpd, when the reply is sent. The request is still there: it ends with the connection. */
static void on_upgraded(void *data, struct MHD_Connection *http, void *state, const char *early, size_t early_length,
                        MHD_socket fd, struct MHD_UpgradeResponseHandle *handle)
{
    struct request *request = data;
    struct socket_service service = {
        .queue = profile_queue(request->profile),
        .answer = answer_api,
        .look_queue = &request->server->symbols,
        .look = look_for_sources,
        .data = request->profile,
    };
    (void)http, (void)state;
    sockets_add(&request->server->sockets, fd, handle, (struct slice){early, early_length}, &service);
}

enum MHD_Result upgrade_to_socket(struct request *request)
{
    struct server *server = request->server;
    struct header key = header_find(request, "Sec-WebSocket-Key");
    struct header version = header_find(request, "Sec-WebSocket-Version");
    if (!header_has_word(request, MHD_HTTP_HEADER_CONNECTION, "upgrade") ||
        !header_has_word(request, MHD_HTTP_HEADER_UPGRADE, "websocket") || version.count != 1 || !slice_is(version.value, "13"))
        return reply_upgrade_required(request);
    if (key.count != 1 || !websocket_is_key(key.value))
        return reply_error(request, MHD_HTTP_BAD_REQUEST, "the Sec-WebSocket-Key is none");
    if (!guard_is_own_origin(request->host, request->origin))
        return reply_error(request, MHD_HTTP_FORBIDDEN, "only pages of this server may connect");
    if (!header_any(request, "Sec-WebSocket-Protocol", is_token, &server->guard.token))
        return reply_error(request, MHD_HTTP_FORBIDDEN, "the subprotocol token.TOKEN is missing, or has another token");
    if (!header_any(request, "Sec-WebSocket-Protocol", is_protocol, NULL))
        return reply_error(request, MHD_HTTP_BAD_REQUEST, "the subprotocol " REPLY_WEBSOCKET_PROTOCOL " is missing");
    if (!request->profile)
        return reply_error(request, MHD_HTTP_NOT_FOUND, "there is nothing here");
    if (!sockets_has_place(&server->sockets))
        return reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "too many pages are connected");
    char accept[WEBSOCKET_ACCEPT_LENGTH + 1];
    websocket_accept(key.value, accept);
    return reply_upgrade(request, accept, on_upgraded, request);
}
