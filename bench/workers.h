/* The threads that are measured: each computes at the bottom of WORKER_FRAMES calls. */
#ifndef SONDE_BENCH_WORKERS_H
#define SONDE_BENCH_WORKERS_H

#include <stdint.h>

enum { WORKERS = 2, WORKER_FRAMES = 32 };

/* Each does so many units of work; `begin` is called by each of them first, and may be NULL. */
void workers_start(uint64_t units, void (*begin)(void));
void workers_join(void);

#endif
