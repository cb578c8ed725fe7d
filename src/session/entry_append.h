/* Entries one behind the other, in chunks of one kind: another chunk is taken where one is full. By one thread at a time. */
#ifndef SONDE_SESSION_ENTRY_APPEND_H
#define SONDE_SESSION_ENTRY_APPEND_H

#include "session/chunk_manager.h"
#include "session/entry.h"

/* Writes an entry into at most `room` bytes and returns its length; 0 = it does not fit. */
typedef size_t entry_fill(uint8_t *out, size_t room, const void *entry);

/* Defines the function `write_KIND` that is one, of the function entry_write_KIND of entry.h. */
#define ENTRY_WRITER(kind)                                                                                                     \
    static size_t write_##kind(uint8_t *out, size_t room, const void *entry)                                                   \
    {                                                                                                                          \
        return entry_write_##kind(out, room, entry);                                                                           \
    }

/* Begins as zeros, but for the owner. */
struct entry_place {
    struct chunk *chunk; /* NULL = none */
    uint64_t owner;      /* of the chunks: see struct chunk_header */
    bool is_new;         /* set when another chunk was taken */
};

/* `fill` writes the entry, of at most `max` bytes. False: it is too large, or there is no chunk to be had. */
bool entry_append(struct chunk_manager *chunks, struct entry_place *place, enum chunk_kind kind, uint64_t now_ns, size_t max,
                  entry_fill *fill, const void *entry);

/* Nothing more is written there. */
void entry_place_end(struct chunk_manager *chunks, struct entry_place *place, uint64_t now_ns);

#endif
