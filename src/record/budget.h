/* How much each process of a session may hold, so that all of them together stay below one limit, and the oldest data of the
 * session is evicted first, whichever process holds it.
 *
 *     limit of the session
 *     ┌──────────────────────┬────────────────────────────────────────┬────────────┬─────────┐
 *     │ files of those that  │ live processes, each as its limit      │ quota      │ reserve │  for those that come next
 *     │ ended, piece by piece│ [used][done, oldest first][headroom]   │            │         │
 *     └──────────────────────┴────────────────────────────────────────┴────────────┴─────────┘
 *
 *   - A live process takes up to its limit without asking, so it counts with its limit.
 *   - What no process holds is the quota (ipc/quota.h). Every process may take of it, and raise its own limit by that. Until it
 *     has reported that, what it took counts as if it were still in the quota.
 *   - Only when the quota is used up limits are raised from here, with what is evicted elsewhere.
 *   - A process whose limit was lowered counts with the old limit until it reports that it has applied the new one. One that is
 *     stopped or hangs never reports that; after a while others are asked in its place.
 *   - Of its done chunks only the time of the oldest is known: the others are taken to be spread evenly from there to the time
 *     at which it last had more.
 *   - What a process reports is trusted as far as its file is that large, and concerns its own share only.
 *   - The newest chunk of a process that has just ended is not evicted to give others headroom.
 *
 * Pure logic: the coordinator talks to processes and trims files. Times are of CLOCK_MONOTONIC. */
#ifndef SONDE_RECORD_BUDGET_H
#define SONDE_RECORD_BUDGET_H

#include "common/vec.h"
#include "ipc/quota.h"

#include <stdint.h>

struct budget_process {
    uint64_t used, done; /* what it holds, as it last reported */
    uint64_t oldest_ns;  /* when the oldest of what is done was done … */
    uint64_t newest_ns;  /* … and the newest, about */
    uint64_t wanted;     /* more than that */
    uint64_t taken;      /* of the quota, in all, as it last reported; part of the limit */
    uint64_t limit;      /* given to it last … */
    uint32_t number;     /* … with this number … */
    uint64_t may_hold;   /* … and the largest limit that it may still have */
    uint64_t asked_ns;   /* when it was told to hold less, if it has not reported yet that it does; 0 = it has */
    uint64_t changed_ns; /* when what it holds changed last */
    uint64_t cut;        /* of `done`: what it is to evict, in the balance that is being made */
    bool content;        /* it gets no more than it has, in that balance */
    bool heard;          /* it has reported since the last balance */
    bool to_tell;        /* the limit has changed; the caller clears this when it has sent the limit */
};

/* What can be evicted of the file of a process that ended. The last piece is the rest of the file. */
struct budget_piece {
    uint64_t done_ns;
    uint64_t bytes;
};

struct budget_file {
    VEC(struct budget_piece) pieces; /* the oldest first */
    size_t next;                     /* of them: those before it are gone */
    size_t place;                    /* in the heap */
};

struct budget {
    uint64_t limit, reserve;
    uint64_t first_bytes; /* what a process holds before its first LINK_STATE: it only knows the limit of the session */
    uint64_t others;      /* bytes of files that belong to no member */
    struct quota *quota;  /* the caller's; NULL = there is none */
    uint64_t open;        /* bytes in it, and those that were taken from it and not reported yet */
    VEC(struct budget_process *) processes;
    VEC(struct budget_file *) files; /* a heap: the one with the oldest piece is the first */
    uint64_t file_bytes;
    size_t turn; /* the process that is served first: round robin */
};

struct budget_usage {
    uint32_t number; /* of the limit that the process has applied */
    uint64_t used, done, wanted, taken, oldest_ns;
    uint64_t in_file; /* bytes of disk space that its file really has */
};

void budget_init(struct budget *budget, uint64_t limit_bytes, struct quota *quota);

/* Takes `bytes` of the limit for something else. To be called before the first process joins. */
void budget_leave_out(struct budget *budget, uint64_t bytes);

/* Processes and files are the caller's. */
void budget_free(struct budget *budget);

/* Whether one more process can be recorded, if need be with the least that each has to have: the files of ended processes, and
 * what others hold beyond their least, could be evicted for it. The reserve stays: processes that are refused hold something,
 * too, until they know. */
bool budget_has_room(const struct budget *budget, uint64_t now_ns);

/* Adds a process, with the limit that it has before its first LINK_STATE (link_first_bytes). False when the heap is empty. */
bool budget_join(struct budget *budget, struct budget_process *process, uint64_t now_ns);
void budget_use(struct budget *budget, struct budget_process *process, const struct budget_usage *usage, uint64_t now_ns);
void budget_leave(struct budget *budget, struct budget_process *process);

/* A process that has ended had taken so many bytes of the quota without reporting it: they do not count any more. Returns how
 * many that can have been. */
uint64_t budget_settle(struct budget *budget, uint64_t taken);

/* What an ended process left; `file->pieces` is not empty and in order. False when the heap is empty. */
bool budget_add_file(struct budget *budget, struct budget_file *file);

/* Computes all limits anew. Processes whose limit has changed have `to_tell` set. `cut` is called for each piece of a file that
 * is to be evicted: file->next is behind it already, and after the last piece the budget does not have the file any more. */
void budget_balance(struct budget *budget, uint64_t now_ns, void (*cut)(void *data, struct budget_file *file), void *data);

/* What all processes and files together may hold now. The invariant: it is at most the limit. */
uint64_t budget_held(const struct budget *budget);

#endif
