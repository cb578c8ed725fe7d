/* Notices of the programs that the processes of a session start: slots in memory that the recorder and all processes map
 * (quota.h). Writing a notice is lock-free and async-signal-safe, costs no system call and wakes nobody: it can be done in a
 * signal handler, and in the child of a vfork().
 *
 *     process    free ──▶ claimed, and written by one process ──▶ told
 *                 ▲                    │                            │
 *     recorder    └────────────────────┴────────────────────────────┘
 *                   given up: its           taken
 *                   process is gone
 *
 * The order of notices is lost, and no process waits for another. A process that is killed while it writes leaves its slot
 * claimed; the others use the remaining slots, until the recorder has seen the slot claimed for long and finds that the process
 * is gone. A process that is only stopped keeps its slot. In a container processes have other ids, so a living one may seem to
 * be gone: the use count in the state rises with every use, so such a process finds that it has lost its slot, and sends a
 * LINK_CHILD instead.
 *
 * Every process that maps the slots can write anything into them, so nothing in them is trusted: numbers are bounded, texts are
 * terminated, and all loops end after one pass over the slots. */
#ifndef SONDE_IPC_STARTS_H
#define SONDE_IPC_STARTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    START_SLOTS = 123,
    START_PATH = 240,
    START_LOOKS = 200, /* turns of the recorder, 5 to 20 ms apart, before it checks whether the claiming process is alive */
};

struct start_notice {
    int pid;
    uint32_t image;   /* the first that the program can have */
    uint32_t reason;  /* enum link_reason */
    const char *path; /* of the program */
};

struct start_slot {
    int32_t pid;
    uint32_t image, reason;
    uint32_t reserved;
    char path[START_PATH];
};

struct starts {
    _Atomic uint32_t next; /* the slot to try first; relaxed: a hint that spreads processes over the slots */
    uint32_t reserved;
    _Atomic uint64_t states[START_SLOTS]; /* [the process that claimed it:32][how often it was used:30][what it is now:2] */
    uint8_t looks[START_SLOTS];           /* written by the recorder: how often it has found the slot claimed */
    uint8_t reserved_bytes[149];
    struct start_slot slots[START_SLOTS];
};

/* False where there is no free slot, or the path is too long. Async-signal-safe; from any number of processes at once. */
bool starts_tell(struct starts *starts, const struct start_notice *start);

/* Called by the recorder: frees the slots with notices, and calls `take` with each; its path lives only during the call.
 * Returns how many there were. */
size_t starts_take(struct starts *starts, void (*take)(void *data, const struct start_notice *start), void *data);

#endif
