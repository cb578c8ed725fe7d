/* What the server answers: a table of methods and paths. */
#ifndef SONDE_SERVER_ROUTES_H
#define SONDE_SERVER_ROUTES_H

#include "server/request.h"

struct route {
    const char *method;
    struct slice path; /* after the token */
    size_t most_body;  /* bytes that a request may bring; 0 = none */
    /* One of the two. `reply` answers at once, in a thread that all connections share: it must not wait for anything. `work`
     * runs in a thread of its own and leaves its result in `request->answer`: 0, -ENOMEM, or -EAGAIN where the api's sources
     * have to be looked for first. */
    enum MHD_Result (*reply)(struct request *request);
    int (*work)(struct request *request);
    unsigned queue; /* of `work`: WORK_SYMBOLS … (state.h) */
};

/* What follows the token. NULL where there is nothing. */
const struct route *route_find(struct slice path);

/* What whoever has no token may ask for: files of the page, and
 * the WebSocket, which looks for the token itself. */
const struct route *route_find_open(struct request *request, struct slice path);

#endif
