/* What the name of an event means to the engine. */
#ifndef SONDE_TRACE_TRACE_NAMES_H
#define SONDE_TRACE_TRACE_NAMES_H

#include "common/slice.h"

struct trace_name {
    bool is_task;    /* nothing that ran before goes on in it */
    bool is_scripts; /* scripts run in it, so that samples within it tell what runs */
};

struct trace_name trace_name_read(struct slice name);

#endif
