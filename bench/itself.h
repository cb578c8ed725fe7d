/* For programs that are built twice: as they are, and with RECORDS_ITSELF, so that they record themselves through the API. */
#ifndef SONDE_BENCH_ITSELF_H
#define SONDE_BENCH_ITSELF_H

#include <stdio.h>

#ifdef RECORDS_ITSELF

#include "recording.h"

#define SONDE_LINKED
#include "sonde/sonde.h"

static inline void itself_start(void)
{
    recording_start(1, 0);
}

static inline void itself_register(void)
{
    sonde_thread_register("worker");
}

/* No profile is made. */
static inline void itself_stop(void)
{
    recording_stop();
}

/* The figures of the recording, as further members of a JSON object; removes it. */
static inline void itself_print(FILE *out)
{
    struct recorded recorded = {0};
    recording_read_own(&recorded);
    fputs(", ", out);
    recorded_print_figures(out, &recorded);
}

#else

static inline void itself_start(void)
{
}

static inline void itself_register(void)
{
}

static inline void itself_stop(void)
{
}

static inline void itself_print(FILE *out)
{
    (void)out;
}

#endif
#endif
