/* A profile as the options show it, made into the trace that calls are found in.
 *
 *     profile ──(transforms, implementation, idle)──▶ view, and a stack of it for each sample ──▶ trace
 *
 * A sample that is left out is one without a stack: it ends what ran, so that no call lasts through a time that is not looked
 * at. */
#ifndef SONDE_CLI_CALLS_VIEW_H
#define SONDE_CLI_CALLS_VIEW_H

#include "cli/selection.h"
#include "trace/profile_trace.h"

/* Fills a zeroed trace with the chosen threads, and an empty path with what became of that of --select; times count from the
 * start of the profile. --range and --search choose among calls, not among samples, and change nothing here. 0, or a negative
 * errno with the reason in `selection->error`; both are to be freed in any case. */
int calls_view_trace(struct selection *selection, struct trace *trace, struct path *selected);

#endif
