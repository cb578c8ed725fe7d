/* The profile of the running session as a file, while it goes on: the session's file is read like any other reader would. Any
 * thread, not with the core lock held. */
#ifndef SONDE_CAPTURE_CONTROL_SAVE_H
#define SONDE_CAPTURE_CONTROL_SAVE_H

#include "capture/core/core.h"

/* The first "%p" in `path` is the process id. The file is replaced only when the new one is complete. 0 or a negative errno;
 * -ENOTCONN: nothing is recorded. */
int save_to_file(const char *path);
int save_to_fd(int fd, void (*progress)(void *data, double share), void *data);

/* What SONDE_SHUTDOWN asked for; false = nothing. */
bool save_shutdown_path(char path[PATH_ROOM]);
void save_at_shutdown(void);

/* A dump that is scheduled. The background thread makes it, so it comes even if all others are stuck.
 *
 * In `delay_s` seconds the profile is written to `path` ("%p" = pid); one that was ordered before is cancelled. While it is
 * written the file `path`.progress holds how far it is, as a number from 0 to 1. 0, -EINVAL, or -ENOTCONN: nothing is recorded.
 */
int dump_schedule(double delay_s, const char *path, bool exit_after);
/* True if there was one. */
bool dump_cancel(void);
/* Until the dump is made or cancelled, or the session has ended. 0, or what writing it ended with. */
int dump_wait(void);

/* For the background thread: when to write (UINT64_MAX = never), and doing it. Returns the status that the process is to exit
 * with; -1: it goes on. */
uint64_t dump_deadline(const struct core_locked *locked);
int dump_write(void);

#endif
