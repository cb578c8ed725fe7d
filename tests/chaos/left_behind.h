/* What a recorded program left behind: a session that must make sense, whatever happened to the program. */
#ifndef SONDE_TESTS_CHAOS_LEFT_BEHIND_H
#define SONDE_TESTS_CHAOS_LEFT_BEHIND_H

#include "session/format.h"

#include <stddef.h>
#include <stdint.h>

struct left_behind {
    uint64_t files, threads, samples, looks, markers, bytes;
    uint64_t statistics[STATISTIC_COUNT]; /* all files together */
    uint32_t states[SESSION_DISK_FULL + 1];
};

/* Reads all files of a session. Fails the test where one cannot be read, an entry makes no sense, or refers to a thread that
 * nobody has told of. */
void left_behind_read(const char *folder, struct left_behind *left);

/* A new folder under the system's temporary one. */
void folder_make(char *path, size_t size);
void folder_remove(const char *path);

#endif
