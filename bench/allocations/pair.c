/* Prints what a pair of malloc() and free() takes, in nanoseconds: the least of many short rounds, so that whatever else runs
 * on the machine does not count. Of blocks of 64 bytes that are freed at once, and of those of a window at random. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 4000, PAIRS = 2000, WINDOW = 1024 };

static void *volatile block;
static void *window[WINDOW];
static uint32_t at = 1;

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void at_once(void)
{
    block = malloc(64);
    free(block);
}

static void in_window(void)
{
    at = at * 1664525 + 1013904223;
    void **place = &window[at >> 22];
    free(*place);
    *place = malloc(64);
}

static double least(void (*pair)(void))
{
    double found = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        double start = now_ns();
        for (int j = 0; j < PAIRS; j++)
            pair();
        double took = (now_ns() - start) / PAIRS;
        found = took < found ? took : found;
    }
    return found;
}

int main(void)
{
    double single = least(at_once);
    printf("{\"atOnce\": %.2f, \"window\": %.2f}\n", single, least(in_window));
    return 0;
}
