/* One process, as its recorder sees it from outside. For observer.c. */
#ifndef SONDE_RECORD_OBSERVED_PROCESS_H
#define SONDE_RECORD_OBSERVED_PROCESS_H

#include "common/map.h"
#include "looker/look.h"
#include "looker/look_policy.h"
#include "record/budget.h"
#include "record/kept_threads.h"
#include "record/looks_file.h"
#include "record/title_watch.h"
#include "record/unregistered.h"
#include "session/supply.h"

#include <time.h>

/* What all processes share. */
struct observing {
    struct looks_file looks;
    struct looker *looker;
    struct look_policy policy;
    uint64_t interval_ns;
    uint64_t random;
    size_t events, events_most; /* open, and at most */
    int events_refused;         /* errno; 0 = they are allowed, as far as is known */
    size_t processes;
    bool is_crowded;  /* processes come and go: most are too short for events */
    uint32_t filters; /* of system calls, that the recorder itself has, and so every process from its beginning */
};

struct observed_thread {
    struct look_turn turn;
    struct look_thread look;
    struct look same; /* look_note() */
    struct observed_process *process;
    int32_t inner_tid;       /* as the process sees it: it may live in a container */
    bool is_there;           /* in the listing that is being made */
    int event;               /* -1 = none */
    uint64_t first_cpu_ns;   /* when it was registered */
    uint64_t checked_cpu_ns; /* its CPU time when its period and its kernel time were last seen to */
};

/* What the process says of a thread. */
struct told_thread {
    int32_t tid;
    uint64_t labels, handle;
    uint64_t cpu_ns; /* when it was registered */
};

struct observed_process {
    struct observing *observing;
    int pid;
    uint32_t image;
    pid_t peer;
    uint64_t origin_ns; /* what its times count from */
    struct supply supply;
    struct budget_process share; /* of the memory, for samples … */
    uint64_t taken;              /* … and what was taken of the quota for them, in all */
    bool has_left;               /* it has hung up: what it says of its end is for good */
    struct look_target *target;
    struct looks_of_process looks;
    struct kept_threads kept;
    VEC(struct told_thread) told;
    struct map told_of_tid;
    VEC(struct observed_thread *) threads;
    struct map thread_of_tid;
    struct unregistered unregistered;
    uint32_t threads_changed; /* as it said when threads were last listed … */
    uint64_t listed_ns;       /* … which was then */
    uint64_t list_pause_ns;   /* and not again before so long: there may be thousands */
    uint32_t modules_changed; /* as it said when its modules were last read … */
    uint64_t modules_ns;      /* … which was then */
    uint64_t modules_pause_ns;
    uint64_t filtered_ns; /* when that was last looked up */
    size_t filter_turn;   /* of which thread it is looked up next */
    bool has_run;         /* since then: one that does not run installs none */
    uint64_t due_ns;      /* when it is looked after next, apart from looks at its threads */
    struct title_watch title;
    bool counter_is_said;
    clockid_t cpu_clock;
    uint64_t first_cpu_ns, cpu_ns; /* its CPU time where its counter begins, and as it was last written … */
    uint64_t counted_ns;           /* … which was then */
};

/* How many filters of system calls a thread has. */
uint32_t observed_filters(pid_t pid, pid_t tid);

/* NULL with errno set. */
struct observed_process *observed_process_open(struct observing *observing, int folder, int pid, uint32_t image, pid_t peer);
void observed_process_close(struct observing *observing, struct observed_process *process);

/* False: it is gone, or will never write again. */
bool observed_process_is_there(const struct observed_process *process);

/* It has said that it becomes another program, or that its recording has ended; that may turn out not to be so. */
bool observed_process_is_over(const struct observed_process *process);

/* Threads that came and went, if it is time to look. */
void observed_process_list(struct observing *observing, struct observed_process *process, uint64_t now_ns);

/* Writes down its command line, where that has changed and it is time to look, or for the last time. */
void observed_process_note_title(struct observing *observing, struct observed_process *process, uint64_t now_ns, bool is_last);

/* One look; false: the thread is gone, and so is `thread`. `written`: whatever was seen is to be written down. */
bool observed_thread_look(struct observing *observing, struct observed_thread *thread, bool written);

/* It is gone, or nobody looks after it any more: its file says so, where it does not yet. */
void observed_process_end(struct observed_process *process, enum session_state state, uint64_t now_ns);

/* Appends to what is known of the process. */
void observed_process_put(struct observing *observing, struct observed_process *process, bool kept, size_t max,
                          entry_fill *fill, const void *entry);

#endif
