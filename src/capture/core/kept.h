/* Entries that others refer to, in CHUNK_KEPT chunks. Written under the core lock: they are rare. */
#ifndef SONDE_CAPTURE_CORE_KEPT_H
#define SONDE_CAPTURE_CORE_KEPT_H

#include "capture/core/core.h"
#include "session/entry.h"

/* `write` fills in at most `max` bytes and returns the length. False when there is no room, which is counted. */
bool kept_put(const struct core_locked *locked, size_t max, size_t (*write)(uint8_t *out, size_t room, const void *entry),
              const void *entry);

/* Defines the function `write_KIND` that kept_put() and common_put() take, of the function entry_write_KIND of entry.h. */
#define ENTRY_WRITER(kind)                                                                                                     \
    static size_t write_##kind(uint8_t *out, size_t room, const void *entry)                                                   \
    {                                                                                                                          \
        return entry_write_##kind(out, room, entry);                                                                           \
    }

#endif
