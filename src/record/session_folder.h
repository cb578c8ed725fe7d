/* The folder a recorded program writes into. */
#ifndef SONDE_RECORD_SESSION_FOLDER_H
#define SONDE_RECORD_SESSION_FOLDER_H

#include "common/error.h"

#include <limits.h>
#include <stdbool.h>

struct session_folder {
    char path[PATH_MAX]; /* absolute: the program may change its folder */
    bool temporary;
};

/* `named` by the user, made if it is not there (what is there already must not hold a session); or, where that is NULL, a new
 * one under $TMPDIR or /tmp that only this user may look into. */
int session_folder_make(const char *named, struct session_folder *folder, struct error *error);

/* Whether any process has left a file in it. */
bool session_folder_has_files(const struct session_folder *folder);

/* Removes a temporary folder and the session files in it; one that was named stays. */
void session_folder_remove(const struct session_folder *folder);

#endif
