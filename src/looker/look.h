/* One look at one thread from outside: does it run or wait, how much time has it had, and if it waits, where.
 *
 *     schedstat ──▶ has it run since the last look? ──no──▶ the same wait: nothing more is read
 *                        │ yes
 *                        ▼
 *     syscall ──▶ "running", or its stack pointer and pc ──▶ stack, labels ──▶ schedstat: it did not run meanwhile
 *
 * The thread is not stopped, interrupted or otherwise disturbed. What was read belongs together if the thread did not get a
 * CPU between the first and the last step, which the kernel's count of its runs proves: a blocked thread cannot change its
 * stack without one more run. A look whose proof fails says that the thread runs.
 *
 * A target is a process: another one, or that of the caller (pid = getpid()). Another one has to allow it: the same user, not
 * made undumpable, and where Yama restricts it, prctl(PR_SET_PTRACER) in the target. Where it is refused, figures come without
 * a stack.
 *
 * A looker with its targets and threads belongs to one thread at a time. */
#ifndef SONDE_LOOKER_LOOK_H
#define SONDE_LOOKER_LOOK_H

#include "common/error.h"
#include "session/entry.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What all targets share: unwind tables of files, room for one stack, the account of open descriptors. */
struct looker;

struct look_target;

struct unwind_module;

/* The files of a thread in /proc are kept open, which makes looks several times cheaper, for as many threads as `descriptors`
 * allows (two each, and one for each target). 0: nothing is kept open between two looks. That is for a caller who shares its
 * table of descriptors with code that closes what it did not open; a looker thread in such a program can instead have a table
 * of its own, unshare(CLONE_FILES). NULL when there is no memory. */
struct looker *looker_create(size_t descriptors);

/* After all its targets are closed. NULL is fine. */
void looker_free(struct looker *looker);

/* `pid` as the caller sees it. -ESRCH where there is no such process. Nothing is read of it before the first look. */
struct look_target *look_target_open(struct looker *looker, pid_t pid, struct error *error);

/* Its threads first: look_thread_close. NULL is fine. */
void look_target_close(struct look_target *target);

/* `changed` is called from look_take and look_target_refresh for each module that came (`loaded` true) or went, before a stack
 * with addresses in it is told; and at once for those that are known by now. Module ids start at 1 and are never used again in
 * this target. The callback may not call anything here. */
void look_target_on_modules(struct look_target *target,
                            void (*changed)(void *data, const struct unwind_module *module, bool loaded), void *data);

/* Modules are looked up anew when a pc is in none, and from time to time; whoever knows that some were loaded or unloaded, or
 * that the process has become another program, says so here. */
void look_target_refresh(struct look_target *target);

/* One thread, in the caller's memory, which must not move while it is in use. */
struct look_thread {
    pid_t tid;       /* as the caller sees it */
    uint64_t labels; /* address of its struct label_stack in the target; 0 = none. May be changed between two looks */

    /* For look.c alone. */
    bool seen;                       /* the figures are those of the last look */
    bool placed;                     /* and that found it waiting */
    bool truncated, refused;         /* as that said */
    uint64_t cpu_ns, ready_ns, runs; /* … */
    struct look_files {
        int schedstat, syscall; /* -1: not open */
        uint64_t used_ns;
        struct look_thread *newer, *older; /* of those whose files are kept open */
    } files;
};

void look_thread_init(struct look_thread *thread, pid_t tid, uint64_t labels);
void look_thread_close(struct look_target *target, struct look_thread *thread);

/* Times are of CLOCK_MONOTONIC; figures are those of the scheduler since the thread began, see struct look_entry. While a
 * thread runs, the kernel adds to its CPU time in ticks: it can be some milliseconds behind. */
struct look {
    uint8_t state; /* enum look_state: LOOK_RUNNING or LOOK_WAITING */
    bool same;     /* waiting, and it has not run since the last look, which found it waiting: the stack is the one told then */
    bool truncated; /* the oldest frames are missing */
    bool refused;   /* no permission: no stack */
    uint64_t time_ns, cpu_ns, ready_ns, runs;
    const struct frame_entry *frames; /* oldest first, valid until the next look of this looker; none where `same` */
    size_t count;
};

/* False: the thread is gone, and so its figures are those of its last look (thread->cpu_ns …). */
bool look_take(struct look_target *target, struct look_thread *thread, struct look *look);

/* The next look of the thread tells its whole stack, even if it still waits: for a caller who did not keep the last one. */
static inline void look_thread_forget(struct look_thread *thread)
{
    thread->placed = false;
}

#endif
