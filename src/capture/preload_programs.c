/* Children of the program, and programs that it starts or becomes. */
#include "capture/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pty.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

/* --- children ------------------------------------------------------------------------------------------------------------ */

INTERPOSED pid_t fork(void)
{
    pid_t pid = REAL(fork)();
    if (pid == 0 && base)
        base->forked();
    return pid;
}

/* The C library forks here without our knowledge; the parent ends there. */
INTERPOSED int daemon(int stay_in_folder, int keep_output)
{
    int result = REAL(daemon)(stay_in_folder, keep_output);
    if (base)
        base->forked();
    return result;
}

/* Older C libraries have it in another library, which need not be there. */
INTERPOSED pid_t forkpty(int *terminal, char *name, const struct termios *mode, const struct winsize *size)
{
    static __typeof__(forkpty) *_Atomic real_forkpty;
    __typeof__(forkpty) *call = atomic_load_explicit(&real_forkpty, memory_order_relaxed);
    if (!call) {
        *(void **)&call = dlsym(RTLD_NEXT, "forkpty");
        atomic_store_explicit(&real_forkpty, call, memory_order_relaxed);
    }
    if (!call) {
        errno = ENOSYS;
        return -1;
    }
    pid_t pid = call(terminal, name, mode, size);
    if (pid == 0 && base)
        base->forked();
    return pid;
}

INTERPOSED void _exit(int status)
{
    if (base)
        base->exiting();
    REAL(_exit)(status);
    __builtin_unreachable();
}

INTERPOSED void _Exit(int status)
{
    _exit(status);
}

/* --- programs ------------------------------------------------------------------------------------------------------------ */

struct replacing {
    bool begun;
    uint64_t shown;
};

/* The mask is inherited. */
static struct replacing replacing_begins(void)
{
    bool begun = base && base->replacing(true);
    return (struct replacing){begun, base ? base->mask_show(false) : 0};
}

/* It failed, or we would not be here. */
static int replacing_failed(struct replacing replacing)
{
    if (replacing.shown)
        base->mask_hide(replacing.shown);
    if (replacing.begun)
        base->replacing(false);
    return -1;
}

/* `folder` as for execveat(). The recorder has to find the file, wherever that is relative to. In the child of a vfork()
 * nothing can be allocated. */
static void say_started(int pid, int folder, const char *path, char *const environment[])
{
    char whole[PATH_MAX], link[40];
    size_t length = 0;
    if (!base || !path)
        return;
    int saved_errno = errno;
    if (path[0] != '/') {
        snprintf(link, sizeof link, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
        ssize_t found = readlink(link, whole, sizeof whole - 1);
        length = found > 0 ? (size_t)found : 0;
        if (length > 0 && path[0])
            whole[length++] = '/';
    }
    size_t rest = strlen(path);
    if (rest < sizeof whole - length) {
        memcpy(whole + length, path, rest + 1);
        /* Programs are looked for by trying to run them. */
        if (pid != 0 || access(whole, X_OK) == 0)
            base->starting(pid, whole, environment);
    }
    errno = saved_errno;
}

/* The first file of that name in the folders of PATH, as execvp() finds it. */
static void say_started_by_name(int pid, const char *file, char *const environment[])
{
    char path[PATH_MAX];
    if (!base || !file || !*file)
        return;
    if (strchr(file, '/')) {
        say_started(pid, AT_FDCWD, file, environment);
        return;
    }
    int saved_errno = errno;
    const char *folders = getenv("PATH"), *end;
    if (!folders)
        folders = "/bin:/usr/bin";
    for (;; folders = end + 1) {
        end = strchrnul(folders, ':');
        int length = (int)(end - folders);
        if (snprintf(path, sizeof path, "%.*s%s%s", length, folders, length > 0 ? "/" : "", file) < (int)sizeof path &&
            access(path, X_OK) == 0) {
            say_started(pid, AT_FDCWD, path, environment);
            break;
        }
        if (!*end)
            break;
    }
    errno = saved_errno;
}

INTERPOSED int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    pid_t child;
    uint64_t shown = masks_show();
    int result = REAL(posix_spawn)(&child, path, actions, attributes, arguments, environment);
    masks_hide(shown);
    if (result == 0 && pid)
        *pid = child;
    if (result == 0)
        say_started(child, AT_FDCWD, path, environment);
    return result;
}

INTERPOSED int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    pid_t child;
    uint64_t shown = masks_show();
    int result = REAL(posix_spawnp)(&child, file, actions, attributes, arguments, environment);
    masks_hide(shown);
    if (result == 0 && pid)
        *pid = child;
    if (result == 0)
        say_started_by_name(child, file, environment);
    return result;
}

INTERPOSED int execve(const char *path, char *const arguments[], char *const environment[])
{
    say_started(0, AT_FDCWD, path, environment);
    struct replacing replacing = replacing_begins();
    REAL(execve)(path, arguments, environment);
    return replacing_failed(replacing);
}

INTERPOSED int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    say_started_by_name(0, file, environment);
    struct replacing replacing = replacing_begins();
    REAL(execvpe)(file, arguments, environment);
    return replacing_failed(replacing);
}

INTERPOSED int fexecve(int fd, char *const arguments[], char *const environment[])
{
    say_started(0, fd, "", environment);
    struct replacing replacing = replacing_begins();
    REAL(fexecve)(fd, arguments, environment);
    return replacing_failed(replacing);
}

INTERPOSED int execveat(int folder, const char *path, char *const arguments[], char *const environment[], int flags)
{
    say_started(0, folder, path, environment);
    struct replacing replacing = replacing_begins();
    REAL(execveat)(folder, path, arguments, environment, flags);
    return replacing_failed(replacing);
}

INTERPOSED int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

INTERPOSED int execvp(const char *file, char *const arguments[])
{
    return execvpe(file, arguments, environ);
}

/* Arguments one by one, up to NULL. They are counted first; they come back as an array on the caller's stack, since a child of
 * vfork() must not allocate. */
#define COUNT_ARGUMENTS(first, count, list)                                                                                    \
    size_t count = 1;                                                                                                          \
    va_list list;                                                                                                              \
    va_start(list, first);                                                                                                     \
    while (va_arg(list, const char *))                                                                                         \
        count++;                                                                                                               \
    va_end(list)

#define TAKE_ARGUMENTS(first, arguments, list)                                                                                 \
    do {                                                                                                                       \
        size_t taken_ = 0;                                                                                                     \
        va_start(list, first);                                                                                                 \
        (arguments)[taken_] = (char *)(uintptr_t)(first);                                                                      \
        while ((arguments)[taken_])                                                                                            \
            (arguments)[++taken_] = va_arg(list, char *);                                                                      \
    } while (0)

INTERPOSED int execl(const char *path, const char *argument, ...)
{
    COUNT_ARGUMENTS(argument, count, list);
    char **arguments = __builtin_alloca((count + 1) * sizeof *arguments);
    TAKE_ARGUMENTS(argument, arguments, list);
    va_end(list);
    return execve(path, arguments, environ);
}

INTERPOSED int execlp(const char *file, const char *argument, ...)
{
    COUNT_ARGUMENTS(argument, count, list);
    char **arguments = __builtin_alloca((count + 1) * sizeof *arguments);
    TAKE_ARGUMENTS(argument, arguments, list);
    va_end(list);
    return execvpe(file, arguments, environ);
}

INTERPOSED int execle(const char *path, const char *argument, ...)
{
    COUNT_ARGUMENTS(argument, count, list);
    char **arguments = __builtin_alloca((count + 1) * sizeof *arguments);
    TAKE_ARGUMENTS(argument, arguments, list);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return execve(path, arguments, environment);
}
