/* What the parts of libsonde-preload share: the functions of the C library that it stands in front of, and the base. */
#ifndef SONDE_CAPTURE_PRELOAD_H
#define SONDE_CAPTURE_PRELOAD_H

#include "capture/preload_base.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#define INTERPOSED __attribute__((visibility("default")))

#define REAL_FUNCTIONS(X)                                                                                                      \
    X(pthread_create)                                                                                                          \
    X(thrd_create)                                                                                                             \
    X(pthread_setname_np)                                                                                                      \
    X(pthread_sigmask)                                                                                                         \
    X(sigprocmask)                                                                                                             \
    X(sigtimedwait)                                                                                                            \
    X(signalfd)                                                                                                                \
    X(sigaction)                                                                                                               \
    X(signal)                                                                                                                  \
    X(kill)                                                                                                                    \
    X(sigqueue)                                                                                                                \
    X(tgkill)                                                                                                                  \
    X(raise)                                                                                                                   \
    X(pthread_kill)                                                                                                            \
    X(pthread_sigqueue)                                                                                                        \
    X(close)                                                                                                                   \
    X(closefrom)                                                                                                               \
    X(fork)                                                                                                                    \
    X(daemon)                                                                                                                  \
    X(_exit)                                                                                                                   \
    X(posix_spawn)                                                                                                             \
    X(posix_spawnp)                                                                                                            \
    X(execve)                                                                                                                  \
    X(execvpe)                                                                                                                 \
    X(fexecve)                                                                                                                 \
    X(execveat)                                                                                                                \
    X(wait)                                                                                                                    \
    X(wait3)                                                                                                                   \
    X(wait4)                                                                                                                   \
    X(waitpid)                                                                                                                 \
    X(waitid)                                                                                                                  \
    X(prctl)

struct real_functions {
#define DECLARE(name) __typeof__(name) *name;
    REAL_FUNCTIONS(DECLARE)
#undef DECLARE
};

#pragma GCC visibility push(hidden)

extern struct real_functions real;
extern const struct preload_base *base; /* NULL until it was looked for */

/* When we begin; or sooner, if somebody who begins before us calls one of the functions. Doing it twice at the
 * same time does no harm: the results are the same. */
void find_real_functions(void);

/* Before there are threads: see preload_rights.c. */
void preload_find_rights(void);

/* The program is about to allow itself only some system calls. */
void preload_shut_in(void);

#pragma GCC visibility pop

#define REAL(name) (*(real.name ? real.name : (find_real_functions(), real.name)))

/* NULL in a process that is not recorded. */
static inline const struct preload_base *wanted_base(void)
{
    if (!base)
        find_real_functions();
    return base->wanted() ? base : NULL;
}

/* For what inherits the mask: it is to have the program's. */
static inline uint64_t masks_show(void)
{
    return base ? base->mask_show(true) : 0;
}

static inline void masks_hide(uint64_t shown)
{
    if (shown)
        base->mask_hide(shown);
}

#endif
