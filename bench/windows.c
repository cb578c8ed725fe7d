/* How much slower two busy threads get by being profiled at 1 kHz, by Sonde and by others.
 *
 *     windows PAIRS METHOD...      of: control, wake, sonde, perf, gperftools
 *
 * Machines are noisy, and change from second to second. So each method is switched on and off in one process whose threads
 * never stop: a pair is a window of 400 ms with it and one without, next to each other, in random order; pairs of the methods
 * take turns. A window begins 300 ms after the switch, for each method: Sonde needs 0.1 s to find out which threads run all the
 * time (capture/timed.h), and until then costs as much as one that asks them. The control switches nothing. Prints a line of
 * JSON for each method: the slowdown of every pair in percent, and what the profiler itself took and got. */
#include "perf_peer.h"
#include "recording.h"
#include "workers.h"

#define SONDE_LINKED
#include "sonde/sonde.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WINDOW_MS = 400, SETTLE_MS = 300, PAIRS_MAX = 1000, RATE = 1000 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void wait_ms(long ms)
{
    struct timespec time = {0, ms * 1000000};
    nanosleep(&time, NULL);
}

/* --- a thread that wakes at 1 kHz and does nothing: the least that a sampler can cost --------------------------------------
 */

static atomic_bool waking;
static pthread_t waker;
static double waker_cpu;

static void *wake(void *argument)
{
    (void)argument;
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    while (atomic_load(&waking)) {
        next.tv_nsec += 1000000000 / RATE;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    struct timespec cpu;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    waker_cpu += (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9;
    return NULL;
}

static void wake_on(void)
{
    atomic_store(&waking, true);
    pthread_create(&waker, NULL, wake, NULL);
}

static void wake_off(void)
{
    atomic_store(&waking, false);
    pthread_join(waker, NULL);
}

static void wake_report(double on_seconds)
{
    printf(", \"cpu\": %.3f", waker_cpu / on_seconds * 100);
}

/* --- Sonde, in this process -------------------------------------------------------------------------------------------- */

static struct recorded recorded;

static void begin_worker(void)
{
    sonde_thread_register("worker");
}

static void sonde_on(void)
{
    recording_start(1000.0 / RATE, 0);
}

static void sonde_off(void)
{
    recording_stop(&recorded);
}

static void sonde_report(double on_seconds)
{
    const uint64_t *figures = recorded.statistics;
    printf(", \"cpu\": %.3f, \"samples\": %.4f", (double)figures[STATISTIC_SAMPLER_CPU_NS] / 1e9 / on_seconds * 100,
           (double)figures[STATISTIC_SAMPLES_SIGNALLED] / (on_seconds * RATE * WORKERS));
    /* Bytes and times come from a recording that is long enough for what is written once not to matter. */
    struct recorded longer = {0};
    recording_start(1000.0 / RATE, 0);
    sleep(3);
    recording_stop(&longer);
    printf(", \"bytes\": %.1f, ", (double)longer.bytes / (double)longer.statistics[STATISTIC_SAMPLES_SIGNALLED]);
    recorded_print_figures(&longer);
}

/* --- gperftools, if it is there ----------------------------------------------------------------------------------------- */

/* As in its header. */
struct profiler_state {
    int enabled;
    time_t start;
    char name[1024];
    int samples;
};

static int (*profiler_start)(const char *path);
static void (*profiler_stop)(void);
static void (*profiler_state)(struct profiler_state *state);
static unsigned long gperftools_samples;
static char gperftools_path[] = "/tmp/sonde-bench-gperftools-XXXXXX";

static bool gperftools_prepare(void)
{
    setenv("CPUPROFILE_FREQUENCY", "1000", 1);
    void *library = dlopen("libprofiler.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    *(void **)&profiler_start = dlsym(library, "ProfilerStart");
    *(void **)&profiler_stop = dlsym(library, "ProfilerStop");
    *(void **)&profiler_state = dlsym(library, "ProfilerGetCurrentState");
    int fd = mkstemp(gperftools_path);
    if (fd >= 0)
        close(fd);
    return profiler_start && profiler_stop && profiler_state && fd >= 0;
}

static void gperftools_on(void)
{
    profiler_start(gperftools_path);
}

static void gperftools_off(void)
{
    struct profiler_state state;
    profiler_state(&state);
    gperftools_samples += (unsigned long)state.samples;
    profiler_stop();
}

static void gperftools_report(double on_seconds)
{
    printf(", \"samples\": %.4f", (double)gperftools_samples / (on_seconds * RATE * WORKERS));
    unlink(gperftools_path);
}

/* --- windows ---------------------------------------------------------------------------------------------------------------
 */

static bool always(void)
{
    return true;
}

static void nothing(void)
{
}

static void report_nothing(double on_seconds)
{
    (void)on_seconds;
}

struct method {
    const char *name;
    bool (*prepare)(void); /* false: it is not there */
    void (*on)(void);
    void (*off)(void);
    void (*report)(double on_seconds); /* more members of the JSON object */
    bool chosen;
    double on_seconds;
    double slowdown[PAIRS_MAX];
};

static struct method methods[] = {
    {.name = "control", .prepare = always, .on = nothing, .off = nothing, .report = report_nothing},
    {.name = "wake", .prepare = always, .on = wake_on, .off = wake_off, .report = wake_report},
    {.name = "sonde", .prepare = always, .on = sonde_on, .off = sonde_off, .report = sonde_report},
    {.name = "perf", .prepare = perf_peer_start, .on = perf_peer_on, .off = perf_peer_off, .report = perf_peer_report},
    {.name = "gperftools",
     .prepare = gperftools_prepare,
     .on = gperftools_on,
     .off = gperftools_off,
     .report = gperftools_report},
};
enum { METHODS = sizeof methods / sizeof *methods };

/* Units of work a second. */
static double window(struct method *method, bool on)
{
    if (on)
        method->on();
    double switched = now();
    wait_ms(SETTLE_MS);
    uint64_t before = workers_done();
    double start = now();
    wait_ms(WINDOW_MS);
    uint64_t after = workers_done();
    double end = now();
    if (on) {
        method->off();
        method->on_seconds += end - switched;
    }
    return (double)(after - before) / (end - start);
}

static void measure_pair(struct method *method, unsigned pair)
{
    bool on_first = random() % 2;
    double first = window(method, on_first), second = window(method, !on_first);
    double on = on_first ? first : second, off = on_first ? second : first;
    method->slowdown[pair] = (1 - on / off) * 100;
}

static void print(const struct method *method, unsigned pairs)
{
    printf("{\"method\": \"%s\"", method->name);
    method->report(method->on_seconds);
    fputs(", \"slowdown\": [", stdout);
    for (unsigned i = 0; i < pairs; i++)
        printf("%s%.3f", i ? ", " : "", method->slowdown[i]);
    puts("]}");
}

int main(int argc, char **argv)
{
    unsigned pairs = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    if (argc < 3 || pairs == 0 || pairs > PAIRS_MAX) {
        fputs("usage: windows PAIRS METHOD...\n", stderr);
        return 2;
    }
    workers_start(begin_worker);
    wait_ms(500);
    for (unsigned i = 0; i < METHODS; i++)
        for (int j = 2; j < argc; j++)
            if (strcmp(methods[i].name, argv[j]) == 0)
                methods[i].chosen = methods[i].prepare();
    srandom(1);
    for (unsigned pair = 0; pair < pairs; pair++)
        for (unsigned i = 0; i < METHODS; i++)
            if (methods[i].chosen)
                measure_pair(&methods[i], pair);
    for (unsigned i = 0; i < METHODS; i++)
        if (methods[i].chosen)
            print(&methods[i], pairs);
    return 0;
}
