/* A program whose threads compute for long, and block all signals. It gets many at once from other processes, and from timers,
 * with the number that a profiler takes first, and then with those after it; and reads them from a signalfd: all, and no
 * others. When a timer is gone, and what it had raised is read, nothing comes any more. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>

enum { BURST = 30, BUSY = 2, LONG_MS = 80 };

static atomic_bool over;
static atomic_int computed_for_long;

static int number(int which)
{
    return SIGRTMIN + (SIGRTMAX - SIGRTMIN + 1) * 2 / 3 + which;
}

static long cpu_time_ms(void)
{
    struct timespec time;
    check(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* So long that a profiler knows. */
static void compute_for_long(void)
{
    long until = cpu_time_ms() + LONG_MS;
    uint32_t expected = compute(3, 100000);
    while (cpu_time_ms() < until)
        check(compute(3, 100000) == expected);
}

static void *stay_busy(void *argument)
{
    (void)argument;
    while (!atomic_load(&over)) {
        compute_for_long();
        atomic_fetch_add(&computed_for_long, 1);
    }
    return NULL;
}

static void all_compute_for_long(void)
{
    int before = atomic_load(&computed_for_long);
    do
        compute_for_long();
    while (atomic_load(&computed_for_long) < before + 2 * BUSY);
}

static pid_t another_process_sends(int signal)
{
    pid_t parent = getpid(), child = fork();
    check(child >= 0);
    if (child == 0) {
        for (int i = 0; i < BURST; i++)
            check(sigqueue(parent, signal, (union sigval){.sival_int = i}) == 0);
        _exit(0);
    }
    return child;
}

static int read_value(int fd, int signal, int code)
{
    struct signalfd_siginfo info;
    ssize_t size;
    while ((size = read(fd, &info, sizeof info)) < 0)
        check(errno == EINTR);
    if (info.ssi_signo != (uint32_t)signal || info.ssi_code != code)
        fprintf(stderr, "signal %u, code %d, value %d came, and not %d, %d\n", info.ssi_signo, info.ssi_code, info.ssi_int,
                signal, code);
    check(size == (ssize_t)sizeof info && info.ssi_signo == (uint32_t)signal && info.ssi_code == code);
    return info.ssi_int;
}

/* Those of other processes may change places when they are recorded. */
static void read_burst(int fd, int signal)
{
    pid_t child = another_process_sends(signal);
    uint64_t got = 0;
    for (int i = 0; i < BURST; i++) {
        int value = read_value(fd, signal, SI_QUEUE);
        check(value >= 0 && value < BURST);
        got |= UINT64_C(1) << value;
    }
    check(got == (UINT64_C(1) << BURST) - 1);
    int status;
    while (waitpid(child, &status, 0) != child)
        check(errno == EINTR);
    check(status == 0);
}

static void read_from_timer(int fd, int signal)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal, .sigev_value.sival_int = 77};
    struct itimerspec every = {{0, 500000}, {0, 500000}};
    timer_t timer;
    check(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &every, NULL) == 0);
    for (int i = 0; i < BURST; i++)
        check(read_value(fd, signal, SI_TIMER) == 77);
    check(timer_delete(timer) == 0);
    struct timespec now = {0}, long_enough = {0, 50000000};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    while (sigtimedwait(&set, NULL, &now) > 0)
        continue;
    check(sigtimedwait(&set, NULL, &long_enough) < 0);
}

int main(void)
{
    alarm(60);
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGALRM);
    sigdelset(&all, SIGCHLD);
    check(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
    int fd = signalfd(-1, &all, SFD_CLOEXEC);
    check(fd >= 0);
    pthread_t busy[BUSY];
    for (int i = 0; i < BUSY; i++)
        check(pthread_create(&busy[i], NULL, stay_busy, NULL) == 0);
    all_compute_for_long();
    read_burst(fd, number(0));
    all_compute_for_long();
    read_from_timer(fd, number(1));
    atomic_store(&over, true);
    for (int i = 0; i < BUSY; i++)
        check(pthread_join(busy[i], NULL) == 0);
    printf("%d signals by either way\n", BURST);
    return 0;
}
