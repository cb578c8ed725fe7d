/* What a process says of its threads in its file, read while it goes on: which there are, and where their labels are.
 *
 * Only for who looks at the process from outside. Nothing is believed: an address is read through the kernel, and a thread that
 * is not there is found not to be. */
#ifndef SONDE_RECORD_KEPT_THREADS_H
#define SONDE_RECORD_KEPT_THREADS_H

#include "session/supply.h"

/* How far it was read; begins as zeros. */
struct kept_threads {
    uint64_t sequence; /* of the chunk that is being read */
    uint32_t chunk, offset;
};

/* Calls `found` for each THREAD that was written since the last call. The file is read, not its mapping: chunks of the process
 * may have no disk space. `supply` says which are not the process's own. */
void kept_threads_read(struct kept_threads *reader, const struct supply *supply,
                       void (*found)(void *data, int32_t tid, uint64_t labels), void *data);

#endif
