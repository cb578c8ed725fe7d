#include "server/work.h"

#include <errno.h>
#include <time.h>

/* The oldest item, with the lock held; NULL when all has ended. */
static struct work_item *take(struct work_queue *queue)
{
    while (!queue->first && !queue->ends)
        pthread_cond_wait(&queue->changed, &queue->lock);
    struct work_item *item = queue->ends ? NULL : queue->first;
    if (item) {
        queue->first = item->next;
        if (!queue->first)
            queue->end = &queue->first;
    }
    return item;
}

static void *work(void *data)
{
    struct work_queue *queue = data;
    pthread_mutex_lock(&queue->lock);
    for (struct work_item *item; (item = take(queue));) {
        pthread_mutex_unlock(&queue->lock);
        item->run(item, false);
        pthread_mutex_lock(&queue->lock);
    }
    queue->running--;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

int work_start(struct work_queue *queue, unsigned threads, struct error *error)
{
    pthread_condattr_t attributes;
    *queue = (struct work_queue){.lock = PTHREAD_MUTEX_INITIALIZER, .end = &queue->first};
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    int code = 0;
    pthread_mutex_lock(&queue->lock);
    while (queue->started < threads && queue->started < WORK_THREADS_MOST && code == 0) {
        code = pthread_create(&queue->threads[queue->started], NULL, work, queue);
        queue->started += code == 0;
    }
    queue->running = queue->started;
    pthread_mutex_unlock(&queue->lock);
    /* One is enough. */
    return queue->started > 0 ? 0 : error_set(error, -code, "cannot start a thread: %s", error_text(code));
}

bool work_add(struct work_queue *queue, struct work_item *item)
{
    pthread_mutex_lock(&queue->lock);
    bool takes = !queue->ends;
    if (takes) {
        item->next = NULL;
        *queue->end = item;
        queue->end = &item->next;
        pthread_cond_signal(&queue->changed);
    }
    pthread_mutex_unlock(&queue->lock);
    return takes;
}

static struct timespec time_after(unsigned milliseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += milliseconds / 1000;
    time.tv_nsec += milliseconds % 1000 * 1000000L;
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        time.tv_sec++;
    }
    return time;
}

bool work_end(struct work_queue *queue, unsigned milliseconds)
{
    struct timespec until = time_after(milliseconds);
    pthread_mutex_lock(&queue->lock);
    queue->ends = true;
    struct work_item *item = queue->first;
    queue->first = NULL;
    queue->end = &queue->first;
    pthread_cond_broadcast(&queue->changed);
    while (queue->running > 0 && pthread_cond_timedwait(&queue->changed, &queue->lock, &until) != ETIMEDOUT)
        ;
    bool ended = queue->running == 0;
    pthread_mutex_unlock(&queue->lock);
    for (struct work_item *next; item; item = next) {
        next = item->next; /* the item may be gone after its run */
        item->run(item, true);
    }
    if (!ended)
        return false;
    for (unsigned i = 0; i < queue->started; i++)
        pthread_join(queue->threads[i], NULL);
    return true;
}

void work_free(struct work_queue *queue)
{
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
}
