/* libsonde-preload: libsonde for programs that know nothing of it.
 *
 * Loaded before everything else, it stands in front of a few functions of the C library:
 *
 *     pthread_create, thrd_create       every thread registers itself before it runs its own code
 *     pthread_setname_np                names are known as soon as they are given
 *     sigaction, signal and its         a program may use SIGPROF as if it were not ours, and block it (signals.c)
 *     relatives, sigprocmask,
 *     pthread_sigmask
 *     monstartup, moncontrol, profil    gprof, which sets a handler for it behind our back
 *     fork, daemon, forkpty, clone,     children are recorded, too, and say when they end
 *     _exit
 *     exec…, posix_spawn…, syscall      the recorder knows what is started; no signal of ours is left to the next program
 *     close, close_range, closefrom     files of ours stay open
 *     mlockall                          what is recorded ends before all memory is locked, ours with it
 *     prctl, syscall                    a program that allows itself few system calls is not made to make others
 *     statvfs64                         what gives Java its markers (java.c)
 *     __libc_start_main                 the last moment to begin (load.c)
 *
 * In a process that is not recorded they only pass calls on. */
#include "preload/preload.h"

#include "capture/control/background.h"
#include "capture/control/lifecycle.h"
#include "capture/core/internal_thread.h"
#include "capture/recorder/link.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

_Alignas(16) struct real_functions real; /* the linker puts it beside what else every process needs */
bool is_ready, is_cloned;

void find_real_functions(void)
{
#define FIND(name) *(void **)&real.name = dlsym(RTLD_NEXT, #name);
    REAL_FUNCTIONS(FIND)
#undef FIND
    handler_use_sigaction(real.sigaction);
    is_ready = true;
}

/* --- descriptors --------------------------------------------------------------------------------------------------------- */

/* The program did not open it, so it is not open. */
INTERPOSED int close(int fd)
{
    if (!is_ready || !link_owns(fd))
        return REAL(close)(fd);
    errno = EBADF;
    return -1;
}

INTERPOSED int close_range(unsigned first, unsigned last, int flags)
{
    int ours = is_ready ? link_descriptor() : -1;
    bool leaves_out =
        ours >= 0 && first <= (unsigned)ours && (unsigned)ours <= last && !((unsigned)flags & CLOSE_RANGE_CLOEXEC);
    if (!leaves_out)
        return (int)syscall(SYS_close_range, first, last, flags);
    long result = first < (unsigned)ours ? syscall(SYS_close_range, first, (unsigned)ours - 1, flags) : 0;
    if (result == 0 && (unsigned)ours < last)
        result = syscall(SYS_close_range, (unsigned)ours + 1, last, flags);
    return (int)result;
}

INTERPOSED void closefrom(int lowest)
{
    int saved_errno = errno;
    if (close_range(lowest > 0 ? (unsigned)lowest : 0, ~0u, 0) != 0 && real.closefrom)
        real.closefrom(lowest);
    errno = saved_errno;
}

/* --- memory -------------------------------------------------------------------------------------------------------------- */

/* All that is mapped is filled and locked, also the file of the session, which is mapped as long as it may become: more than
 * the program is allowed, or all that the recording is. */
INTERPOSED int mlockall(int flags)
{
    if (flags & MCL_CURRENT && is_wanted() && !is_shut_in() && core_is_own_process())
        lifecycle_stop_and_unmap();
    return REAL(mlockall)(flags);
}

/* --- sandboxes ----------------------------------------------------------------------------------------------------------- */

struct shut_in preload_shut_in(const void *filter, bool all_threads)
{
    struct shut_in before = {0};
    if (!is_wanted())
        return before;
    before.was_open = !is_shut_in();
    if (before.was_open && !core_is_own_process()) {
        sandbox_closed_in_child = true;
        return before;
    }
    before.had_background = before.was_open && all_threads && background_end();
    before.is_quiet = before.was_open && filter && !filter_allows(filter, SYS_rt_sigreturn);
    if (before.is_quiet)
        handler_quiet(true);
    sandbox_close(!filter);
    return before;
}

void preload_shut_in_failed(struct shut_in before)
{
    if (before.was_open && sandbox_closed_in_child)
        sandbox_closed_in_child = false;
    else if (before.was_open)
        sandbox_open();
    if (before.is_quiet)
        handler_quiet(false);
    if (before.had_background) {
        const struct core_locked *locked = core_lock();
        background_need(locked);
        core_unlock(locked);
    }
}

INTERPOSED int prctl(int option, ...)
{
    va_list list;
    unsigned long words[4];
    va_start(list, option);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = va_arg(list, unsigned long);
    va_end(list);
    struct shut_in before = {0};
    if (is_wanted() && option == PR_SET_SECCOMP)
        before = preload_shut_in(words[0] == SECCOMP_MODE_STRICT ? NULL : (const void *)words[1], false);
    int result = REAL(prctl)(option, words[0], words[1], words[2], words[3]);
    if (result != 0)
        preload_shut_in_failed(before);
    else if (option == PR_SET_NAME && is_wanted() && !internal_thread_in_creation() && !is_shut_in())
        thread_note_system_name();
    return result;
}
