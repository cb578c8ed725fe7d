/* The markers of a thread: kept packed until the thread is written. */
#ifndef SONDE_EXPORT_GECKO_MARKERS_H
#define SONDE_EXPORT_GECKO_MARKERS_H

#include "common/json_writer.h"
#include "export/gecko_categories.h"
#include "export/gecko_progress.h"
#include "export/gecko_rows.h"
#include "export/gecko_stacks.h"
#include "export/gecko_types.h"
#include "session/entry.h"

struct gecko_markers {
    struct gecko_rows rows;
};

/* A zeroed struct is empty. `stacks` are those of the thread; `tid` is that of the thread whose stack the marker has. False
 * when the heap is empty. */
bool gecko_markers_add(struct gecko_markers *markers, struct gecko_stacks *stacks, struct gecko_types *types,
                       const struct marker_entry *entry, int32_t tid);

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
