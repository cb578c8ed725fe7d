/* The samples of a thread. The format has no weights: a row that stands for some time becomes as many rows as there are steps
 * of a grid in it, and what is left over is carried on.
 *
 *     rows      A 3.4 ms         B 0.4 ms    C 2.3 ms
 *     written   A  A  A          –           C  C  C         1 ms each
 *
 * They are made while they are written, so waits take no memory. CPU time, waits and ready time are carried on each by itself,
 * so that all have their share. */
#ifndef SONDE_EXPORT_GECKO_SAMPLES_H
#define SONDE_EXPORT_GECKO_SAMPLES_H

#include "export/gecko_categories.h"
#include "export/gecko_progress.h"
#include "export/gecko_stacks.h"
#include "rows/thread_rows.h"

/* How much time the rows of a thread stand for, at most. */
uint64_t gecko_samples_time(const struct observed *observed);

/* The table. Rows before `since` are left out. `stacks` gets those that rows need and nobody saw. False when out of memory.
 */
bool gecko_samples_write(const struct thread_rows *rows, const struct observed *observed, struct gecko_stacks *stacks,
                         const struct gecko_categories *categories, uint64_t grid_ns, uint64_t since,
                         struct gecko_progress *progress, struct json_writer *w);

#define GECKO_SAMPLE_SCHEMA SLICE("{\"stack\":0,\"time\":1,\"eventDelay\":2,\"argumentValues\":3,\"threadCPUDelta\":4}")

#endif
