/* What is seen first: which tracks there are and in which order, which of them are visible, and which threads are selected.
 *
 * A thread's score is its CPU time in ms (without CPU times: what its samples that are not idle could have used). */
#ifndef SONDE_API_FIRST_VIEW_H
#define SONDE_API_FIRST_VIEW_H

#include "profile/profile.h"

struct thread_track {
    struct thread_index thread;
    double score;
    bool visible;
};

struct process_track {
    struct string_index pid;
    struct thread_index main; /* thread_none(): it was not recorded */
    double score;             /* the best of its threads */
    bool visible;
    size_t first, end;                 /* its threads in `threads`, the main thread first */
    size_t first_counter, end_counter; /* its counters in `counters` */
};

struct first_view {
    VEC(struct process_track) processes; /* in the order they are shown */
    VEC(struct thread_track) threads;    /* those of a process side by side, in the order they are shown */
    VEC(uint32_t) counters;              /* the same of counters */
    VEC(struct thread_index) selected;   /* ascending; empty only where there are no threads */
};

/* `view` needs no initialisation; on failure it is empty. 0 or -ENOMEM. */
int first_view_make(const struct profile *profile, struct first_view *view, struct error *error);
void first_view_free(struct first_view *view);

#endif
