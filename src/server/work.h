/* What takes longer than a connection may hold up others: done by a few threads, in the order in which it came. */
#ifndef SONDE_SERVER_WORK_H
#define SONDE_SERVER_WORK_H

#include "common/error.h"

#include <pthread.h>
#include <stdbool.h>

struct work_item {
    struct work_item *next;
    /* Called once, by any thread; `cancelled`: the server ends, and there is nothing to do but to let go. */
    void (*run)(struct work_item *item, bool cancelled);
};

enum { WORK_THREADS_MOST = 2 };

struct work_queue {
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t changed;
    struct work_item *first, **end;
    bool ends;
    unsigned running; /* threads that have not ended */
    unsigned started;
    pthread_t threads[WORK_THREADS_MOST];
};

/* With up to so many threads. `queue` must not move. */
int work_start(struct work_queue *queue, unsigned threads, struct error *error);

/* The item is the queue's until it is run. False after work_end(): it is not run then. */
bool work_add(struct work_queue *queue, struct work_item *item);

/* Cancels what has not begun and waits for what has, `milliseconds` at most. False where something still runs: then nothing
 * that it may use can be freed. */
bool work_end(struct work_queue *queue, unsigned milliseconds);

/* After that, when nobody calls work_add() any more. */
void work_free(struct work_queue *queue);

#endif
