/* What entries count as, and how they are grouped: found once for each, before a tree is made. */
#ifndef SONDE_TRACE_ENTRY_NAMES_H
#define SONDE_TRACE_ENTRY_NAMES_H

#include "trace/calls.h"

/* By script or library; by kind of work; by the frame of the page that it was done for. */
enum entry_grouping { ENTRY_GROUP_NONE, ENTRY_GROUP_URL, ENTRY_GROUP_CATEGORY, ENTRY_GROUP_FRAME };

/* Entries are the same when they are calls of one function (name, script, line, column), events of one name, time stamps of one
 * text, or events about one request. */
struct entry_identity {
    uint32_t kind;
    uint32_t name, location;
    double line, column;
};

struct entry_names {
    VEC(struct entry_identity) identities;
    struct map by_identity;
    VEC(uint32_t) identity_of;         /* by place in calls->entries */
    VEC(struct string_index) group_of; /* likewise, in `texts`; empty without grouping. An empty text = none */
    struct string_table texts;
};

/* Fills zeroed names, which are to be freed in any case. Events are told apart, and grouped by URL and frame, only where the
 * trace has their arguments. */
int entry_names_find(struct entry_names *names, const struct thread_calls *calls, const struct trace *trace,
                     enum entry_grouping grouping, struct error *error);
void entry_names_free(struct entry_names *names);

/* The function of a call as the profile has it. */
static inline const struct trace_function *call_function(const struct thread_calls *calls, uint32_t call)
{
    return cpu_model_function(calls->model, calls->calls.items[call].node);
}

/* "(anonymous)" for a function without a name. */
struct slice call_display_name(const struct trace *trace, const struct trace_function *function);

#endif
