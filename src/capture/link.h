/* The process's end of the socket to the recorder (session/link.h).
 *
 * Connected when a session begins, looked at in every loop of the sampler, and never waited for. Where there is no recorder, or
 * it is gone, or says what makes no sense, recording goes on with the limit there is.
 *
 * All but the last four functions with the core lock; one session at a time. */
#ifndef SONDE_CAPTURE_LINK_H
#define SONDE_CAPTURE_LINK_H

#include "capture/core.h"
#include "session/link.h"

#include <stdbool.h>

struct room;

/* The session's file has just been made: joins. `own_table`: descriptors of the calling thread are its own. */
void link_begin(const struct core_locked *locked, struct active_state *active, bool own_table);
void link_end(const struct core_locked *locked);

/* In a forked child: the connection is the parent's. It is kept where `due` (the child may have to say what program it
 * becomes), until its own session begins. */
void link_forked(const struct core_locked *locked, bool due);
void link_let_go(const struct core_locked *locked);

/* Takes what the recorder said. The limit is set. */
void link_receive(const struct core_locked *locked, struct active_state *active);

/* When the limit is obeyed (or not yet): says what is held, if there is news. */
void link_report(const struct core_locked *locked, struct active_state *active, bool obeyed);

/* This process has a file as that image before its session begins. */
void link_know_image(const struct core_locked *locked, unsigned image);

/* What the recorder wants that was not done yet; each only once. False: nothing. */
bool link_take_wish(const struct core_locked *locked, enum link_recording *recording);

/* The process `pid` (0 = this one) is about to run, or has been started with, the program at `path` and these variables.
 * Async-signal-safe, without a lock, and possible in the child of a vfork(). */
void link_tell_child(int pid, const char *path, char *const *environment);

/* Children are wanted, and belong to the session in this folder; the name stays. Opens the room of that session for a moment,
 * so at the beginning; once. */
void link_tell_children_of(const char *folder);

/* After that: there is neither a room nor a socket. A recorder that was killed would have left them. */
bool link_recorder_has_left(void);

/* That room, which is there for good; NULL where there is none, or children are not wanted. Any thread. */
struct room *link_room(void);

#endif
