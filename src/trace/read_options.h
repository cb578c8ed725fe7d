/* How a trace is read, and what of it is kept. */
#ifndef SONDE_TRACE_READ_OPTIONS_H
#define SONDE_TRACE_READ_OPTIONS_H

#include "trace/trace.h"

struct trace_read_options {
    enum trace_rules rules;
    bool arguments; /* keep the arguments of events */
    /* For markers and counters, not for calls: keep what is no entry, too. What was begun (B) and ended (E) is not made whole
     * then, since the engine does that across threads; and events that carry profiles are no entries. */
    bool others;
};

#endif
