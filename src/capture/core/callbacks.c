#include "capture/core/callbacks.h"

#include "capture/core/core.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

struct state_callback {
    unsigned states;
    void (*call)(void *data, enum sonde_state_change change);
    void *data;
    uintptr_t id;
};

_Alignas(16) static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* beside what else every process needs */
static struct state_callback callbacks[CALLBACKS_MAX];                 /* in the order in which they were added */
static size_t count;

static bool wants(const struct state_callback *callback, enum sonde_state_change change)
{
    return callback->states >> change & 1;
}

int callbacks_add(unsigned states, void (*call)(void *data, enum sonde_state_change change), void *data, uintptr_t id)
{
    struct state_callback callback = {states, call, data, id};
    pthread_mutex_lock(&mutex);
    bool room = count < CALLBACKS_MAX;
    if (room)
        callbacks[count++] = callback;
    pthread_mutex_unlock(&mutex);
    if (!room)
        return -ENOSPC;
    if (wants(&callback, SONDE_ALREADY_ACTIVE) && (state_get() & SONDE_STATE_ACTIVE))
        call(data, SONDE_ALREADY_ACTIVE);
    return 0;
}

void callbacks_remove(uintptr_t id)
{
    struct state_callback removed[CALLBACKS_MAX];
    size_t removed_count = 0, kept = 0;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < count; i++) {
        if (callbacks[i].id == id)
            removed[removed_count++] = callbacks[i];
        else
            callbacks[kept++] = callbacks[i];
    }
    count = kept;
    pthread_mutex_unlock(&mutex);
    for (size_t i = 0; i < removed_count; i++)
        if (wants(&removed[i], SONDE_REMOVING_CALLBACK))
            removed[i].call(removed[i].data, SONDE_REMOVING_CALLBACK);
}

void callbacks_run(enum sonde_state_change change)
{
    struct state_callback copy[CALLBACKS_MAX];
    pthread_mutex_lock(&mutex);
    size_t copied = count;
    memcpy(copy, callbacks, copied * sizeof *copy);
    pthread_mutex_unlock(&mutex);
    for (size_t i = 0; i < copied; i++)
        if (wants(&copy[i], change))
            copy[i].call(copy[i].data, change);
}

void callbacks_fork_prepare(void)
{
    pthread_mutex_lock(&mutex);
}

void callbacks_fork_done(bool child)
{
    if (child)
        count = 0;
    pthread_mutex_unlock(&mutex);
}
