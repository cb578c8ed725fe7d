/* A source whose beginning can be read twice: once to find out what it is, and once more to read it. */
#ifndef SONDE_IMPORT_REPLAY_SOURCE_H
#define SONDE_IMPORT_REPLAY_SOURCE_H

#include "common/byte_source.h"
#include "common/vec.h"

struct replay_source {
    struct byte_source base; /* what readers get */
    struct byte_source *inner;
    VEC(char) kept; /* everything read so far, until replay_source_commit */
    size_t at;      /* how much of it was handed out */
    bool committed;
};

/* `inner` stays the caller's. Give back with replay_source_free(). */
void replay_source_init(struct replay_source *replay, struct byte_source *inner);
void replay_source_free(struct replay_source *replay);

/* The first bytes, up to `count` of them, less only if there are no more. They live until the next read. A negative errno
 * with `error` filled where they cannot be read. */
int replay_source_peek(struct replay_source *replay, size_t count, struct slice *start, struct error *error);

/* The next read starts at the first byte again. */
void replay_source_rewind(struct replay_source *replay);

/* No more rewinding: what was handed out is not kept any longer. */
void replay_source_commit(struct replay_source *replay);

#endif
