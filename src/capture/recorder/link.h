/* The process's end of the socket to the recorder (ipc/link.h).
 *
 * Connected when a session begins, looked at now and then (link_housekeep), and never waited for. Where there is no recorder,
 * or it is gone, or says what makes no sense, recording goes on with the limit there is.
 *
 * One session at a time. Functions without a `struct core_locked *` may be called by any thread. */
#ifndef SONDE_CAPTURE_RECORDER_LINK_H
#define SONDE_CAPTURE_RECORDER_LINK_H

#include "capture/core/core.h"
#include "ipc/link.h"

#include <stdbool.h>

/* The session's file has just been made: joins. */
void link_begin(const struct core_locked *locked, struct active_state *active);

/* There is a recorder, which looks after this process from outside. */
bool link_is_observed(const struct core_locked *locked);
/* The session ends; or this is a forked child, and the connection is the parent's. */
void link_end(const struct core_locked *locked);

/* The descriptor of the socket, which the program must not close: daemons close all that they do not know, and libsonde-preload
 * then leaves it out. -1 where there is none, or the program has got its number for a file of its own, by other means than
 * close(). Async-signal-safe, as close() is. */
int link_descriptor(void);
bool link_owns(int fd);

/* Hears what the recorder says of the limit, obeys it, and says what is held, if there is news. By any thread of the program
 * that is here anyway: when it has taken a chunk for its markers, makes a thread, or ends. Without the lock; does nothing where
 * another thread holds it. */
void link_housekeep(void);

/* The process `pid` (0 = this one) is about to run, or has been started with, the program at `path` and these variables.
 * Async-signal-safe, without a lock, and possible in the child of a vfork(). */
void link_tell_child(int pid, const char *path, char *const *environment);

/* Children are wanted, and belong to the session in this folder; the name stays. Opens the quota of that session for a moment,
 * so at the beginning; once. */
void link_tell_children_of(const char *folder);

/* After that: there is neither a quota nor a socket. A recorder that was killed would have left them. */
bool link_recorder_has_left(void);

/* The recorder has ended the session. */
bool link_is_over(void);

/* This process could not begin: the session's folder cannot be reached from here. Any thread. */
void link_tell_unreached(void);

#endif
