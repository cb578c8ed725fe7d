#include "scenes.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sonde/sonde.h"

#define SCENE __attribute__((noinline, aligned(FUNCTION_BYTES)))

static volatile uint64_t sink;

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void say(const char *name, uint64_t value)
{
    char line[64];
    int length = snprintf(line, sizeof line, "%s %llu\n", name, (unsigned long long)value);
    if (write(STDOUT_FILENO, line, (size_t)length) != length)
        _exit(9);
}

static void nap_ms(unsigned ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&time, &time) != 0)
        ;
}

SCENE static void burn_some(uint64_t rounds)
{
    for (uint64_t i = 0; i < rounds; i++)
        sink += i;
}

SCENE static void burn_more(uint64_t rounds)
{
    for (uint64_t i = 0; i < rounds; i++)
        sink += i;
}

/* CPU time that the calling thread spends in `burn`. The clock is read seldom: a thread that reads it is often preempted there,
 * and then seen there. */
static uint64_t burn_ns(void (*burn)(uint64_t), uint64_t ns)
{
    uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID), now = start, rounds = 100000;
    while (now - start < ns) {
        burn(rounds);
        now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        /* As many as should take what is left. */
        rounds =
            now - start < ns ? (uint64_t)((double)rounds * (double)(ns - (now - start)) / (double)(now - start)) + 1000 : 0;
    }
    return now - start;
}

static void *share_30_70(void *argument)
{
    (void)argument;
    uint64_t some = 0, more = 0;
    for (int i = 0; i < 10; i++) {
        some += burn_ns(burn_some, 30000000);
        more += burn_ns(burn_more, 70000000);
    }
    say("tid", (uint64_t)gettid());
    say("some", some);
    say("more", more);
    /* The clock stands still from here on, and the sampler gets time to see that. */
    say("cpu", clock_ns(CLOCK_THREAD_CPUTIME_ID));
    nap_ms(200);
    return NULL;
}

static void scenario_share(void)
{
    pthread_t thread;
    say("burn_some", (uintptr_t)burn_some);
    say("burn_more", (uintptr_t)burn_more);
    pthread_create(&thread, NULL, share_30_70, NULL);
    pthread_join(thread, NULL);
}

/* A language runtime whose frames take long to find. */
static size_t walk_slowly(void *runtime, uintptr_t pc, uintptr_t sp, uintptr_t fp, struct sonde_runtime_frame *frames,
                          size_t room)
{
    (void)runtime, (void)pc, (void)sp, (void)fp, (void)frames, (void)room;
    enum { LONG_NS = 200000 };
    for (uint64_t start = clock_ns(CLOCK_MONOTONIC); clock_ns(CLOCK_MONOTONIC) - start < LONG_NS;)
        ;
    return 0;
}

static void *share_slowly(void *argument)
{
    sonde_thread_set_runtime(walk_slowly, NULL);
    return share_30_70(argument);
}

static void scenario_dear(void)
{
    pthread_t thread;
    say("burn_some", (uintptr_t)burn_some);
    say("burn_more", (uintptr_t)burn_more);
    pthread_create(&thread, NULL, share_slowly, NULL);
    pthread_join(thread, NULL);
}

static volatile uint64_t walks;

static size_t walk_and_count(void *runtime, uintptr_t pc, uintptr_t sp, uintptr_t fp, struct sonde_runtime_frame *frames,
                             size_t room)
{
    walks++;
    return walk_slowly(runtime, pc, sp, fp, frames, room);
}

/* Only the thread itself knows the frames of its runtime: a look takes a signal, and the wait is then made again. */
static void *wait_in_runtime(void *argument)
{
    enum { WAITS = 3 };
    uint64_t interrupted = 0, before = walks;
    sonde_thread_set_runtime(walk_and_count, NULL);
    for (int i = 0; i < WAITS; i++)
        interrupted += poll(NULL, 0, 300) < 0;
    sonde_thread_set_runtime(NULL, NULL);
    say("waits", WAITS);
    say("walks", walks - before);
    say("interrupted", interrupted);
    return argument;
}

static void scenario_runtime_waits(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_in_runtime, NULL);
    pthread_join(thread, NULL);
}

SCENE static void wait_for_child(pid_t child)
{
    while (waitpid(child, NULL, 0) != child)
        ;
    sink++;
}

static void scenario_child(void)
{
    say("burn_some", (uintptr_t)burn_some);
    say("burn_more", (uintptr_t)burn_more);
    say("wait_for_child", (uintptr_t)wait_for_child);
    say("waitpid", (uintptr_t)waitpid);
    say("tid", (uint64_t)gettid());
    say("some", burn_ns(burn_some, 150000000));
    pid_t child = fork();
    if (child == 0) {
        nap_ms(400);
        _exit(0);
    }
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    wait_for_child(child);
    say("waited", clock_ns(CLOCK_MONOTONIC) - start);
    say("more", burn_ns(burn_more, 150000000));
}

/* Waits at once for a child, which is not recorded. */
static void wait_for_sleep(char *seconds)
{
    char *words[] = {"sleep", seconds, NULL}, *nothing[] = {NULL};
    pid_t child;
    say("burn_some", (uintptr_t)burn_some);
    say("burn_more", (uintptr_t)burn_more);
    say("wait_for_child", (uintptr_t)wait_for_child);
    say("tid", (uint64_t)gettid());
    if (posix_spawn(&child, "/bin/sleep", NULL, NULL, words, nothing) != 0)
        _exit(9);
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    wait_for_child(child);
    say("waited", clock_ns(CLOCK_MONOTONIC) - start);
}

static void scenario_driver(void)
{
    wait_for_sleep("0.1");
}

static void scenario_slow_driver(void)
{
    wait_for_sleep("1");
}

static void scenario_driver_that_works(void)
{
    wait_for_sleep("0.05");
    say("more", burn_ns(burn_more, 200000000));
}

static int channel[2];

SCENE static void wait_for_byte(void)
{
    char byte;
    say("interrupted", (uint64_t)(read(channel[0], &byte, 1) != 1));
    sink++;
}

static void *wait_in_read(void *argument)
{
    (void)argument;
    say("tid", (uint64_t)gettid());
    nap_ms(20);
    say("from", clock_ns(CLOCK_MONOTONIC));
    wait_for_byte();
    say("until", clock_ns(CLOCK_MONOTONIC));
    return NULL;
}

static void scenario_blocked(void)
{
    pthread_t thread;
    say("wait_for_byte", (uintptr_t)wait_for_byte);
    if (pipe(channel) != 0)
        _exit(9);
    pthread_create(&thread, NULL, wait_in_read, NULL);
    nap_ms(500);
    if (write(channel[1], "x", 1) != 1)
        _exit(9);
    pthread_join(thread, NULL);
}

static void *do_nothing(void *argument)
{
    return argument;
}

/* Such threads open no files for the sampler; a later one that stays is to be seen all the same. */
static void scenario_short_threads(void)
{
    for (int i = 0; i < 40; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, do_nothing, NULL);
        pthread_join(thread, NULL);
    }
    scenario_blocked();
}

/* Calls that a handler makes return early, whatever SA_RESTART says. */
static void *wait_in_poll(void *argument)
{
    uint64_t waits = 0, interrupted = 0;
    struct pollfd poll_one = {.fd = channel[0], .events = POLLIN};
    struct timespec time = {0, 3000000};
    for (int i = 0; i < 100; i++) {
        interrupted += poll(&poll_one, 1, 5) < 0;
        interrupted += nanosleep(&time, NULL) < 0;
        waits += 2;
        burn_some(1000);
    }
    say("waits", waits);
    say("interrupted", interrupted);
    return argument;
}

/* Its frame is found through a register that cannot be known from outside, and lies elsewhere each time: it takes a signal. */
SCENE static bool nap_in_frame(size_t bytes)
{
    struct timespec time = {0, 20000000};
    volatile char *room = __builtin_alloca(bytes);
    room[0] = 0;
    bool interrupted = nanosleep(&time, NULL) != 0;
    sink += (uint64_t)room[0];
    return interrupted;
}

static void scenario_frames(void)
{
    enum { WAITS = 40 };
    uint64_t interrupted = 0, start = clock_ns(CLOCK_MONOTONIC);
    for (size_t i = 1; i <= WAITS; i++)
        interrupted += nap_in_frame(64 * i);
    say("slept", clock_ns(CLOCK_MONOTONIC) - start);
    say("waits", WAITS);
    say("interrupted", interrupted);
}

static volatile sig_atomic_t woken;

static void on_usr1(int signal)
{
    (void)signal;
    woken++;
}

/* A thread that has computed for long waits in one call after the other, and nobody but its own signal ends a wait early. */
static void scenario_compute_and_wait(void)
{
    enum { ROUNDS = 30 };
    struct timespec nap = {0, 20000000};
    uint64_t waits = 0, interrupted = 0, early = 0;
    struct sigaction action = {.sa_handler = on_usr1};
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        burn_ns(burn_some, 150000000);
        uint64_t start = clock_ns(CLOCK_MONOTONIC);
        if (i % 3 == 0)
            interrupted += nanosleep(&nap, NULL) != 0;
        else if (i % 3 == 1)
            interrupted += poll(NULL, 0, 20) < 0;
        else
            interrupted += select(0, NULL, NULL, NULL, &(struct timeval){0, 20000}) < 0;
        early += clock_ns(CLOCK_MONOTONIC) - start < 20000000;
        waits++;
    }
    say("waits", waits);
    say("interrupted", interrupted);
    say("early", early);
    burn_ns(burn_some, 150000000);
    if (fork() == 0) {
        nap_ms(100);
        kill(getppid(), SIGUSR1);
        _exit(0);
    }
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    pause();
    say("paused", clock_ns(CLOCK_MONOTONIC) - start);
    say("woken", (uint64_t)woken);
}

static void scenario_interrupted(void)
{
    if (pipe(channel) != 0)
        _exit(9);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, wait_in_poll, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

SCENE static uint64_t recurse(unsigned depth)
{
    if (depth == 0) {
        burn_ns(burn_more, 200000000);
        return 1;
    }
    uint64_t result = recurse(depth - 1) + 1;
    sink += result;
    return result;
}

static void scenario_recursion(void)
{
    say("tid", (uint64_t)getpid());
    say("recurse", (uintptr_t)recurse);
    say("burn_more", (uintptr_t)burn_more);
    recurse(10000);
}

static void *block_all_signals(void *argument)
{
    uint64_t all = UINT64_MAX;
    say("deaf", (uint64_t)gettid());
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all); /* past the C library */
    burn_ns(burn_some, 300000000);
    say("deaf_cpu", clock_ns(CLOCK_THREAD_CPUTIME_ID));
    nap_ms(100);
    return argument;
}

static void scenario_deaf(void)
{
    pthread_t deaf, other;
    say("burn_some", (uintptr_t)burn_some);
    say("burn_more", (uintptr_t)burn_more);
    pthread_create(&deaf, NULL, block_all_signals, NULL);
    pthread_create(&other, NULL, share_30_70, NULL);
    pthread_join(deaf, NULL);
    pthread_join(other, NULL);
}

static atomic_uint timer_signals;

static void on_timer(int number)
{
    (void)number;
    timer_signals++;
}

static void scenario_sigprof(void)
{
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, 10000}, {0, 10000}};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
    burn_ns(burn_more, 500000000);
    say("timer_signals", timer_signals);
    struct sigaction now;
    sigaction(SIGPROF, NULL, &now);
    say("still_mine", now.sa_handler == on_timer);
}

static size_t fake_runtime(void *runtime, uintptr_t pc, uintptr_t sp, uintptr_t fp, struct sonde_runtime_frame *frames,
                           size_t room)
{
    (void)pc, (void)sp, (void)fp, (void)room;
    uintptr_t top = (uintptr_t)runtime;
    frames[0] = (struct sonde_runtime_frame){.function = "inner", .file = "a.js", .line = 7, .stack_address = top - 1};
    frames[1] = (struct sonde_runtime_frame){.function = "outer", .file = "a.js", .line = 3, .stack_address = top};
    return 2;
}

static uint64_t fake_delay(void *loop)
{
    return (uintptr_t)loop;
}

SCENE static void interpret(void)
{
    char here;
    sonde_thread_set_runtime(fake_runtime, &here);
    sonde_thread_set_event_delay(fake_delay, (void *)12345);
    burn_ns(burn_more, 200000000);
    sonde_thread_set_runtime(NULL, NULL);
}

static void scenario_labels(void)
{
    say("tid", (uint64_t)getpid());
    say("interpret", (uintptr_t)interpret);
    say("burn_more", (uintptr_t)burn_more);
    SONDE_LABEL("outside", OTHER);
    {
        SONDE_LABEL("running", OTHER);
        burn_ns(burn_more, 100000000);
    }
    {
        SONDE_LABEL("sleeping", IDLE);
        nap_ms(100);
    }
    interpret();
}

/* Waits, works for a third of a second, and waits again, twice. */
static void *wait_and_work(void *argument)
{
    say("tid", (uint64_t)gettid());
    uint64_t worked = 0;
    for (int i = 0; i < 2; i++) {
        nap_ms(1000);
        worked += burn_ns(burn_more, 300000000);
    }
    nap_ms(200);
    say("worked", worked);
    say("cpu", clock_ns(CLOCK_THREAD_CPUTIME_ID));
    nap_ms(200);
    return argument;
}

static void scenario_bursts(void)
{
    pthread_t thread;
    say("burn_more", (uintptr_t)burn_more);
    pthread_create(&thread, NULL, wait_and_work, NULL);
    pthread_join(thread, NULL);
}

static const struct {
    const char *name;
    void (*run)(void);
} scenarios[] = {
    {"share", scenario_share},
    {"dear", scenario_dear},
    {"child", scenario_child},
    {"driver", scenario_driver},
    {"slow-driver", scenario_slow_driver},
    {"driver-that-works", scenario_driver_that_works},
    {"blocked", scenario_blocked},
    {"short-threads", scenario_short_threads},
    {"interrupted", scenario_interrupted},
    {"runtime-waits", scenario_runtime_waits},
    {"frames", scenario_frames},
    {"compute-and-wait", scenario_compute_and_wait},
    {"recursion", scenario_recursion},
    {"deaf", scenario_deaf},
    {"sigprof", scenario_sigprof},
    {"labels", scenario_labels},
    {"bursts", scenario_bursts},
};

bool scene_play(const char *name)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        if (strcmp(name, scenarios[i].name) == 0) {
            scenarios[i].run();
            return true;
        }
    }
    return false;
}
