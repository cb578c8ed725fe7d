/* Threads of an observed process that cannot be sampled, because its library does not know them: made by clone() itself, or by
 * the kernel for it (io_uring). Their CPU time and their names are told in the file of the process. */
#ifndef SONDE_RECORD_UNREGISTERED_H
#define SONDE_RECORD_UNREGISTERED_H

#include "common/vec.h"
#include "session/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct unregistered_thread {
    pid_t tid;
    uint64_t cpu_ns; /* as it was last told */
};

/* Begins as zeros. */
struct unregistered {
    VEC(struct unregistered_thread) threads; /* that are there */
    uint64_t read_ns;                        /* when their times were last read */
};

/* A task that is not registered was met. The first thing that a thread does is to register itself, but it may have to wait for
 * a CPU for that: so one that has hardly run is not counted yet. */
void unregistered_meet(struct unregistered *unregistered, pid_t peer, pid_t tid, struct session_file_header *header);

/* The thread has registered after all, if it was met. */
void unregistered_forget(struct unregistered *unregistered, pid_t tid, struct session_file_header *header);

/* Tells what they have used since the last time, if it is time to look. */
void unregistered_read(struct unregistered *unregistered, pid_t peer, uint64_t now_ns, struct session_file_header *header);

void unregistered_free(struct unregistered *unregistered);

#endif
