/* How much each process of a session may hold, so that all of them together stay below one limit, and the oldest data goes
 * first, whoever has it.
 *
 *     limit of the session
 *     ┌──────────────────────┬────────────────────────────────────────┬────────────┬─────────┐
 *     │ files of those that  │ live processes, each as its limit      │ room       │ reserve │  for those that come next
 *     │ ended, piece by piece│ [used][done, oldest first][headroom]   │            │         │
 *     └──────────────────────┴────────────────────────────────────────┴────────────┴─────────┘
 *
 * A live process takes up to its limit without asking, so the limit is what it counts for. What nobody has is in the room
 * (ipc/room.h), where everybody may take more, and raise its own limit by that; until it has said so it counts as what is
 * still in the room does. Only when that is empty limits are raised from here, with what is thrown away elsewhere. One that is
 * told a lower limit counts as before until it says that it goes by the new one; a process that is stopped or hangs never says
 * so, and after a while others are asked in its place. Of its done chunks only the oldest one's time is known: the others are
 * taken to be spread evenly from there to when it last had more. What it says is believed as far as its file is that large, and
 * it concerns its own share. The newest chunk of one that has just ended is not thrown away so that others may have headroom.
 *
 * Logic only: who talks to processes and cuts files is the coordinator. Times are CLOCK_MONOTONIC. */
#ifndef SONDE_RECORD_BUDGET_H
#define SONDE_RECORD_BUDGET_H

#include "common/vec.h"
#include "ipc/room.h"

#include <stdint.h>

struct budget_process {
    uint64_t used, done; /* what it holds, as far as it said */
    uint64_t oldest_ns;  /* when the oldest of what is done was done … */
    uint64_t newest_ns;  /* … and the newest, about */
    uint64_t wanted;     /* more than that */
    uint64_t taken;      /* from the room, in all, as far as it said; the limit has it in it */
    uint64_t limit;      /* given to it last … */
    uint32_t number;     /* … with this number … */
    uint64_t may_hold;   /* … and the largest that it may still go by */
    uint64_t asked_ns;   /* since when it was told to hold less and has not said that it does; 0 = it does */
    uint64_t changed_ns; /* when what it holds changed last */
    uint64_t cut;        /* of `done`: what it is to throw away, in the balance that is being made */
    bool content;        /* it gets no more than it has, in that balance */
    bool heard;          /* since the last balance */
    bool to_tell;        /* the limit has changed; whoever tells it takes this back */
};

/* What can be thrown away of the file of a process that ended. The last piece is the rest of the file. */
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
    uint64_t first_bytes; /* what a process holds before it has heard of us: it goes by the limit of the whole session */
    uint64_t others;      /* bytes of files that nobody answers for */
    struct room *room;    /* the caller's; NULL = there is none */
    uint64_t open;        /* bytes in it, or taken from it by who has not said so yet */
    VEC(struct budget_process *) processes;
    VEC(struct budget_file *) files; /* a heap: the one with the oldest piece is the first */
    uint64_t file_bytes;
    size_t turn; /* whose wish comes first */
};

struct budget_usage {
    uint32_t number; /* of the limit that the process goes by */
    uint64_t used, done, wanted, taken, oldest_ns;
    uint64_t in_file; /* bytes of disk space that its file really has */
};

void budget_init(struct budget *budget, uint64_t limit_bytes, struct room *room);

/* So much of the limit is somebody else's. Before anybody joins. */
void budget_leave_out(struct budget *budget, uint64_t bytes);

/* Processes and files are the caller's. */
void budget_free(struct budget *budget);

/* Whether there is room for one more process, if need be for nothing else than the least that each has to have: what ended
 * processes left could go, and what others hold beyond that. The reserve stays: those that come and are turned away have
 * something, too, until they know. */
bool budget_has_room(const struct budget *budget, uint64_t now_ns);

/* A process that may hold what it may at first (link_first_bytes). False when the heap is empty. */
bool budget_join(struct budget *budget, struct budget_process *process, uint64_t now_ns);
void budget_use(struct budget *budget, struct budget_process *process, const struct budget_usage *usage, uint64_t now_ns);
void budget_leave(struct budget *budget, struct budget_process *process);

/* So many bytes, of which nobody said it, were taken from the room by one that has ended: they are no longer owed. Returns how
 * many that can have been. */
uint64_t budget_settle(struct budget *budget, uint64_t taken);

/* What an ended process left; `file->pieces` is not empty and in order. False when the heap is empty. */
bool budget_add_file(struct budget *budget, struct budget_file *file);

/* Decides anew. Processes whose limit has changed have `to_tell` set. `cut` is called for each piece of a file that is to go:
 * it is behind file->next already, and after the last one the budget does not know the file any more. */
void budget_balance(struct budget *budget, uint64_t now_ns, void (*cut)(void *data, struct budget_file *file), void *data);

/* What all together may hold now: what is to stay below the limit. */
uint64_t budget_held(const struct budget *budget);

#endif
