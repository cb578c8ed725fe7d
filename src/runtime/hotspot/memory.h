/* Reads what belongs to the VM. Its code cache grows and never shrinks: in its own process what the walker has found to be
 * committed is read directly (hotspot_code.is_own), as is the thread's own stack; all else is copied by the kernel. */
#ifndef SONDE_RUNTIME_HOTSPOT_MEMORY_H
#define SONDE_RUNTIME_HOTSPOT_MEMORY_H

#include "runtime/hotspot/heaps.h"
#include "runtime/hotspot/layout.h"
#include "runtime/hotspot/pages.h"
#include "unwind/memory.h"

struct hotspot_reader {
    const struct hotspot_layout *layout;
    struct unwind_memory *memory;
    struct hotspot_code *code;   /* NULL: nothing is known yet */
    struct hotspot_pages *pages; /* NULL: each read is a copy of its own */
};

/* All `length` bytes, or false. */
bool hotspot_read(struct hotspot_reader *reader, uint64_t address, void *out, size_t length);

/* A text that ends with NUL, cut to room − 1 bytes. False where nothing can be read; `out` is always terminated. */
bool hotspot_read_text(struct hotspot_reader *reader, uint64_t address, char *out, size_t room);

/* A field of the object at `object`. False where the VM has no such field, or it cannot be read. */
bool hotspot_get(struct hotspot_reader *reader, uint64_t object, enum hotspot_field field, uint64_t *value);

/* The same where 0 says as much as "cannot be read". */
static inline uint64_t hotspot_value(struct hotspot_reader *reader, uint64_t object, enum hotspot_field field)
{
    uint64_t value;
    return hotspot_get(reader, object, field, &value) ? value : 0;
}

/* The numbers that the VM packs debug information into: a byte below 192 ends one, each byte is worth 64 times the one before.
 * Reads from `*at` in `bytes`; false at their end, and where the number has no end. */
bool hotspot_unpack(const struct hotspot_layout *layout, const uint8_t *bytes, size_t length, size_t *at, uint32_t *value);

#endif
