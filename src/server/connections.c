#include "server/connections.h"

#include "common/memory.h"

#include <sys/socket.h>
#include <time.h>

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- the list, with the lock held ---- */

static void wait_begins(struct connections *connections, struct connection *connection)
{
    connection->waiting = true;
    connection->since_ms = now_ms();
    connection->next = NULL;
    connection->place = connections->end;
    *connections->end = connection;
    connections->end = &connection->next;
}

static void wait_ends(struct connections *connections, struct connection *connection)
{
    if (!connection->waiting)
        return;
    connection->waiting = false;
    *connection->place = connection->next;
    if (connection->next)
        connection->next->place = connection->place;
    else
        connections->end = connection->place;
}

/* Its thread sees the end of it, and closes it. Out of the list, so that it is done once. */
static void shut_first(struct connections *connections)
{
    struct connection *connection = connections->first;
    wait_ends(connections, connection);
    shutdown(connection->socket, SHUT_RDWR);
}

/* ---- */

static void *watch(void *data)
{
    struct connections *connections = data;
    pthread_mutex_lock(&connections->lock);
    while (!connections->ends) {
        uint64_t pause = connections->patience_ms, now = now_ms();
        while (connections->first && now - connections->first->since_ms >= connections->patience_ms)
            shut_first(connections);
        if (connections->first)
            pause -= now - connections->first->since_ms;
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        uint64_t ns = (uint64_t)until.tv_nsec + (pause + 1) * 1000000;
        until.tv_sec += (time_t)(ns / 1000000000);
        until.tv_nsec = (long)(ns % 1000000000);
        pthread_cond_timedwait(&connections->ended, &connections->lock, &until);
    }
    pthread_mutex_unlock(&connections->lock);
    return NULL;
}

int connections_start(struct connections *connections, unsigned most, unsigned patience_ms, struct error *error)
{
    pthread_condattr_t attributes;
    *connections = (struct connections){
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .end = &connections->first,
        .most = most,
        .patience_ms = patience_ms,
    };
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&connections->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    int code = pthread_create(&connections->watcher, NULL, watch, connections);
    return code == 0 ? 0 : error_set(error, -code, "cannot start a thread: %s", error_text(code));
}

void connections_end(struct connections *connections)
{
    pthread_mutex_lock(&connections->lock);
    connections->ends = true;
    pthread_cond_signal(&connections->ended);
    pthread_mutex_unlock(&connections->lock);
    pthread_join(connections->watcher, NULL);
    pthread_cond_destroy(&connections->ended);
    pthread_mutex_destroy(&connections->lock);
}

struct connection *connections_add(struct connections *connections, int socket)
{
    struct connection *connection = memory_zeroed(1, sizeof *connection);
    if (!connection)
        return NULL;
    connection->socket = socket;
    pthread_mutex_lock(&connections->lock);
    connections->count++;
    if (connections->count > connections->most && connections->first)
        shut_first(connections);
    wait_begins(connections, connection);
    pthread_mutex_unlock(&connections->lock);
    return connection;
}

void connections_remove(struct connections *connections, struct connection *connection)
{
    pthread_mutex_lock(&connections->lock);
    connections->count--;
    wait_ends(connections, connection);
    pthread_mutex_unlock(&connections->lock);
    memory_release(connection);
}

void connections_received(struct connections *connections, struct connection *connection)
{
    pthread_mutex_lock(&connections->lock);
    wait_ends(connections, connection);
    pthread_mutex_unlock(&connections->lock);
}

void connections_answered(struct connections *connections, struct connection *connection)
{
    pthread_mutex_lock(&connections->lock);
    wait_ends(connections, connection);
    wait_begins(connections, connection);
    pthread_mutex_unlock(&connections->lock);
}
