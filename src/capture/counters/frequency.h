/* How fast the cores run now, from ROOT/sys/devices/system/cpu/cpuN/cpufreq/scaling_cur_freq. ROOT is empty, but for tests.
 * counter_frequency_part (full.h) marks the speed of every core on the track of the main thread. */
#ifndef SONDE_CAPTURE_COUNTERS_FREQUENCY_H
#define SONDE_CAPTURE_COUNTERS_FREQUENCY_H

#include "session/descriptor.h"

enum { FREQUENCY_CORES_MAX = 256 };

/* How many cores there are, those that are off and gaps in their numbers included. */
unsigned frequency_cores(const char *root);

/* To be closed; none where this core does not say. */
struct descriptor frequency_open(const char *root, unsigned core);

/* In MHz, rounded down to tens, because the last digits never stand still; -1 where it is not known: the core is off or, with
 * some kernels, sleeps, which they show as a speed of 0. */
int frequency_read(const struct descriptor *file);

#endif
