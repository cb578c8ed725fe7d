/* What recorded programs of several tests do in the same way. */
#ifndef SONDE_TESTS_CAPTURE_SCENE_STEPS_H
#define SONDE_TESTS_CAPTURE_SCENE_STEPS_H

#include <sys/types.h>

/* All of the time, however often it is interrupted. */
void sleep_ms(long ms);

/* However often it is interrupted; 0 = the child has ended as it was meant to. */
int wait_for(pid_t child);

#endif
