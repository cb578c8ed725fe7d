/* Replies. Each has the headers that keep browsers from doing with it what was not meant: from guessing types, loading
 * anything for it, framing it, storing it, or handing it to pages that may not ask. */
#ifndef SONDE_SERVER_REPLY_H
#define SONDE_SERVER_REPLY_H

#include "server/page_files.h"
#include "server/request.h"

#include <stdint.h>

#define REPLY_JSON "application/json"
#define REPLY_BINARY "application/octet-stream"
#define REPLY_WEBSOCKET_PROTOCOL "sonde.v1"
#define REPLY_GZIP "application/gzip"

/* `{"error": "…"}`, on one line. */
enum MHD_Result reply_error(const struct request *request, unsigned status, const char *message);

/* The same, with the one method that is allowed there. */
enum MHD_Result reply_wrong_method(const struct request *request, const char *allowed);

/* The bytes go over to the reply, `text` is empty afterwards. */
enum MHD_Result reply_text(const struct request *request, const char *type, struct text_buffer *text);

/* A whole file, sent piece by piece; the descriptor stays the caller's. */
enum MHD_Result reply_file(const struct request *request, const char *type, int fd);

/* A file of the page, packed for whoever takes it so; browsers may keep it, and it may load others. `host`: see page_policy().
 */
enum MHD_Result reply_page_file(const struct request *request, const struct page_file *file, struct slice host);

/* The connection becomes a WebSocket, which `take` gets with `data`. */
enum MHD_Result reply_upgrade(const struct request *request, const char *accept, MHD_UpgradeHandler take, void *data);

/* To a plain request where a WebSocket is. */
enum MHD_Result reply_upgrade_required(const struct request *request);

/* To a browser that asks whether a page may make such a request (CORS preflight). */
enum MHD_Result reply_preflight(const struct request *request, const char *method);

#endif
