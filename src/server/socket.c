#include "server/socket.h"

#include "api/api.h"
#include "common/memory.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

enum {
    WAITING_MOST = 64, /* messages; with more of them nothing is read */
    READ_BYTES = 16 << 10,
    LOOKS_MOST = 8, /* a message whose wishes are never all there at the same time would go in circles */
    LINGER_MS = 1000,
};

/* A message on its way to a work thread and back. */
struct socket_ask {
    struct work_item work; /* first: the queue knows it by this */
    struct socket *socket;
    struct socket_ask *next; /* that waits */
    struct text_buffer message;
    char lane[API_LANE_MOST + 1];
    bool begun;
    unsigned looks;
};

uint64_t socket_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void socket_release(struct socket *socket)
{
    if (--socket->references > 0)
        return;
    websocket_reader_free(&socket->reader);
    text_free(&socket->out);
    memory_release(socket);
}

/* ---- sending ---- */

static size_t unsent(const struct socket *socket)
{
    return socket->out.bytes.count - socket->sent;
}

/* Whoever has not fetched what is there already gets no more. */
void socket_send(struct socket *socket, enum websocket_opcode opcode, struct slice payload)
{
    if (socket->state != SOCKET_OPEN)
        return;
    if (unsent(socket) == 0)
        socket->progress_ms = socket_now_ms();
    else if (unsent(socket) + payload.length > socket->common->limits.queued_bytes) {
        socket->state = SOCKET_GONE;
        return;
    }
    websocket_write(opcode, payload, &socket->out);
    if (socket->out.failed)
        socket->state = SOCKET_GONE;
}

void socket_close(struct socket *socket, unsigned code)
{
    if (socket->state != SOCKET_OPEN)
        return;
    if (unsent(socket) == 0)
        socket->progress_ms = socket_now_ms();
    websocket_write_close(code, &socket->out);
    socket->state = socket->out.failed ? SOCKET_GONE : SOCKET_CLOSING;
}

static void linger(struct socket *socket)
{
    shutdown(socket->fd, SHUT_WR);
    socket->progress_ms = socket_now_ms();
    socket->state = SOCKET_LINGERING;
}

static void flush(struct socket *socket)
{
    while (unsent(socket) > 0) {
        ssize_t sent = send(socket->fd, socket->out.bytes.items + socket->sent, unsent(socket), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0) {
            if (errno != EAGAIN && errno != EWOULDBLOCK)
                socket->state = SOCKET_GONE;
            return;
        }
        socket->sent += (size_t)sent;
        socket->progress_ms = socket_now_ms();
    }
    text_free(&socket->out);
    socket->sent = 0;
    if (socket->state == SOCKET_CLOSING)
        linger(socket);
}

/* ---- asks ---- */

static void stop_waiting(struct socket_ask *ask)
{
    struct socket *socket = ask->socket;
    struct socket_ask **place = &socket->waiting;
    while (*place != ask)
        place = &(*place)->next;
    *place = ask->next;
    if (!ask->next)
        socket->waiting_end = place;
    socket->waiting_count--;
}

static void free_ask(struct socket_ask *ask)
{
    text_free(&ask->message);
    memory_release(ask);
}

static void answer(struct work_item *item, bool cancelled);

static void queue_ask(struct socket_ask *ask, struct work_queue *queue, void (*run)(struct work_item *item, bool cancelled))
{
    ask->work.run = run;
    if (!work_add(queue, &ask->work))
        answer(&ask->work, true);
}

/* In a work thread, as answer() is. */
static void look(struct work_item *item, bool cancelled)
{
    struct socket_ask *ask = (struct socket_ask *)item;
    const struct socket_service *service = &ask->socket->service;
    if (cancelled) {
        answer(item, true);
        return;
    }
    service->look(service->data);
    queue_ask(ask, service->queue, answer);
}

/* In a work thread, without the lock. */
static void answer(struct work_item *item, bool cancelled)
{
    struct socket_ask *ask = (struct socket_ask *)item;
    struct socket *socket = ask->socket;
    struct socket_common *common = socket->common;
    struct text_buffer reply = {0};
    int result = 0;
    pthread_mutex_lock(&common->lock);
    if (!ask->begun)
        stop_waiting(ask);
    ask->begun = true;
    bool is_wanted = !cancelled && socket->state == SOCKET_OPEN;
    pthread_mutex_unlock(&common->lock);
    if (is_wanted)
        result = socket->service.answer(socket->service.data, text_slice(&ask->message), &reply);
    if (result == -EAGAIN && ++ask->looks < LOOKS_MOST) {
        text_free(&reply);
        queue_ask(ask, socket->service.look_queue, look);
        return;
    }
    pthread_mutex_lock(&common->lock);
    if (is_wanted && result == 0 && !reply.failed)
        socket_send(socket, WEBSOCKET_BINARY, text_slice(&reply));
    else if (is_wanted)
        socket_close(socket, WEBSOCKET_OUR_ERROR);
    socket_release(socket);
    eventfd_write(common->wake, 1);
    pthread_mutex_unlock(&common->lock);
    text_free(&reply);
    free_ask(ask);
}

/* One of the same lane that still waits gets the newer message, and keeps its place in the queue. */
static bool replace_waiting(struct socket *socket, struct socket_ask *newer)
{
    for (struct socket_ask *ask = *newer->lane ? socket->waiting : NULL; ask; ask = ask->next)
        if (strcmp(ask->lane, newer->lane) == 0) {
            struct text_buffer older = ask->message;
            ask->message = newer->message;
            newer->message = older;
            return true;
        }
    return false;
}

static void take_message(struct socket *socket, struct slice message)
{
    struct socket_ask *ask = memory_zeroed(1, sizeof *ask);
    if (!ask) {
        socket_close(socket, WEBSOCKET_OUR_ERROR);
        return;
    }
    *ask = (struct socket_ask){.work.run = answer, .socket = socket};
    text_add(&ask->message, message);
    api_lane(message, ask->lane);
    if (ask->message.failed) {
        socket_close(socket, WEBSOCKET_OUR_ERROR);
        free_ask(ask);
    } else if (replace_waiting(socket, ask)) {
        free_ask(ask);
    } else {
        *socket->waiting_end = ask;
        socket->waiting_end = &ask->next;
        socket->waiting_count++;
        socket->references++;
        if (work_add(socket->service.queue, &ask->work))
            return;
        stop_waiting(ask); /* the server ends */
        socket_release(socket);
        free_ask(ask);
    }
}

/* ---- receiving ---- */

void socket_take(struct socket *socket, struct slice bytes)
{
    struct websocket_reader *reader = &socket->reader;
    for (enum websocket_event event; socket->state == SOCKET_OPEN;) {
        event = websocket_read(reader, &bytes);
        switch (event) {
        case WEBSOCKET_NOTHING_YET:
            return;
        case WEBSOCKET_MESSAGE:
            take_message(socket, reader->payload);
            break;
        case WEBSOCKET_PINGED:
            socket_send(socket, WEBSOCKET_PONG, reader->payload);
            break;
        case WEBSOCKET_PONGED:
            break;
        case WEBSOCKET_CLOSED:
        case WEBSOCKET_FAILED:
            socket_close(socket, reader->code);
            break;
        }
    }
}

static void receive(struct socket *socket)
{
    char bytes[READ_BYTES];
    ssize_t got = recv(socket->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got > 0)
        socket_take(socket, (struct slice){bytes, (size_t)got});
    else if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        socket->state = SOCKET_GONE;
}

short socket_events(const struct socket *socket)
{
    bool reads = socket->state == SOCKET_LINGERING || (socket->state == SOCKET_OPEN && socket->waiting_count < WAITING_MOST);
    return (short)((reads ? POLLIN : 0) | (unsent(socket) > 0 ? POLLOUT : 0));
}

uint64_t socket_patience(const struct socket *socket, uint64_t now_ms)
{
    if (unsent(socket) == 0 && socket->state != SOCKET_LINGERING)
        return UINT64_MAX;
    uint64_t limit = socket->state == SOCKET_LINGERING ? LINGER_MS : socket->common->limits.patience_ms;
    uint64_t waited = now_ms - socket->progress_ms;
    return waited < limit ? limit - waited : 0;
}

void socket_serve(struct socket *socket, short events)
{
    if (events & POLLIN)
        receive(socket);
    else if (events & (POLLERR | POLLHUP | POLLNVAL))
        socket->state = SOCKET_GONE;
    if (unsent(socket) > 0 && socket->state != SOCKET_GONE)
        flush(socket);
    if (socket_patience(socket, socket_now_ms()) == 0)
        socket->state = SOCKET_GONE;
}
