/* Forked children go on in their parent's session, each with a file of its own and the parent's settings.
 *
 * Only where libsonde-preload is there, which knows when a fork is complete: while handlers of pthread_atfork() run, others may
 * hold locks that beginning needs. Programs that are started (exec) find what they need in their environment. */
#ifndef SONDE_CAPTURE_CONTROL_CHILDREN_H
#define SONDE_CAPTURE_CONTROL_CHILDREN_H

#include "capture/core/core.h"

/* They are wanted. */
void children_record(void);

/* In the child, while the parent's session is still known there. */
void children_forked(const struct core_locked *locked, const struct active_state *parents);

/* In the child, when fork is complete: begins. */
void children_begin(void);

#endif
