/* Threads of the program: every one is registered, and known by its name. */
#include "preload/preload.h"

#include "capture/core/internal_thread.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

/* What a new thread has to know; it frees it as soon as it has read it. */
struct start {
    void *(*routine)(void *);
    thrd_start_t c11_routine;
    void *argument;
    size_t stack_bytes;
    bool is_blocked; /* our signal, as far as the program can tell: threads inherit masks */
};

enum { STARTS_MAX = 32 };

/* Few threads are just beginning at any moment, so these are nearly always enough. Others have pages of their own, which cost
 * as much as a third of a thread: the program's allocator is not ours to use. */
static struct start_place {
    _Atomic bool used;
    struct start start;
} places[STARTS_MAX];

static struct start *start_new(const struct start *start)
{
    struct start *copy = NULL;
    for (struct start_place *place = places; !copy && place < places + STARTS_MAX; place++)
        /* Acquire: the thread that had it before has read it. */
        if (!atomic_exchange_explicit(&place->used, true, memory_order_acquire))
            copy = &place->start;
    if (!copy)
        copy = mmap(NULL, sizeof *copy, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return NULL;
    *copy = *start;
    return copy;
}

static void start_free(struct start *start)
{
    for (struct start_place *place = places; place < places + STARTS_MAX; place++) {
        if (start == &place->start) {
            /* Release: with the acquire of whoever takes it next. */
            atomic_store_explicit(&place->used, false, memory_order_release);
            return;
        }
    }
    munmap(start, sizeof *start);
}

static struct start begin_thread(void *argument)
{
    /* A thread that is cancelled before it has begun is cancelled in its own code, with its clean-up handlers, not in ours. */
    int cancel_state, ignored;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    struct start start = *(struct start *)argument;
    start_free(argument);
    if (start.is_blocked)
        handler_adopt_mask(true);
    /* The registration ends with the thread, however that ends. */
    thread_register_with_stack(NULL, start.stack_bytes);
    pthread_setcancelstate(cancel_state, &ignored);
    return start;
}

static void *run_thread(void *argument)
{
    struct start start = begin_thread(argument);
    return start.routine(start.argument);
}

static int run_c11_thread(void *argument)
{
    struct start start = begin_thread(argument);
    return start.c11_routine(start.argument);
}

/* The size of the stack that a thread made with these attributes gets. */
static size_t stack_size(const pthread_attr_t *attributes)
{
    size_t bytes = 0;
    pthread_attr_t defaults;
    if (attributes) {
        pthread_attr_getstacksize(attributes, &bytes);
    } else if (pthread_attr_init(&defaults) == 0) {
        pthread_attr_getstacksize(&defaults, &bytes);
        pthread_attr_destroy(&defaults);
    }
    return bytes;
}

/* NULL: the thread is to be made as it is. */
static struct start *prepare_thread(struct start start)
{
    /* Not in a child that was made behind our back (SYS_clone): there is nothing that would take a signal of ours. */
    if (!is_wanted() || internal_thread_in_creation() || is_shut_in() || !core_is_own_process())
        return NULL;
    start.is_blocked = is_signal_blocked();
    return start_new(&start);
}

INTERPOSED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument)
{
    struct start *start =
        prepare_thread((struct start){.routine = routine, .argument = argument, .stack_bytes = stack_size(attributes)});
    uint64_t mask = mask_for_child(start && start->is_blocked);
    int result = start ? REAL(pthread_create)(thread, attributes, run_thread, start)
                       : REAL(pthread_create)(thread, attributes, routine, argument);
    restore_mask(mask);
    if (start && result != 0)
        start_free(start);
    return result;
}

INTERPOSED int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
    struct start *start =
        prepare_thread((struct start){.c11_routine = routine, .argument = argument, .stack_bytes = stack_size(NULL)});
    uint64_t mask = mask_for_child(start && start->is_blocked);
    int result = start ? REAL(thrd_create)(thread, run_c11_thread, start) : REAL(thrd_create)(thread, routine, argument);
    restore_mask(mask);
    if (start && result != thrd_success)
        start_free(start);
    return result;
}

INTERPOSED int pthread_setname_np(pthread_t thread, const char *name)
{
    int result = REAL(pthread_setname_np)(thread, name);
    if (is_wanted() && result == 0 && !internal_thread_in_creation() && !is_shut_in())
        thread_rename(thread, name);
    return result;
}
