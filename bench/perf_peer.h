/* `perf record -g` on the calling process, switched on and off through its control descriptors. */
#ifndef SONDE_BENCH_PERF_PEER_H
#define SONDE_BENCH_PERF_PEER_H

#include <stdbool.h>

/* Starts it, switched off. False where there is no perf, or it may not. Threads made later are not seen. */
bool perf_peer_start(void);
void perf_peer_on(void);
void perf_peer_off(void);

/* Ends it, and prints its own CPU time, its share of samples and its bytes per sample as members of a JSON object. */
void perf_peer_report(double on_seconds);

#endif
