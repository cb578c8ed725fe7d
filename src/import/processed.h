/* Processed profiles, the Firefox Profiler's own format, versions 50 to 75.
 *
 * Whatever the version, the profile comes out in the form of the newest one: shared tables, categories on frames, libraries
 * on frames, marker schemas with `fields`. profile/processed_format.h says what changed when. */
#ifndef SONDE_IMPORT_PROCESSED_H
#define SONDE_IMPORT_PROCESSED_H

#include "common/error.h"
#include "common/json_reader.h"
#include "profile/profile.h"

/* Reads the document that `r` stands before, to its end. `profile` is initialised and empty; it is finished on success and to
 * be freed in any case. `error` is the one that `r` was opened with. 0 or a negative errno. */
int import_processed(struct json_reader *r, struct profile *profile, struct error *error);

#endif
