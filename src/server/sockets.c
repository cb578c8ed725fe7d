#include "server/sockets.h"

#include "common/memory.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* For clients to say goodbye, too. */
enum { END_MS = 500 };

static void close_handle(struct MHD_UpgradeResponseHandle *handle)
{
    mhd.upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}

/* ---- the thread; all with the lock held ---- */

/* Removes those that are gone. Their connections are closed without the lock: libmicrohttpd has locks of its own. */
static size_t remove_gone(struct sockets *sockets)
{
    struct MHD_UpgradeResponseHandle *handles[SOCKETS_MOST];
    size_t gone = 0, left = 0;
    for (size_t i = 0; i < SOCKETS_MOST; i++) {
        struct socket *socket = sockets->items[i];
        if (socket && socket->state == SOCKET_GONE) {
            handles[gone++] = socket->handle;
            sockets->items[i] = NULL;
            socket_release(socket);
        }
        left += sockets->items[i] != NULL;
    }
    pthread_mutex_unlock(&sockets->common.lock);
    for (size_t i = 0; i < gone; i++)
        close_handle(handles[i]);
    pthread_mutex_lock(&sockets->common.lock);
    return left;
}

/* ms, as poll() takes them. */
static int pause_of(const struct sockets *sockets)
{
    uint64_t now = socket_now_ms(), least = UINT64_MAX;
    for (size_t i = 0; i < SOCKETS_MOST; i++) {
        uint64_t patience = sockets->items[i] ? socket_patience(sockets->items[i], now) : UINT64_MAX;
        least = patience < least ? patience : least;
    }
    if (sockets->ends && least > END_MS)
        least = END_MS;
    return least > INT32_MAX ? -1 : (int)least;
}

/* Waits for something to do, without the lock, and does it. */
static void take_turn(struct sockets *sockets)
{
    struct pollfd fds[SOCKETS_MOST + 1] = {{.fd = sockets->common.wake, .events = POLLIN}};
    eventfd_t ignored;
    for (size_t i = 0; i < SOCKETS_MOST; i++) {
        const struct socket *socket = sockets->items[i];
        fds[i + 1] = (struct pollfd){.fd = socket ? socket->fd : -1, .events = socket ? socket_events(socket) : 0};
    }
    int pause = pause_of(sockets);
    pthread_mutex_unlock(&sockets->common.lock);
    poll(fds, SOCKETS_MOST + 1, pause);
    pthread_mutex_lock(&sockets->common.lock);
    eventfd_read(sockets->common.wake, &ignored);
    /* One that came meanwhile has a place where nothing was polled. */
    for (size_t i = 0; i < SOCKETS_MOST; i++)
        if (fds[i + 1].fd >= 0)
            socket_serve(sockets->items[i], fds[i + 1].revents);
}

static void *serve(void *data)
{
    struct sockets *sockets = data;
    pthread_mutex_lock(&sockets->common.lock);
    while (remove_gone(sockets) > 0 || !sockets->ends) {
        take_turn(sockets);
        for (size_t i = 0; i < SOCKETS_MOST && sockets->ends && socket_now_ms() - sockets->ends_at_ms >= END_MS; i++)
            if (sockets->items[i])
                sockets->items[i]->state = SOCKET_GONE;
    }
    pthread_mutex_unlock(&sockets->common.lock);
    return NULL;
}

/* ---- */

int sockets_start(struct sockets *sockets, struct socket_limits limits, struct error *error)
{
    *sockets = (struct sockets){.common = {limits, PTHREAD_MUTEX_INITIALIZER, -1}};
    sockets->common.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (sockets->common.wake < 0)
        return error_set(error, -errno, "cannot wait for clients: %s", error_text(errno));
    int code = pthread_create(&sockets->thread, NULL, serve, sockets);
    if (code == 0)
        return 0;
    close(sockets->common.wake);
    return error_set(error, -code, "cannot start a thread: %s", error_text(code));
}

static struct socket **free_place(struct sockets *sockets)
{
    for (size_t i = 0; i < SOCKETS_MOST && !sockets->ends; i++)
        if (!sockets->items[i])
            return &sockets->items[i];
    return NULL;
}

bool sockets_has_place(struct sockets *sockets)
{
    pthread_mutex_lock(&sockets->common.lock);
    bool found = free_place(sockets) != NULL;
    pthread_mutex_unlock(&sockets->common.lock);
    return found;
}

void sockets_add(struct sockets *sockets, int fd, struct MHD_UpgradeResponseHandle *handle, struct slice early,
                 const struct socket_service *service)
{
    static const int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct socket *socket = memory_zeroed(1, sizeof *socket);
    pthread_mutex_lock(&sockets->common.lock);
    struct socket **place = socket && service->queue ? free_place(sockets) : NULL;
    if (place) {
        *socket = (struct socket){
            .common = &sockets->common,
            .fd = fd,
            .handle = handle,
            .service = *service,
            .reader = {.most = SOCKET_MESSAGE_MOST},
            .waiting_end = &socket->waiting,
            .references = 1,
        };
        *place = socket;
        socket_take(socket, early);
        eventfd_write(sockets->common.wake, 1);
    }
    pthread_mutex_unlock(&sockets->common.lock);
    if (place)
        return;
    memory_release(socket);
    close_handle(handle);
}

void sockets_push(struct sockets *sockets, struct slice json)
{
    pthread_mutex_lock(&sockets->common.lock);
    for (size_t i = 0; i < SOCKETS_MOST; i++)
        if (sockets->items[i])
            socket_send(sockets->items[i], WEBSOCKET_TEXT, json);
    eventfd_write(sockets->common.wake, 1);
    pthread_mutex_unlock(&sockets->common.lock);
}

void sockets_end(struct sockets *sockets)
{
    sockets_push(sockets, SLICE("{\"event\": \"bye\"}"));
    pthread_mutex_lock(&sockets->common.lock);
    for (size_t i = 0; i < SOCKETS_MOST; i++)
        if (sockets->items[i])
            socket_close(sockets->items[i], WEBSOCKET_GOING_AWAY);
    sockets->ends = true;
    sockets->ends_at_ms = socket_now_ms();
    eventfd_write(sockets->common.wake, 1);
    pthread_mutex_unlock(&sockets->common.lock);
    pthread_join(sockets->thread, NULL);
}

void sockets_free(struct sockets *sockets)
{
    close(sockets->common.wake);
    pthread_mutex_destroy(&sockets->common.lock);
}
