/* The query API: what the local page, or a script, asks about a profile, from the bytes of a request to the bytes of the reply
 * (docs/api.md). Nothing else: no sockets, no threads, no files. Whoever moves the bytes calls
 *
 *     struct api *api = api_open(&profile, 1, &error);
 *     struct text_buffer reply = {0};
 *     int status = api_ask(api, request, API_JSON, &reply);
 *     … text_slice(&reply) …
 *     text_free(&reply);
 *     api_close(api);
 *
 * A request brings all it needs to know, so the order of requests never matters to what is answered: an api only remembers
 * the last answers, to be faster. It serves one call at a time. */
#ifndef SONDE_API_API_H
#define SONDE_API_API_H

#include "api/format.h"
#include "api/sources.h"
#include "common/byte_sink.h"
#include "common/text_buffer.h"
#include "profile/func_changes.h"
#include "profile/profile.h"

struct api;

/* The profile must outlive the api, and changes only as api_update() says. `generation` is the number of this state of the
 * profile, which every reply has. NULL with `error` filled. */
struct api *api_open(const struct profile *profile, uint32_t generation, struct error *error);
void api_close(struct api *api); /* NULL is fine */

/* Whom `source` and `instructions` ask for what is in files; stays until the api is closed. Without it they say that there is
 * nobody. */
void api_use_sources(struct api *api, const struct api_sources *sources);

/* What `compare` holds the profile against: another one, which stays as it is until the api is closed. `name` is what people
 * call it. 0, or a negative errno with `error` filled. */
int api_compare_with(struct api *api, const struct profile *base, const char *name, struct error *error);

/* Symbols are being looked for: modules that nothing is noted of are pending. */
void api_expect_symbols(struct api *api);

/* Symbols have come: the profile is another one now, and its generation the next. `changes` say what became of its functions;
 * they go over to the api. What is asked with the numbers of an earlier generation is carried over. `symbols_arrive`: there
 * will be more. Returns the new generation. */
uint32_t api_update(struct api *api, struct func_changes *changes, bool symbols_arrive);

/* Appends one complete reply, which also says what is wrong with a request. 0; -EAGAIN where the sources have to look for
 * something first; or -ENOMEM. `reply` is as it was then. */
int api_ask(struct api *api, struct slice request, enum api_format format, struct text_buffer *reply);

/* The same where there is no profile to be asked: the reply says that, with `message`, and has generation 0. */
int api_refuse(struct slice request, const char *message, enum api_format format, struct text_buffer *reply);

/* The lane of a request: empty where it has none, or cannot be read so far. */
void api_lane(struct slice request, char lane[API_LANE_MOST + 1]);

/* Writes what a request with one ask, `export`, asks for, to `sink`; *type is what HTTP calls it. 0; -EINVAL where the request
 * is refused: nothing is written then, and `refusal` is the reply that says why; or another negative errno with `error`
 * filled, where some of it may have been written. */
int api_export(struct api *api, struct slice request, struct byte_sink *sink, const char **type, struct text_buffer *refusal,
               struct error *error);

#endif
