/* One WebSocket: what came, what waits to be answered, what is to be sent. Everything here is called with the lock of all
 * sockets held, and never waits. */
#ifndef SONDE_SERVER_SOCKET_H
#define SONDE_SERVER_SOCKET_H

#include "common/text_buffer.h"
#include "server/mhd.h"
#include "server/websocket_frame.h"
#include "server/work.h"

enum { SOCKET_MESSAGE_MOST = 5 << 20 }; /* bytes; more than the API takes, so that it can say so itself */

/* Who answers the messages of a socket. Must outlive it. */
struct socket_service {
    struct work_queue *queue; /* NULL = the server ends */
    /* In a thread of the queue: appends the reply. 0, -ENOMEM, or -EAGAIN where `look` has to come first. */
    int (*answer)(void *data, struct slice message, struct text_buffer *reply);
    struct work_queue *look_queue; /* of what may take long: meanwhile others are answered */
    void (*look)(void *data);
    void *data;
};

struct socket_limits {
    size_t queued_bytes;  /* that a client has not fetched */
    unsigned patience_ms; /* without a byte that goes out, while there are some */
};

/* What all sockets share. */
struct socket_common {
    struct socket_limits limits;
    pthread_mutex_t lock; /* of all sockets */
    int wake;             /* an eventfd: says that there is something to send */
};

enum socket_state {
    SOCKET_OPEN,
    SOCKET_CLOSING,   /* the close frame is queued, or sent; nothing comes after it */
    SOCKET_LINGERING, /* all is sent: what the client still sends is thrown away until it closes, so that it reads all of it */
    SOCKET_GONE,      /* to be removed */
};

struct socket {
    struct socket_common *common;
    int fd;
    struct MHD_UpgradeResponseHandle *handle; /* closes it */
    struct socket_service service;
    enum socket_state state;
    struct websocket_reader reader;
    struct text_buffer out;
    size_t sent;          /* bytes at the start of `out` that went */
    uint64_t progress_ms; /* when a byte last went, or could have gone at first */
    struct socket_ask *waiting, **waiting_end;
    unsigned waiting_count;
    unsigned references; /* asks that are not done, and one of the list of sockets; freed with the last */
};

uint64_t socket_now_ms(void);

/* What poll() is to wait for. */
short socket_events(const struct socket *socket);

/* ms until it is too late for something; UINT64_MAX = never. */
uint64_t socket_patience(const struct socket *socket, uint64_t now_ms);

/* Bytes of the client. */
void socket_take(struct socket *socket, struct slice bytes);

/* Does what poll() has found. */
void socket_serve(struct socket *socket, short events);

void socket_send(struct socket *socket, enum websocket_opcode opcode, struct slice payload);
void socket_close(struct socket *socket, unsigned code);

void socket_release(struct socket *socket);

#endif
