#include "server/server.h"

#include "common/memory.h"
#include "server/headers.h"
#include "server/reply.h"
#include "server/routes.h"
#include "server/state.h"

#include <errno.h>
#include <string.h>

enum { STOP_MS = 2000, HEAD_BYTES = 32 << 10 };

/* ---- headers ---- */

/* Digits only. False where it is no number, or larger than any limit. */
static bool read_length(struct slice text, size_t *length)
{
    *length = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.text[i] < '0' || text.text[i] > '9' || i >= 12)
            return false;
        *length = *length * 10 + (size_t)(text.text[i] - '0');
    }
    return text.length > 0;
}

/* ---- refusing ---- */

/* Bodies have an announced length. What none of them may have is told before any of it is sent. */
static enum MHD_Result check_body(struct request *request)
{
    struct server *server = request->server;
    struct header header = header_find(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    size_t length = 0;
    if (header_find(request, MHD_HTTP_HEADER_TRANSFER_ENCODING).count > 0)
        return reply_error(request, MHD_HTTP_LENGTH_REQUIRED, "a body needs a Content-Length");
    if (header.count > 0 && (header.count > 1 || !read_length(header.value, &length)))
        return reply_error(request, MHD_HTTP_BAD_REQUEST, "the Content-Length is no number");
    if (length > request->route->most_body)
        return reply_error(request, MHD_HTTP_CONTENT_TOO_LARGE, "the body of the request is too large");
    size_t others = atomic_fetch_add_explicit(&server->body_bytes, length, memory_order_relaxed);
    request->length = length;
    if (others + length > server->options.limits.body_bytes)
        return reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "too many large requests at the same time");
    return MHD_YES;
}

/* Queues a reply where the request is refused, and nothing where it may go on. */
static enum MHD_Result check(struct request *request, const char *url, const char *method)
{
    const struct guard *guard = &request->server->guard;
    struct header host = header_find(request, MHD_HTTP_HEADER_HOST), origin = header_find(request, MHD_HTTP_HEADER_ORIGIN);
    if (host.count != 1 || !guard_allows_host(guard, host.value))
        return reply_error(request, MHD_HTTP_FORBIDDEN, "this server is not reached under that name");
    request->host = host.value;
    request->route = route_find_open(request, slice_of(url));
    struct slice path = guard_path(guard, slice_of(url));
    if (!request->route && !path.text)
        return reply_error(request, MHD_HTTP_NOT_FOUND, "there is nothing here");
    if (origin.count > 1 || (origin.count == 1 && !guard_allows_origin(guard, host.value, origin.value)))
        return reply_error(request, MHD_HTTP_FORBIDDEN, "pages from there may not ask");
    request->origin = origin.value;
    request->wants_json = slice_is(header_find(request, MHD_HTTP_HEADER_ACCEPT).value, REPLY_JSON);
    if (!request->route)
        request->route = route_find(request, path);
    if (!request->route)
        return reply_error(request, MHD_HTTP_NOT_FOUND, "there is nothing here");
    if (strcmp(method, MHD_HTTP_METHOD_OPTIONS) == 0)
        return reply_preflight(request, request->route->method);
    bool is_head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
    if (strcmp(is_head ? MHD_HTTP_METHOD_GET : method, request->route->method) != 0)
        return reply_wrong_method(request, request->route->method);
    return check_body(request);
}

/* ---- answering ---- */

/* A request whose sources are never all there at the same time would go in circles. */
enum { PUT_OFF_MOST = 8 };

static void do_work(struct work_item *item, bool cancelled);

static void queue_work(struct request *request, struct work_queue *queue, void (*run)(struct work_item *item, bool cancelled))
{
    request->work.run = run;
    if (!queue || !work_add(queue, &request->work))
        do_work(&request->work, true);
}

/* Files take long: meanwhile others may ask the api. */
static void look_for_sources(struct work_item *item, bool cancelled)
{
    struct request *request = (struct request *)item;
    if (cancelled) {
        do_work(item, true);
        return;
    }
    profile_look(request->profile);
    queue_work(request, request->route->queue(request), do_work);
}

static void do_work(struct work_item *item, bool cancelled)
{
    struct request *request = (struct request *)item;
    int result = cancelled ? 0 : request->route->work(request);
    if (result == -EAGAIN && ++request->put_off < PUT_OFF_MOST) {
        queue_work(request, &request->server->symbols, look_for_sources);
        return;
    }
    if (result != 0) {
        text_free(&request->answer);
        request->answer.failed = true;
    }
    request->cancelled = cancelled;
    request->worked = true;
    mhd.resume_connection(request->http);
}

static enum MHD_Result reply_worked(struct request *request)
{
    if (request->cancelled)
        return reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "the server ends");
    if (request->answer.failed)
        return reply_error(request, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
    if (request->route->reply)
        return request->route->reply(request);
    return reply_text(request, request->answer_type ? request->answer_type : REPLY_JSON, &request->answer);
}

/* All of it is there. A connection whose answer is being worked out is suspended meanwhile, and then comes here again. */
static enum MHD_Result answer(struct request *request)
{
    if (request->worked)
        return reply_worked(request);
    connections_received(&request->server->connections, request->connection);
    if (request->body.failed)
        return reply_error(request, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
    if (!request->route->work)
        return request->route->reply(request);
    mhd.suspend_connection(request->http);
    queue_work(request, request->route->queue(request), do_work);
    return MHD_YES;
}

/* ---- what libmicrohttpd calls, in its threads ---- */

static enum MHD_Result on_request(void *data, struct MHD_Connection *http, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_size, void **state)
{
    struct request *request = *state;
    (void)version;
    if (!request) {
        request = *state = memory_zeroed(1, sizeof *request);
        if (!request)
            return MHD_NO;
        request->server = data;
        request->http = http;
        request->connection = mhd.get_connection_info(http, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
        return request->connection ? check(request, url, method) : MHD_NO;
    }
    if (*upload_size > 0) {
        text_add(&request->body, (struct slice){upload, *upload_size});
        *upload_size = 0;
        return MHD_YES;
    }
    return answer(request);
}

static void on_completed(void *data, struct MHD_Connection *http, void **state, enum MHD_RequestTerminationCode how)
{
    struct request *request = *state;
    struct server *server = data;
    (void)http, (void)how;
    if (!request)
        return;
    if (request->connection)
        connections_answered(&server->connections, request->connection);
    atomic_fetch_sub_explicit(&server->body_bytes, request->length, memory_order_relaxed);
    text_free(&request->body);
    text_free(&request->answer);
    memory_release(request);
    *state = NULL;
}

static void on_connection(void *data, struct MHD_Connection *http, void **context, enum MHD_ConnectionNotificationCode what)
{
    struct server *server = data;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        int socket = mhd.get_connection_info(http, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        *context = connections_add(&server->connections, socket);
    } else if (*context) {
        connections_remove(&server->connections, *context);
        *context = NULL;
    }
}

/* Paths are taken as they are written: ours need no escapes. */
static size_t keep_escapes(void *data, struct MHD_Connection *http, char *text)
{
    (void)data, (void)http;
    return strlen(text);
}

static void be_quiet(void *data, const char *format, va_list arguments)
{
    (void)data, (void)format, (void)arguments;
}

/* poll(), not epoll: that overlooks the end of a connection that comes together with its last bytes, and these are few. */
static struct MHD_Daemon *start_daemon(struct server *server, int socket)
{
    const struct server_limits *limits = &server->options.limits;
    return mhd.start_daemon(MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_ALLOW_UPGRADE | MHD_USE_ERROR_LOG, 0,
                            NULL, NULL, on_request, server, MHD_OPTION_EXTERNAL_LOGGER, be_quiet, NULL,
                            MHD_OPTION_LISTEN_SOCKET, (MHD_socket)socket, MHD_OPTION_STRICT_FOR_CLIENT, 1,
                            MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_CONNECTION_LIMIT, limits->connections,
                            MHD_OPTION_CONNECTION_TIMEOUT, limits->idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                            (size_t)HEAD_BYTES, MHD_OPTION_NOTIFY_COMPLETED, on_completed, server, MHD_OPTION_NOTIFY_CONNECTION,
                            on_connection, server, MHD_OPTION_END);
}

/* ---- its life ---- */

static void stop_daemons(struct server *server)
{
    for (size_t i = 0; i < 2; i++)
        if (server->daemons[i])
            mhd.stop_daemon(server->daemons[i]); /* and closes its socket */
}

static int start_daemons(struct server *server, struct error *error)
{
    int *sockets[] = {&server->listener.ipv4, &server->listener.ipv6};
    for (size_t i = 0; i < 2; i++) {
        if (*sockets[i] < 0)
            continue;
        server->daemons[i] = start_daemon(server, *sockets[i]);
        if (!server->daemons[i]) {
            stop_daemons(server);
            return error_set(error, -EIO, "cannot start the server");
        }
        *sockets[i] = -1;
    }
    return 0;
}

static struct socket_limits socket_limits(const struct server_limits *limits)
{
    return (struct socket_limits){limits->queued_bytes, limits->idle_seconds * 1000};
}

struct server *server_start(const struct server_options *options, struct error *error)
{
    struct server *server = memory_zeroed(1, sizeof *server);
    if (!server) {
        error_out_of_memory(error);
        return NULL;
    }
    server->options = *options;
    server->listener = (struct listener){-1, -1, 0};
    server->guard.site = slice_of(options->site->origin);
    if (mhd_load(error) || token_make(&server->guard.token, error) || listener_open(options->port, &server->listener, error))
        goto failed;
    server->guard.port = server->listener.port;
    if (connections_start(&server->connections, options->limits.connections * 3 / 4, options->limits.request_ms, error))
        goto failed;
    if (work_start(&server->symbols, WORK_THREADS_MOST, error))
        goto end_connections;
    if (profiles_init(&server->profiles, options->profiles, options->profile_count, error))
        goto end_symbols;
    if (sockets_start(&server->sockets, socket_limits(&options->limits), error))
        goto end_profiles;
    server->profiles.sockets = &server->sockets;
    if (start_daemons(server, error) == 0)
        return server;
    sockets_end(&server->sockets);
    sockets_free(&server->sockets);
end_profiles:
    profiles_free(&server->profiles);
end_symbols:
    work_end(&server->symbols, STOP_MS);
    work_free(&server->symbols);
end_connections:
    connections_end(&server->connections);
failed:
    listener_close(&server->listener);
    memory_release(server);
    return NULL;
}

uint16_t server_port(const struct server *server)
{
    return server->listener.port;
}

const struct token *server_token(const struct server *server)
{
    return &server->guard.token;
}

void server_push(struct server *server, struct slice json)
{
    sockets_push(&server->sockets, json);
}

bool server_stop(struct server *server)
{
    /* First what keeps connections from libmicrohttpd, or suspends them: with one of those the daemons could not end. */
    sockets_end(&server->sockets);
    bool symbols_ended = work_end(&server->symbols, STOP_MS), profiles_ended = profiles_end(&server->profiles, STOP_MS);
    if (!symbols_ended || !profiles_ended)
        return false;
    stop_daemons(server); /* requests that came meanwhile were refused by the queues */
    sockets_free(&server->sockets);
    profiles_free(&server->profiles);
    work_free(&server->symbols);
    connections_end(&server->connections);
    memory_release(server);
    return true;
}
