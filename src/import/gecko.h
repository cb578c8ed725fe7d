/* Gecko profiles: what Firefox itself writes (`MOZ_PROFILER_SHUTDOWN`, the capture before the Firefox Profiler processes it),
 * versions 24 to 36.
 *
 *     meta, libs, sources, counters     what a process says of itself
 *     threads                           each with its own tables, rows of cells with a schema: {schema, data}
 *     processes                         the same again for each child process, with times of its own
 *
 * One pass over the file fills the profile: a thread's tables are kept as plain arrays until its last one, the string table,
 * is there; then its rows go to the shared tables. gecko_versions.h says what changed when.
 *
 * What is left out: JS tracer events, traced values, the profiler's overhead, and visual metrics as markers. */
#ifndef SONDE_IMPORT_GECKO_H
#define SONDE_IMPORT_GECKO_H

#include "common/error.h"
#include "common/json_reader.h"
#include "profile/profile.h"

/* Reads the document that `r` stands before, to its end. `profile` is initialised and empty; it is finished on success and to
 * be freed in any case. `error` is the one that `r` was opened with. 0 or a negative errno. */
int import_gecko(struct json_reader *r, struct profile *profile, struct error *error);

#endif
