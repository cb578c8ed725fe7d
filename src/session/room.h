/* What is left of the limit of a session, where every process finds it: one number, in a file that all of them map.
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
#ifndef SONDE_SESSION_ROOM_H
#define SONDE_SESSION_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#define ROOM_NAME "room"
enum { ROOM_BYTES = 4096 };

struct room {
    _Atomic uint64_t free;        /* relaxed, all: it is a number, and nothing else is said by it */
    _Atomic bool cpus_are_scarce; /* the recorder's: who runs now takes the CPU from somebody else. Relaxed */
};

/* The recorder's: a new one, with nothing in it. NULL with errno set. */
struct room *room_make(int folder);

/* The one in the folder of the file at `path`; NULL where there is none. */
struct room *room_open_beside(const char *path);

/* Either's. `room` may be NULL. */
void room_close(struct room *room);

uint64_t room_free(const struct room *room);
void room_put(struct room *room, uint64_t bytes);

/* Whether CPUs are scarce, as the recorder found last. */
void room_say_scarce(struct room *room, bool scarce);
bool room_is_scarce(const struct room *room);

/* Takes up to `most` bytes, or none where there are not even `least`; returns how many. */
uint64_t room_take(struct room *room, uint64_t least, uint64_t most);

#endif
