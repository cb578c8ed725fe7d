#include "capture/core/internal_thread.h"

#include "session/own_mask.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static __thread bool in_creation __attribute__((tls_model("initial-exec")));

enum { THREADS_MAX = 8 };

/* Those that run. */
static struct internal_thread {
    _Atomic bool used;
    _Atomic int tid; /* 0 = it does not run yet */
    const char *name;
    void *(*routine)(void *);
    void *argument;
} internals[THREADS_MAX];

static void *run(void *argument)
{
    struct internal_thread *mine = argument;
    own_mask_closed = true;
    atomic_store_explicit(&mine->tid, gettid(), memory_order_relaxed);
    /* Not by who makes it, who would have to open a file for that. */
    prctl(PR_SET_NAME, mine->name, 0, 0, 0);
    void *result = mine->routine(mine->argument);
    atomic_store_explicit(&mine->tid, 0, memory_order_relaxed);
    /* Release: whoever takes it now finds nothing of ours going on. */
    atomic_store_explicit(&mine->used, false, memory_order_release);
    return result;
}

static struct internal_thread *take_one(const char *name, void *(*routine)(void *), void *argument)
{
    for (struct internal_thread *each = internals; each < internals + THREADS_MAX; each++) {
        if (!atomic_exchange_explicit(&each->used, true, memory_order_acquire)) {
            each->name = name;
            each->routine = routine;
            each->argument = argument;
            return each;
        }
    }
    return NULL;
}

bool internal_thread_is(int tid)
{
    for (const struct internal_thread *each = internals; each < internals + THREADS_MAX; each++)
        if (atomic_load_explicit(&each->tid, memory_order_relaxed) == tid)
            return true;
    return false;
}

static bool is_on_its_way(const struct internal_thread *thread)
{
    return atomic_load_explicit(&thread->used, memory_order_relaxed) &&
           atomic_load_explicit(&thread->tid, memory_order_relaxed) == 0;
}

void internal_threads_arrive(void)
{
    enum { TRIES = 4000, PAUSE_NS = 50000 };
    int saved_errno = errno;
    for (const struct internal_thread *each = internals; each < internals + THREADS_MAX; each++)
        for (unsigned i = 0; i < TRIES && is_on_its_way(each); i++)
            syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    errno = saved_errno;
}

void internal_threads_forked(void)
{
    for (struct internal_thread *each = internals; each < internals + THREADS_MAX; each++) {
        atomic_store_explicit(&each->tid, 0, memory_order_relaxed);
        atomic_store_explicit(&each->used, false, memory_order_relaxed);
    }
}

int internal_thread_create(pthread_t *thread, const char *name, size_t stack_bytes, void *(*routine)(void *), void *argument)
{
    pthread_attr_t attributes;
    int result = pthread_attr_init(&attributes);
    if (result != 0)
        return -result;
    pthread_attr_setstacksize(&attributes, stack_bytes); /* one that is too small leaves the default */
    /* All of them, also the one that libsonde-preload keeps out of masks. */
    uint64_t before = own_mask_close();
    in_creation = true;
    struct internal_thread *internal = take_one(name, routine, argument);
    result = internal ? pthread_create(thread, &attributes, run, internal) : EAGAIN;
    if (result != 0 && internal)
        atomic_store_explicit(&internal->used, false, memory_order_relaxed);
    in_creation = false;
    own_mask_open(before);
    pthread_attr_destroy(&attributes);
    return -result;
}

bool internal_thread_in_creation(void)
{
    return in_creation;
}
