/* Whether a long recording stays in its limit: far more goes through a small one than a day at 1 kHz sends through the usual
 * one.
 *
 *     limit SECONDS BYTES
 *
 * Two busy threads are recorded, as often as the clock allows, while two others add markers. Prints what was written, and what
 * the file takes. */
#include "recording.h"
#include "workers.h"

#define SONDE_LINKED
#include "sonde/sonde.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void begin_worker(void)
{
    sonde_thread_register("worker");
}

static void *mark(void *argument)
{
    sonde_thread_register("marks");
    for (;;) {
        for (unsigned i = 0; i < 200; i++)
            sonde_marker_instant("one of many", OTHER);
        usleep(1000);
    }
    return argument;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: limit SECONDS BYTES\n", stderr);
        return 2;
    }
    unsigned seconds = (unsigned)atoi(argv[1]);
    uint64_t limit = strtoull(argv[2], NULL, 10);
    workers_start(UINT64_MAX, begin_worker);
    for (unsigned i = 0; i < 2; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, mark, NULL) != 0)
            return 1;
    }
    struct recorded recorded = {0};
    recording_start(0.1, limit);
    sleep(seconds);
    recording_stop();
    recording_read_own(&recorded);
    printf("{\"limit\": %lu, \"fileBytes\": %lu, \"badEntries\": %lu, ", limit, recorded.file_bytes, recorded.bad_entries);
    recorded_print_figures(stdout, &recorded);
    puts("}");
    return 0;
}
