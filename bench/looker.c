/* What looks at threads of another process cost, by their CPU time.
 *
 *     looker            a child with a thread in each of some kinds of waits
 *     looker PID        all threads of a process
 *     looker PROCESSES THREADS SECONDS     the looker at work, by its policy, over so many processes with so many threads each
 *
 * For each: the same wait again (schedstat alone), a whole look with its files kept open, one that opens them, and how many
 * frames it found. */
#include "looker/look.h"
#include "looker/look_policy.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TIMES = 2000, DESCRIPTORS = 900 };

static int never[2];

static uint64_t cpu_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* --- the child ----------------------------------------------------------------------------------------------------------- */

static void *wait_in_read(void *data)
{
    char byte;
    ssize_t got = read(never[0], &byte, 1);
    (void)got;
    return data;
}

static void *wait_in_poll(void *data)
{
    struct pollfd file = {.fd = never[0], .events = POLLIN};
    poll(&file, 1, -1);
    return data;
}

static void *wait_in_condition(void *data)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex);
    return data;
}

/* With a frame pointer that has to be searched for. */
__attribute__((noinline)) static void *wait_with_frame_pointer(void *data)
{
    return wait_in_read(__builtin_frame_address(0) ? data : NULL);
}

__attribute__((noinline)) static int deeper(int depth)
{
    return depth ? deeper(depth - 1) + 1 : wait_in_read(NULL) ? 1 : 2;
}

static void *wait_deep(void *data)
{
    return deeper(60) == 0 ? data : NULL;
}

static void play(void)
{
    static void *(*const waits[])(void *) = {wait_in_read, wait_in_poll, wait_in_condition, wait_with_frame_pointer, wait_deep};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, waits[i], NULL);
    }
    pause();
}

/* --- measuring ----------------------------------------------------------------------------------------------------------- */

/* Microseconds of CPU time for one look; `forget`: each is a whole one. */
static double measure(struct look_target *target, struct look_thread *thread, bool forget, struct look *look)
{
    uint64_t start = cpu_now();
    for (int i = 0; i < TIMES; i++) {
        if (forget)
            look_thread_forget(thread);
        if (!look_take(target, thread, look))
            return -1;
    }
    return (double)(cpu_now() - start) / 1000 / TIMES;
}

static void measure_thread(struct looker *keeps, struct looker *opens, pid_t pid, pid_t tid)
{
    struct error error = {0};
    struct look look;
    struct look_thread thread;
    struct look_target *target = look_target_open(keeps, pid, &error);
    if (!target) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    look_thread_init(&thread, tid, 0, 0);
    uint64_t start = cpu_now();
    look_take(target, &thread, &look);
    double first = (double)(cpu_now() - start) / 1000;
    double whole = measure(target, &thread, true, &look);
    size_t frames = look.count;
    bool waits = look.state == LOOK_WAITING, truncated = look.truncated;
    double same = measure(target, &thread, false, &look);
    look_thread_close(target, &thread);
    look_target_close(target);
    target = look_target_open(opens, pid, &error);
    look_thread_init(&thread, tid, 0, 0);
    double opened = measure(target, &thread, true, &look), same_opened = measure(target, &thread, false, &look);
    look_thread_close(target, &thread);
    look_target_close(target);
    printf("%8d  %-8s %4zu%s   %6.2f  %6.2f   %6.2f  %6.2f   %8.1f\n", (int)tid, waits ? "waiting" : "running", frames,
           truncated ? "+" : " ", same, whole, same_opened, opened, first);
}

/* --- the looker at work -------------------------------------------------------------------------------------------------- */

struct watched {
    struct look_turn turn; /* first: a turn is a thread */
    struct look_thread thread;
    struct look_target *target;
    unsigned looks;
};

static void *wait_again_and_again(void *data)
{
    for (;;)
        usleep(100000 + (unsigned)(uintptr_t)data % 100000);
    return NULL;
}

static pid_t start_many(int threads)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    for (intptr_t i = 1; i < threads; i++) {
        pthread_t thread;
        pthread_create(&thread, &attributes, wait_again_and_again, (void *)(i * 7919));
    }
    wait_again_and_again(NULL);
    return 0;
}

static uint64_t wall_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static size_t watch_process(struct look_policy *policy, struct looker *looker, pid_t pid, struct watched *watched, size_t room)
{
    char path[64];
    struct error error = {0};
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    struct look_target *target = look_target_open(looker, pid, &error);
    for (struct dirent *entry; folder && target && count < room && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        look_thread_init(&watched[count].thread, atoi(entry->d_name), 0, 0);
        watched[count].target = target;
        look_policy_add(policy, &watched[count].turn, wall_now());
        count++;
    }
    if (folder)
        closedir(folder);
    return count;
}

static int work(int processes, int threads, int seconds)
{
    size_t room = (size_t)processes * (size_t)threads, count = 0, rows = 0, looks = 0, cut = 0, stacks = 0;
    struct watched *watched = calloc(room, sizeof *watched);
    pid_t *pids = calloc((size_t)processes, sizeof *pids);
    struct looker *looker = looker_create(DESCRIPTORS);
    struct look_policy policy;
    if (!watched || !pids || !looker)
        return 1;
    for (int i = 0; i < processes; i++)
        pids[i] = start_many(threads);
    sleep(2);
    look_policy_init(&policy, 0, 1, wall_now());
    for (int i = 0; i < processes; i++)
        count += watch_process(&policy, looker, pids[i], watched + count, room - count);
    uint64_t begin = wall_now(), cpu = cpu_now(), second = begin, second_cpu = cpu;
    look_policy_spent(&policy, begin, cpu);
    for (uint64_t now = begin; now < begin + (uint64_t)seconds * 1000000000; now = wall_now()) {
        struct look_turn *turn;
        while (look_policy_next(&policy, now, &turn)) {
            struct watched *who = (struct watched *)turn;
            struct look look;
            who->looks++;
            looks++;
            if (!look_take(who->target, &who->thread, &look)) {
                look_policy_remove(&policy, turn);
                continue;
            }
            rows += look_policy_taken(&policy, turn, &look);
            stacks += look.count > 0;
            cut += look.count > 0 && look.truncated;
        }
        look_policy_spent(&policy, wall_now(), cpu_now());
        if (wall_now() - second >= 1000000000) {
            printf("%.2f %% of a CPU, stretch %.1f\n", 100.0 * (double)(cpu_now() - second_cpu) / (double)(wall_now() - second),
                   look_policy_stretch(&policy));
            second = wall_now();
            second_cpu = cpu_now();
        }
        uint64_t wake = look_policy_wake(&policy);
        struct timespec until = {(time_t)(wake / 1000000000), (long)(wake % 1000000000)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
    unsigned least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        least = watched[i].looks < least ? watched[i].looks : least;
        most = watched[i].looks > most ? watched[i].looks : most;
    }
    printf("%zu threads, %zu looks (%u … %u each), %zu stacks, %zu cut, %zu rows, %.2f %% of a CPU\n", count, looks, least,
           most, stacks, cut, rows, 100.0 * (double)(cpu_now() - cpu) / (double)(wall_now() - begin));
    for (int i = 0; i < processes; i++) {
        kill(pids[i], SIGKILL);
        waitpid(pids[i], NULL, 0);
    }
    return 0; /* and with it all memory */
}

int main(int argc, char **argv)
{
    if (argc > 3)
        return work(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
    pid_t pid = argc > 1 ? atoi(argv[1]) : 0, child = 0;
    if (pid == 0) {
        if (pipe(never) != 0)
            return 1;
        child = pid = fork();
        if (child == 0)
            play();
        usleep(100000);
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    struct looker *keeps = looker_create(64), *opens = looker_create(0);
    if (!folder || !keeps || !opens)
        return 1;
    printf("                           µs, files open   µs, opened      µs\n"
           "  thread  state  frames     same   whole     same   whole    first of a process\n");
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            measure_thread(keeps, opens, pid, atoi(entry->d_name));
    closedir(folder);
    looker_free(keeps);
    looker_free(opens);
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    return 0;
}
