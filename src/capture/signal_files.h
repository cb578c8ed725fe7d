/* The signalfds of the program: they are given what the program wants in them, but for numbers that are ours. Atomics and
 * system calls only: numbers are given up in signal handlers, too. */
#ifndef SONDE_CAPTURE_SIGNAL_FILES_H
#define SONDE_CAPTURE_SIGNAL_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* `fd` is a signalfd that the program wants these signals in. */
void signal_files_note(int fd, uint64_t wanted);

/* From now on these signals, as bits, are kept out of all of them, and no others. */
void signal_files_hide(uint64_t hidden);

/* Whether a signalfd takes signals with this number. */
bool signal_files_want(int number);

#endif
