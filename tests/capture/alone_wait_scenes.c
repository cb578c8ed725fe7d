#include "alone_wait_scenes.h"

#include "alone_facts.h"
#include "brief_play.h"
#include "scene_steps.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/single_threaded.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DEADLINE_S = 60, WAIT_MS = 600 };

/* --- works for long ------------------------------------------------------------------------------------------------------ */

/* Until there is another thread; so short a way from there to what follows that this has not yet done anything. */
FOUND_BY_TEST static bool work_until_thread(void)
{
    uint64_t end = read_clock(CLOCK_THREAD_CPUTIME_ID) + 5000000000;
    while (__libc_single_threaded && read_clock(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 0; i < 100000 && *(volatile char *)&__libc_single_threaded; i++)
            ;
    return !__libc_single_threaded;
}

static int work_long(void)
{
    work_first(150);
    alone_facts->tasks_early = count_tasks();
    work_later(450);
    return say_end();
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
    return say_end();
}

/* --- waits: each for WAIT_MS, in a function that the test finds ---------------------------------------------------------- */

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

/* How often the thread has waited. */
static uint64_t count_given_up(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nvcsw : 0;
}

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

static const struct {
    const char *name;
    int (*play)(void);
} scenes[] = {
    {"work long", work_long},
    {"end with a new thread", end_with_new_thread},
    {"exec with a new thread", become_another_with_new_thread},
    {"wait shortly, end", wait_shortly_and_end},
    {"wait shortly, exec", wait_shortly_and_become_another},
    {"sort", sort},
    {"allocate", allocate},
    {"load", load},
};

/* Others that a scene starts: the facts are not theirs. */
static bool play_other(const char *name)
{
    if (strcmp(name, "sleeper") == 0)
        sleep_ms(WAIT_MS);
    return strcmp(name, "sleeper") == 0 || strcmp(name, "nothing") == 0;
}

int alone_wait_scene_play(const char *name)
{
    static const char wait[] = "wait: ", work_wait[] = "work, wait: ";
    alarm(DEADLINE_S);
    if (play_other(name))
        return 0;
    if (!alone_facts_open())
        return 97;
    if (strncmp(name, wait, sizeof wait - 1) == 0)
        return wait_somewhere(name + sizeof wait - 1, 0);
    if (strncmp(name, work_wait, sizeof work_wait - 1) == 0)
        return wait_somewhere(name + sizeof work_wait - 1, 80);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(scenes[i].name, name) == 0)
            return scenes[i].play();
    return 99;
}
