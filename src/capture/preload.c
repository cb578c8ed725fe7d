/* libsonde-preload: libsonde for programs that know nothing of it.
 *
 * Loaded before everything else, it stands in front of a few functions of the C library:
 *
 *     pthread_create, thrd_create       every thread registers itself before it runs its own code
 *     pthread_setname_np                names are known as soon as they are given
 *     pthread_sigmask, sigprocmask,     the signal that asks threads for their stacks is never blocked nor seen in a wait,
 *     sigwait…, signalfd                as the C library does with signals of its own
 *     sigaction, signal, kill, raise,   a program that wants that signal gets it; the profiler takes another (masks.h)
 *     sigqueue, tgkill, pthread_kill,
 *     pthread_sigqueue
 *     exec…, syscall                    none of those signals is left to the program that takes this one's place
 *     fork, daemon, forkpty, _exit      children are recorded, too, and say when they end
 *     posix_spawn…                      other programs inherit the masks that this one has set
 *     close, close_range, closefrom     files of ours stay open
 *     prctl, syscall                    a program that allows itself few system calls is not made to make others
 *
 * In a process that is not recorded they only pass calls on. */
#include "capture/preload_base.h"
#include "sonde/api.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define INTERPOSED __attribute__((visibility("default")))

/* --- the functions of the C library ------------------------------------------------------------------------------------ */

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
    X(prctl)

static struct {
#define DECLARE(name) __typeof__(name) *name;
    REAL_FUNCTIONS(DECLARE)
#undef DECLARE
} real;

static const struct preload_base *base;

/* Of libsonde, which must be loaded, too. */
extern const int sonde_full_1;
static const volatile int *const full __attribute__((used)) = &sonde_full_1;

/* In the constructor; or sooner, if a library that is initialised before us calls one of the functions. Doing it twice at the
 * same time does no harm: the results are the same. */
static void find_real_functions(void)
{
#define FIND(name) *(void **)&real.name = dlsym(RTLD_NEXT, #name);
    REAL_FUNCTIONS(FIND)
#undef FIND
    base = sonde_base_preload();
}

#define REAL(name) (*(real.name ? real.name : (find_real_functions(), real.name)))

__attribute__((constructor)) static void begin(void)
{
    find_real_functions();
}

static const struct preload_base *wanted_base(void)
{
    if (!base)
        find_real_functions();
    return base->wanted() ? base : NULL;
}

/* For what inherits the mask: it is to have the program's. */
static uint64_t masks_show(void)
{
    return base ? base->mask_show(true) : 0;
}

static void masks_hide(uint64_t shown)
{
    if (shown)
        base->mask_hide(shown);
}

/* --- threads ------------------------------------------------------------------------------------------------------------- */

/* What a new thread has to know; it frees it as soon as it has read it. */
struct start {
    void *(*routine)(void *);
    thrd_start_t c11_routine;
    void *argument;
    size_t stack_bytes;
};

enum { STARTS_MAX = 32 };

/* Few threads are just beginning at any moment, so these are nearly always enough. Others have pages of their own, which cost
 * as much as a third of a thread: the program's allocator is not ours to use. */
static struct start_place {
    _Atomic bool used;
    struct start start;
} places[STARTS_MAX];

static struct start *start_new(const struct start *start)
{
    struct start *copy = NULL;
    for (struct start_place *place = places; !copy && place < places + STARTS_MAX; place++)
        /* Acquire: the thread that had it before has read it. */
        if (!atomic_exchange_explicit(&place->used, true, memory_order_acquire))
            copy = &place->start;
    if (!copy)
        copy = mmap(NULL, sizeof *copy, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return NULL;
    *copy = *start;
    return copy;
}

static void start_free(struct start *start)
{
    for (struct start_place *place = places; place < places + STARTS_MAX; place++) {
        if (start == &place->start) {
            /* Release: with the acquire of whoever takes it next. */
            atomic_store_explicit(&place->used, false, memory_order_release);
            return;
        }
    }
    munmap(start, sizeof *start);
}

static struct start begin_thread(void *argument)
{
    /* A thread that is cancelled before it has begun is cancelled in its own code, with its clean-up handlers, not in ours. */
    int cancel_state, ignored;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    struct start start = *(struct start *)argument;
    start_free(argument);
    /* The registration ends with the thread, however that ends. */
    base->thread_started(start.stack_bytes);
    pthread_setcancelstate(cancel_state, &ignored);
    return start;
}

static void *run_thread(void *argument)
{
    struct start start = begin_thread(argument);
    return start.routine(start.argument);
}

static int run_c11_thread(void *argument)
{
    struct start start = begin_thread(argument);
    return start.c11_routine(start.argument);
}

/* The size of the stack that a thread made with these attributes gets. */
static size_t stack_size(const pthread_attr_t *attributes)
{
    size_t bytes = 0;
    pthread_attr_t defaults;
    if (attributes) {
        pthread_attr_getstacksize(attributes, &bytes);
    } else if (pthread_attr_init(&defaults) == 0) {
        pthread_attr_getstacksize(&defaults, &bytes);
        pthread_attr_destroy(&defaults);
    }
    return bytes;
}

/* NULL: the thread is to be made as it is. */
static struct start *prepare_thread(struct start start)
{
    const struct preload_base *wanted = wanted_base();
    return wanted && !wanted->internal_thread_in_creation() ? start_new(&start) : NULL;
}

INTERPOSED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument)
{
    struct start *start =
        prepare_thread((struct start){.routine = routine, .argument = argument, .stack_bytes = stack_size(attributes)});
    uint64_t shown = masks_show();
    int result = start ? REAL(pthread_create)(thread, attributes, run_thread, start)
                       : REAL(pthread_create)(thread, attributes, routine, argument);
    masks_hide(shown);
    if (start && result != 0)
        start_free(start);
    return result;
}

INTERPOSED int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
    struct start *start =
        prepare_thread((struct start){.c11_routine = routine, .argument = argument, .stack_bytes = stack_size(NULL)});
    uint64_t shown = masks_show();
    int result = start ? REAL(thrd_create)(thread, run_c11_thread, start) : REAL(thrd_create)(thread, routine, argument);
    masks_hide(shown);
    if (start && result != thrd_success)
        start_free(start);
    return result;
}

INTERPOSED int pthread_setname_np(pthread_t thread, const char *name)
{
    int result = REAL(pthread_setname_np)(thread, name);
    const struct preload_base *wanted = wanted_base();
    if (result == 0 && wanted && !wanted->internal_thread_in_creation())
        wanted->thread_rename(thread, name);
    return result;
}

/* --- signals ------------------------------------------------------------------------------------------------------------- */

INTERPOSED int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    return base ? base->mask_change(&REAL(pthread_sigmask), how, set, old) : REAL(pthread_sigmask)(how, set, old);
}

INTERPOSED int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    return base ? base->mask_change(&REAL(sigprocmask), how, set, old) : REAL(sigprocmask)(how, set, old);
}

/* What is left of `timeout` since `start`. */
static struct timespec time_left(const struct timespec *timeout, const struct timespec *start)
{
    struct timespec now, left;
    clock_gettime(CLOCK_MONOTONIC, &now);
    left.tv_sec = timeout->tv_sec - (now.tv_sec - start->tv_sec);
    left.tv_nsec = timeout->tv_nsec - (now.tv_nsec - start->tv_nsec);
    for (; left.tv_nsec < 0; left.tv_nsec += 1000000000)
        left.tv_sec--;
    for (; left.tv_nsec >= 1000000000; left.tv_nsec -= 1000000000)
        left.tv_sec++;
    return left.tv_sec < 0 ? (struct timespec){0} : left;
}

/* A question of ours that gets into a wait is answered, and the wait goes on. `timeout` NULL = for ever. */
static int wait_for_signal(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    if (!base)
        return REAL(sigtimedwait)(set, info, timeout);
    siginfo_t unwanted;
    struct timespec start, left;
    if (timeout)
        clock_gettime(CLOCK_MONOTONIC, &start);
    if (!info)
        info = &unwanted;
    uint64_t shown = base->mask_show(true);
    int number = REAL(sigtimedwait)(set, info, timeout);
    while (number > 0 && base->took_question(info)) {
        if (timeout)
            left = time_left(timeout, &start);
        number = REAL(sigtimedwait)(set, info, timeout ? &left : NULL);
    }
    base->mask_hide(shown);
    return number;
}

/* Is not interrupted by signal handlers, in contrast to the other two. */
INTERPOSED int sigwait(const sigset_t *set, int *signal)
{
    siginfo_t info;
    int saved_errno = errno, number;
    do
        number = wait_for_signal(set, &info, NULL);
    while (number < 0 && errno == EINTR);
    int result = number < 0 ? errno : 0;
    errno = saved_errno;
    if (number > 0)
        *signal = number;
    return result;
}

INTERPOSED int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    return wait_for_signal(set, info, NULL);
}

INTERPOSED int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    return wait_for_signal(set, info, timeout);
}

INTERPOSED int signalfd(int fd, const sigset_t *set, int flags)
{
    if (!base)
        return REAL(signalfd)(fd, set, flags);
    int ours = atomic_load_explicit(base->signal, memory_order_relaxed);
    sigset_t without = *set;
    if (ours)
        sigdelset(&without, ours);
    int result = REAL(signalfd)(fd, &without, flags);
    if (result >= 0)
        base->signal_file(result, set);
    return result;
}

static void program_takes(int signal)
{
    enum { LAST = 64 };
    if (base && signal > 0 && signal <= LAST &&
        atomic_load_explicit(base->signals, memory_order_relaxed) & UINT64_C(1) << (signal - 1))
        base->signal_taken(signal);
}

/* The program finds the default action where our handler is. */
INTERPOSED int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
    if (action)
        program_takes(signal);
    int result = REAL(sigaction)(signal, action, old);
    if (result == 0 && old && base && base->is_our_handler(old))
        *old = (struct sigaction){.sa_handler = SIG_DFL};
    return result;
}

INTERPOSED __sighandler_t signal(int signal, __sighandler_t handler)
{
    struct sigaction now;
    program_takes(signal);
    bool ours = base && REAL(sigaction)(signal, NULL, &now) == 0 && base->is_our_handler(&now);
    __sighandler_t old = REAL(signal)(signal, handler);
    return ours && old != SIG_ERR ? SIG_DFL : old;
}

static void program_sends(int signal)
{
    if (base && signal > 0 && signal == atomic_load_explicit(base->signal, memory_order_relaxed))
        base->signal_sent(signal);
}

INTERPOSED int kill(pid_t pid, int signal)
{
    if (pid <= 0 || pid == getpid())
        program_sends(signal);
    return REAL(kill)(pid, signal);
}

INTERPOSED int sigqueue(pid_t pid, int signal, const union sigval value)
{
    if (pid == getpid())
        program_sends(signal);
    return REAL(sigqueue)(pid, signal, value);
}

INTERPOSED int tgkill(pid_t pid, pid_t tid, int signal)
{
    if (pid == getpid())
        program_sends(signal);
    return REAL(tgkill)(pid, tid, signal);
}

INTERPOSED int raise(int signal)
{
    program_sends(signal);
    return REAL(raise)(signal);
}

INTERPOSED int pthread_kill(pthread_t thread, int signal)
{
    program_sends(signal);
    return REAL(pthread_kill)(thread, signal);
}

INTERPOSED int pthread_sigqueue(pthread_t thread, int signal, const union sigval value)
{
    program_sends(signal);
    return REAL(pthread_sigqueue)(thread, signal, value);
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

/* --- sandboxes ----------------------------------------------------------------------------------------------------------- */

/* Also called by our syscall(), for seccomp(). */
__attribute__((visibility("hidden"))) void preload_shut_in(void);

void preload_shut_in(void)
{
    const struct preload_base *wanted = wanted_base();
    if (wanted)
        wanted->shutting_itself_in();
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
        preload_shut_in();
    return REAL(prctl)(option, words[0], words[1], words[2], words[3]);
}
