/* The base as a whole: when it begins and ends, and that libsonde joins it (parts.h). */
#ifndef SONDE_CAPTURE_CONTROL_BASE_H
#define SONDE_CAPTURE_CONTROL_BASE_H

#include <stdbool.h>

/* Before main, with the clock set. It ends with lifecycle_shutdown(). */
void base_begin(void);

/* False in a process that is not to be recorded (SONDE_SESSION_PID names another). */
bool base_is_wanted(void);

#endif
