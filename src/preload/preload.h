/* What the parts of libsonde-preload share: the functions of the C library that it stands in front of, and the base. */
#ifndef SONDE_PRELOAD_PRELOAD_H
#define SONDE_PRELOAD_PRELOAD_H

#include "capture/control/preload_base.h"

#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <threads.h>
#include <unistd.h>

#define INTERPOSED __attribute__((visibility("default")))

#define REAL_FUNCTIONS(X)                                                                                                      \
    X(pthread_create)                                                                                                          \
    X(thrd_create)                                                                                                             \
    X(pthread_setname_np)                                                                                                      \
    X(pthread_sigmask)                                                                                                         \
    X(sigprocmask)                                                                                                             \
    X(sigaction)                                                                                                               \
    X(signal)                                                                                                                  \
    X(close)                                                                                                                   \
    X(closefrom)                                                                                                               \
    X(fork)                                                                                                                    \
    X(daemon)                                                                                                                  \
    X(forkpty)                                                                                                                 \
    X(_exit)                                                                                                                   \
    X(posix_spawn)                                                                                                             \
    X(posix_spawnp)                                                                                                            \
    X(execve)                                                                                                                  \
    X(execvpe)                                                                                                                 \
    X(fexecve)                                                                                                                 \
    X(execveat)                                                                                                                \
    X(prctl)

struct real_functions {
#define DECLARE(name) __typeof__(name) *name;
    REAL_FUNCTIONS(DECLARE)
#undef DECLARE
};

#pragma GCC visibility push(hidden)

extern struct real_functions real;
extern const struct preload_base *base; /* NULL until it was looked for */

/* All of them when we begin, or sooner, if somebody who begins before us calls one of the functions; never later: it takes
 * locks of the dynamic linker, and a text that dlerror() has ready for the program would be lost. Doing it twice at the same
 * time does no harm: the results are the same. */
void find_real_functions(void);

/* The program is about to allow itself only some system calls. */
void preload_shut_in(bool strict);

#pragma GCC visibility pop

#define REAL(name) (*(real.name ? real.name : (find_real_functions(), real.name)))

/* NULL in a process that is not recorded. */
static inline const struct preload_base *wanted_base(void)
{
    if (!base)
        find_real_functions();
    return base->wanted() ? base : NULL;
}

#endif
