/* The rows of a thread: what it did all the time, each row with a stack and the time that it stands for.
 *
 * The time between two observations of a thread's clocks is what it ran, what it wanted to run and had no CPU, and what it
 * waited. How much there was of each the kernel has counted; where it went, samples and looks tell:
 *
 *     from                                               to
 *     ├──────────────── wall time ───────────────────────┤
 *     │ CPU time            │ ready │ waiting            │
 *       shared by samples     the     the stack of the look
 *                             wait,   at its end, or half of
 *                             or a    it of the one before
 *                             sample
 *
 * Whatever the samples are, the weights of the rows add up to the clocks. Rows come in order of time. */
#ifndef SONDE_ROWS_THREAD_ROWS_H
#define SONDE_ROWS_THREAD_ROWS_H

#include "rows/observed.h"
#include "rows/thread_row.h"

/* `observed` is brought in order of time. `rows` must be zeroed, and is to be freed in any case. False when out of memory. */
bool thread_rows_make(struct observed *observed, const struct rows_recording *recording, struct thread_rows *rows);

void thread_rows_free(struct thread_rows *rows);

#endif
