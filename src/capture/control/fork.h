/* fork: the parent goes on as if nothing had happened; the child gets a profiler that is off, and then goes on in its parent's
 * session, with a file of its own and the parent's settings.
 *
 * The latter only where libsonde-preload is there, which knows when a fork is complete: while handlers of pthread_atfork() run,
 * others may hold locks that beginning needs. Programs that are started (exec) find what they need in their environment. */
#ifndef SONDE_CAPTURE_CONTROL_FORK_H
#define SONDE_CAPTURE_CONTROL_FORK_H

/* At the beginning of the process: what is to be done when it forks. */
void fork_init(void);

/* Around a fork that the C library does not know of (clone()): before it, so that nobody changes anything while the process is
 * copied; after it in the parent; and in the child, where they need little stack. */
void fork_prepare(void);
void fork_parent(void);
void fork_child(void);

/* Children are to be recorded. */
void children_record(void);

/* In the child, when fork is complete: begins. Does nothing if it has begun, or if there was no fork. */
void children_begin(void);

#endif
