#include "children_scenes.h"

#include "scene_steps.h"
#include "sonde/sonde.h"

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

char children_scene_self[PATH_MAX];

/* CPU time. */
static void work_ms(long ms)
{
    struct timespec start, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < ms);
}

static int fork_to(int (*body)(int number), int count)
{
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(body(i));
        wrong |= child < 0 || wait_for(child) != 0;
    }
    return wrong;
}

static int end_at_once(int number)
{
    (void)number;
    return 0;
}

static int sleep_a_little(int number)
{
    (void)number;
    sleep_ms(5);
    return 0;
}

static int work_and_exit(int number)
{
    (void)number;
    work_ms(60);
    exit(0);
}

/* The clock of a thread does not follow it into its child. */
static int work_long_and_fork(void)
{
    work_ms(300);
    return fork_to(work_and_exit, 1);
}

static int mark(int number)
{
    (void)number;
    sonde_marker_instant("first thing", OTHER);
    return 0;
}

/* Nobody else may have the lowest number, not for a moment. */
static int count_on_descriptors(int number)
{
    (void)number;
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        close(0);
        int fd = open("/dev/null", O_RDONLY);
        if (fd != 0)
            return 1;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < 20);
    return 0;
}

static int fork_again(int number)
{
    (void)number;
    pid_t child = fork();
    if (child == 0) {
        setsid();
        sleep_ms(5);
        _exit(0);
    }
    return wait_for(child);
}

static char *const nothing[] = {children_scene_self, (char *)"nothing", NULL};

static int become_nothing(int number)
{
    (void)number;
    execv(children_scene_self, nothing);
    return 127;
}

static int fail_to_become(int number)
{
    (void)number;
    execv("/no/such/program", nothing);
    return 0;
}

static int spawn_nothing(int count)
{
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        pid_t child;
        wrong |= posix_spawn(&child, children_scene_self, NULL, NULL, nothing, environ) != 0 || wait_for(child) != 0;
    }
    return wrong;
}

static pid_t vfork_one(void)
{
    pid_t child = vfork();
    if (child == 0) {
        execv(children_scene_self, nothing);
        _exit(127);
    }
    return child;
}

static int vfork_nothing(int count)
{
    int wrong = 0;
    for (int i = 0; i < count; i++)
        wrong |= wait_for(vfork_one()) != 0;
    return wrong;
}

static int become_a_daemon(void)
{
    if (daemon(1, 1) != 0)
        return 1;
    sleep_ms(20);
    return 0;
}

static _Atomic bool enough;

static void *stir(void *unused)
{
    (void)unused;
    while (!enough)
        free(malloc(1000));
    return NULL;
}

/* Others hold locks when this one forks. */
static int fork_among_threads(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, stir, NULL);
    int wrong = fork_to(sleep_a_little, 50) | fork_to(end_at_once, 50);
    enough = true;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return wrong;
}

static int many_at_once(int count, int most)
{
    int running = 0, wrong = 0;
    for (int i = 0; i < count; i++) {
        int status;
        if (running == most) {
            wrong |= wait(&status) < 0 || status != 0;
            running--;
        }
        pid_t child = fork();
        if (child == 0) {
            sleep_ms(5);
            _exit(0);
        }
        wrong |= child < 0;
        running++;
    }
    for (int status; running > 0; running--)
        wrong |= wait(&status) < 0 || status != 0;
    return wrong;
}

/* A new environment, so that nobody would know of the next program but for what we are told. */
static int become_without_variables(int number)
{
    char *none[] = {NULL};
    if (number == 0)
        execve(children_scene_self, nothing, none);
    if (number == 1) {
        clearenv();
        execv(children_scene_self, nothing);
    }
    pid_t child;
    return posix_spawn(&child, children_scene_self, NULL, NULL, nothing, none) != 0 || wait_for(child) != 0;
}

int children_scene_play(const char *scene)
{
    alarm(CHILDREN_SCENE_DEADLINE_S);
    if (strcmp(scene, "nothing") == 0)
        return 0;
    if (strcmp(scene, "end at once") == 0)
        return fork_to(end_at_once, 10);
    if (strcmp(scene, "sleep") == 0)
        return fork_to(sleep_a_little, 10);
    if (strcmp(scene, "work") == 0)
        return fork_to(work_and_exit, 3);
    if (strcmp(scene, "work long") == 0)
        return work_long_and_fork();
    if (strcmp(scene, "mark") == 0)
        return fork_to(mark, 10);
    if (strcmp(scene, "descriptors") == 0)
        return fork_to(count_on_descriptors, 10);
    if (strcmp(scene, "again") == 0)
        return fork_to(fork_again, 5);
    if (strcmp(scene, "exec") == 0)
        return fork_to(become_nothing, 10);
    if (strcmp(scene, "exec fails") == 0)
        return fork_to(fail_to_become, 5);
    if (strcmp(scene, "spawn") == 0)
        return spawn_nothing(10);
    if (strcmp(scene, "vfork") == 0)
        return vfork_nothing(10);
    if (strcmp(scene, "daemon") == 0)
        return become_a_daemon();
    if (strcmp(scene, "threads") == 0)
        return fork_among_threads();
    if (strcmp(scene, "without variables") == 0)
        return fork_to(become_without_variables, 3);
    if (strcmp(scene, "many") == 0)
        return many_at_once(500, 10);
    return 99;
}
