/* Where bytes come from: a file, standard input, memory, or any of these unpacked on the fly.
 *
 * Readers pull: they ask for the next bytes and get at least one, in pieces of any size, so a reader that is right for every
 * way of cutting the input is right for files, pipes and fuzzers alike. */
#ifndef SONDE_COMMON_BYTE_SOURCE_H
#define SONDE_COMMON_BYTE_SOURCE_H

#include "common/error.h"
#include "common/slice.h"

#include <stdint.h>
#include <sys/types.h>

struct byte_source {
    /* Up to `capacity` bytes (> 0) into `buffer`: the number, 0 at the end, or a negative errno with `error` filled. */
    ssize_t (*read)(struct byte_source *source, char *buffer, size_t capacity, struct error *error);
    void (*close)(struct byte_source *source);
};

/* For progress bars: called now and then with the bytes of the file consumed so far and the file's size (0 = unknown). It may
 * be called by a thread that unpacks ahead of the reader, one call at a time, until the source is closed. */
struct byte_progress {
    void (*report)(void *data, uint64_t done, uint64_t total);
    void *data;
};

/* Opens `path` (`-` = standard input) and unpacks gzip (all members) and zstd (all frames), recognised by their first bytes;
 * anything else is passed through. NULL with `error` filled when it cannot be opened; `progress` may be NULL.
 * A damaged or truncated stream is an error from `read` that names the compressed offset. */
struct byte_source *byte_source_open(const char *path, const struct byte_progress *progress, struct error *error);

/* Bytes in memory, which must outlive the source; handed out `piece` bytes at a time (0 = all at once). Unpacks as above if
 * `unpack` is set. */
struct byte_source *byte_source_memory(struct slice bytes, size_t piece, bool unpack, struct error *error);

/* Closes and frees; NULL is fine. */
void byte_source_close(struct byte_source *source);

/* The sources that the two above are put together from. What is wrapped belongs to the new source, and is closed also when
 * opening fails (NULL, `error` filled). */
struct byte_source *gzip_source_open(struct byte_source *packed, struct error *error);
struct byte_source *zstd_source_open(struct byte_source *packed, struct error *error);

/* The same bytes, read from `inner` ahead of time by a thread once there turn out to be many of them. */
struct byte_source *ahead_source_open(struct byte_source *inner, struct error *error);

#endif
