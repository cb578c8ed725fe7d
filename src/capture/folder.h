/* The folder of a session. */
#ifndef SONDE_CAPTURE_FOLDER_H
#define SONDE_CAPTURE_FOLDER_H

#include "capture/core.h"

/* From now on a session in `folder` is one that a recorder began, and may have ended. */
void folder_expect(const char *folder);

/* `failed` says that a recorder has ended the session there: who starts afterwards is not recorded, and no news. */
bool folder_is_gone(const char *folder, int failed);

/* Fills in active->folder: `wanted`, which is made if it is not there and not a recorder's, or a temporary one where `wanted`
 * is empty. */
int folder_make(struct active_state *active, const char *wanted, struct error *error);

/* Removes a temporary folder with the file in it; leaves any other alone. */
void folder_remove(const struct active_state *active);

#endif
