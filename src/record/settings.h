/* What the library in a recorded program is told, through its environment. */
#ifndef SONDE_RECORD_SETTINGS_H
#define SONDE_RECORD_SETTINGS_H

#include "common/error.h"
#include "record/environment.h"

#include <stddef.h>

struct capture_settings {
    const char *folder; /* of the session */
    double rate;        /* samples a second */
    double duration;    /* seconds; 0 = until the program ends */
    size_t buffer_bytes;
    const char *features;    /* names, comma-separated */
    const char *threads;     /* filters, comma-separated; NULL = all threads */
    const char *allocations; /* as allocations/plan.h reads them; NULL = none */
    const char *page_faults; /* a sample every so many, empty = the usual number; NULL = none */
};

/* The variable that holds the id of the process to record, where its children are not to be; launch_program sets it. */
#define SETTINGS_PID_VARIABLE "SONDE_SESSION_PID"

/* Refuses what the library in the program would refuse: -EINVAL with a message that names the option. */
int settings_check(const struct capture_settings *settings, struct error *error);

/* Whether the CPU time of processes is among the features. */
bool settings_count_cpu(const struct capture_settings *settings);

/* Sets the variables that tell the library. False when out of memory. */
bool settings_apply(const struct capture_settings *settings, struct environment *environment);

#endif
