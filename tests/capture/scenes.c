#include "scenes.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "sonde/sonde.h"

#define SCENE __attribute__((noinline, aligned(FUNCTION_BYTES)))

enum { MS = 1000000 };

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

/* CPU time that the calling thread spends in `burn`. */
static uint64_t burn_ns(void (*burn)(uint64_t), uint64_t ns)
{
    uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID), now = start;
    while (now - start < ns) {
        burn(50000);
        now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    }
    return now - start;
}

static void run_in_thread(void *(*routine)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, routine, argument) != 0 || pthread_join(thread, NULL) != 0)
        _exit(9);
}

/* --- CPU time --------------------------------------------------------------------------------------------------------- */

static void *share_30_70(void *argument)
{
    uint64_t some = 0, more = 0;
    /* In turns whose lengths are no multiples of any tick. */
    for (int i = 0; i < 60; i++) {
        some += burn_ns(burn_some, (uint64_t)(3 + i % 7) * MS);
        more += burn_ns(burn_more, (uint64_t)(7 + i % 11) * MS);
    }
    say("tid", (uint64_t)gettid());
    say("some", some);
    say("more", more);
    say("cpu", clock_ns(CLOCK_THREAD_CPUTIME_ID));
    return argument;
}

static void scene_share(void)
{
    run_in_thread(share_30_70, NULL);
}

static void *block_all_signals_and_work(void *argument)
{
    sigset_t all;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, NULL) != 0)
        _exit(9);
    return share_30_70(argument);
}

static void scene_deaf(void)
{
    run_in_thread(block_all_signals_and_work, NULL);
}

static void *wait_and_work(void *argument)
{
    uint64_t more = 0;
    for (int i = 0; i < 60; i++) {
        nap_ms(3);
        more += burn_ns(burn_more, 7 * MS);
    }
    say("tid", (uint64_t)gettid());
    say("more", more);
    return argument;
}

static void scene_bursts(void)
{
    run_in_thread(wait_and_work, NULL);
}

/* In the kernel. */
SCENE static void read_zeros(uint64_t ns)
{
    static char bytes[1 << 20];
    FILE *zeros = fopen("/dev/zero", "r");
    setvbuf(zeros, NULL, _IONBF, 0);
    for (uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID); clock_ns(CLOCK_THREAD_CPUTIME_ID) - start < ns;)
        sink += (uint64_t)read(fileno(zeros), bytes, sizeof bytes);
    fclose(zeros);
}

static void scene_kernel(void)
{
    say("tid", (uint64_t)gettid());
    uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    read_zeros(300 * MS);
    say("read", clock_ns(CLOCK_THREAD_CPUTIME_ID) - start);
}

/* Pages that nobody has used before, one after the other. */
static void touch_pages(uint64_t ns)
{
    enum { PAGE = 4096, BYTES = 1 << 20 };
    for (uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns; clock_ns(CLOCK_THREAD_CPUTIME_ID) < end;) {
        volatile char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED)
            abort();
        for (size_t at = 0; at < BYTES; at += PAGE)
            pages[at] = 1;
        munmap((void *)(uintptr_t)pages, BYTES);
    }
}

static void scene_faults(void)
{
    say("tid", (uint64_t)gettid());
    touch_pages(300 * MS);
}

static void *work_a_little(void *argument)
{
    atomic_fetch_add((atomic_ullong *)argument, burn_ns(burn_more, 2 * MS));
    return argument;
}

static void scene_short_threads(void)
{
    atomic_ullong all = 0;
    for (int i = 0; i < 200; i++)
        run_in_thread(work_a_little, &all);
    say("more", all);
}

/* --- stacks ----------------------------------------------------------------------------------------------------------- */

SCENE static uint64_t recurse(unsigned depth)
{
    if (depth == 0) {
        burn_ns(burn_more, 200 * MS);
        return 1;
    }
    uint64_t result = recurse(depth - 1) + 1;
    sink += result;
    return result;
}

static void scene_recursion(void)
{
    say("tid", (uint64_t)getpid());
    say("recurse", (uintptr_t)recurse);
    recurse(10000);
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
    burn_ns(burn_more, 200 * MS);
    sonde_thread_set_runtime(NULL, NULL);
    sonde_thread_set_event_delay(NULL, NULL);
}

static void scene_labels(void)
{
    say("tid", (uint64_t)getpid());
    SONDE_LABEL("outside", OTHER);
    {
        SONDE_LABEL("running", OTHER);
        burn_ns(burn_more, 200 * MS);
    }
    {
        SONDE_LABEL("sleeping", IDLE);
        nap_ms(300);
    }
    interpret();
}

SCENE static void on_other_stack(void)
{
    burn_ns(burn_more, 200 * MS);
    sink++;
}

static ucontext_t outside, inside;

static void scene_coroutine(void)
{
    static char stack[256 << 10];
    say("tid", (uint64_t)getpid());
    say("on_other_stack", (uintptr_t)on_other_stack);
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    inside.uc_link = &outside;
    makecontext(&inside, on_other_stack, 0);
    swapcontext(&outside, &inside);
}

SCENE static void on_usr1(int number)
{
    (void)number;
    on_other_stack();
    sink++;
}

static void scene_alternate_stack(void)
{
    static char stack[256 << 10];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = on_usr1, .sa_flags = SA_ONSTACK};
    say("tid", (uint64_t)getpid());
    say("on_other_stack", (uintptr_t)on_other_stack);
    say("on_usr1", (uintptr_t)on_usr1);
    if (sigaltstack(&alternate, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0)
        _exit(9);
    raise(SIGUSR1);
}

/* Code that was not there at the beginning: zlib or the like sorts with our function. */
static int compare(const void *a, const void *b)
{
    burn_more(1000);
    return *(const int *)a - *(const int *)b;
}

static void scene_loaded(void)
{
    void *library = dlopen(LATE_LIBRARY, RTLD_NOW);
    void (*call)(int (*)(const void *, const void *), uint64_t);
    if (!library)
        _exit(9);
    *(void **)&call = dlsym(library, "late_call");
    say("tid", (uint64_t)getpid());
    say("late_call", (uintptr_t)call);
    call(compare, 300 * MS);
}

/* --- waits ------------------------------------------------------------------------------------------------------------ */

static int channel[2];

SCENE static void wait_in_read(void)
{
    char byte;
    while (read(channel[0], &byte, 1) != 1)
        sink++;
    sink++;
}

SCENE static void wait_in_nanosleep(void)
{
    nap_ms(400);
    sink++;
}

SCENE static void wait_in_poll(void)
{
    sink += (uint64_t)poll(NULL, 0, 400);
}

static uint32_t futex_word;

SCENE static void wait_in_futex(void)
{
    struct timespec time = {0, 400 * MS};
    syscall(SYS_futex, &futex_word, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0);
    sink++;
}

static void *wait_in_turn(void *argument)
{
    static void (*const waits[])(void) = {wait_in_read, wait_in_nanosleep, wait_in_poll, wait_in_futex};
    static const char *const names[] = {"read", "nanosleep", "poll", "futex"};
    say("tid", (uint64_t)gettid());
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        char name[32];
        say(names[i], (uintptr_t)waits[i]);
        uint64_t start = clock_ns(CLOCK_MONOTONIC);
        waits[i]();
        snprintf(name, sizeof name, "%s_ns", names[i]);
        say(name, clock_ns(CLOCK_MONOTONIC) - start);
    }
    return argument;
}

static void scene_waits(void)
{
    pthread_t thread;
    if (pipe(channel) != 0 || pthread_create(&thread, NULL, wait_in_turn, NULL) != 0)
        _exit(9);
    nap_ms(400);
    if (write(channel[1], "x", 1) != 1)
        _exit(9);
    pthread_join(thread, NULL);
}

static void *nap_often(void *argument)
{
    uint64_t interrupted = 0;
    struct pollfd nothing = {.fd = channel[0], .events = POLLIN};
    struct timespec time = {0, 3 * MS};
    for (int i = 0; i < 150; i++) {
        interrupted += poll(&nothing, 1, 3) < 0;
        burn_ns(burn_some, MS);
        interrupted += nanosleep(&time, NULL) < 0;
        burn_ns(burn_some, MS);
    }
    say("interrupted", interrupted);
    return argument;
}

static void scene_interrupted(void)
{
    pthread_t threads[2];
    if (pipe(channel) != 0)
        _exit(9);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, nap_often, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

/* --- other processes -------------------------------------------------------------------------------------------------- */

static void await(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) != child)
        if (errno != EINTR)
            _exit(9);
    if (status != 0)
        _exit(9);
}

static void scene_fork(void)
{
    say("parent", burn_ns(burn_some, 100 * MS));
    pid_t child = fork();
    if (child == 0) {
        say("child", burn_ns(burn_more, 200 * MS));
        exit(0);
    }
    say("child_pid", (uint64_t)child);
    await(child);
}

static void scene_work(void)
{
    say("exec_pid", (uint64_t)getpid());
    say("exec", burn_ns(burn_more, 200 * MS));
}

/* Replaces itself in the middle of its work, again and again: a signal that is on its way does no harm. */
static void scene_exec(void)
{
    for (int i = 0; i < 30; i++) {
        pid_t child = fork();
        if (child == 0) {
            burn_ns(burn_some, (uint64_t)(5 + i % 5) * MS);
            execl("/bin/true", "true", (char *)NULL);
            _exit(9);
        }
        await(child);
    }
    pid_t child = fork();
    if (child == 0) {
        burn_ns(burn_some, 20 * MS);
        execl("/proc/self/exe", "scene", "work", (char *)NULL);
        _exit(9);
    }
    await(child);
}

static const struct {
    const char *name;
    void (*run)(void);
} scenes[] = {
    {"share", scene_share},
    {"deaf", scene_deaf},
    {"bursts", scene_bursts},
    {"kernel", scene_kernel},
    {"faults", scene_faults},
    {"short-threads", scene_short_threads},
    {"recursion", scene_recursion},
    {"labels", scene_labels},
    {"coroutine", scene_coroutine},
    {"alternate-stack", scene_alternate_stack},
    {"loaded", scene_loaded},
    {"waits", scene_waits},
    {"interrupted", scene_interrupted},
    {"fork", scene_fork},
    {"work", scene_work},
    {"exec", scene_exec},
};

bool scene_play(const char *name)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        if (strcmp(name, scenes[i].name) == 0) {
            say("pid", (uint64_t)getpid());
            say("burn_some", (uintptr_t)burn_some);
            say("burn_more", (uintptr_t)burn_more);
            scenes[i].run();
            return true;
        }
    }
    return false;
}
