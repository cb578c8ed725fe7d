/* The markers of a thread: kept packed until the thread is written. */
#ifndef SONDE_EXPORT_GECKO_MARKERS_H
#define SONDE_EXPORT_GECKO_MARKERS_H

#include "common/json_writer.h"
#include "common/vec.h"
#include "export/gecko_categories.h"
#include "export/gecko_progress.h"
#include "export/gecko_rows.h"
#include "export/gecko_stacks.h"
#include "export/gecko_types.h"
#include "session/entry.h"

/* The start of an interval before the time that is wanted, not ended so far. */
struct gecko_open_start {
    uint8_t *row;
    uint32_t before; /* the open start of the same name before it; UINT32_MAX = none */
};

struct gecko_markers {
    struct gecko_rows rows;
    uint64_t left_out; /* of the rows: those that turned out not to be wanted */
    VEC(struct gecko_open_start) open;
    VEC(uint32_t) newest_open; /* by name; UINT32_MAX = none */
};

/* A zeroed struct is empty. `stacks` are those of the thread; `tid` is that of the thread whose stack the marker has. What
 * ended before `since` is left out: an interval that was started before is kept until its end is seen. False when the heap is
 * empty. */
bool gecko_markers_add(struct gecko_markers *markers, struct gecko_stacks *stacks, struct gecko_types *types,
                       const struct marker_entry *entry, int32_t tid, uint64_t since);

/* What all stacks of markers have in common. */
struct gecko_marker_context {
    const struct gecko_types *types;
    const struct gecko_categories *categories;
    const char *process_type;
    int32_t pid;
};

/* The table. Texts that are written as indices go to the strings of the thread on the way. False when the heap is empty. */
bool gecko_markers_write(const struct gecko_markers *markers, struct gecko_stacks *stacks,
                         const struct gecko_marker_context *context, struct gecko_progress *progress, struct json_writer *w);

void gecko_markers_free(struct gecko_markers *markers);

#endif
