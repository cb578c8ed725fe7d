/* Poisson sampling of allocations, by bytes.
 *
 *     bytes allocated, one block after the other:
 *
 *     ├─ 40 ─┼──── 96 ────┼─ 24 ─┼───────── 200 ─────────┼─ 16 ─┼─ …
 *     ──────────────▲──────────────────────────▲────────────────────▲──
 *         gap               gap (from the end of what was sampled)
 *
 * A thread counts bytes down to its next sample. Gaps are exponential with the mean M, so a block of s bytes is taken with
 * p = 1 - e^(-s/M), whatever came before it. It stands for 1/p blocks, and s/p bytes: sums of these are unbiased, and blocks
 * much larger than M are always taken and stand for themselves. After a sample a fresh gap is drawn, wherever in the block the
 * last one ended: the exponential distribution has no memory. So M may change at any time, and threads may each have their own.
 *
 * No function here needs more than the processor: all are async-signal-safe. */
#ifndef SONDE_ALLOCATIONS_SAMPLING_H
#define SONDE_ALLOCATIONS_SAMPLING_H

#include <stdint.h>

/* M = 0: every block is taken, and stands for itself. */
#define SAMPLING_MEAN_ALL UINT64_C(0)
#define SAMPLING_MEAN_MOST (UINT64_C(1) << 40)

/* What counts of a block: those of no bytes are blocks, too. */
static inline uint64_t sampling_size(uint64_t size)
{
    return size + (size == 0);
}

/* Bytes up to the next sample, at least 1: the block that makes a thread's sum of bytes reach it is taken. *random is the
 * thread's own, of any value at first, and changes. */
uint64_t sampling_gap(uint64_t *random, uint64_t mean);

/* p of a block of so many bytes. */
double sampling_probability(uint64_t size, uint64_t mean);

/* How many bytes a sampled block stands for. The variance of a sum of these is estimated by the sum of w (w - size). */
static inline double sampling_weight(uint64_t size, uint64_t mean)
{
    return (double)sampling_size(size) / sampling_probability(size, mean);
}

#endif
