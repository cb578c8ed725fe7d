/* Entries that others refer to, in CHUNK_KEPT chunks. Written under the core lock: they are rare. */
#ifndef SONDE_CAPTURE_KEPT_H
#define SONDE_CAPTURE_KEPT_H

#include "capture/core.h"
#include "session/entry.h"

/* `write` fills in at most `max` bytes and returns the length. False when there is no room, which is counted. */
bool kept_put(const struct core_locked *locked, size_t max, size_t (*write)(uint8_t *out, size_t room, const void *entry),
              const void *entry);

#endif
