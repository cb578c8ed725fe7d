/* A server that runs: what requests are answered from. */
#ifndef SONDE_SERVER_STATE_H
#define SONDE_SERVER_STATE_H

#include "server/connections.h"
#include "server/guard.h"
#include "server/listener.h"
#include "server/options.h"
#include "server/work.h"

#include <stdatomic.h>

struct MHD_Daemon;

struct server {
    struct server_options options;
    struct guard guard;
    struct listener listener;
    struct connections connections;
    struct work_queue symbol_work;
    struct work_queue api_work; /* one thread: options.api takes one call at a time */
    atomic_size_t body_bytes;   /* announced by requests that are not answered yet; counts, and orders nothing */
    struct MHD_Daemon *daemons[2];
};

#endif
