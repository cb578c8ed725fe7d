/* Whether the dynamic linker can be asked for its libraries: in a signal handler it may be what was interrupted. */
#ifndef SONDE_CAPTURE_LINKER_REST_H
#define SONDE_CAPTURE_LINKER_REST_H

#include <stdbool.h>

/* False while it changes its list, as it tells debuggers. With the third argument of a handler (else NULL) also where the
 * linker itself was interrupted, or a lock was just being taken or given back: that may be the lock of the list, of which
 * nobody knows at this moment whose it is. */
bool linker_rests(const void *context);

#endif
