/* What only the life cycle and fork do with the core. */
#ifndef SONDE_CAPTURE_CORE_CORE_PRIVATE_H
#define SONDE_CAPTURE_CORE_CORE_PRIVATE_H

#include "capture/core/core.h"

/* All zero, to be filled in before the lock is let go. */
struct active_state *active_state_begin(const struct core_locked *locked);
void active_state_end(const struct core_locked *locked);

#endif
