/* Many processes of many threads, all at once: many_program PROCESSES THREADS SECONDS LOG
 *
 * Half of the processes are forked, the others are this program anew. Each thread works a little again and again. The first
 * thread of each process makes markers as well, together more than the session may hold: half of the processes in the first
 * third of the time, the others in the rest. When they made each of them is in the log (many.py reads it), a row of times for
 * each process. */
#include "sonde/sonde.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MARKERS = 4096, TEXT_BYTES = 200, THREADS_MOST = 64 };

struct process_log {
    _Atomic int64_t pid, made;
    _Atomic uint64_t times_ns[MARKERS]; /* CLOCK_MONOTONIC, before the marker; in order */
};

static struct process_log *process_log;
static double begin, seconds;
static bool is_early;

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static double now(void)
{
    return (double)now_ns() / 1e9;
}

static volatile unsigned sum;

static __attribute__((noinline)) void work(unsigned depth)
{
    if (depth > 0) {
        work(depth - 1);
        sum++;
        return;
    }
    for (unsigned i = 0; i < 20000; i++)
        sum += i;
}

/* How many there should be by now. */
static int64_t markers_due(void)
{
    double share = (now() - begin) / seconds;
    share = is_early ? share * 3 : (share * 3 - 1) / 2;
    return share <= 0 ? 0 : share >= 1 ? MARKERS : (int64_t)(share * MARKERS);
}

static void make_markers(void)
{
    int64_t made = atomic_load(&process_log->made);
    for (int64_t due = markers_due(); made < due; made++) {
        atomic_store(&process_log->times_ns[made], now_ns());
        SONDE_MARKER_TEXT("numbered", OTHER, "%-*d", TEXT_BYTES, (int)made);
        atomic_store(&process_log->made, made + 1);
    }
}

static void *live(void *number)
{
    while (now() < begin + seconds) {
        if (!number)
            make_markers();
        work((unsigned)(size_t)number % 8 + (unsigned)(now() * 10) % 5);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    return NULL;
}

/* What does not depend on the machine: all of them, although the time is up. */
static void make_the_rest(void)
{
    while (atomic_load(&process_log->made) < MARKERS && markers_due() >= MARKERS)
        make_markers();
}

static int be_a_process(int index, int threads)
{
    pthread_t all[THREADS_MOST];
    process_log += index;
    is_early = index / 2 % 2 == 0;
    atomic_store(&process_log->pid, getpid());
    for (int i = 1; i < threads; i++)
        if (pthread_create(&all[i], NULL, live, (void *)(size_t)i) != 0)
            return 1;
    live(NULL);
    make_the_rest();
    for (int i = 1; i < threads; i++)
        pthread_join(all[i], NULL);
    return 0;
}

static bool map_log(const char *path, int processes)
{
    size_t bytes = (size_t)processes * sizeof *process_log;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        return false;
    process_log = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return process_log != MAP_FAILED;
}

/* many_program PROCESSES THREADS SECONDS LOG BEGIN INDEX: one of them. */
int main(int count, char **arguments)
{
    if (count != 5 && count != 7)
        return 2;
    int processes = atoi(arguments[1]), threads = atoi(arguments[2]), failed = 0;
    seconds = atof(arguments[3]);
    if (processes < 1 || threads > THREADS_MOST || !map_log(arguments[4], processes))
        return 2;
    begin = count == 7 ? atof(arguments[5]) : now();
    if (count == 7)
        return be_a_process(atoi(arguments[6]), threads);
    for (int i = 0; i < processes; i++) {
        pid_t pid = fork();
        if (pid < 0)
            return 1;
        if (pid == 0) {
            char text[40], index[20];
            snprintf(text, sizeof text, "%.9f", begin);
            snprintf(index, sizeof index, "%d", i);
            if (i % 2 == 0)
                exit(be_a_process(i, threads));
            execl("/proc/self/exe", "many", arguments[1], arguments[2], arguments[3], arguments[4], text, index, NULL);
            _exit(127);
        }
    }
    for (int status; wait(&status) > 0 || errno == EINTR;)
        failed += status != 0;
    return failed > 0;
}
