#include "server/reply.h"

#include "common/byte_source.h"
#include "common/memory.h"
#include "server/headers.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void put(struct MHD_Response *response, const char *name, const char *value)
{
    mhd.add_response_header(response, name, value);
}

/* What browsers may do with a reply: keep it, and let it load other things. */
struct reply_rights {
    const char *cache, *policy;
};
static const struct reply_rights no_rights = {"no-store", "default-src 'none'; frame-ancestors 'none'"};

/* Sends it with what all replies have, and lets go of it. */
static enum MHD_Result send_with(const struct request *request, unsigned status, const char *type,
                                 const struct reply_rights *rights, struct MHD_Response *response)
{
    const char *const usual[][2] = {
        {MHD_HTTP_HEADER_CACHE_CONTROL, rights->cache},
        {"Content-Security-Policy", rights->policy},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Referrer-Policy", "no-referrer"},
        {MHD_HTTP_HEADER_VARY, "Origin"},
        {"X-Content-Type-Options", "nosniff"},
    };
    if (!response)
        return MHD_NO;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        put(response, usual[i][0], usual[i][1]);
    if (type)
        put(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    if (request->origin.text)
        put(response, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_ORIGIN, request->origin.text);
    enum MHD_Result result = mhd.queue_response(request->http, status, response);
    mhd.destroy_response(response);
    return result;
}

static enum MHD_Result send_reply(const struct request *request, unsigned status, const char *type,
                                  struct MHD_Response *response)
{
    return send_with(request, status, type, &no_rights, response);
}

static struct MHD_Response *error_response(const char *message)
{
    char text[512];
    int length = snprintf(text, sizeof text, "{\"error\":\"%s\"}\n", message);
    return mhd.create_response_from_buffer((size_t)length, text, MHD_RESPMEM_MUST_COPY);
}

enum MHD_Result reply_error(const struct request *request, unsigned status, const char *message)
{
    return send_reply(request, status, REPLY_JSON, error_response(message));
}

enum MHD_Result reply_wrong_method(const struct request *request, const char *allowed)
{
    struct MHD_Response *response = error_response("there is another method for this path");
    if (response)
        put(response, MHD_HTTP_HEADER_ALLOW, allowed);
    return send_reply(request, MHD_HTTP_METHOD_NOT_ALLOWED, REPLY_JSON, response);
}

/* The bytes go over to it. */
static struct MHD_Response *text_response(struct text_buffer *text)
{
    struct slice bytes = text_slice(text);
    struct MHD_Response *response =
        mhd.create_response_from_buffer_with_free_callback(bytes.length, (void *)(uintptr_t)bytes.text, memory_release);
    if (response)
        *text = (struct text_buffer){0};
    return response;
}

enum MHD_Result reply_text(const struct request *request, const char *type, struct text_buffer *text)
{
    return send_reply(request, MHD_HTTP_OK, type, text_response(text));
}

enum MHD_Result reply_file(const struct request *request, const char *type, int fd)
{
    struct stat status;
    int copy = fstat(fd, &status) == 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    struct MHD_Response *response = copy >= 0 ? mhd.create_response_from_fd64((uint64_t)status.st_size, copy) : NULL;
    if (!response && copy >= 0)
        close(copy);
    return send_reply(request, MHD_HTTP_OK, type, response);
}

/* For a client that does not unpack. */
static bool unpack(const struct page_file *file, struct text_buffer *out)
{
    char piece[16 << 10];
    struct error error = {0};
    struct byte_source *source = byte_source_memory((struct slice){file->bytes, file->length}, 0, true, &error);
    ssize_t count = source ? 1 : -1;
    while (count > 0 && !out->failed && (count = source->read(source, piece, sizeof piece, &error)) > 0)
        text_add(out, (struct slice){piece, (size_t)count});
    byte_source_close(source);
    return count == 0 && !out->failed;
}

static struct MHD_Response *page_response(const struct request *request, const struct page_file *file)
{
    if (header_accepts_encoding(request, "gzip")) {
        struct MHD_Response *packed =
            mhd.create_response_from_buffer(file->length, (void *)(uintptr_t)file->bytes, MHD_RESPMEM_PERSISTENT);
        if (packed)
            put(packed, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
        return packed;
    }
    struct text_buffer plain = {0};
    struct MHD_Response *response = unpack(file, &plain) ? text_response(&plain) : NULL;
    text_free(&plain);
    return response;
}

enum MHD_Result reply_page_file(const struct request *request, const struct page_file *file, struct slice host)
{
    struct text_buffer policy = {0};
    page_policy(host, &policy);
    text_add_char(&policy, '\0');
    struct reply_rights rights = {file->immutable ? "public, max-age=31536000, immutable" : "no-cache", policy.bytes.items};
    struct MHD_Response *response = policy.failed ? NULL : page_response(request, file);
    if (response)
        put(response, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING);
    enum MHD_Result result = send_with(request, MHD_HTTP_OK, file->type, &rights, response);
    text_free(&policy);
    return result;
}

enum MHD_Result reply_preflight(const struct request *request, const char *method)
{
    struct MHD_Response *response = mhd.create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    put(response, MHD_HTTP_HEADER_ALLOW, method);
    if (request->origin.text) {
        put(response, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_METHODS, method);
        put(response, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_HEADERS, "Content-Type");
        put(response, MHD_HTTP_HEADER_ACCESS_CONTROL_MAX_AGE, "600");
        /* Chrome asks before a site on the internet may reach this machine. */
        if (mhd.lookup_connection_value(request->http, MHD_HEADER_KIND, "Access-Control-Request-Private-Network"))
            put(response, "Access-Control-Allow-Private-Network", "true");
    }
    return send_reply(request, MHD_HTTP_NO_CONTENT, NULL, response);
}

enum MHD_Result reply_upgrade(const struct request *request, const char *accept, MHD_UpgradeHandler take, void *data)
{
    struct MHD_Response *response = mhd.create_response_for_upgrade(take, data);
    if (!response)
        return MHD_NO;
    put(response, MHD_HTTP_HEADER_UPGRADE, "websocket");
    put(response, "Sec-WebSocket-Accept", accept);
    put(response, "Sec-WebSocket-Protocol", REPLY_WEBSOCKET_PROTOCOL);
    return send_reply(request, MHD_HTTP_SWITCHING_PROTOCOLS, NULL, response);
}

enum MHD_Result reply_upgrade_required(const struct request *request)
{
    struct MHD_Response *response = error_response("this is a WebSocket, of version 13");
    if (response) {
        put(response, MHD_HTTP_HEADER_UPGRADE, "websocket");
        put(response, "Sec-WebSocket-Version", "13");
    }
    return send_reply(request, MHD_HTTP_UPGRADE_REQUIRED, REPLY_JSON, response);
}
