/* The open connections, and which of them keep the server waiting for a request. Those that take too long, or are in the way
 * when many are open, are shut down: idle ones must not lock out a browser. */
#ifndef SONDE_SERVER_CONNECTIONS_H
#define SONDE_SERVER_CONNECTIONS_H

#include "common/error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct connection {
    struct connection *next, **place; /* in the list; the oldest wait is the first */
    int socket;
    bool waiting; /* for a request, or the rest of one; only those are in the list */
    uint64_t since_ms;
};

struct connections {
    pthread_mutex_t lock; /* of all that follows, and of the connections */
    pthread_cond_t ended;
    struct connection *first, **end;
    unsigned count;
    unsigned most;        /* from here on the one that has waited longest goes when another comes */
    unsigned patience_ms; /* for a whole request */
    bool ends;
    pthread_t watcher;
};

/* `connections` must not move. */
int connections_start(struct connections *connections, unsigned most, unsigned patience_ms, struct error *error);
void connections_end(struct connections *connections);

/* A new one; NULL when the heap is empty. It belongs to the list until connections_remove(), which comes before its socket is
 * closed. */
struct connection *connections_add(struct connections *connections, int socket);
void connections_remove(struct connections *connections, struct connection *connection);

/* The whole request has arrived: its sender waits for the answer. */
void connections_received(struct connections *connections, struct connection *connection);

/* It is answered: the next one may come. */
void connections_answered(struct connections *connections, struct connection *connection);

#endif
