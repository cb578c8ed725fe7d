#include "capture/internal_thread.h"

#include <signal.h>

static __thread bool in_creation __attribute__((tls_model("initial-exec")));

static __thread bool is_internal __attribute__((tls_model("initial-exec")));

int internal_thread_create(pthread_t *thread, const char *name, size_t stack_bytes, void *(*routine)(void *), void *argument)
{
    pthread_attr_t attributes;
    int result = pthread_attr_init(&attributes);
    if (result != 0)
        return -result;
    pthread_attr_setstacksize(&attributes, stack_bytes); /* one that is too small leaves the default */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    in_creation = true;
    result = pthread_create(thread, &attributes, routine, argument);
    if (result == 0)
        pthread_setname_np(*thread, name);
    in_creation = false;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return -result;
}

bool internal_thread_in_creation(void)
{
    return in_creation;
}

void internal_thread_begin(void)
{
    is_internal = true;
}

bool internal_thread_is_mine(void)
{
    return is_internal;
}
