/* What is kept of a thread between two looks at it. */
#ifndef SONDE_LOOKER_LOOK_THREAD_H
#define SONDE_LOOKER_LOOK_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* One thread, in the caller's memory, which must not move while it is in use. */
struct look_thread {
    pid_t tid;       /* as the caller sees it */
    uint64_t labels; /* address of its struct label_stack in the target; 0 = none. May be changed between two looks */
    uint64_t handle; /* its pthread_t there; 0 = not known */

    /* For look.c alone, and `files` for look_files.c. */
    bool seen;                       /* the figures are those of the last look */
    bool placed;                     /* and that found it waiting */
    bool truncated, refused;         /* as that said */
    uint64_t cpu_ns, ready_ns, runs; /* … */
    uint64_t counted_ready_ns;       /* ready_ns when its waits were counted last */
    struct look_files {
        int schedstat, syscall; /* -1: not open */
        uint64_t used_ns;
        struct look_thread *newer, *older; /* of those whose files are kept open */
    } files;
};

/* The next look of the thread tells its whole stack, even if it still waits: for a caller who did not keep the last one. */
static inline void look_thread_forget(struct look_thread *thread)
{
    thread->placed = false;
}

#endif
