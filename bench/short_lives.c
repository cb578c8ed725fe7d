/* What it takes to make something that ends at once, and to wait for its end:
 *
 *     short_lives KIND COUNT FILE        of: thread, fork, exec, spawn
 *
 *     thread   pthread_create() and pthread_join()
 *     fork     fork(), of which the child ends, and waitpid()
 *     exec     the same, and the child becomes /bin/true
 *     spawn    posix_spawn() of /bin/true and waitpid()
 *
 * Writes to FILE the microseconds for one, by the clock and of CPU time: of this process, its children and its parent. */
#include "costs.h"

#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *do_nothing(void *argument)
{
    return argument;
}

static bool make_thread(void)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, do_nothing, NULL) == 0 && pthread_join(thread, NULL) == 0;
}

static bool wait_for(pid_t child)
{
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static bool make_fork(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    return wait_for(child);
}

static char *const nothing[] = {"/bin/true", NULL};

static bool make_exec(void)
{
    pid_t child = fork();
    if (child == 0) {
        execv(nothing[0], nothing);
        _exit(127);
    }
    return wait_for(child);
}

static bool make_spawn(void)
{
    pid_t child;
    return posix_spawn(&child, nothing[0], NULL, NULL, nothing, environ) == 0 && wait_for(child);
}

static const struct {
    const char *name;
    bool (*make)(void);
} kinds[] = {{"thread", make_thread}, {"fork", make_fork}, {"exec", make_exec}, {"spawn", make_spawn}};

static void repeat(bool (*make)(void), unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!make()) {
            perror("short_lives");
            exit(1);
        }
}

int main(int argc, char **argv)
{
    bool (*make)(void) = NULL;
    unsigned count = argc == 4 ? (unsigned)atoi(argv[2]) : 0;
    for (size_t i = 0; argc == 4 && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, argv[1]) == 0)
            make = kinds[i].make;
    if (!make || count == 0) {
        fputs("usage: short_lives thread|fork|exec|spawn COUNT FILE\n", stderr);
        return 2;
    }
    repeat(make, count / 10 + 1);
    struct costs start = costs_now();
    repeat(make, count);
    double wall = costs_since(&start).wall;
    usleep(300000); /* what the recorder still does about them counts as well */
    struct costs costs = costs_since(&start);
    costs.wall = wall;
    FILE *out = costs_open(argv[3]);
    fputc('{', out);
    costs_print(out, &costs, 1e6 / count);
    fputs("}\n", out);
    return fclose(out) != 0;
}
