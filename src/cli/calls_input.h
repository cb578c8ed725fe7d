/* What `sonde calls` is about: threads, chosen and with their calls, whether the file was a trace or a profile. */
#ifndef SONDE_CLI_CALLS_INPUT_H
#define SONDE_CLI_CALLS_INPUT_H

#include "cli/common_options.h"
#include "cli/entry_search.h"
#include "cli/selection.h"
#include "trace/entry_tree.h"
#include "trace/thread_order.h"

enum calls_key {
    CALLS_KEY_DEFAULT = -1, /* the first call first; of a tree the node that takes the most time */
    CALLS_KEY_START,
    CALLS_KEY_DURATION,
    CALLS_KEY_TOTAL,
    CALLS_KEY_SELF,
    CALLS_KEY_COUNT,
    CALLS_KEY_NAME,
};

struct calls_options_of_user {
    struct common_options common;
    int rules; /* enum trace_rules */
    bool show_all;
    int tree;  /* 0 = none, else enum entry_tree_kind + 1 */
    int group; /* enum entry_grouping */
    int sort;  /* enum calls_key */
    bool reverse;
    struct optional_number min_duration; /* ms */
};

struct calls_input {
    const struct calls_options_of_user *options;
    struct selection selection; /* the profile of a trace has the names of the threads, and nothing else */
    struct path selected;       /* what became of the path of --select */
    bool events_only;           /* the trace has no samples: events take the place of calls */
    bool changed;               /* options were given that change stacks */
    struct import_trace read;
    struct trace *trace;
    struct thread_order order; /* of a trace: the thread of the trace for each of the profile's */
    struct trace_calls calls;
    uint32_t *calls_of; /* by thread of the profile: row of `calls`, INDEX_NONE = none */
    struct entry_search search;
    double zero;       /* µs: times that people see count from here */
    double start, end; /* µs: --range; infinite where it is open */
};

/* Reads the file and makes the calls. A trace is one unless the options change stacks: they are those of a profile, and so it
 * is made into one. EXIT_OK, or the exit status after saying what is wrong. `input` needs no initialisation and is to be freed
 * in any case. */
int calls_input_open(struct calls_input *input, const struct command *command, const struct calls_options_of_user *options);
void calls_input_free(struct calls_input *input);

/* Says what is in `input->selection.error`; returns EXIT_DATA. */
int calls_input_report(const struct calls_input *input);

/* The calls of a chosen thread; NULL = it has none. */
const struct thread_calls *calls_input_thread(const struct calls_input *input, struct thread_index thread);

/* Whether a call lasts at any of the times of --during. */
bool calls_input_within(const struct calls_input *input, const struct call *call);

/* The name of an entry, and where a function comes from: file and line, or library; empty where it is unknown. */
struct slice entry_name(const struct calls_input *input, const struct thread_calls *calls, struct call_entry entry);
struct entry_place {
    char text[200];
};
struct entry_place entry_place(const struct calls_input *input, const struct thread_calls *calls, struct call_entry entry);

/* The keys handle, pid, tid and name of a thread. */
void json_put_calls_thread(struct json_output *output, const struct calls_input *input, struct thread_index thread);

/* The head of an answer for people: which thread, and what was filtered. */
void print_calls_head(const struct calls_input *input, struct thread_index thread, const struct terminal *terminal);

/* Adds text that ends at this column. */
void line_add_right(struct line *line, const char *text, size_t column);

#endif
