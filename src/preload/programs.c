/* Children of the program, and programs that it starts or becomes. */
#include "preload/preload.h"

#include "session/own_mask.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

INTERPOSED pid_t forkpty(int *terminal, char *name, const struct termios *mode, const struct winsize *size)
{
    if (!REAL(forkpty)) { /* older C libraries have it in another one, which need not be there */
        errno = ENOSYS;
        return -1;
    }
    pid_t pid = REAL(forkpty)(terminal, name, mode, size);
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

/* A signal of ours that is on its way when the program is replaced must not end the new one. */
static void replacing_begins(void)
{
    if (base)
        base->replacing(true);
}

/* It failed, or we would not be here. */
static int replacing_failed(void)
{
    if (base)
        base->replacing(false);
    return -1;
}

/* `folder` as for execveat(). The recorder has to find the file, wherever that is relative to. In the child of a vfork()
 * nothing can be allocated. */
static void say_started(int pid, int folder, const char *path, char *const environment[])
{
    char whole[PATH_MAX], link[40];
    size_t length = 0;
    if (!base || !path || base->is_shut_in())
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
    if (!base || !file || !*file || base->is_shut_in())
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

/* The mask that a child inherits is the one that the program believes to have. */
static uint64_t block_for_child(void)
{
    bool is_blocked = base && base->handles_signal() && base->is_blocked(own_mask_get());
    return is_blocked ? own_mask_change(SIG_BLOCK, UINT64_C(1) << (base->signal - 1)) : OWN_MASK_STAYS;
}

static void restore_mask(uint64_t before)
{
    if (before != OWN_MASK_STAYS)
        own_mask_restore(before);
}

/* --- under a filter of system calls -------------------------------------------------------------------------------------- */

/* A program that is started under a filter which this one has installed must not be made to make calls of ours: it is started
 * as if there were no Sonde. An array on the caller's stack, since a child of vfork() must not allocate. */
static bool is_ours(const char *variable)
{
    static const char preload[] = "LD_PRELOAD=";
    if (strncmp(variable, "SONDE_", 6) == 0)
        return true;
    return strncmp(variable, preload, sizeof preload - 1) == 0 && strstr(variable, "libsonde-preload.so") &&
           !strpbrk(variable + sizeof preload - 1, ": ");
}

static char *const *leave_out_ours(char *const *from, char **to)
{
    size_t count = 0;
    for (; *from; from++)
        if (!is_ours(*from))
            to[count++] = *from;
    to[count] = NULL;
    return to;
}

static size_t count_words(char *const *words)
{
    size_t count = 0;
    while (words && words[count])
        count++;
    return count;
}

#define FOR_NEXT_PROGRAM(environment)                                                                                          \
    ((environment) && base && base->is_shut_in()                                                                               \
         ? leave_out_ours((environment), __builtin_alloca((count_words(environment) + 1) * sizeof *(environment)))             \
         : (environment))

/* --- starting and becoming ----------------------------------------------------------------------------------------------- */

INTERPOSED int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    pid_t child;
    uint64_t mask = block_for_child();
    int result = REAL(posix_spawn)(&child, path, actions, attributes, arguments, FOR_NEXT_PROGRAM(environment));
    restore_mask(mask);
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
    uint64_t mask = block_for_child();
    int result = REAL(posix_spawnp)(&child, file, actions, attributes, arguments, FOR_NEXT_PROGRAM(environment));
    restore_mask(mask);
    if (result == 0 && pid)
        *pid = child;
    if (result == 0)
        say_started_by_name(child, file, environment);
    return result;
}

INTERPOSED int execve(const char *path, char *const arguments[], char *const environment[])
{
    say_started(0, AT_FDCWD, path, environment);
    replacing_begins();
    REAL(execve)(path, arguments, FOR_NEXT_PROGRAM(environment));
    return replacing_failed();
}

INTERPOSED int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    say_started_by_name(0, file, environment);
    replacing_begins();
    REAL(execvpe)(file, arguments, FOR_NEXT_PROGRAM(environment));
    return replacing_failed();
}

INTERPOSED int fexecve(int fd, char *const arguments[], char *const environment[])
{
    say_started(0, fd, "", environment);
    replacing_begins();
    REAL(fexecve)(fd, arguments, FOR_NEXT_PROGRAM(environment));
    return replacing_failed();
}

INTERPOSED int execveat(int folder, const char *path, char *const arguments[], char *const environment[], int flags)
{
    say_started(0, folder, path, environment);
    replacing_begins();
    REAL(execveat)(folder, path, arguments, FOR_NEXT_PROGRAM(environment), flags);
    return replacing_failed();
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
