/* The base as a whole: what the files of it that face outwards share, and who loads it. */
#ifndef SONDE_CAPTURE_CONTROL_BASE_H
#define SONDE_CAPTURE_CONTROL_BASE_H

#include <stdbool.h>

/* Before main, with what main gets, which the C library gives to constructors, too, and with the clock set; and when everything
 * else has ended. */
void base_begin(int count, char **words);
void base_end(void);

/* False in a process that is not to be recorded (SONDE_SESSION_PID names another). */
bool base_is_wanted(void);

/* Starts what SONDE_STARTUP asked for, if that has not been done: libsonde is there now. */
void base_start_if_due(void);

#endif
