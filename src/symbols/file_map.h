/* Files in memory, as long as they stay as they are, and without harm where they do not.
 *
 * A mapped file that gets shorter meanwhile (a program is built again, a disk fails) ends whoever reads it with SIGBUS. Here
 * what is gone reads as zeros, from the first byte that was missed to the end: damaged contents like any others, which cost
 * names. Whoever maps takes over SIGBUS for that; what has nothing to do with maps goes where it went before.
 *
 * All of it can be called from any thread. */
#ifndef SONDE_SYMBOLS_FILE_MAP_H
#define SONDE_SYMBOLS_FILE_MAP_H

#include "common/error.h"
#include "common/slice.h"

/* `at_once` reads all of it now instead of page by page. The descriptor is not needed any more. -EISDIR for what is not a
 * file; an empty file gives an empty slice. */
int file_map(int fd, bool at_once, struct slice *bytes, struct error *error);

/* All that was mapped, or nothing. */
void file_unmap(struct slice bytes);

/* Whether bytes of it are gone, and zeros were read instead. */
bool file_map_is_cut(struct slice bytes);

#endif
