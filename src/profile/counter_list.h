/* Counters: a number of a process over time, such as its memory. */
#ifndef SONDE_PROFILE_COUNTER_LIST_H
#define SONDE_PROFILE_COUNTER_LIST_H

#include "common/column.h"
#include "profile/indices.h"
#include "profile/value.h"

struct counter {
    struct string_index name, category, description, pid;
    struct thread_index main_thread; /* the thread that stands for its process */
    struct column time;              /* numbers: times, or time deltas, in ms */
    struct column count;             /* numbers: change since the row before */
    struct column number;            /* numbers, optional: how many changes made it up */
    bool time_is_deltas;
    struct value_bytes display; /* how the Firefox Profiler draws it, a packed object; empty = by its category and name */
};

struct counter_list {
    VEC(struct counter) rows;
};

/* A new, empty counter at the end; NULL when the heap is empty. It moves when the next one is added. */
struct counter *counter_list_add(struct counter_list *list, struct arena *arena);

void counter_free(struct counter *counter);
void counter_list_free(struct counter_list *list);
bool counter_list_seal(struct counter_list *list);
size_t counter_list_bytes(const struct counter_list *list);

#endif
