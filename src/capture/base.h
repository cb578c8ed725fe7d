/* What the files of libsonde-base that face outwards share. */
#ifndef SONDE_CAPTURE_BASE_H
#define SONDE_CAPTURE_BASE_H

#include <stdbool.h>

/* False in a process that is not to be recorded (SONDE_SESSION_PID names another). */
bool base_is_wanted(void);

/* Starts what SONDE_STARTUP asked for, if that has not been done: libsonde is there now. */
void base_start_if_due(void);

#endif
