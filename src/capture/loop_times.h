/* How long the loops of the sampler take, and how far they are apart: what the recording itself costs, for those who ask
 * (sonde_buffer_info), and with SONDE_RECORD_OVERHEADS in the session, too. */
#ifndef SONDE_CAPTURE_LOOP_TIMES_H
#define SONDE_CAPTURE_LOOP_TIMES_H

#include "capture/stack_writer.h"
#include "sonde/api.h"

/* One loop: when it began, and when each of its parts was done. */
struct loop_stamps {
    uint64_t start, locked, cleaned, counted, sampled;
};

/* What is measured in every loop, in ns. */
struct loop_figure {
    uint64_t count, sum, min, max;
};

/* Guarded by the core lock. */
struct loop_times {
    bool recorded;       /* each loop is in the session */
    uint64_t last_start; /* of a loop; 0 = there was none */
    struct loop_figure interval, overhead, locking, cleaning, counters, threads;
};

/* Asks the environment, when the library is loaded: a session may begin in a signal handler. */
void loop_times_init(void);

/* Begins as zeros. */
void loop_times_begin(struct loop_times *times);

/* After a loop; the entry goes to `writer`. */
void loop_times_add(struct loop_times *times, const struct loop_stamps *stamps, struct stack_writer *writer);

/* Ticks without a loop took so long: the interval between loops is measured without them. */
void loop_times_leave_out(struct loop_times *times, uint64_t ns);

/* In µs. */
void loop_times_tell(const struct loop_times *times, struct sonde_buffer_info *info);

#endif
