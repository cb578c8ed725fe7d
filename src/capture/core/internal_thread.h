/* Threads of the library's own: with all signals blocked, so that the program's handlers never run on them, and never
 * registered or counted as the program's. Nobody cancels them. */
#ifndef SONDE_CAPTURE_CORE_INTERNAL_THREAD_H
#define SONDE_CAPTURE_CORE_INTERNAL_THREAD_H

#include "ipc/link.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* `name` begins with LINK_OWN_THREADS, has at most 15 characters, and stays. 0 or a negative errno: -EAGAIN also where there
 * are too many of them. */
int internal_thread_create(pthread_t *thread, const char *name, size_t stack_bytes, void *(*routine)(void *), void *argument);

/* The thread that is being made right now by the calling thread is one of them (for libsonde-preload). */
bool internal_thread_in_creation(void);

/* Before a fork: waits, not for long, until those that were just made run in our code. On the way there they may hold locks of
 * an allocator that does not see to forks (AddressSanitizer's), and the child would have these locked for ever. */
void internal_threads_arrive(void);

/* Whether the thread with this id is one of them. */
bool internal_thread_is(int tid);
void internal_threads_forked(void); /* in the child, where they are not */

#endif
