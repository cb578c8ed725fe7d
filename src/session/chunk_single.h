/* One chunk in memory that the caller owns, handed out once: for a stack that is held while it is put together, and for
 * tests. Not for several threads. */
#ifndef SONDE_SESSION_CHUNK_SINGLE_H
#define SONDE_SESSION_CHUNK_SINGLE_H

#include "session/chunk.h"

struct chunk_single {
    struct chunk *chunk; /* not owned */
    bool given;
};

/* Empties the chunk and makes it ready to be taken; also to begin again, with the same chunk or another one. */
void chunk_single_reset(struct chunk_single *single, struct chunk *chunk);

/* The chunk the first time, then NULL until the next reset. Its sequence number is 1. */
struct chunk *chunk_single_take(struct chunk_single *single, enum chunk_kind kind, uint64_t now_ns);

#endif
