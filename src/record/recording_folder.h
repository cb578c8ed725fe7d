/* The folder a recorded program writes into. */
#ifndef SONDE_RECORD_RECORDING_FOLDER_H
#define SONDE_RECORD_RECORDING_FOLDER_H

#include "common/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct recording_folder {
    char path[PATH_MAX]; /* absolute: the program may change its folder */
    bool temporary;
};

/* `named` by the user, made if it is not there (what is there already must not hold a session); or, where that is NULL, a new
 * one that only this user may look into: under $TMPDIR, or, where nothing is said, in memory if a session of `limit_bytes`
 * suits there (see memory_folder.h), otherwise in /tmp. */
int recording_folder_make(const char *named, uint64_t limit_bytes, struct recording_folder *folder, struct error *error);

/* Whether any process has left a file in it. */
bool recording_folder_has_files(const struct recording_folder *folder);

/* Whether the disk of a folder, by its descriptor, has no room for another process: each needs some dozen KiB to begin. */
bool recording_folder_is_full(int folder);

/* Removes a temporary folder and the session files in it; one that was named stays. */
void recording_folder_remove(const struct recording_folder *folder);

#endif
