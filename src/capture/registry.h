/* All registered threads of the process.
 *
 * Registering and unregistering happen on the thread itself, under the core lock and the registry lock. The sampler
 * walks the list under the core lock. */
#ifndef SONDE_CAPTURE_REGISTRY_H
#define SONDE_CAPTURE_REGISTRY_H

#include "capture/core.h"
#include "capture/registration.h"

/* The calling thread's registration, or NULL. From thread-local storage with the initial-exec model: no lock, no
 * allocation; safe in a signal handler. */
struct registration *registration_mine(void);

/* Registers the calling thread (NULL = its name in the system); nested calls are counted and change nothing else. */
void thread_register(const char *name);
void thread_unregister(void);
/* By handle, as pthread_setname_np does; writes THREAD_NAME if a session runs. */
void thread_rename(pthread_t handle, const char *name);

/* The first one; go on with ->next. */
struct registration *registry_first(const struct core_locked *locked);
struct registration *registry_find_tid(const struct core_locked *locked, int tid);

/* Ended threads whose registration cannot be used again yet; the sampler calls it each loop. */
void registry_collect(const struct core_locked *locked);

#endif
