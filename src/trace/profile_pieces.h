/* CPU profiles put together from the events that carry them, and one chosen for each thread.
 *
 *     Profile            pid 7  tid 9    id 0x1   ts 1000     begins at 1000, on thread 9
 *     ProfileChunk       pid 7  tid 33   id 0x1   nodes, samples, deltas
 *     ProfileChunk       pid 7  tid 33   id 0x1   more of them
 *
 * Events belong together by process and id; the thread of a chunk is the one that wrote it, and means nothing. */
#ifndef SONDE_TRACE_PROFILE_PIECES_H
#define SONDE_TRACE_PROFILE_PIECES_H

#include "trace/event_read.h"
#include "trace/thread_list.h"

struct profile_pieces {
    struct map by_id; /* process and id → row of trace.profiles */
};

/* A zeroed struct has no profiles. All of these say false when the heap is empty. */

bool profile_pieces_begin(struct profile_pieces *pieces, struct trace *trace, const struct event_text *event);
bool profile_pieces_append(struct profile_pieces *pieces, struct trace *trace, const struct event_text *event);

/* A whole profile in one event; what the event has moves out of it. */
bool profile_pieces_put(struct profile_pieces *pieces, struct trace *trace, struct event_text *event);

/* Gives each thread its profile. Those that are not chosen are freed. */
bool profile_pieces_choose(struct trace *trace, struct thread_list *threads, enum trace_rules rules);

void profile_pieces_free(struct profile_pieces *pieces);

#endif
