/* The mean, so that samples take no more than the budget of the CPU time.
 *
 * Each thread compares, every few samples, the time that they and their frees took with the CPU time that it used since; it
 * doubles its mean or halves it. A thread begins with the mean of the process, which follows those of its threads, but with
 * 512 KiB at most: what it allocates may be little, and all that matters. Threads that
 * end before they have compared anything do so together, against the CPU time of the process. */
#ifndef SONDE_PRELOAD_ALLOCATIONS_ADAPT_H
#define SONDE_PRELOAD_ALLOCATIONS_ADAPT_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Of a thread that begins, now. */
uint64_t adapt_first_mean(void);
/* A session begins with this mean. */
void adapt_begin(uint64_t mean);

/* The calling thread has spent so much on a sample (or only on a free), and may have another mean now. */
void adapt_note(uint64_t ns, bool is_sample);

#pragma GCC visibility pop

#endif
