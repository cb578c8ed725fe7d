/* What a session is asked to be, by options or by the environment. */
#ifndef SONDE_CAPTURE_CORE_SETTINGS_H
#define SONDE_CAPTURE_CORE_SETTINGS_H

#include "capture/core/core.h"

enum { SETTINGS_INTERVAL_MIN_NS = 1000 };
#define SETTINGS_BUFFER_DEFAULT (UINT64_C(128) << 20)
#define SETTINGS_BUFFER_MIN (UINT64_C(1) << 20)
#define SETTINGS_INTERVAL_MAX_MS 5000.0
#define SETTINGS_DURATION_MAX_S 1e9

/* Defaults stand in for what is not given. Texts stay where they are. -EINVAL with `error` filled where something makes no
 * sense. */
int settings_from_options(struct settings *settings, const struct sonde_start_options *options, struct error *error);

/* A session with these settings would be the same as the one that runs. */
bool settings_match(const struct settings *settings, const struct active_state *active);

/* Which threads are recorded: a comma-separated list of parts of their names.
 *
 * An empty list selects all, as does the filter "*". "pid:N" selects all threads of the process N. Anything else is looked for
 * in the name, whatever the case of its (ASCII) letters. */
bool filters_select_thread(const char *filters, const char *name, int pid);

/* The list has only filters of processes, none of them this one. */
bool filters_exclude_process(const char *filters, int pid);

/* What the SONDE_… variables ask for. A program that runs with other rights than its user ignores them all. */
struct environment {
    bool help;
    bool foreign; /* SONDE_SESSION_PID names another process: nothing is to be done for this one */
    bool start, signals;
    bool joins;    /* a recording that a recorder began: its folder is there, or it is over */
    bool children; /* those that are forked are recorded, too: into the folder that the recorder gave */
    int log_level;
    struct sonde_start_options options; /* texts point into the environment */
    const char *shutdown_path;          /* NULL = none */
};

/* `get` looks a variable up (getenv). -EINVAL with a message that names the variable and what is allowed. */
int environment_read(struct environment *environment, char *(*get)(const char *name), int pid, struct error *error);

/* The text of SONDE_HELP, to standard output. */
void environment_help(void);

#endif
