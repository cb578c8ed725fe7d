/* The folder of a session. */
#ifndef SONDE_CAPTURE_CORE_FOLDER_H
#define SONDE_CAPTURE_CORE_FOLDER_H

#include "capture/core/core.h"

/* The folder that the environment names is `folder` (shorter than PATH_ROOM). Returns the copy, which stays; so does the other
 * one, empty where none is named. */
const char *folder_name(const struct core_locked *locked, const char *folder);

/* From now on a session in that one is one that a recorder began, and may have ended. */
void folder_expect(const char *named);

/* `failed` says that a recorder has ended the session there, or that it cannot be reached from here (another user, another root
 * folder): who starts so is not recorded, and prints nothing among what the program says; the recorder names it. */
bool folder_is_unreached(const char *folder, int failed);

/* Sets active->folder: `wanted`, which is made if it is not there and not a recorder's, or a temporary one where `wanted`
 * is empty. */
int folder_make(struct active_state *active, const char *wanted, struct error *error);

/* Removes a temporary folder with the file in it; leaves any other alone. */
void folder_remove(const struct active_state *active);

#endif
