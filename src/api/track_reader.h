/* Threads as graphs have them: their samples, and where each stands to what is selected and filtered. */
#ifndef SONDE_API_TRACK_READER_H
#define SONDE_API_TRACK_READER_H

#include "api/activity.h"
#include "api/ask.h"

struct track_reader {
    struct asking *asking;
    struct activity_scale scale;
    const uint8_t *places; /* of each call node: where it stands to the selected one */
};

/* What the ask says of the graph: its width, the categories by library, the selected path; over the committed range. The state
 * has been answered. Returns what asks return. */
int track_reader_begin(struct asking *asking, const struct ask *ask, struct track_reader *reader);

struct read_track {
    struct track_samples samples;
    uint32_t *stacks; /* of each sample: that of the view, INDEX_NONE where it is filtered out */
    uint8_t *states;  /* activity_state of each sample */
};

/* All of it lives in the arena. Returns what asks return. */
int track_reader_read(const struct track_reader *reader, struct thread_index thread, struct arena *arena,
                      struct read_track *track);

#endif
