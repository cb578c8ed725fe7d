/* Sessions: what a recorded process leaves behind (src/session/format.h), finished, cut off or still growing. */
#ifndef SONDE_IMPORT_SESSION_H
#define SONDE_IMPORT_SESSION_H

#include "common/byte_source.h"
#include "common/error.h"
#include "profile/profile.h"

/* True for a folder, and for a file that starts as the files of a session do. */
bool session_recognise_path(const char *path);
bool session_recognise(struct slice start);

/* Reads a session's folder, or one file of it, into an empty profile. Functions are called after their addresses, one for each
 * address: names are the business of others (src/symbols/). 0, or a negative errno with a message; `progress` may be NULL. */
int session_import(const char *path, const struct byte_progress *progress, struct profile *profile, struct error *error);

/* The same for the bytes of one file, from wherever they come. */
int session_import_source(struct byte_source *source, struct profile *profile, struct error *error);

#endif
