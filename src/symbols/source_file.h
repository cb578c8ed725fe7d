/* Source files under the names that debug information and profiles have for them.
 *
 *     path    /build/app/../lib/mix.h                   as named
 *     tried   FOLDER/build/lib/mix.h                    each folder, with ever less of the path
 *             FOLDER/lib/mix.h
 *             FOLDER/mix.h
 *             /build/app/../lib/mix.h                   then as named
 *
 * A name may be anybody's: `..` does not lead out of a folder, and only regular files are read, of a size that people write. */
#ifndef SONDE_SYMBOLS_SOURCE_FILE_H
#define SONDE_SYMBOLS_SOURCE_FILE_H

#include "common/error.h"
#include "common/slice.h"

#include <stdbool.h>
#include <stdint.h>

enum { SOURCE_FILE_MOST = 64 << 20 };

struct source_search {
    const char *const *folders; /* --source-dir; the caller's */
    size_t folder_count;
    bool relative; /* a path that is not absolute may also be one from here */
};

struct source_file {
    char *bytes; /* NULL where the file is empty */
    size_t size;
    double modified; /* ms since 1970 */
    char *place;     /* the path that was opened */
};

/* -ENOENT where there is no such file, -ENOMEM. `file` is to be freed after success. */
int source_file_read(const struct source_search *search, struct slice path, struct source_file *file, struct error *error);

/* Its steps, one at a time: below a folder, and as named. -ENOENT or -ENOMEM, and nobody is told why. */
int source_file_read_below(const char *folder, struct slice path, struct source_file *file);
int source_file_read_named(const struct source_search *search, struct slice path, struct source_file *file);

void source_file_free(struct source_file *file);

#endif
