/* Where a session is, and the entries that say what it is: its folder; PROCESS and CONFIGURATION. */
#ifndef SONDE_CAPTURE_CORE_SESSION_FACTS_H
#define SONDE_CAPTURE_CORE_SESSION_FACTS_H

#include "capture/core/core.h"
#include "capture/core/settings.h"

/* From now on a session in the folder `named`, which stays, is one that a recorder began, and may have ended. */
void folder_expect(const char *named);

/* `failed` says that a recorder has ended the session there, that it cannot be reached from here (another user, another root
 * folder), or that its disk is full: who starts so is not recorded, and prints nothing among what the program says; the
 * recorder names it. */
bool folder_is_unreached(const char *folder, int failed);

/* Sets active->folder: `wanted`, which is made if it is not there and not a recorder's, or a temporary one where `wanted`
 * is empty. */
int folder_make(struct active_state *active, const char *wanted, struct error *error);

/* Removes a temporary folder with the file in it; leaves any other alone. */
void folder_remove(const struct active_state *active);

/* False when there was no room for them. */
bool session_facts_put(const struct core_locked *locked, const struct settings *settings);

/* What the profile calls the process; NULL = the file name of its executable. */
void process_name_set(const char *name);

#endif
