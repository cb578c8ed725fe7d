/* Children of the program, and programs that it starts or becomes. */
#include "preload/preload.h"

#include "capture/control/fork.h"
#include "capture/control/lifecycle.h"
#include "capture/recorder/link.h"

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
    if (pid == 0 && is_ready)
        children_begin();
    return pid;
}

/* The C library forks here without our knowledge; the parent ends there. */
INTERPOSED int daemon(int stay_in_folder, int keep_output)
{
    int result = REAL(daemon)(stay_in_folder, keep_output);
    if (is_ready)
        children_begin();
    return result;
}

INTERPOSED pid_t forkpty(int *terminal, char *name, const struct termios *mode, const struct winsize *size)
{
    if (!REAL(forkpty)) { /* older C libraries have it in another one, which need not be there */
        errno = ENOSYS;
        return -1;
    }
    pid_t pid = REAL(forkpty)(terminal, name, mode, size);
    if (pid == 0 && is_ready)
        children_begin();
    return pid;
}

struct cloned {
    int (*function)(void *);
    void *argument;
};

/* On the stack that the program has for it, which may be a page, and be left at once with longjmp(). */
static int run_cloned(void *data)
{
    struct cloned cloned = *(struct cloned *)data;
    fork_child();
    is_cloned = true;
    return cloned.function(cloned.argument);
}

/* Sandboxes fork with it, into other namespaces, and go on where they called it. The child begins with the next call of it that
 * we stand in front of. Where memory is shared there is no process of its own: a thread, or one that will soon be another
 * program. */
INTERPOSED int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
    va_list list;
    va_start(list, argument);
    pid_t *parent_tid = va_arg(list, pid_t *);
    void *tls = va_arg(list, void *);
    pid_t *child_tid = va_arg(list, pid_t *);
    va_end(list);
    if (!function || flags & (CLONE_VM | CLONE_VFORK) || !is_wanted() || is_shut_in() || !core_is_own_process())
        return REAL(clone)(function, stack, flags, argument, parent_tid, tls, child_tid);
    struct cloned cloned = {function, argument};
    fork_prepare();
    int pid = REAL(clone)(run_cloned, stack, flags, &cloned, parent_tid, tls, child_tid);
    int saved_errno = errno;
    fork_parent();
    errno = saved_errno;
    return pid;
}

void begin_cloned(void)
{
    is_cloned = false;
    children_begin();
}

INTERPOSED void _exit(int status)
{
    /* In the child of a vfork() all is the parent's. To ask which process this is may be forbidden. */
    if (sandbox_closed_in_child)
        sandbox_closed_in_child = false;
    else if (is_ready && (is_shut_in() || core_is_own_process()))
        lifecycle_exit();
    REAL(_exit)(status);
    __builtin_unreachable();
}

INTERPOSED void _Exit(int status)
{
    _exit(status);
}

/* --- programs ------------------------------------------------------------------------------------------------------------ */

/* A signal of ours that is on its way when the program is replaced must not end the new one. Returns what replacing_failed()
 * takes: whether this is the child of a vfork() that has shut itself in, whose parent goes on with this same memory. */
static bool replacing_begins(void)
{
    if (is_ready)
        lifecycle_replace(true);
    bool in_child = sandbox_closed_in_child;
    sandbox_closed_in_child = false;
    return in_child;
}

/* It failed, or we would not be here. */
static int replacing_failed(bool closed_in_child)
{
    sandbox_closed_in_child = closed_in_child;
    if (is_ready)
        lifecycle_replace(false);
    return -1;
}

/* `folder` as for execveat(). The recorder has to find the file, wherever that is relative to. In the child of a vfork()
 * nothing can be allocated. */
static void say_started(int pid, int folder, const char *path, char *const environment[])
{
    char whole[PATH_MAX], link[40];
    size_t length = 0;
    if (!is_ready || !path || is_shut_in())
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
            link_tell_child(pid, whole, environment);
    }
    errno = saved_errno;
}

/* The first file of that name in the folders of PATH, as execvp() finds it. */
static void say_started_by_name(int pid, const char *file, char *const environment[])
{
    char path[PATH_MAX];
    if (!is_ready || !file || !*file || is_shut_in())
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

/* --- the environment of the next program --------------------------------------------------------------------------------- */

/* A program that is started under a filter which this one has installed must not be made to make calls of ours: it is started
 * as if there were no Sonde. An array on the caller's stack, since a child of vfork() must not allocate. */
static bool is_ours(const char *variable)
{
    static const char preload[] = "LD_PRELOAD=", *const libraries[] = {"libsonde-preload.so", "libsonde-allocations.so"};
    if (strncmp(variable, "SONDE_", 6) == 0)
        return true;
    if (strncmp(variable, preload, sizeof preload - 1) != 0)
        return false;
    /* Nobody's but ours. */
    const char *at = variable + sizeof preload - 1;
    for (size_t i = 0; *at && i < sizeof libraries / sizeof *libraries; i++) {
        size_t length = strcspn(at, ": "), name = strlen(libraries[i]);
        if (length < name || strncmp(at + length - name, libraries[i], name) != 0)
            return false;
        at += length + (at[length] != '\0');
    }
    return !*at;
}

static char *const *leave_us_out(char *const *from, char **to)
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
    ((environment) && is_ready && is_shut_in()                                                                                 \
         ? leave_us_out((environment), __builtin_alloca((count_words(environment) + 1) * sizeof *(environment)))               \
         : (environment))

/* --- starting and becoming ----------------------------------------------------------------------------------------------- */

INTERPOSED int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    pid_t child;
    uint64_t mask = mask_for_child(is_signal_blocked());
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
    uint64_t mask = mask_for_child(is_signal_blocked());
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
    char *const *variables = FOR_NEXT_PROGRAM(environment);
    bool in_child = replacing_begins();
    REAL(execve)(path, arguments, variables);
    return replacing_failed(in_child);
}

INTERPOSED int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    say_started_by_name(0, file, environment);
    char *const *variables = FOR_NEXT_PROGRAM(environment);
    bool in_child = replacing_begins();
    REAL(execvpe)(file, arguments, variables);
    return replacing_failed(in_child);
}

INTERPOSED int fexecve(int fd, char *const arguments[], char *const environment[])
{
    say_started(0, fd, "", environment);
    char *const *variables = FOR_NEXT_PROGRAM(environment);
    bool in_child = replacing_begins();
    REAL(fexecve)(fd, arguments, variables);
    return replacing_failed(in_child);
}

INTERPOSED int execveat(int folder, const char *path, char *const arguments[], char *const environment[], int flags)
{
    say_started(0, folder, path, environment);
    char *const *variables = FOR_NEXT_PROGRAM(environment);
    bool in_child = replacing_begins();
    REAL(execveat)(folder, path, arguments, variables, flags);
    return replacing_failed(in_child);
}

INTERPOSED int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

INTERPOSED int execvp(const char *file, char *const arguments[])
{
    return execvpe(file, arguments, environ);
}

/* Arguments one by one, up to NULL: how many, and into an array, which is on the caller's stack, since a child of vfork() must
 * not allocate. */
static size_t count_arguments(const char *first, va_list list)
{
    size_t count = 0;
    for (const char *each = first; each; each = va_arg(list, const char *))
        count++;
    return count;
}

#define ARGUMENTS_ON_STACK(first, arguments, list)                                                                             \
    va_list list;                                                                                                              \
    va_start(list, first);                                                                                                     \
    char **arguments = __builtin_alloca((count_arguments(first, list) + 1) * sizeof *(arguments));                             \
    va_end(list);                                                                                                              \
    va_start(list, first);                                                                                                     \
    (arguments)[0] = (char *)(uintptr_t)(first);                                                                               \
    for (size_t i_ = 0; (arguments)[i_]; i_++)                                                                                 \
    (arguments)[i_ + 1] = va_arg(list, char *)

INTERPOSED int execl(const char *path, const char *argument, ...)
{
    ARGUMENTS_ON_STACK(argument, arguments, list);
    va_end(list);
    return execve(path, arguments, environ);
}

INTERPOSED int execlp(const char *file, const char *argument, ...)
{
    ARGUMENTS_ON_STACK(argument, arguments, list);
    va_end(list);
    return execvpe(file, arguments, environ);
}

INTERPOSED int execle(const char *path, const char *argument, ...)
{
    ARGUMENTS_ON_STACK(argument, arguments, list);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return execve(path, arguments, environment);
}
