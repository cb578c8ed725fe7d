/* Small files of /proc, without stdio. */
#ifndef SONDE_CAPTURE_CORE_PROC_FILE_H
#define SONDE_CAPTURE_CORE_PROC_FILE_H

#include <stddef.h>
#include <sys/types.h>

/* Reads at most `room` - 1 bytes and terminates them. Returns how many, or a negative errno. */
ssize_t proc_file_read(const char *path, char *text, size_t room);

#endif
