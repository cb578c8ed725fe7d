/* Writing protocol buffers: fields one after the other, messages within messages put together first.
 *
 * What a field has by default (0, nothing) is left out, as everybody does. */
#ifndef SONDE_EXPORT_PROTOBUF_WRITER_H
#define SONDE_EXPORT_PROTOBUF_WRITER_H

#include "common/text_buffer.h"

#include <stdint.h>

void protobuf_put_number(struct text_buffer *message, unsigned field, uint64_t number);

/* A text, or a message. It is written also where it is empty: it may be one of many. */
void protobuf_put_bytes(struct text_buffer *message, unsigned field, struct slice bytes);

/* Many numbers in one field. */
void protobuf_put_packed(struct text_buffer *message, unsigned field, const uint64_t *numbers, size_t count);

#endif
