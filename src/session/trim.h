/* The disk space of a session file that nobody writes any more: what was reserved and never used goes back to the system, and
 * so can what is in a chunk. The file keeps its size, and readers find nothing where there is nothing.
 *
 * Readers may be at work meanwhile. A process that ends can trim its own file; of one that was killed somebody else does it. */
#ifndef SONDE_SESSION_TRIM_H
#define SONDE_SESSION_TRIM_H

#include <stdint.h>

struct trimmed_chunk {
    uint32_t number;   /* its place in the file */
    uint32_t kind;     /* enum chunk_kind, not CHUNK_FREE */
    uint64_t bytes;    /* of disk space that it has left */
    uint64_t start_ns; /* as its header has them */
    uint64_t done_ns;
};

/* Gives back free chunks and the unused ends of the others; `each` (may be NULL) is told of every chunk that has something in
 * it. `fd` can be written. 0 or a negative errno; -EINVAL where it is no session file. */
int session_trim(int fd, void (*each)(void *data, const struct trimmed_chunk *chunk), void *data);

/* Throws the content of a chunk away, with its disk space. */
void session_trim_chunk(int fd, uint32_t number);

#endif
