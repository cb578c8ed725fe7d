/* A server for some profiles, on this machine only:
 *
 *     GET  /TOKEN/profile.json.gz                            the profile, in the processed format
 *     POST /TOKEN/symbolicate/v5, /source/v1, /asm/v1        what src/symbols/api.h answers
 *     POST /TOKEN/api/v1/ask                                 what src/api/api.h answers
 *     POST /TOKEN/api/v1/export, /part                       what is seen as a file; some threads and a range as a profile
 *     GET  /api/v1/socket                                    the same, as messages of a WebSocket (upgrade.h)
 *     GET  /TOKEN/api/v1/files                               which profiles there are: those above are about the first,
 *          /TOKEN/api/v1/files/ID/…                          and these about another: /ask, /socket (without the token),
 *                                                            /profile.json.gz, /symbolicate/v5 …
 *
 * Who asks must know the token and name the server as `Host`; pages must be of the server itself or of the site that shows
 * the profile (guard.h). No file is opened that a request names.
 *
 *     event threads (libmicrohttpd; one each for 127.0.0.1 and ::1): move bytes, never wait
 *     a thread of the WebSockets (sockets.h): moves their messages, never waits
 *     work threads (work.h): one for each profile that was asked for, and some for symbols, as all that may take long
 *     a watcher (connections.h): shuts what is too slow */
#ifndef SONDE_SERVER_SERVER_H
#define SONDE_SERVER_SERVER_H

#include "common/error.h"
#include "server/options.h"
#include "server/token.h"

#include <stdbool.h>
#include <stdint.h>

struct server;

/* NULL with `error` filled. Signals that the caller waits for have to be blocked before: the threads inherit that. */
struct server *server_start(const struct server_options *options, struct error *error);

uint16_t server_port(const struct server *server);
const struct token *server_token(const struct server *server);

/* Sends a JSON text to all pages that are connected. By any thread. */
void server_push(struct server *server, struct slice json);

/* Ends all connections and frees the server. False where a work thread has not ended within some seconds: then the server and
 * what its options point to must stay as they are until the process ends. */
bool server_stop(struct server *server);

#endif
