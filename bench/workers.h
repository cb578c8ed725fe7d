/* The threads that are measured: each computes for ever at the bottom of WORKER_FRAMES calls, and counts what it has done. */
#ifndef SONDE_BENCH_WORKERS_H
#define SONDE_BENCH_WORKERS_H

#include <stdint.h>

enum { WORKERS = 2, WORKER_FRAMES = 32 };

/* `begin` is called by each of them first; may be NULL. */
void workers_start(void (*begin)(void));

/* Units of work done so far, by all of them. */
uint64_t workers_done(void);

#endif
