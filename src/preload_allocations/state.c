#include "preload_allocations/state.h"

__thread struct own_state own __attribute__((tls_model("initial-exec")));

/* As large as pages of any machine, and alone in them: a forked child begins with all of it empty. */
_Alignas(64 << 10) struct live_blocks live;

const struct allocation_recorder *_Atomic recorder;
struct allocation_plan plan;
