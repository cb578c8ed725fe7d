/* What a server serves, where, and within which limits. */
#ifndef SONDE_SERVER_OPTIONS_H
#define SONDE_SERVER_OPTIONS_H

#include "server/page_files.h"
#include "server/profiles.h"
#include "server/site.h"

#include <stddef.h>
#include <stdint.h>

struct server_limits {
    unsigned connections;  /* open at the same time, for each address */
    unsigned request_ms;   /* from the start of a connection, or the last answer, until a request is there */
    unsigned idle_seconds; /* without any byte, also while an answer is fetched */
    size_t body_bytes;     /* of all requests together */
    size_t queued_bytes;   /* of a WebSocket, that its client has not fetched */
};

/* Room for a browser that opens many, and for a slow line to a machine far away. */
#define SERVER_LIMITS ((struct server_limits){256, 60000, 30, (size_t)256 << 20, (size_t)64 << 20})

/* What it points to is the caller's, and stays until the server is stopped. */
struct server_options {
    uint16_t port;                          /* 0 = any that is free */
    const struct profile_listing *profiles; /* the first is the one that is shown */
    size_t profile_count;
    const struct site *site;
    const struct page_files *page; /* NULL = none */
    struct server_limits limits;
};

#endif
