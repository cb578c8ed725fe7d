/* What a process says of its threads and runtimes in its file, read while it goes on: which threads there are, where their
 * labels are, how much CPU time they had used; and which language runtimes have frames on their stacks.
 *
 * Only for looks from outside. Nothing in the file is trusted: an address is read through the kernel, and a look at a thread
 * that does not exist fails. */
#ifndef SONDE_RECORD_KEPT_THREADS_H
#define SONDE_RECORD_KEPT_THREADS_H

#include "session/entry.h"
#include "session/supply.h"

/* The position of the reader; zeros at the beginning. */
struct kept_threads {
    uint64_t sequence; /* of the chunk that is being read */
    uint32_t chunk, offset;
};

/* Calls `found` for each THREAD and RUNTIME that was written since the last call. The file is read, not its mapping: chunks of
 * the process may have no disk space. `supply` says which are not the process's own. */
void kept_threads_read(struct kept_threads *reader, const struct supply *supply,
                       void (*found)(void *data, const struct any_entry *entry), void *data);

#endif
