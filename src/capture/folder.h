/* The folder of a session. */
#ifndef SONDE_CAPTURE_FOLDER_H
#define SONDE_CAPTURE_FOLDER_H

#include "capture/core.h"

/* Fills in active->folder: `wanted`, which is made if it is not there, or a temporary one where `wanted` is empty. */
int folder_make(struct active_state *active, const char *wanted, struct error *error);

/* Removes a temporary folder with the file in it; leaves any other alone. */
void folder_remove(const struct active_state *active);

#endif
