/* Tells of the methods and other code of the VM that were met on stacks, by CODE entries with their names, files and lines. Not
 * for handlers. */
#ifndef SONDE_RUNTIME_HOTSPOT_TOLD_H
#define SONDE_RUNTIME_HOTSPOT_TOLD_H

#include "runtime/hotspot/frames.h"
#include "runtime/hotspot/names.h"
#include "session/entry.h"

enum { HOTSPOT_CODE_ENTRY_MAX = 24 << 10 };

/* Whoever reads the methods of a state in the order in which they came. All 0 at the start: as if none had been told. */
struct hotspot_told {
    bool began;
    uint32_t at;
    uint64_t names_seen[HOTSPOT_NAMES_MAX / 64]; /* of code that is no method's */
    struct hotspot_name name;
    uint8_t lines[HOTSPOT_LINES_ROOM * 8];
};

/* For another reader, who is told everything again. */
void hotspot_told_forget(struct hotspot_told *told);

/* Up to `most` of those that have come since. The entry's texts last until `put` returns; its time is that of the walk. Returns
 * how many there were. */
size_t hotspot_tell(struct hotspot_told *told, struct hotspot_state *state, struct unwind_memory *memory, size_t most,
                    void (*put)(void *data, const struct code_entry *entry), void *data);

#endif
