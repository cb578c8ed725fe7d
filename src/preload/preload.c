/* libsonde-preload: libsonde for programs that know nothing of it.
 *
 * Loaded before everything else, it stands in front of a few functions of the C library:
 *
 *     pthread_create, thrd_create       every thread registers itself before it runs its own code
 *     pthread_setname_np                names are known as soon as they are given
 *     sigaction, signal, sigprocmask,   a program may use SIGPROF as if it were not ours, and block it (signals.c)
 *     pthread_sigmask
 *     fork, daemon, forkpty, _exit      children are recorded, too, and say when they end
 *     exec…, posix_spawn…, syscall      the recorder knows what is started; no signal of ours is left to the next program
 *     close, close_range, closefrom     files of ours stay open
 *     prctl, syscall                    a program that allows itself few system calls is not made to make others
 *     __libc_start_main                 the last moment to begin (load.c)
 *
 * In a process that is not recorded they only pass calls on. */
#include "preload/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/syscall.h>

_Alignas(16) struct real_functions real; /* the linker puts it beside what else every process needs */
const struct preload_base *base;

void find_real_functions(void)
{
#define FIND(name) *(void **)&real.name = dlsym(RTLD_NEXT, #name);
    REAL_FUNCTIONS(FIND)
#undef FIND
    const struct preload_base *found = sonde_base_preload();
    found->use_sigaction(real.sigaction);
    base = found;
}

/* --- descriptors --------------------------------------------------------------------------------------------------------- */

/* The program did not open it, so it is not open. */
INTERPOSED int close(int fd)
{
    if (!base || !base->own_file_is(fd))
        return REAL(close)(fd);
    errno = EBADF;
    return -1;
}

INTERPOSED int close_range(unsigned first, unsigned last, int flags)
{
    long result = 0;
    bool all = !base || first > last || (unsigned)flags & CLOSE_RANGE_CLOEXEC;
    while (!all && result == 0 && first <= last) {
        int ours = base->own_file_next(first < INT_MAX ? (int)first : INT_MAX);
        all = ours < 0 || (unsigned)ours > last;
        if (!all && (unsigned)ours > first)
            result = syscall(SYS_close_range, first, (unsigned)ours - 1, flags);
        if (!all)
            first = (unsigned)ours + 1;
    }
    return (int)(all ? syscall(SYS_close_range, first, last, flags) : result);
}

INTERPOSED void closefrom(int lowest)
{
    int saved_errno = errno;
    if (close_range(lowest > 0 ? (unsigned)lowest : 0, ~0u, 0) != 0 && real.closefrom)
        real.closefrom(lowest);
    errno = saved_errno;
}

/* --- sandboxes ----------------------------------------------------------------------------------------------------------- */

/* Also called by our syscall(), for seccomp(). */
void preload_shut_in(bool strict)
{
    const struct preload_base *wanted = wanted_base();
    if (wanted)
        wanted->shutting_itself_in(strict);
}

INTERPOSED int prctl(int option, ...)
{
    va_list list;
    unsigned long words[4];
    va_start(list, option);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = va_arg(list, unsigned long);
    va_end(list);
    if (option == PR_SET_SECCOMP)
        preload_shut_in(words[0] == SECCOMP_MODE_STRICT);
    int result = REAL(prctl)(option, words[0], words[1], words[2], words[3]);
    if (option == PR_SET_SECCOMP && result != 0 && base)
        base->not_shut_in();
    return result;
}
