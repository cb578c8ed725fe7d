/* The events of a `perf script` text, of which one is read: samples of page faults and of a clock do not add up. */
#ifndef SONDE_IMPORT_PERF_EVENTS_H
#define SONDE_IMPORT_PERF_EVENTS_H

#include "common/error.h"
#include "profile/profile.h"

struct perf_event {
    struct string_index name;
    uint64_t samples;     /* with frames */
    uint64_t least, most; /* period of a sample; 0 where none says it */
    bool is_in_header;    /* those come in the order of `perf record -e` */
};

struct perf_events {
    VEC(struct perf_event) rows;
};

/* The row of an event, added where it is new; INDEX_NONE when the heap is empty. */
uint32_t perf_events_add(struct perf_events *events, struct string_table *strings, struct slice name);

/* Notes the event that a line of the header tells of, `# event : name = cycles, …`; lines of other kinds do nothing. False when
 * the heap is empty. */
bool perf_events_add_header(struct perf_events *events, struct string_table *strings, struct slice line);

/* A sample, which stands for `period` of these events. */
void perf_events_count(struct perf_events *events, uint32_t row, uint64_t period);

/* The event called `wanted`, with its modifiers (`cycles:u`) or without; without a name the first one that has samples, and
 * where no header tells their order, the one with the most. -EINVAL where there is none of that name, with those that there are
 * in the message. */
int perf_events_choose(const struct perf_events *events, const struct string_table *strings, const char *wanted,
                       uint32_t *chosen, struct error *error);

/* Says in the profile's own part of `meta` which event the samples are of and which others there were, where there were others;
 * and how many samples were left out for want of frames. False when the heap is empty. */
bool perf_events_put_meta(const struct perf_events *events, uint32_t chosen, uint64_t without_frames, struct profile *profile);

void perf_events_free(struct perf_events *events);

#endif
