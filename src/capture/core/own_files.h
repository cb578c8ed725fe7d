/* Descriptors of ours that the program must not close. Daemons close all that they do not know; libsonde-preload then leaves
 * these out. What is here is believed only if the descriptor still leads to the file that it led to: programs have other ways
 * to close one, and to get its number for a file of their own. Async-signal-safe, as close() is. */
#ifndef SONDE_CAPTURE_CORE_OWN_FILES_H
#define SONDE_CAPTURE_CORE_OWN_FILES_H

#include <stdbool.h>

void own_file_add(int fd);
void own_file_remove(int fd);
bool own_file_is(int fd);

/* The lowest one that is not below `fd`; -1 = none. */
int own_file_next(int fd);

#endif
