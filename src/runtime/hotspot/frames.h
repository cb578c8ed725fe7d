/* The Java frames of a stack that is being walked, and what is remembered of the VM from walk to walk. */
#ifndef SONDE_RUNTIME_HOTSPOT_FRAMES_H
#define SONDE_RUNTIME_HOTSPOT_FRAMES_H

#include "runtime/hotspot/step.h"
#include "stack/raw_stack.h"

/* Of one VM. All 0 at the start, but for the layout and code.is_own. Handlers of all threads share it. */
struct hotspot_state {
    const struct hotspot_layout *layout;
    struct hotspot_code code;
    struct hotspot_methods methods;
    struct hotspot_scope_cache scopes;
};

/* One walk. */
struct hotspot_pass {
    struct hotspot_walk walk;
    struct raw_stack *raw;
    uint32_t steps; /* as of walk.steps, when the last frame came */
};

/* The hook for a walk of raw->native, which adds Java frames to `raw` as it passes them. Met at `time`. */
struct unwind_hook hotspot_pass_begin(struct hotspot_pass *pass, struct hotspot_state *state, struct raw_stack *raw,
                                      struct unwind_memory *memory, uint64_t time);

/* After a walk that tried several ways (looker/frame_search.h): drops the frames of those that were wrong. */
void hotspot_pass_end(struct hotspot_pass *pass);

#endif
