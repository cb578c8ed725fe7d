/* The recording of allocations, from session to session: finds libsonde-allocations, tells it what is wanted, and says in the
 * session how its allocations are recorded. */
#ifndef SONDE_CAPTURE_ALLOCATIONS_ALLOCATION_SESSION_H
#define SONDE_CAPTURE_ALLOCATIONS_ALLOCATION_SESSION_H

#include "capture/control/lifecycle.h"

/* When libsonde-preload begins, before the first session: what the environment wants. Asks the dynamic linker. */
void allocation_session_init(const char *words);

/* Once the library has begun: where nothing is recorded there will be nothing for libsonde-allocations to do. */
void allocation_session_settle(void);

#endif
