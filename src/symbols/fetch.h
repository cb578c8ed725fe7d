/* Debug files from servers (debuginfod), in the background.
 *
 *     fetch_begin ─▶ fetch_add (the hottest module first) … ─▶ fetch_wait … ─▶ fetch_end
 *                        │
 *                     a thread of its own: libdebuginfod ─▶ the client's cache, where everybody finds the files
 *
 * The servers are those in DEBUGINFOD_URLS. One that does not answer costs DEBUGINFOD_TIMEOUT (90 seconds where that is not
 * set) once: then nobody is asked any more. The library, and all that it brings with it, is loaded only here. */
#ifndef SONDE_SYMBOLS_FETCH_H
#define SONDE_SYMBOLS_FETCH_H

#include "common/slice.h"

#include <stdint.h>

struct fetch;

enum fetch_state {
    FETCH_WAITING,
    FETCH_FOUND,
    FETCH_NOT_THERE,
    FETCH_NO_ANSWER, /* of the servers; or they were not asked any more */
};

/* NULL where there are no servers, no library, or no memory. */
struct fetch *fetch_begin(void);

/* Wants the debug file of a build, and what dwz took out of it. `wish` is the caller's number for it. False when the heap is
 * empty. */
bool fetch_add(struct fetch *fetch, struct slice build_id, size_t wish);

/* The next wish in the order they were added, when it is fulfilled or not, and what became of it: FETCH_WAITING where that
 * takes more than `most_ms`. False when there are no more. */
bool fetch_wait(struct fetch *fetch, unsigned most_ms, size_t *wish, enum fetch_state *state);

/* Does not wait for what is not there yet. NULL is fine. */
void fetch_end(struct fetch *fetch);

/* Where the client of debuginfod keeps files: CACHE/BUILDID/debuginfo. False where that is nowhere. */
bool fetch_cache_folder(char path[], size_t size);

#endif
