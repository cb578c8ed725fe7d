/* What a measured program costs, and its parent with it. Such a program is run as a whole command: its parent is then the
 * profiler (`sonde record`, `perf record`), or bench/measure where there is none, which does nothing but wait. */
#ifndef SONDE_BENCH_COSTS_H
#define SONDE_BENCH_COSTS_H

#include <stdio.h>

/* In seconds. */
struct costs {
    double wall;     /* CLOCK_MONOTONIC */
    double own;      /* CPU time of this process, all its threads */
    double children; /* … of its children that have been waited for, and theirs */
    double parent;   /* … of its parent */
};

/* Since each of them began; `wall` since some moment. Ends the program where a clock cannot be read. */
struct costs costs_now(void);
struct costs costs_since(const struct costs *start);

/* Opens the file that a program writes its line of JSON to: standard output may not reach who measures. */
FILE *costs_open(const char *path);

/* "wall": 1.5, "own": …, as members of a JSON object, without braces around them; each is multiplied by `scale`. */
void costs_print(FILE *out, const struct costs *costs, double scale);

#endif
