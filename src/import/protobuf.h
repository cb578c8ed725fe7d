/* Protocol buffers, as far as pprof and Perfetto use them: a message is a run of fields, each with a number and either a number
 * or bytes, which can be a text, a message, or numbers one after the other. */
#ifndef SONDE_IMPORT_PROTOBUF_H
#define SONDE_IMPORT_PROTOBUF_H

#include "common/slice.h"

#include <stdint.h>

enum protobuf_wire { PROTOBUF_NUMBER = 0, PROTOBUF_BYTES = 2 };

struct protobuf_field {
    uint64_t field;
    unsigned wire;
    uint64_t number;    /* PROTOBUF_NUMBER */
    struct slice bytes; /* PROTOBUF_BYTES: those that are there … */
    bool is_cut;        /* … where the message ends too early for all of them */
};

/* The field at `*at`, which moves behind it. False at the end, and before a field that is of another kind or damaged: then
 * `*at` is not the end. */
bool protobuf_next(struct slice message, size_t *at, struct protobuf_field *field);

/* A number of a field that may have many, packed into bytes or not: the one at `*at`, which begins at 0. */
bool protobuf_next_number(const struct protobuf_field *field, size_t *at, uint64_t *number);

/* Text that begins with an empty line could be taken for a message: it has no characters such as these. */
bool protobuf_is_binary(struct slice start);

#endif
