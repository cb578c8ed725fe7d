/* Sinks that pack what they are given and hand it on; what byte_sink_create puts in front of a packed file. */
#ifndef SONDE_COMMON_PACK_SINK_H
#define SONDE_COMMON_PACK_SINK_H

#include "common/byte_sink.h"

/* `inner` belongs to the new sink, and is closed and thrown away when opening fails (NULL, `error` filled). */
struct byte_sink *gzip_sink_open(struct byte_sink *inner, struct error *error);
struct byte_sink *zstd_sink_open(struct byte_sink *inner, struct error *error);

/* The same as base64, in one line; `inner` stays the caller's. */
struct byte_sink *base64_sink_open(struct byte_sink *inner, struct error *error);

#endif
