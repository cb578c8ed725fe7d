/* What the server answers: a table of methods and paths. */
#ifndef SONDE_SERVER_ROUTES_H
#define SONDE_SERVER_ROUTES_H

#include "server/request.h"

struct route {
    const char *method;
    struct slice path;      /* after the token, of the first profile; empty = it is about no profile in particular */
    struct slice file_path; /* after /api/v1/files/ID */
    size_t most_body;       /* bytes that a request may bring; 0 = none */
    /* `work` comes first, in a thread of `queue`, if there is any: 0, -ENOMEM, or -EAGAIN where the sources of the profile have
     * to be looked for first. `reply` answers then, at once: in a thread that all connections share, it must not wait for
     * anything. Without it `work` has left `request->answer`. */
    enum MHD_Result (*reply)(struct request *request);
    int (*work)(struct request *request);
    struct work_queue *(*queue)(struct request *request); /* NULL when the server ends */
};

/* What follows the token; notes which profile it is about. NULL where there is nothing. */
const struct route *route_find(struct request *request, struct slice path);

/* What whoever has no token may ask for: files of the page, and
 * the WebSocket, which looks for the token itself. */
const struct route *route_find_open(struct request *request, struct slice path);

#endif
