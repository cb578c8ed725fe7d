#include "alone_scenes.h"

#include "brief_play.h"
#include "session/room.h"
#include "sonde/sonde.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/single_threaded.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { DEADLINE_S = 60, WAIT_MS = 600 };

static const char facts_name[] = "SONDE_TEST_FACTS";

struct alone_facts *alone_facts;

static bool map_facts(int fd)
{
    void *facts = mmap(NULL, sizeof *alone_facts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    alone_facts = facts != MAP_FAILED ? facts : NULL;
    return alone_facts != NULL;
}

bool alone_facts_share(void)
{
    char path[64];
    int fd = memfd_create("facts", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
    return fd >= 0 && ftruncate(fd, sizeof *alone_facts) == 0 && setenv(facts_name, path, 1) == 0 && map_facts(fd);
}

static bool open_facts(void)
{
    const char *path = getenv(facts_name);
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    bool is_there = fd >= 0 && map_facts(fd);
    if (fd >= 0)
        close(fd);
    return is_there;
}

static uint64_t read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* By the system: what the C library thinks it has is not asked. */
static uint64_t count_tasks(void)
{
    uint64_t count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return count;
}

/* How often the thread has waited. */
static uint64_t count_given_up(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nvcsw : 0;
}

/* --- working ------------------------------------------------------------------------------------------------------------- */

/* In code of the program itself, nearly always; each in a function of its own. */
static inline __attribute__((always_inline)) void work_for(int ms)
{
    uint64_t end = read_clock(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)ms * 1000000;
    while (read_clock(CLOCK_THREAD_CPUTIME_ID) < end)
        for (volatile int i = 0; i < 50000; i++)
            ;
}

#define FOUND_BY_TEST __attribute__((noinline, noclone))

FOUND_BY_TEST static void work_first(int ms)
{
    work_for(ms);
}

FOUND_BY_TEST static void work_later(int ms)
{
    work_for(ms);
}

/* Until there is another thread; so short a way from there to what follows that this has not yet done anything. */
FOUND_BY_TEST static bool work_until_thread(void)
{
    uint64_t end = read_clock(CLOCK_THREAD_CPUTIME_ID) + 5000000000;
    while (__libc_single_threaded && read_clock(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 0; i < 100000 && *(volatile char *)&__libc_single_threaded; i++)
            ;
    return !__libc_single_threaded;
}

/* --- ends ---------------------------------------------------------------------------------------------------------------- */

static int end(void)
{
    alone_facts->tasks = count_tasks();
    alone_facts->at_end_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    return 0;
}

static int work(void)
{
    work_first(60);
    return end();
}

static int work_and_exit_quickly(void)
{
    work_first(60);
    _exit(end() + 3);
}

static int nothing(void)
{
    return 0;
}

static int work_and_become_another(void)
{
    work_first(60);
    end();
    execl(play_self, play_self, "nothing", (char *)NULL);
    return 127;
}

static int work_and_fail_to_become(void)
{
    work_first(60);
    alone_facts->tasks_early = count_tasks();
    if (execl("/no/such/program", "program", (char *)NULL) != -1 || errno != ENOENT)
        return 1;
    work_later(400);
    return end();
}

static int fail_to_become_often(void)
{
    for (int i = 0; i < 40; i++) {
        work_first(5);
        if (execl("/no/such/program", "program", (char *)NULL) != -1 || errno != ENOENT)
            return 1;
    }
    return end();
}

static int work_long(void)
{
    work_first(150);
    alone_facts->tasks_early = count_tasks();
    work_later(450);
    return end();
}

static int end_with_new_thread(void)
{
    alone_facts->first = (uintptr_t)work_until_thread;
    if (!work_until_thread())
        return 1;
    _exit(0);
}

static int become_another_with_new_thread(void)
{
    alone_facts->first = (uintptr_t)work_until_thread;
    if (!work_until_thread())
        return 1;
    execl(play_self, play_self, "nothing", (char *)NULL);
    return 127;
}

/* Before a wait for a time a thread is made. */
static int wait_shortly_and_end(void)
{
    work_first(50);
    nanosleep(&(struct timespec){.tv_nsec = 1}, NULL);
    _exit(0);
}

static int wait_shortly_and_become_another(void)
{
    work_first(50);
    nanosleep(&(struct timespec){.tv_nsec = 1}, NULL);
    execl(play_self, play_self, "nothing", (char *)NULL);
    return 127;
}

static int work_little_and_be_killed(void)
{
    work_first(30);
    return kill(getpid(), SIGKILL);
}

static int work_and_be_killed(void)
{
    work_first(150);
    return kill(getpid(), SIGKILL);
}

static int work_long_and_be_killed(void)
{
    work_first(150);
    work_later(450);
    return kill(getpid(), SIGKILL);
}

/* --- in the C library ---------------------------------------------------------------------------------------------------- */

static uint64_t sorting_until;

FOUND_BY_TEST static int compare(const void *left, const void *right)
{
    if (read_clock(CLOCK_THREAD_CPUTIME_ID) < sorting_until)
        for (volatile int i = 0; i < 50000; i++)
            ;
    else if (alone_facts->tasks == 0)
        alone_facts->tasks = count_tasks();
    return *(const int *)left - *(const int *)right;
}

static int sort(void)
{
    static int numbers[1 << 13];
    enum { COUNT = sizeof numbers / sizeof *numbers };
    for (int i = 0; i < COUNT; i++)
        numbers[i] = (int)((unsigned)i * 2654435761u >> 8);
    alone_facts->first = (uintptr_t)compare;
    sorting_until = read_clock(CLOCK_THREAD_CPUTIME_ID) + 700000000;
    qsort(numbers, COUNT, sizeof *numbers, compare);
    for (int i = 1; i < COUNT; i++)
        if (numbers[i - 1] > numbers[i])
            return 1;
    return 0;
}

FOUND_BY_TEST static int allocate(void)
{
    static void *blocks[256];
    alone_facts->first = (uintptr_t)allocate;
    uint64_t until = read_clock(CLOCK_THREAD_CPUTIME_ID) + 700000000;
    for (unsigned n = 1; read_clock(CLOCK_THREAD_CPUTIME_ID) < until;)
        for (int i = 0; i < 1000; i++) {
            n = n * 1664525 + 1013904223;
            free(blocks[n >> 24]);
            blocks[n >> 24] = malloc(n >> 8 & 0x3fff);
        }
    for (int i = 0; i < 256; i++)
        free(blocks[i]);
    return 0;
}

FOUND_BY_TEST static int load(void)
{
    alone_facts->first = (uintptr_t)load;
    uint64_t until = read_clock(CLOCK_THREAD_CPUTIME_ID) + 300000000;
    while (read_clock(CLOCK_THREAD_CPUTIME_ID) < until) {
        void *library = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
        if (!library || dlclose(library) != 0)
            return 1;
        for (volatile int i = 0; i < 20000; i++)
            ;
    }
    return end();
}

/* --- waits: each for WAIT_MS, in a function that the test finds ------------------------------------------------------------
 */

static pid_t start_sleeper(int closes)
{
    pid_t child;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (closes >= 0)
        posix_spawn_file_actions_addclose(&actions, closes);
    char *const arguments[] = {play_self, (char *)"sleeper", NULL};
    int failed = posix_spawn(&child, play_self, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed ? -1 : child;
}

static int be_sleeper(void)
{
    struct timespec time = {.tv_nsec = WAIT_MS * 1000000L};
    while (nanosleep(&time, &time) != 0)
        ;
    return 0;
}

FOUND_BY_TEST static int wait_for_child(void)
{
    int status = -1;
    pid_t child = start_sleeper(-1);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    return status != 0;
}

FOUND_BY_TEST static int wait_for_end_of_pipe(void)
{
    int ends[2], status = -1;
    char byte;
    if (pipe(ends) != 0)
        return 1;
    pid_t child = start_sleeper(ends[0]);
    close(ends[1]);
    if (child < 0 || read(ends[0], &byte, 1) != 0)
        return 2;
    return waitpid(child, &status, 0) != child || status != 0;
}

FOUND_BY_TEST static int wait_in_poll(void)
{
    return poll(NULL, 0, WAIT_MS) != 0;
}

FOUND_BY_TEST static int wait_in_select(void)
{
    struct timeval time = {.tv_usec = WAIT_MS * 1000L};
    return select(0, NULL, NULL, NULL, &time) != 0;
}

FOUND_BY_TEST static int wait_in_nanosleep(void)
{
    struct timespec time = {.tv_nsec = WAIT_MS * 1000000L};
    return nanosleep(&time, NULL) != 0;
}

FOUND_BY_TEST static int wait_in_clock_nanosleep(void)
{
    struct timespec time = {.tv_nsec = WAIT_MS * 1000000L};
    return clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL) != 0;
}

/* Nobody stands in front of these. */
FOUND_BY_TEST static int wait_in_plain_nanosleep(void)
{
    struct timespec time = {.tv_nsec = WAIT_MS * 1000000L};
    return syscall(SYS_nanosleep, &time, NULL) != 0 ? errno : 0;
}

FOUND_BY_TEST static int wait_in_condition(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    uint64_t ns = (uint64_t)until.tv_nsec + WAIT_MS * 1000000;
    until = (struct timespec){until.tv_sec + (time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    pthread_mutex_lock(&mutex);
    int result = 0;
    for (int i = 0; i < 1000 && result == 0; i++)
        result = pthread_cond_timedwait(&condition, &mutex, &until);
    pthread_mutex_unlock(&mutex);
    return result != ETIMEDOUT;
}

FOUND_BY_TEST static int wait_for_semaphore(void)
{
    sem_t semaphore;
    struct timespec until;
    sem_init(&semaphore, 0, 0);
    clock_gettime(CLOCK_REALTIME, &until);
    uint64_t ns = (uint64_t)until.tv_nsec + WAIT_MS * 1000000;
    until = (struct timespec){until.tv_sec + (time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    return sem_timedwait(&semaphore, &until) != -1 || errno != ETIMEDOUT;
}

/* For a time that the socket has. */
FOUND_BY_TEST static int wait_for_message(void)
{
    int ends[2];
    char byte;
    struct timeval time = {.tv_usec = WAIT_MS * 1000L};
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0 || setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) != 0)
        return 1;
    return recv(ends[0], &byte, 1, 0) != -1 || errno != EAGAIN;
}

FOUND_BY_TEST static int wait_in_ppoll(void)
{
    struct timespec time = {.tv_nsec = WAIT_MS * 1000000L};
    return ppoll(NULL, 0, &time, NULL) != 0;
}

static const struct {
    const char *name;
    int (*wait)(void);
} waits[] = {
    {"child", wait_for_child},
    {"pipe", wait_for_end_of_pipe},
    {"poll", wait_in_poll},
    {"select", wait_in_select},
    {"nanosleep", wait_in_nanosleep},
    {"clock_nanosleep", wait_in_clock_nanosleep},
    {"plain nanosleep", wait_in_plain_nanosleep},
    {"condition", wait_in_condition},
    {"semaphore", wait_for_semaphore},
    {"socket", wait_for_message},
    {"ppoll", wait_in_ppoll},
};

static int wait_somewhere(const char *name, int work_ms)
{
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        if (strcmp(waits[i].name, name) != 0)
            continue;
        alone_facts->waiting = (uintptr_t)waits[i].wait;
        work_first(work_ms);
        uint64_t begun = read_clock(CLOCK_MONOTONIC), gave_up = count_given_up();
        int failed = waits[i].wait();
        alone_facts->gave_up = count_given_up() - gave_up;
        alone_facts->waited_ns = read_clock(CLOCK_MONOTONIC) - begun;
        alone_facts->tasks = count_tasks();
        return failed;
    }
    return 98;
}

/* --- what makes it begin ------------------------------------------------------------------------------------------------- */

static void *help(void *argument)
{
    pthread_setname_np(pthread_self(), "helper");
    work_later(60);
    return argument;
}

static int make_thread(void)
{
    pthread_t thread;
    work_first(80);
    alone_facts->tasks_early = count_tasks();
    return pthread_create(&thread, NULL, help, NULL) != 0 || pthread_join(thread, NULL) != 0;
}

static int mark(void)
{
    work_first(80);
    alone_facts->tasks_early = count_tasks();
    sonde_marker_instant("in the middle", OTHER);
    work_later(80);
    return end();
}

/* --- children ------------------------------------------------------------------------------------------------------------ */

static int wait_for(pid_t child)
{
    int status = -1;
    return child <= 0 || waitpid(child, &status, 0) != child || status != 0;
}

static int fork_one(void)
{
    work_first(80);
    pid_t child = fork();
    if (child == 0) {
        work_later(60);
        exit(0);
    }
    return wait_for(child);
}

/* For longer than the parent can be there without a thread. */
static int start_with_vfork(void)
{
    work_first(80);
    pid_t child = vfork();
    if (child == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
        execl("/no/such/program", "program", (char *)NULL);
        _exit(0);
    }
    if (wait_for(child))
        return 1;
    work_later(40);
    return end();
}

/* --- stacks and signals --------------------------------------------------------------------------------------------------- */

static int have_small_signal_stack(void)
{
    static char stack[8192];
    if (sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL) != 0)
        return 1;
    work_first(300);
    return end();
}

static void run_on_small_stack(void)
{
    work_first(300);
}

static int run_on_other_stack(void)
{
    static char stack[16384];
    static ucontext_t here, there;
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, run_on_small_stack, 0);
    return swapcontext(&here, &there) != 0 || end();
}

static void count_signal(int number)
{
    (void)number;
    alone_facts->signals++;
}

static int take_signals(int from, int to)
{
    struct sigaction action = {.sa_handler = count_signal};
    work_first(50);
    for (int number = from; number <= to; number++)
        if (sigaction(number, &action, NULL) != 0)
            return 1;
    work_later(400);
    return end();
}

static int take_our_signal(void)
{
    int ours = SIGRTMIN + (SIGRTMAX - SIGRTMIN + 1) * 2 / 3;
    return take_signals(ours, ours);
}

static int take_all_signals(void)
{
    return take_signals(SIGRTMIN, SIGRTMAX);
}

static int block_signals(void)
{
    sigset_t all, before, now;
    sigfillset(&all);
    if (sigprocmask(SIG_SETMASK, &all, &before) != 0)
        return 1;
    work_first(100);
    if (sigprocmask(SIG_SETMASK, &before, &now) != 0)
        return 2;
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        if (!sigismember(&now, number))
            return 3;
    return end();
}

/* By a call that nobody stands in front of: the signal waits. */
static int block_signals_plainly(void)
{
    uint64_t all = ~(uint64_t)0, before;
    if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all) != 0)
        return 1;
    work_first(500);
    alone_facts->tasks_early = count_tasks();
    if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before) != 0)
        return 2;
    work_later(60);
    return end();
}

/* --- the session ---------------------------------------------------------------------------------------------------------- */

static int see_it_over(int ms)
{
    work_first(30);
    room_say_over(room_open(getenv("SONDE_SESSION")));
    work_later(ms);
    end();
    return 5;
}

static int be_there_when_it_is_over(void)
{
    return see_it_over(60);
}

static int be_there_long_after_it_is_over(void)
{
    return see_it_over(500);
}

/* By then it has a session. */
static int go_on_when_it_is_over(void)
{
    work_first(120);
    room_say_over(room_open(getenv("SONDE_SESSION")));
    work_later(300);
    end();
    return 5;
}

static int be_paused(void)
{
    struct room *room = room_open(getenv("SONDE_SESSION"));
    room_say_paused(room, true);
    work_first(150);
    alone_facts->tasks_early = count_tasks();
    return end();
}

/* By then it has a session. */
static int be_paused_for_a_while(void)
{
    struct room *room = room_open(getenv("SONDE_SESSION"));
    work_first(80);
    room_say_paused(room, true);
    work_later(400);
    room_say_paused(room, false);
    work_first(60);
    return end();
}

static int lose_folder(int ms)
{
    const char *path = getenv("SONDE_SESSION");
    work_first(80);
    DIR *folder = opendir(path);
    for (const struct dirent *item; folder && (item = readdir(folder));)
        unlinkat(dirfd(folder), item->d_name, 0);
    if (folder)
        closedir(folder);
    if (!folder || rmdir(path) != 0 || mkdir(path, 0) != 0)
        return 1;
    work_later(ms);
    end();
    return 5;
}

static int lose_session(void)
{
    return lose_folder(60);
}

static int lose_session_and_go_on(void)
{
    return lose_folder(500);
}

static const struct {
    const char *name;
    int (*play)(void);
} scenes[] = {
    {"work", work},
    {"work, _exit", work_and_exit_quickly},
    {"work, exec", work_and_become_another},
    {"work, exec fails", work_and_fail_to_become},
    {"exec fails often", fail_to_become_often},
    {"work long", work_long},
    {"end with a new thread", end_with_new_thread},
    {"exec with a new thread", become_another_with_new_thread},
    {"wait shortly, end", wait_shortly_and_end},
    {"wait shortly, exec", wait_shortly_and_become_another},
    {"work little, killed", work_little_and_be_killed},
    {"work, killed", work_and_be_killed},
    {"work long, killed", work_long_and_be_killed},
    {"sort", sort},
    {"allocate", allocate},
    {"load", load},
    {"thread", make_thread},
    {"mark", mark},
    {"fork", fork_one},
    {"vfork", start_with_vfork},
    {"small signal stack", have_small_signal_stack},
    {"other stack", run_on_other_stack},
    {"take our signal", take_our_signal},
    {"take all signals", take_all_signals},
    {"block signals", block_signals},
    {"block signals plainly", block_signals_plainly},
    {"over", be_there_when_it_is_over},
    {"long over", be_there_long_after_it_is_over},
    {"go on when it is over", go_on_when_it_is_over},
    {"paused", be_paused},
    {"paused for a while", be_paused_for_a_while},
    {"lost", lose_session},
    {"long lost", lose_session_and_go_on},
};

int alone_scene_play(const char *name)
{
    static const char wait[] = "wait: ", work_wait[] = "work, wait: ";
    alarm(DEADLINE_S);
    if (strcmp(name, "nothing") == 0 || strcmp(name, "sleeper") == 0) /* the facts are of another */
        return name[0] == 'n' ? nothing() : be_sleeper();
    if (!open_facts())
        return 97;
    *alone_facts = (struct alone_facts){.first = (uintptr_t)work_first, .later = (uintptr_t)work_later};
    if (strncmp(name, wait, sizeof wait - 1) == 0)
        return wait_somewhere(name + sizeof wait - 1, 0);
    if (strncmp(name, work_wait, sizeof work_wait - 1) == 0)
        return wait_somewhere(name + sizeof work_wait - 1, 80);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(scenes[i].name, name) == 0)
            return scenes[i].play();
    return 99;
}
