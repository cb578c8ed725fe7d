/* The signal that samples threads: see handler.h. */
#ifndef SONDE_CAPTURE_SAMPLER_SAMPLE_SIGNAL_H
#define SONDE_CAPTURE_SAMPLER_SAMPLE_SIGNAL_H

#include <signal.h>

enum { SAMPLE_SIGNAL = SIGPROF };

/* Comes with the signals of our timers. */
extern const char sample_signal_mark;

#endif
