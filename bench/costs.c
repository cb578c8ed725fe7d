#include "costs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double read_clock(clockid_t clock)
{
    struct timespec time;
    if (clock_gettime(clock, &time) != 0) {
        perror("bench: clock_gettime");
        exit(1);
    }
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

struct costs costs_now(void)
{
    clockid_t parent;
    int failed = clock_getcpuclockid(getppid(), &parent);
    if (failed) {
        fprintf(stderr, "bench: CPU clock of the parent: %s\n", strerror(failed));
        exit(1);
    }
    struct rusage children;
    getrusage(RUSAGE_CHILDREN, &children);
    return (struct costs){
        .wall = read_clock(CLOCK_MONOTONIC),
        .own = read_clock(CLOCK_PROCESS_CPUTIME_ID),
        .children = seconds(children.ru_utime) + seconds(children.ru_stime),
        .parent = read_clock(parent),
    };
}

struct costs costs_since(const struct costs *start)
{
    struct costs now = costs_now();
    return (struct costs){
        .wall = now.wall - start->wall,
        .own = now.own - start->own,
        .children = now.children - start->children,
        .parent = now.parent - start->parent,
    };
}

FILE *costs_open(const char *path)
{
    FILE *file = fopen(path, "we");
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

void costs_print(FILE *out, const struct costs *costs, double scale)
{
    fprintf(out, "\"wall\": %.6f, \"own\": %.6f, \"children\": %.6f, \"parent\": %.6f", costs->wall * scale, costs->own * scale,
            costs->children * scale, costs->parent * scale);
}
