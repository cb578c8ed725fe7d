/* What is in a session file, as text: the lines of session_draw.h, in the order in which a reader visits them. What is 0, empty
 * or no is not written. Stacks show only the frames that are not shared, behind `+N` for those that are. A line `chunk samples`
 * stands where chunk_changed() was called after the first time. */
#ifndef SONDE_TESTS_SESSION_DUMP_H
#define SONDE_TESTS_SESSION_DUMP_H

#include "session/reader.h"

/* To be freed. Fails the test where the file cannot be read. `reading` may be NULL. */
char *session_dump(const char *path, struct session_reading *reading);

#endif
