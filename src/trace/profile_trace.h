/* A sampled profile of any kind as a trace: its samples become a CPU profile, its interval markers the events. So a native
 * program gets timed calls, too. */
#ifndef SONDE_TRACE_PROFILE_TRACE_H
#define SONDE_TRACE_PROFILE_TRACE_H

#include "common/error.h"
#include "profile/profile.h"
#include "trace/trace.h"

/* Fills a zeroed trace with the threads `threads[0..count)` of the profile; trace_free() is to be called in any case. Nodes are
 * the stacks of the profile, called by the names of their functions. */
int trace_from_profile(struct trace *trace, const struct profile *profile, const struct thread_index *threads, size_t count,
                       struct error *error);

#endif
