/* Reading profiles of any format.
 *
 * An importer is one function in one file: it pulls bytes from a source and fills a profile. It must give the same profile
 * however the source cuts its bytes, and a clear error (never a crash) for whatever the bytes are. */
#ifndef SONDE_IMPORT_IMPORTER_H
#define SONDE_IMPORT_IMPORTER_H

#include "common/byte_source.h"
#include "common/error.h"
#include "import/options.h"
#include "profile/profile.h"

/* Recognises the format by its first bytes and reads the profile. `profile` must be initialised and empty; on failure it is
 * to be freed all the same. 0, or a negative errno with a message that says what is wrong and where. */
int import_profile(struct byte_source *source, struct profile *profile, struct error *error);
int import_profile_with(struct byte_source *source, const struct import_options *options, struct profile *profile,
                        struct error *error);

/* The same from a file (`-` = standard input), plain, gzip or zstd, or from the folder of a session. */
int import_file(const char *path, const struct byte_progress *progress, struct profile *profile, struct error *error);
int import_file_with(const char *path, const struct byte_progress *progress, const struct import_options *options,
                     struct profile *profile, struct error *error);

#endif
