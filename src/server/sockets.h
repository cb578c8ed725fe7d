/* The open WebSockets. One thread moves the bytes of all of them and never waits for anybody:
 *
 *     client ─▶ message ─▶ waits ─▶ work thread ─▶ reply ─▶ queue ─▶ client
 *                  └ takes the place of a message of the same lane that still waits
 *
 * What a client does not fetch is queued up to a limit; whoever does not read is closed, and holds up nobody. */
#ifndef SONDE_SERVER_SOCKETS_H
#define SONDE_SERVER_SOCKETS_H

#include "server/socket.h"

enum { SOCKETS_MOST = 4 };

struct sockets {
    struct socket_common common; /* its lock is that of all that follows, too */
    struct socket *items[SOCKETS_MOST];
    bool ends;
    uint64_t ends_at_ms;
    pthread_t thread;
};

/* `sockets` must not move. */
int sockets_start(struct sockets *sockets, struct socket_limits limits, struct error *error);

/* Whether there is place for one more. */
bool sockets_has_place(struct sockets *sockets);

/* A connection that was handed over by libmicrohttpd, with the bytes that came already. It is closed where there is no place,
 * or the server ends. */
void sockets_add(struct sockets *sockets, int fd, struct MHD_UpgradeResponseHandle *handle, struct slice early,
                 const struct socket_service *service);

/* Sends a text to all clients. */
void sockets_push(struct sockets *sockets, struct slice json);

/* Says goodbye, closes all, and takes no more. Replies that are worked on are dropped. */
void sockets_end(struct sockets *sockets);

/* After that, when nothing of the queues runs any more. */
void sockets_free(struct sockets *sockets);

#endif
