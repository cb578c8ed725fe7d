/* A trace while it is read. Private to the reader's own files:
 *
 *     trace_read.c ──▶ event_read.c ──▶ event_take.c ─┬─▶ entry_take.c       entries, and what else is kept
 *     the file         an event         what it is    │     begin_end.c      joined at the end
 *                                                     ├─▶ profile_pieces.c   samples
 *                                                     └─▶ pages.c            where pages are
 */
#ifndef SONDE_TRACE_TRACE_READER_H
#define SONDE_TRACE_TRACE_READER_H

#include "trace/begin_end.h"
#include "trace/event_read.h"
#include "trace/pages.h"
#include "trace/profile_pieces.h"
#include "trace/read_options.h"

#include <math.h>

struct trace_reader {
    struct trace *trace;
    const struct trace_read_options *options;
    struct json_reader *json;
    struct event_reader events;
    struct thread_list threads;
    struct profile_pieces pieces;
    struct pages pages;
    struct begins_and_ends begins_and_ends;
    struct trace_profile profile; /* of a file that is a CPU profile */
    bool has_events, has_profile;
    bool has_phase; /* some event says what kind it is */
};

/* Adds the names that the reader knows to the strings, before all others. These say false when the heap is empty. */
bool event_take_names(struct string_table *strings);

/* Takes reader->events.event, whatever it is. */
bool event_take(struct trace_reader *reader);

/* An event that is an entry (phases X, I and B; E ends one), and one that is none but can be kept. */
bool entry_take(struct trace_reader *reader);
bool entry_take_other(struct trace_reader *reader);

/* Of one that is not kept: that its thread has such. The thread; NULL when the heap is empty. */
struct trace_thread *entry_note_other(struct trace_reader *reader);

/* Such a number can be the id of a process or a thread. */
static inline bool is_whole(double number)
{
    return number >= -9007199254740992 && number <= 9007199254740992 && number == trunc(number);
}

/* Something was there from `first` to `last`. */
static inline void trace_note_time(struct trace *trace, double first, double last)
{
    /* A comparison with NaN, which is there at first, is false. */
    if (!(trace->first_ts <= first))
        trace->first_ts = first;
    if (!(trace->last_ts >= last))
        trace->last_ts = last;
}

#endif
