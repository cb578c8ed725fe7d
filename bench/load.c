/* How fast a profile is loaded: from the file to finished tables, the file read anew every time.
 *
 *     bench_load FILE [TIMES]      prints the best of so many times */
#include "import/importer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    struct stat file;
    if (argc < 2 || stat(argv[1], &file) != 0) {
        fputs("usage: bench_load FILE [TIMES]\n", stderr);
        return 2;
    }
    int times = argc > 2 ? atoi(argv[2]) : 10;
    double best = 0;
    for (int i = 0; i < times; i++) {
        struct error error = {0};
        struct profile profile;
        profile_init(&profile);
        double start = now();
        int status = import_file(argv[1], NULL, &profile, &error);
        double seconds = now() - start;
        profile_free(&profile);
        if (status != 0) {
            fprintf(stderr, "bench_load: %s: %s\n", argv[1], error.message);
            return 1;
        }
        best = best == 0 || seconds < best ? seconds : best;
    }
    printf("load  %7.1f MB/s  %8.3f ms\n", (double)file.st_size / 1e6 / best, best * 1e3);
    return 0;
}
