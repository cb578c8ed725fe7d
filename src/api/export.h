/* What is seen, written to be kept: a picture, a table, stacks or a text, for other tools and for people. */
#ifndef SONDE_API_EXPORT_H
#define SONDE_API_EXPORT_H

#include "api/ask.h"
#include "common/byte_sink.h"

/* The type of what is written, as HTTP names it. */
const char *export_type(enum export_format format);

/* Writes the export that `ask` asks for. 0, -EINVAL with `asking->fault` filled and nothing written, or another negative errno
 * with `error` filled. */
int export_write(struct asking *asking, const struct ask *ask, struct byte_sink *sink, struct error *error);

#endif
