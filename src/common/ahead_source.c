/* Unpacking is as much work as making sense of what was unpacked. This source does it in a thread of its own, a few pieces
 * ahead of the reader:
 *
 *     pieces:   [ given out | being given out ]  [ full ]  [ full ]  [ being filled ]
 *                             ^ first                                  ^ first + full
 *
 * The thread fills piece `first + full` while nobody else looks at it; `first` and `full` change under the lock, which is also
 * what makes the bytes of a piece visible to the reader. Small files end before a thread is worth starting. */
#include "common/byte_source.h"
#include "common/memory.h"

#include <pthread.h>
#include <signal.h>

enum { PIECES = 4, PIECE_SIZE = 256 << 10, READ_BEFORE_STARTING = 512 << 10 };

struct ahead_source {
    struct byte_source base;
    struct byte_source *inner; /* the thread's from when it is started until it is joined */
    size_t read_so_far;        /* before the thread was started */
    bool threaded;
    pthread_t thread;
    char *pieces; /* PIECES of PIECE_SIZE */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t counts[PIECES]; /* bytes in each full piece */
    unsigned first;
    unsigned full;
    bool stop;  /* the reader wants no more */
    bool ended; /* the thread is done; `end` says why */
    int end;    /* 0, or the error below */
    struct error error;

    size_t given; /* of the first piece; the reader's alone */
};

/* --- the thread --- */

/* The piece to fill next, or NULL when no more are wanted. */
static char *wait_for_room(struct ahead_source *ahead, unsigned *index)
{
    pthread_mutex_lock(&ahead->lock);
    while (ahead->full == PIECES && !ahead->stop)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    *index = (ahead->first + ahead->full) % PIECES;
    bool stop = ahead->stop;
    pthread_mutex_unlock(&ahead->lock);
    return stop ? NULL : ahead->pieces + (size_t)*index * PIECE_SIZE;
}

static void *run(void *data)
{
    struct ahead_source *ahead = data;
    struct error error = {0};
    ssize_t count = 1;
    unsigned index;
    for (char *piece; count > 0 && (piece = wait_for_room(ahead, &index));) {
        count = ahead->inner->read(ahead->inner, piece, PIECE_SIZE, &error);
        pthread_mutex_lock(&ahead->lock);
        if (count > 0) {
            ahead->counts[index] = (size_t)count;
            ahead->full++;
        } else {
            ahead->ended = true;
            ahead->end = (int)count;
            ahead->error = error;
        }
        pthread_cond_signal(&ahead->changed);
        pthread_mutex_unlock(&ahead->lock);
    }
    return NULL;
}

/* Without memory or threads to be had the reader goes on unpacking by itself. */
static void start(struct ahead_source *ahead)
{
    ahead->pieces = memory_array(PIECES, PIECE_SIZE);
    if (!ahead->pieces)
        return;
    /* Signals are for the threads that know what to do with them. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    ahead->threaded = pthread_create(&ahead->thread, NULL, run, ahead) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* --- the reader --- */

static ssize_t read_here(struct ahead_source *ahead, char *buffer, size_t capacity, struct error *error)
{
    ssize_t count = ahead->inner->read(ahead->inner, buffer, capacity, error);
    if (count > 0 && ahead->read_so_far < READ_BEFORE_STARTING) {
        ahead->read_so_far += (size_t)count;
        if (ahead->read_so_far >= READ_BEFORE_STARTING)
            start(ahead);
    }
    return count;
}

static ssize_t ahead_source_read(struct byte_source *source, char *buffer, size_t capacity, struct error *error)
{
    struct ahead_source *ahead = (struct ahead_source *)source;
    if (!ahead->threaded)
        return read_here(ahead, buffer, capacity, error);
    pthread_mutex_lock(&ahead->lock);
    while (ahead->full == 0 && !ahead->ended)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    bool none = ahead->full == 0;
    unsigned first = ahead->first;
    pthread_mutex_unlock(&ahead->lock);
    /* Nothing is full and the thread is done: what it left is safe to look at. */
    if (none)
        return ahead->end == 0 ? 0 : error_set(error, ahead->end, "%s", ahead->error.message);

    size_t left = ahead->counts[first] - ahead->given, count = left < capacity ? left : capacity;
    memcpy(buffer, ahead->pieces + (size_t)first * PIECE_SIZE + ahead->given, count);
    ahead->given += count;
    if (count == left) {
        ahead->given = 0;
        pthread_mutex_lock(&ahead->lock);
        ahead->first = (first + 1) % PIECES;
        ahead->full--;
        pthread_cond_signal(&ahead->changed);
        pthread_mutex_unlock(&ahead->lock);
    }
    return (ssize_t)count;
}

static void ahead_source_close(struct byte_source *source)
{
    struct ahead_source *ahead = (struct ahead_source *)source;
    if (ahead->threaded) {
        pthread_mutex_lock(&ahead->lock);
        ahead->stop = true;
        pthread_cond_signal(&ahead->changed);
        pthread_mutex_unlock(&ahead->lock);
        pthread_join(ahead->thread, NULL);
    }
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    byte_source_close(ahead->inner);
    memory_release(ahead->pieces);
    memory_release(ahead);
}

struct byte_source *ahead_source_open(struct byte_source *inner, struct error *error)
{
    struct ahead_source *ahead = memory_zeroed(1, sizeof *ahead);
    if (!ahead) {
        byte_source_close(inner);
        error_out_of_memory(error);
        return NULL;
    }
    ahead->base = (struct byte_source){ahead_source_read, ahead_source_close};
    ahead->inner = inner;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    return &ahead->base;
}
