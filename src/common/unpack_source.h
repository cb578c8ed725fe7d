/* Sources that unpack another source; what byte_source_open puts in front of a packed file. */
#ifndef SONDE_COMMON_UNPACK_SOURCE_H
#define SONDE_COMMON_UNPACK_SOURCE_H

#include "common/byte_source.h"

/* What is wrapped belongs to the new source, and is closed also when opening fails (NULL, `error` filled). */
struct byte_source *gzip_source_open(struct byte_source *packed, struct error *error);
struct byte_source *zstd_source_open(struct byte_source *packed, struct error *error);

/* The same bytes, read from `inner` ahead of time by a thread once there turn out to be many of them. */
struct byte_source *ahead_source_open(struct byte_source *inner, struct error *error);

#endif
