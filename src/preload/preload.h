/* What the parts of libsonde-preload share: the functions of the C library that it stands in front of. */
#ifndef SONDE_PRELOAD_PRELOAD_H
#define SONDE_PRELOAD_PRELOAD_H

#include "capture/control/base.h"
#include "capture/core/sandbox.h"
#include "capture/sampler/handler.h"
#include "capture/sampler/live.h"
#include "capture/sampler/registry.h"
#include "session/own_mask.h"

#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/gmon.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
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
    X(__sysv_signal)                                                                                                           \
    X(sigset)                                                                                                                  \
    X(__monstartup)                                                                                                            \
    X(monstartup)                                                                                                              \
    X(moncontrol)                                                                                                              \
    X(profil)                                                                                                                  \
    X(close)                                                                                                                   \
    X(closefrom)                                                                                                               \
    X(fork)                                                                                                                    \
    X(daemon)                                                                                                                  \
    X(forkpty)                                                                                                                 \
    X(clone)                                                                                                                   \
    X(_exit)                                                                                                                   \
    X(posix_spawn)                                                                                                             \
    X(posix_spawnp)                                                                                                            \
    X(execve)                                                                                                                  \
    X(execvpe)                                                                                                                 \
    X(fexecve)                                                                                                                 \
    X(execveat)                                                                                                                \
    X(mlockall)                                                                                                                \
    X(epoll_wait)                                                                                                              \
    X(epoll_pwait)                                                                                                             \
    X(prctl)                                                                                                                   \
    X(statvfs64)                                                                                                               \
    X(syscall)

void moncontrol(int mode); /* no header has it, nor the next one under this name */
__sighandler_t __sysv_signal(int number, __sighandler_t handler);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* sigset() is, and is still called */
struct real_functions {
#define DECLARE(name) __typeof__(name) *name;
    REAL_FUNCTIONS(DECLARE)
#undef DECLARE
};
#pragma GCC diagnostic pop

#pragma GCC visibility push(hidden)

extern struct real_functions real;
extern bool is_ready; /* they are all known */

extern bool is_cloned; /* a child of clone() that has not begun */
void begin_cloned(void);

/* All of them when we begin, or sooner, if somebody who begins before us calls one of the functions; never later: it takes
 * locks of the dynamic linker, and a text that dlerror() has ready for the program would be lost. Doing it twice at the same
 * time does no harm: the results are the same. */
void find_real_functions(void);

/* The program is about to allow itself only some system calls: those that `filter`, a struct sock_fprog, allows, or (NULL)
 * those of the kernel's strict mode. Where the end of a signal handler is not among them, there are no samples any more. */
struct shut_in {
    bool was_open, is_quiet, had_background;
};
struct shut_in preload_shut_in(const void *filter, bool all_threads);
/* … and has failed to. */
void preload_shut_in_failed(struct shut_in before);

/* Whether a filter that is about to be installed allows a system call. */
bool filter_allows(const void *filter, int call);

#pragma GCC visibility pop

#define REAL(name) (*(real.name ? real.name : (find_real_functions(), real.name)))

/* False in a process that is not to be recorded. */
static inline bool is_wanted(void)
{
    if (!is_ready)
        find_real_functions();
    if (is_cloned)
        begin_cloned();
    return base_is_wanted();
}

/* The program has allowed itself only some system calls. */
static inline bool is_shut_in(void)
{
    live_note_filter(registration_mine());
    return sandbox_is_closed();
}

/* The program has blocked our signal on this thread, as far as it can tell. */
static inline bool is_signal_blocked(void)
{
    return is_ready && handler_is_installed() && !sandbox_is_closed() && handler_is_blocked(own_mask_get());
}

/* Threads and programs that begin inherit the mask of who makes them: it has to be the one that the program believes to have.
 * Blocks our signal for that moment. Returns what restore_mask() takes. */
static inline uint64_t mask_for_child(bool is_blocked)
{
    return is_blocked ? own_mask_change(SIG_BLOCK, UINT64_C(1) << (SAMPLE_SIGNAL - 1)) : OWN_MASK_STAYS;
}

static inline void restore_mask(uint64_t before)
{
    if (before != OWN_MASK_STAYS)
        own_mask_restore(before);
}

#endif
