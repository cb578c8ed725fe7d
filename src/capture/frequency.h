/* How fast the cores run now, from ROOT/sys/devices/system/cpu/cpuN/cpufreq/scaling_cur_freq. ROOT is empty, but for tests. */
#ifndef SONDE_CAPTURE_FREQUENCY_H
#define SONDE_CAPTURE_FREQUENCY_H

enum { FREQUENCY_CORES_MAX = 256 };

/* A file descriptor, or -1 where this core does not say. */
int frequency_open(const char *root, unsigned core);

/* In MHz, rounded down to tens, because the last digits never stand still; -1 where it cannot be read. */
int frequency_read(int fd);

#endif
