/* Sessions of the test program itself. */
#ifndef SONDE_TESTS_CAPTURE_RECORDED_H
#define SONDE_TESTS_CAPTURE_RECORDED_H

#include "sonde/api.h"

/* Starts a session in a new folder, which the options then name. */
void recorded_start(struct sonde_start_options *options);

/* What is in the session now, as session_dump() prints it; to be freed. May be called after the end of the session. */
char *recorded_text(void);

/* How often `part` is in `text`. */
unsigned count_of(const char *text, const char *part);

/* Ends the session if it still runs, and removes the folder. */
void recorded_end(void);

#endif
