/* What is left of the limit of a session, where every process finds it: one number, in a file that all of them map; and what
 * they start, for their recorder (starts.h).
 *
 *     SESSION/room
 *
 *     recorder                  process
 *     puts in what nobody       has used up what it was allowed: takes some, and may hold that much more from now on,
 *     has, takes it back        without having asked, and without waiting for anybody
 *                         ◀──   says so with its next LINK_USAGE (link.h), and in the header of its file, should it be killed
 *
 * So a burst loses nothing while the session as a whole has room, however busy the recorder is; and all together stay below the
 * limit, since what is in the room counts as if it were held. A process that is killed between taking and writing that down
 * leaves the recorder with a little less to give. */
#ifndef SONDE_IPC_ROOM_H
#define SONDE_IPC_ROOM_H

#include "ipc/starts.h"

#include <stdbool.h>
#include <stdint.h>

#define ROOM_NAME "room"
enum { ROOM_BYTES = 32 << 10 }; /* of the disk, as well; the limit of the session has it in it */

struct room {
    _Atomic uint64_t free;  /* relaxed, all: it is a number, and nothing else is said by it */
    _Atomic bool is_over;   /* the recorder's: nothing is to be recorded any more. Relaxed */
    _Atomic bool is_paused; /* … for the time being. Relaxed */
    int32_t recorder;       /* its process */
    struct starts starts;
};
_Static_assert(sizeof(struct room) == ROOM_BYTES, "a room has no more disk space than it needs");
_Static_assert(offsetof(struct room, starts.slots) % sizeof(struct start_slot) == 0, "no slot is on two pages");

/* The recorder's: a new one, with nothing in it. NULL with errno set. */
struct room *room_make(int folder);

/* The one in the folder, or in the folder of the file at `path`; NULL where there is none. */
struct room *room_open(const char *folder);
struct room *room_open_beside(const char *path);

/* Either's. `room` may be NULL. */
void room_close(struct room *room);

uint64_t room_free(const struct room *room);
void room_put(struct room *room, uint64_t bytes);

/* The recorder records no more: who has not begun by now does not begin. */
void room_say_over(struct room *room);
bool room_is_over(const struct room *room);

/* … or not now: for who is not told by a message, because it has not joined. `room` may be NULL. */
void room_say_paused(struct room *room, bool paused);

/* Takes up to `most` bytes, or none where there are not even `least`; returns how many. */
uint64_t room_take(struct room *room, uint64_t least, uint64_t most);

/* See starts.h; `room` may be NULL: then there is no place, and nobody has told anything. */
bool room_tell_start(struct room *room, const struct room_start *start);
size_t room_take_starts(struct room *room, void (*take)(void *data, const struct room_start *start), void *data);

#endif
