/* Programs whose shares are known: what a profiler says about them can be held against what they measured themselves.
 *
 *     truth PROGRAM [--threads N] [--period MS] [--busy PERCENT] [--vary PERCENT] [--cpu SECONDS]
 *
 * Each works for so much CPU time, all threads and processes together (3 s), in work_A() and work_B(), then prints one line of
 * JSON:
 *
 *     {"program": "bursts", "total_ms": 3001.2, "a_ms": 898.1, "b_ms": 2095.9}
 *
 * `total` is the CPU time of all its threads, system calls included; `a` and `b` are those of work_A() and work_B(). Both come
 * from the CPU clocks of the threads. To read such a clock is a system call of a quarter of a microsecond, so it is read at the
 * edges of pieces of work of 50 µs and more only. `short` has pieces that are too short for it, all of the same length: there
 * calls are counted. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Of one thread. All of them are in memory that processes share. */
struct shares {
    uint64_t total_ns, a_ns, b_ns; /* CPU time */
};

enum { MOST_THREADS = 64 };

static unsigned threads = 1;
static double period_ms = 10, busy = 50, vary = 0, cpu_seconds = 3;
static struct shares *shares;  /* MOST_THREADS */
static double rounds_a_ns;     /* of spin() */
static uint64_t thread_cpu_ns; /* what each thread has to work */

static uint64_t read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t cpu_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* Each round needs the result of the last one: its time does not depend on how the loop lies in memory. */
static inline __attribute__((always_inline)) uint32_t spin(uint32_t value, uint64_t rounds)
{
    for (uint64_t i = 0; i < rounds; i++) {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
        __asm__ volatile("" : "+r"(value));
    }
    return value;
}

/* Makes a function differ from all others: compilers fold those that are the same. */
#define UNLIKE_OTHERS() __asm__ volatile("/* %c0 */" : : "i"(__COUNTER__))

static volatile uint32_t result; /* so that work is not left out */

__attribute__((noinline, noclone)) static void work_A(uint64_t rounds)
{
    UNLIKE_OTHERS();
    result = spin(result | 1, rounds);
}

__attribute__((noinline, noclone)) static void work_B(uint64_t rounds)
{
    UNLIKE_OTHERS();
    result = spin(result | 1, rounds);
}

/* The least of several times, so that what interrupts it does not count. */
__attribute__((noinline, noclone)) static void calibrate(void)
{
    enum { ROUNDS = 500000 };
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < 10; i++) {
        uint64_t start = cpu_ns();
        result = spin(result | 1, ROUNDS);
        uint64_t time = cpu_ns() - start;
        least = time < least ? time : least;
    }
    rounds_a_ns = (double)ROUNDS / (double)least;
}

/* With --vary, more or less at random, so that no program is in step with a clock. */
static uint64_t rounds_of(double ns)
{
    static __thread uint32_t random = 1;
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    double from_0_to_2 = (double)random * 0x1p-31;
    return (uint64_t)(ns * rounds_a_ns * (1 + vary / 100 * (from_0_to_2 - 1)));
}

/* So much work in A, then in B, with the clock read three times. Returns the CPU time at its end. */
static uint64_t work(struct shares *of, double a_ns, double b_ns)
{
    uint64_t start = cpu_ns();
    work_A(rounds_of(a_ns));
    uint64_t middle = cpu_ns();
    work_B(rounds_of(b_ns));
    uint64_t end = cpu_ns();
    of->a_ns += middle - start;
    of->b_ns += end - middle;
    return end;
}

static void sleep_until(uint64_t ns)
{
    struct timespec time = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
        ;
}

/* --- programs: what each thread does
 * ------------------------------------------------------------------------------------------- */

/* Wakes in every period and works for a part of it, 30 : 70; at 100 % busy without a wait. A thread that is late waits for
 * nothing. */
static void bursts(struct shares *mine, unsigned number)
{
    (void)number;
    double work_ns = period_ms * 1e6 * busy / 100;
    uint64_t next = read_clock(CLOCK_MONOTONIC);
    while (work(mine, work_ns * 0.3, work_ns * 0.7) < thread_cpu_ns) {
        if (busy >= 100)
            continue;
        next += (uint64_t)(period_ms * 1e6);
        uint64_t now = read_clock(CLOCK_MONOTONIC);
        if (next > now)
            sleep_until(next);
        else
            next = now;
    }
}

/* 3 : 7 ms of work after waits of 100 ms, the threads one after another. */
static void long_waits(struct shares *mine, unsigned number)
{
    uint64_t next = read_clock(CLOCK_MONOTONIC) + number * 110000000ull / threads;
    do {
        sleep_until(next);
        next = read_clock(CLOCK_MONOTONIC) + 110000000;
    } while (work(mine, 3e6, 7e6) < thread_cpu_ns);
}

/* A under a lock that all threads want, B without. */
static void locks(struct shares *mine, unsigned number)
{
    (void)number;
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    uint64_t end;
    do {
        pthread_mutex_lock(&mutex);
        uint64_t start = cpu_ns();
        work_A(rounds_of(90e3));
        uint64_t middle = cpu_ns();
        pthread_mutex_unlock(&mutex);
        uint64_t again = cpu_ns();
        work_B(rounds_of(210e3));
        end = cpu_ns();
        mine->a_ns += middle - start;
        mine->b_ns += end - again;
    } while (end < thread_cpu_ns);
}

/* User code and read(), 60 : 40 or so; `b` is read(). */
static void kernel(struct shares *mine, unsigned number)
{
    (void)number;
    enum { SIZE = 1 << 20 };
    char *bytes = malloc(SIZE);
    int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    if (!bytes || zero < 0)
        exit(1);
    double a_ns = 100e3; /* of the first turn; from then on what makes it 60 : 40 */
    uint64_t end;
    do {
        uint64_t start = cpu_ns();
        work_A(rounds_of(a_ns));
        uint64_t middle = cpu_ns();
        if (read(zero, bytes, SIZE) <= 0) /* a signal may make it shorter */
            exit(1);
        end = cpu_ns();
        mine->a_ns += middle - start;
        mine->b_ns += end - middle;
        a_ns = (double)mine->b_ns * 1.5 > (double)mine->a_ns ? a_ns * 1.02 : a_ns / 1.02;
    } while (end < thread_cpu_ns);
    close(zero);
    free(bytes);
}

/* Ten functions of a third of a microsecond, called in an order that nobody can foresee: three of them are A. */
#define SHORT_ROUNDS 150
#define SHORT(name)                                                                                                            \
    __attribute__((noinline, noclone, aligned(64))) static uint32_t name(uint32_t value)                                       \
    {                                                                                                                          \
        UNLIKE_OTHERS();                                                                                                       \
        return spin(value, SHORT_ROUNDS);                                                                                      \
    }
SHORT(work_A_0)
SHORT(work_A_1)
SHORT(work_A_2)
SHORT(work_B_0)
SHORT(work_B_1)
SHORT(work_B_2)
SHORT(work_B_3)
SHORT(work_B_4)
SHORT(work_B_5)
SHORT(work_B_6)

static void short_functions(struct shares *mine, unsigned number)
{
    static uint32_t (*const functions[])(uint32_t) = {work_A_0, work_A_1, work_A_2, work_B_0, work_B_1,
                                                      work_B_2, work_B_3, work_B_4, work_B_5, work_B_6};
    uint64_t calls_a = 0, calls = 0, begin = cpu_ns(), end;
    uint32_t value = number + 1;
    do {
        for (unsigned i = 0; i < 10000; i++) {
            unsigned which = (unsigned)(((uint64_t)value * 10) >> 32);
            value = functions[which](value);
            calls_a += which < 3;
            calls++;
        }
        end = cpu_ns();
    } while (end < thread_cpu_ns);
    result = value;
    mine->a_ns = (uint64_t)((double)(end - begin) * (double)calls_a / (double)calls);
    mine->b_ns = end - begin - mine->a_ns;
}

/* --- request and response
 * -------------------------------------------------------------------------------------------------------- */

static int requests[2], responses[2];

static void pipes_make(void)
{
    if (pipe2(requests, O_CLOEXEC) != 0 || pipe2(responses, O_CLOEXEC) != 0)
        exit(1);
}

/* A for 300 µs, then a request, and a wait for its response. */
static void ask(struct shares *mine)
{
    uint64_t end;
    char byte = 'r';
    do {
        uint64_t start = cpu_ns();
        work_A(rounds_of(300e3));
        end = cpu_ns();
        mine->a_ns += end - start;
        if (write(requests[1], &byte, 1) != 1 || read(responses[0], &byte, 1) != 1)
            exit(1);
    } while (end < thread_cpu_ns);
    close(requests[1]);
}

/* B for 300 µs for each request. */
static void answer(struct shares *mine)
{
    char byte;
    while (read(requests[0], &byte, 1) == 1) {
        uint64_t start = cpu_ns();
        work_B(rounds_of(300e3));
        mine->b_ns += cpu_ns() - start;
        if (write(responses[1], &byte, 1) != 1)
            exit(1);
    }
}

static void between_threads(struct shares *mine, unsigned number)
{
    if (number == 0)
        ask(mine);
    else
        answer(mine);
}

/* --- running them
 * ------------------------------------------------------------------------------------------------------------------ */

struct program {
    const char *name;
    void (*thread)(struct shares *mine, unsigned number);
    unsigned threads; /* 0: what is asked for */
};

static const struct program programs[] = {
    {"bursts", bursts, 0},
    {"long-waits", long_waits, 0},
    {"locks", locks, 0},
    {"kernel", kernel, 0},
    {"short", short_functions, 0},
    {"pipes", between_threads, 2},
    {"processes", between_threads, 2}, /* as `pipes`, but the second thread is that of a child */
};

static const struct program *program;

static void *thread_main(void *argument)
{
    struct shares *mine = argument;
    program->thread(mine, (unsigned)(mine - shares));
    mine->total_ns = cpu_ns();
    return NULL;
}

static void run_threads(void)
{
    pthread_t others[MOST_THREADS];
    for (unsigned i = 1; i < threads; i++) {
        if (pthread_create(&others[i], NULL, thread_main, &shares[i]) != 0)
            exit(1);
    }
    thread_main(&shares[0]);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
}

static void run_processes(void)
{
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        exit(1);
    if (child == 0) {
        close(requests[1]); /* so that the end of the parent's is seen */
        thread_main(&shares[1]);
        exit(0);
    }
    thread_main(&shares[0]);
    int status;
    if (waitpid(child, &status, 0) != child || status != 0)
        exit(1);
}

/* Keeps a CPU busy for the other programs, until whoever started it has ended. */
static void spin_for_ever(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pid_t parent = getppid();
    while (getppid() == parent)
        result = spin(result | 1, 100000000);
}

static int usage(void)
{
    fputs("usage: truth PROGRAM [--threads N] [--period MS] [--busy PERCENT] [--cpu SECONDS]\nprograms: spin", stderr);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        fprintf(stderr, " %s", programs[i].name);
    fputc('\n', stderr);
    return 2;
}

static bool option_take(const char *name, const char *value)
{
    char *end;
    double number = strtod(value, &end);
    if (*end || number <= 0)
        return false;
    if (strcmp(name, "--threads") == 0 && number <= MOST_THREADS)
        threads = (unsigned)number;
    else if (strcmp(name, "--period") == 0)
        period_ms = number;
    else if (strcmp(name, "--busy") == 0)
        busy = number;
    else if (strcmp(name, "--vary") == 0 && number <= 100)
        vary = number;
    else if (strcmp(name, "--cpu") == 0)
        cpu_seconds = number;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "spin") == 0)
        spin_for_ever();
    for (size_t i = 0; argc >= 2 && i < sizeof programs / sizeof *programs; i++) {
        if (strcmp(argv[1], programs[i].name) == 0)
            program = &programs[i];
    }
    for (int i = 2; i < argc; i += 2) {
        if (i + 1 == argc || !option_take(argv[i], argv[i + 1]))
            return usage();
    }
    if (!program)
        return usage();
    threads = program->threads ? program->threads : threads;
    thread_cpu_ns = (uint64_t)(cpu_seconds * 1e9 / threads);
    shares = mmap(NULL, MOST_THREADS * sizeof *shares, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shares == MAP_FAILED)
        return 1;
    pipes_make();
    calibrate();
    if (strcmp(program->name, "processes") == 0)
        run_processes();
    else
        run_threads();
    struct shares sum = {0};
    for (unsigned i = 0; i < threads; i++) {
        sum.total_ns += shares[i].total_ns;
        sum.a_ns += shares[i].a_ns;
        sum.b_ns += shares[i].b_ns;
    }
    printf("{\"program\": \"%s\", \"total_ms\": %.3f, \"a_ms\": %.3f, \"b_ms\": %.3f}\n", program->name,
           (double)sum.total_ns / 1e6, (double)sum.a_ns / 1e6, (double)sum.b_ns / 1e6);
    return 0;
}
