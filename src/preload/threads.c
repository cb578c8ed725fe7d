/* Threads of the program: every one is registered, and known by its name. */
#include "preload/preload.h"

#include "capture/control/late_runtimes.h"
#include "capture/core/internal_thread.h"
#include "capture/runtime/providers.h"
#include "common/memory.h"

/* What a new thread has to know; it frees it as soon as it has read it. In the library's own memory. */
struct start {
    void *(*routine)(void *);
    thrd_start_t c11_routine;
    void *argument;
    size_t stack_bytes;
    bool is_blocked; /* our signal, as far as the program can tell: threads inherit masks */
};

static struct start begin_thread(void *argument)
{
    /* A thread that is cancelled before it has begun is cancelled in its own code, with its clean-up handlers, not in ours. */
    int cancel_state, ignored;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    struct start start = *(struct start *)argument;
    if (!sandbox_is_closed()) { /* by another thread, since it was made: neither is worth a system call */
        memory_release(argument);
        handler_adopt_mask(start.is_blocked);
    }
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
    late_runtimes_look();
    providers_ask();
    start.is_blocked = is_signal_blocked();
    struct start *copy = memory_array(1, sizeof *copy);
    if (copy)
        *copy = start;
    return copy;
}

INTERPOSED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument)
{
    struct start *start =
        prepare_thread((struct start){.routine = routine, .argument = argument, .stack_bytes = stack_size(attributes)});
    uint64_t mask = mask_for_child(start && start->is_blocked);
    int result = start ? REAL(pthread_create)(thread, attributes, run_thread, start)
                       : REAL(pthread_create)(thread, attributes, routine, argument);
    restore_mask(mask);
    if (result != 0)
        memory_release(start);
    return result;
}

INTERPOSED int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
    struct start *start =
        prepare_thread((struct start){.c11_routine = routine, .argument = argument, .stack_bytes = stack_size(NULL)});
    uint64_t mask = mask_for_child(start && start->is_blocked);
    int result = start ? REAL(thrd_create)(thread, run_c11_thread, start) : REAL(thrd_create)(thread, routine, argument);
    restore_mask(mask);
    if (result != thrd_success)
        memory_release(start);
    return result;
}

INTERPOSED int pthread_setname_np(pthread_t thread, const char *name)
{
    int result = REAL(pthread_setname_np)(thread, name);
    if (is_wanted() && result == 0 && !internal_thread_in_creation() && !is_shut_in())
        thread_rename(thread, name);
    return result;
}
