/* Where bytes go: a file, standard output or memory, packed with gzip or zstd on the way if asked for.
 *
 * A file is written beside its place under another name and moved there only when it is complete, so an existing file is
 * never lost to a write that fails half way. */
#ifndef SONDE_COMMON_BYTE_SINK_H
#define SONDE_COMMON_BYTE_SINK_H

#include "common/error.h"
#include "common/slice.h"

struct byte_sink {
    /* All of `bytes`, or a negative errno with `error` filled. */
    int (*write)(struct byte_sink *sink, struct slice bytes, struct error *error);
    /* Ends the stream and frees the sink; with `keep` false what was written is thrown away. */
    int (*close)(struct byte_sink *sink, bool keep, struct error *error);
};

enum byte_packing { PACKING_NONE, PACKING_GZIP, PACKING_ZSTD };

/* `-` = standard output. */
struct byte_sink *byte_sink_create(const char *path, enum byte_packing packing, struct error *error);

/* Packing by the end of the name: `.gz`, `.zst`, otherwise none. */
enum byte_packing byte_packing_of_name(const char *path);

/* A sink that keeps everything in memory. The bytes are the sink's and live until it is closed. */
struct byte_sink *byte_sink_memory(struct error *error);
struct slice byte_sink_memory_bytes(const struct byte_sink *sink);

/* A sink that writes to an open file, which stays the caller's. */
struct byte_sink *byte_sink_fd(int fd, struct error *error);

/* Writes all of `bytes` to `fd`, however often the system cuts it. */
int byte_sink_write_fd(int fd, struct slice bytes, struct error *error);

/* Convenience for the two functions above; close accepts NULL. */
int byte_sink_write(struct byte_sink *sink, struct slice bytes, struct error *error);
int byte_sink_close(struct byte_sink *sink, bool keep, struct error *error);

#endif
