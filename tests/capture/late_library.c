/* Loaded in the middle of a recording (scenes.c). */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline, aligned(128))) void late_call(int (*compare)(const void *, const void *), uint64_t ns);

void late_call(int (*compare)(const void *, const void *), uint64_t ns)
{
    struct timespec start, now;
    int values[2] = {1, 2};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do {
        compare(values, values + 1);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((uint64_t)(now.tv_sec - start.tv_sec) * 1000000000 + (uint64_t)now.tv_nsec < (uint64_t)start.tv_nsec + ns);
}
