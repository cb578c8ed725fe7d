/* The parts of libsonde with a base that only listens: what they say is text, a line each. */
#ifndef SONDE_TESTS_LISTENING_H
#define SONDE_TESTS_LISTENING_H

#include "capture/core/full.h"

extern char heard[4096];

/* Counters in the order in which they were registered. */
extern struct sonde_counter_cell heard_cells[64];

/* A setup of cmocka. */
int start_listening(void **state);

#endif
