/* Reading a Chrome trace or a .cpuprofile, in one pass over the bytes. */
#ifndef SONDE_TRACE_TRACE_READ_H
#define SONDE_TRACE_TRACE_READ_H

#include "common/byte_source.h"
#include "common/error.h"
#include "trace/read_options.h"
#include "trace/trace.h"

/* Whether an object with this key at its top is one that trace_read() can read. */
bool trace_has_key(struct slice key);

/* Fills a zeroed trace: entries sorted, profiles chosen, processes judged. On failure, too, trace_free() is to be called. 0 or
 * a negative errno with a message that says what is wrong and where. */
int trace_read(struct trace *trace, struct byte_source *source, const struct trace_read_options *options, struct error *error);

#endif
