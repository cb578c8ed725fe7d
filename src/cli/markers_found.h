/* The markers that `sonde markers` is about: found, and how its answers begin. */
#ifndef SONDE_CLI_MARKERS_FOUND_H
#define SONDE_CLI_MARKERS_FOUND_H

#include "cli/output.h"
#include "cli/selection.h"
#include "cli/table.h"
#include "markers/marker_list.h"

enum marker_key {
    MARKER_KEY_DEFAULT = -1, /* the most frequent name, or the earliest marker first */
    MARKER_KEY_COUNT,
    MARKER_KEY_TOTAL,
    MARKER_KEY_SELF,
    MARKER_KEY_MEDIAN,
    MARKER_KEY_AVERAGE,
    MARKER_KEY_P95,
    MARKER_KEY_MIN,
    MARKER_KEY_MAX,
    MARKER_KEY_NAME,
    MARKER_KEY_START,
    MARKER_KEY_DURATION,
};

struct markers_options {
    struct common_options common;
    bool list;
    const char *group;
    int sort; /* enum marker_key */
    bool reverse;
    struct optional_number min_duration; /* ms */
    bool histogram;
};

struct thread_markers {
    struct thread_index thread;
    struct marker_list list;
};

struct shown_marker {
    uint32_t thread; /* place in `threads` */
    uint32_t index;  /* in its list: the N of m-N */
    double start;
    double self; /* ms: its duration without those inside it, of all that --search finds; NaN = it is a moment */
};

struct markers {
    const struct markers_options *options;
    struct selection selection;
    double zero;  /* what shown times count from */
    double whole; /* ms: what shares refer to, the time that is looked at */
    struct marker_catalog catalog;
    VEC(struct thread_markers) threads;
    VEC(struct shown_marker) shown; /* those in the range that match the search, by start */
};

static inline const struct marker *marker_of(const struct markers *markers, const struct shown_marker *shown)
{
    return &markers->threads.items[shown->thread].list.items.items[shown->index];
}

/* Fills in the rest where the options and the selection are there. 0, or a negative errno with the reason in
 * `selection.error`; markers_free() is to be called in any case. */
int markers_find(struct markers *markers);
void markers_free(struct markers *markers); /* the selection stays */

/* The least duration of what --min leaves, in ms; 0 without it. */
double markers_least(const struct markers *markers);

struct slice marker_category_name(const struct markers *markers, const struct marker *marker);

/* How answers begin, and that they do not say all. */
void json_put_markers(struct json_output *output, const struct markers *markers, bool truncated);
void print_markers_head(const struct markers *markers, const struct terminal *terminal);
void print_markers_cut(const struct markers *markers, size_t shown, size_t all);

/* A duration as a cell; a dash for a moment. */
void table_add_duration(struct table *table, double ms);

/* A text that does not outlive the table. */
void table_add_copy(struct table *table, struct slice text);

#endif
