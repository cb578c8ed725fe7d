/* Which requests are answered at all. Pure functions over what a request says of itself:
 *
 *     Host      it was meant for this server, and not for a name of somebody's that leads here (DNS rebinding)
 *     path      it knows the token
 *     Origin    a page that asks is one of this server, or of the site that shows the profile
 */
#ifndef SONDE_SERVER_GUARD_H
#define SONDE_SERVER_GUARD_H

#include "common/slice.h"
#include "server/site.h"
#include "server/token.h"

#include <stdbool.h>
#include <stdint.h>

struct guard {
    uint16_t port;
    struct token token;
    struct slice site; /* its origin */
};

/* 127.0.0.1, localhost or [::1], with the port of the server. */
bool guard_allows_host(const struct guard *guard, struct slice host);

/* `host` is the one that the request has: only pages from there are the server's own. `localhost` may lead to another
 * server than 127.0.0.1, if that listens on [::1] only. */
bool guard_allows_origin(const struct guard *guard, struct slice host, struct slice origin);

/* Whether it is a page of the server itself. */
bool guard_is_own_origin(struct slice host, struct slice origin);

/* What follows the token in `/TOKEN/…`, with the slash; `text` is NULL where the token is another one. */
struct slice guard_path(const struct guard *guard, struct slice path);

#endif
