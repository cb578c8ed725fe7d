/* What looks at threads write. */
#ifndef SONDE_CAPTURE_SAMPLE_PUT_H
#define SONDE_CAPTURE_SAMPLE_PUT_H

#include "capture/cpu_time.h"
#include "capture/sample.h"

/* The row of this tick: the thread's CPU clock showed `cpu_ns` at `time`. `raw` is its stack, or NULL: as it was. */
void put_sample(struct sampling *sampling, struct registration *thread, uint64_t time, uint64_t cpu_ns,
                const struct raw_stack *raw);
void put_stack(struct sampling *sampling, struct registration *thread, const struct raw_stack *raw);

/* What its CPU clock showed at a time between its last two readings, if it ran evenly. */
uint64_t even_cpu_ns(const struct registration *thread, uint64_t time);

/* It ran, and was not looked at: its stack is that of the last look. */
void put_held(struct sampling *sampling, struct registration *thread, uint64_t time);

/* It ran, nobody knows where. */
void put_unknown(struct sampling *sampling, struct registration *thread, const struct cpu_time *now);

/* A thread was held for so long. */
void count_held(struct sampling *sampling, uint64_t held_ns);

#endif
