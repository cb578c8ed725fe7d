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
#include "looker/look_thread.h"
#include "session/entry.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What all targets share: unwind tables of files, a buffer for one stack, the number of open descriptors. */
struct looker;

struct look_target;

struct unwind_module;

/* The files of a thread in /proc are kept open, which makes looks several times cheaper, for as many threads as `descriptors`
 * allows (two each, and one for each target). 0: nothing is kept open between two looks. That is for a caller who shares its
 * table of descriptors with code that closes what it did not open; a looker thread in such a program can instead have a table
 * of its own, unshare(CLONE_FILES). NULL when there is no memory. */
struct looker *looker_create(size_t descriptors);

/* To be called after all its targets are closed. NULL is fine. */
void looker_free(struct looker *looker);

/* `pid` as the caller sees it. -ESRCH where there is no such process. Nothing is read of it before the first look. */
struct look_target *look_target_open(struct looker *looker, pid_t pid, struct error *error);

/* To be called after look_thread_close() for its threads. NULL is fine. */
void look_target_close(struct look_target *target);

/* `changed` is called from look_take() and look_target_refresh() for each module that was loaded (`loaded` true) or unloaded,
 * before a stack with addresses in it is returned; and at once for the modules that are known already. Module ids start at 1
 * and are never used again in this target. The callback must not call functions of this header: it is not reentrant. */
void look_target_on_modules(struct look_target *target,
                            void (*changed)(void *data, const struct unwind_module *module, bool loaded), void *data);

/* Reads the modules of the target anew. look_take() does that by itself when a pc is in no module, and from time to time; a
 * caller that knows of a dlopen(), dlclose() or exec in the target calls this. */
void look_target_refresh(struct look_target *target);

/* A language runtime that the target has in it, as bytes of its layout (runtime/runtime.h): copied, and left out where they
 * make no sense. From then on the stacks of waiting threads have its frames. */
void look_target_add_runtime(struct look_target *target, const void *layout, size_t length);

/* `told` is called from look_take() for each function that numbered frames refer to (FRAME_NUMBERED), before the stack with
 * them is returned. Times of these entries are of CLOCK_MONOTONIC; 0 = since ever. The texts last until it returns. */
void look_target_on_code(struct look_target *target, void (*told)(void *data, const struct code_entry *entry), void *data);

/* `labels` and `handle` as in struct thread_entry. */
void look_thread_init(struct look_thread *thread, pid_t tid, uint64_t labels, uint64_t handle);
void look_thread_close(struct look_target *target, struct look_thread *thread);

/* Times are of CLOCK_MONOTONIC; figures are those of the scheduler since the thread began, see struct look_entry. While a
 * thread runs, the kernel adds to its CPU time in ticks: it can be some milliseconds behind. */
struct look {
    uint8_t state; /* enum look_state: LOOK_RUNNING or LOOK_WAITING */
    bool same;     /* waiting, and it has not run since the last look, which found it waiting: the stack is the one told then */
    bool truncated; /* the oldest frames are missing */
    bool refused;   /* no permission: no stack */
    uint64_t time_ns, cpu_ns, ready_ns, runs;
    uint64_t waits;                   /* 0 = not looked up: it has hardly been ready since they were */
    uint64_t kernel_ns;               /* 0 = not looked up */
    uint64_t period_ns;               /* set by a caller who has set another period: see struct look_entry */
    const struct frame_entry *frames; /* oldest first, valid until the next look of this looker; none where `same` */
    size_t count;
};

/* False: the thread is gone, and so its figures are those of its last look (thread->cpu_ns …). */
bool look_take(struct look_target *target, struct look_thread *thread, struct look *look);

/* Fills in kernel_ns, as the kernel's ticks found it: costs ten times as much as a look at the other figures. */
void look_at_kernel_time(struct look_target *target, const struct look_thread *thread, struct look *look);

#endif
