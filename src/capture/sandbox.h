/* Whether the program has shut itself in (seccomp), and may be ended for a system call that it does not make itself. Then there
 * are no timers of threads (own_timer.h), and handlers make no system calls at all. */
#ifndef SONDE_CAPTURE_SANDBOX_H
#define SONDE_CAPTURE_SANDBOX_H

#include <stdatomic.h>
#include <stdbool.h>

extern _Atomic bool sandbox_closed;

static inline bool sandbox_is_closed(void)
{
    /* Relaxed: whoever closes it has seen to it that nothing is under way. */
    return atomic_load_explicit(&sandbox_closed, memory_order_relaxed);
}

/* The program is about to (libsonde-preload). */
void sandbox_close(void);

#endif
