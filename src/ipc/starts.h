/* What the processes of a session start, where their recorder finds it: a board of slots in memory that all of them map
 * (room.h). To tell of a program costs no system call, wakes nobody, and can be done where hardly anything else can: in a
 * signal handler, in the child of a vfork().
 *
 *     process    free ──▶ claimed, and written by one process ──▶ told
 *                 ▲                    │                            │
 *     recorder    └────────────────────┴────────────────────────────┘
 *                   given up: its           taken
 *                   process is gone
 *
 * The order is lost; nobody waits for anybody. A process that is killed while it writes leaves its slot claimed, and the others
 * go on with the rest, until the recorder has looked at it for long and finds that the process is gone. One that is only
 * stopped keeps its slot. In a container processes have other numbers, and one that is there may seem to be gone: the number in
 * the state rises with every use, so it finds that it is not its slot any more, and tells in another way.
 *
 * Whoever can map it can write anything into it: numbers are cut to what there is, texts have an end, and a look at all slots
 * is all that anybody ever does. */
#ifndef SONDE_IPC_STARTS_H
#define SONDE_IPC_STARTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    START_SLOTS = 123,
    START_PATH = 240,
    START_LOOKS = 200, /* of the recorder, 5 to 100 ms apart, before it asks whether who claimed a slot is still there */
};

struct room_start {
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
    _Atomic uint32_t next; /* where the next one looks first; relaxed: only so that not all look at the same */
    uint32_t reserved;
    _Atomic uint64_t states[START_SLOTS]; /* [the process that claimed it:32][how often it was used:30][what it is now:2] */
    uint8_t looks[START_SLOTS];           /* the recorder's: how often it has found it claimed */
    uint8_t reserved_bytes[149];
    struct start_slot slots[START_SLOTS];
};

/* False where there is no free slot, or the path is too long. Async-signal-safe; from any number of processes at once. */
bool starts_tell(struct starts *starts, const struct room_start *start);

/* The recorder's: `take` is called with each one that was told, whose path is there only during the call. Returns how many. */
size_t starts_take(struct starts *starts, void (*take)(void *data, const struct room_start *start), void *data);

#endif
