/* The profile of the running session as a file, while it goes on: the session's file is read like any other reader would. Any
 * thread, not with the core lock held. */
#ifndef SONDE_CAPTURE_CONTROL_SAVE_H
#define SONDE_CAPTURE_CONTROL_SAVE_H

#include "capture/core/core.h"

/* The first "%p" in `path` is the process id. The file is replaced only when the new one is complete. 0 or a negative errno;
 * -ENOTCONN: nothing is recorded. */
int save_to_file(const char *path);
int save_to_file_with_progress(const char *path, void (*progress)(void *data, double share), void *data);
int save_to_fd(int fd, void (*progress)(void *data, double share), void *data);

/* `path` with its first "%p" replaced and `ending` behind it, into PATH_ROOM bytes. False when that is too long. */
bool save_name(const char *path, char *name, const char *ending);

/* A new file for writing, or a negative errno. What has the name already goes; whoever knew the name and put a link there does
 * not decide which file is written. */
int save_create(const char *path);

/* What SONDE_SHUTDOWN asked for, if anything. */
void save_at_shutdown(void);

#endif
