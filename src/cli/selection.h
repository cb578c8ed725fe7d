/* What to look at: the options that tree, functions, lines, markers and calls share, made into a query of the engine. */
#ifndef SONDE_CLI_SELECTION_H
#define SONDE_CLI_SELECTION_H

#include "cli/common_options.h"
#include "cli/load.h"
#include "cli/terminal.h"
#include "cli/threads.h"
#include "tree/marker_ranges.h"
#include "tree/query.h"
#include "tree/tiers.h"
#include "tree/transform_text.h"

/* --thread to --strategy. */
extern const struct option_group selection_group;
/* --at, --blocks, --younger-than. */
extern const struct option_group allocation_group;

/* Of --implementation, in the order of the enum; NULL after the last. */
extern const char *const implementation_choices[];

struct selection {
    const struct common_options *options;
    const char *command; /* that would give the answer with more options; NULL = the one that is running */
    struct profile profile;
    struct view whole;
    struct thread_list threads;
    struct time_ranges during; /* the times of --during */
    struct transform_list transforms;
    struct path selected;
    struct query query; /* points at the members above: a selection must not move */
    struct error error;
};

/* Reads the profile and makes the query. EXIT_OK, or the exit status after saying what is wrong. `selection` needs no
 * initialisation and is to be freed in any case. */
int selection_open(struct selection *selection, const struct command *command, const struct common_options *options);
/* The same where more was said of how the profile is to be read. */
int selection_open_with(struct selection *selection, const struct command *command, const struct common_options *options,
                        const struct load_options *load);
/* What can be said of --transform and --select before any file is read: EXIT_OK, or EXIT_USAGE after saying what is wrong. */
int selection_check(const struct command *command, const struct common_options *options);
/* The same of --search, which is otherwise read when it is used. */
int selection_check_search(const struct command *command, const struct common_options *options);
/* The same where the caller has zeroed the selection, set its options and filled its profile. */
int selection_of_loaded(struct selection *selection);
void selection_free(struct selection *selection);

/* The time, on the profile's own clock, that all times people see count from. Looks at every row that has a time. */
double selection_zero(const struct selection *selection);

/* Says what is in `selection->error`; returns EXIT_DATA. */
int selection_report(const struct selection *selection);

/* A function by handle or name, as transforms name it; OPTION is what the message blames. EXIT_OK or EXIT_DATA. */
int selection_find_func(struct selection *selection, const char *option, const char *text, uint32_t *func);

/* Whether allocations are asked for: those of a process stand with its main thread, whoever made them. */
bool selection_is_of_allocations(const struct common_options *options);

#endif
