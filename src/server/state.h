/* A server that runs: what requests are answered from. */
#ifndef SONDE_SERVER_STATE_H
#define SONDE_SERVER_STATE_H

#include "server/connections.h"
#include "server/guard.h"
#include "server/listener.h"
#include "server/options.h"
#include "server/sockets.h"
#include "server/work.h"

#include <stdatomic.h>

struct MHD_Daemon;

struct server {
    struct server_options options;
    struct guard guard;
    struct listener listener;
    struct connections connections;
    struct work_queue symbols; /* what takes long there holds up no other work */
    struct profiles profiles;  /* which have queues of their own */
    struct sockets sockets;
    atomic_size_t body_bytes; /* announced by requests that are not answered yet; counts, and orders nothing */
    struct MHD_Daemon *daemons[2];
};

#endif
