/* All registered threads of the process.
 *
 * Registering and unregistering happen on the thread itself. The list is guarded by the core lock. A thread that ends without
 * unregistering is unregistered by the library. */
#ifndef SONDE_CAPTURE_SAMPLER_REGISTRY_H
#define SONDE_CAPTURE_SAMPLER_REGISTRY_H

#include "capture/core/core.h"
#include "capture/sampler/registration.h"

/* The calling thread's registration, or NULL: no lock, no allocation, safe in a signal handler. Only the registry sets it. */
extern __thread struct registration *this_thread __attribute__((tls_model("initial-exec")));

static inline struct registration *registration_mine(void)
{
    return this_thread;
}

/* Registers the calling thread (NULL = its name in the system). Nested calls are counted; they change nothing, except that the
 * first name that is given replaces one that was taken from the system. */
void thread_register(const char *name);
/* The same, where it is known how large the stack is. */
void thread_register_with_stack(const char *name, size_t stack_bytes);
/* Surplus calls do no harm. */
void thread_unregister(void);
/* By handle, as pthread_setname_np does; writes THREAD_NAME if a session runs. */
void thread_rename(pthread_t handle, const char *name);
/* The calling thread, as its program calls it: what the system calls it stays. */
void thread_rename_self(const char *name);

/* The system has another name for the calling thread now, which its program gave it. */
void thread_note_system_name(void);

/* Sets what is wanted of every thread in the session that starts, and writes THREAD entries. */
void registry_begin(const struct core_locked *locked);

/* The first one, in the order in which they registered; go on with ->next. */
struct registration *registry_first(const struct core_locked *locked);
struct registration *registry_find_tid(const struct core_locked *locked, int tid);

/* The process is about to end, and its threads with it, which do not unregister themselves: the recording says when that was,
 * and how much CPU time they had used. */
void registry_write_end_of_process(const struct core_locked *locked);

/* Puts what the thread has counted of its allocations into the statistics. */
void registry_say_allocations(struct registration *thread, struct session_file_header *header);

/* A session ends: clocks are stopped, and chunks of samples given back, of threads that are not in their handlers. */
void registry_end(const struct core_locked *locked);

/* In a forked child: only the calling thread is left, under its new id. */
void registry_forked(const struct core_locked *locked);
/* The same without a system call: no thread is registered any more. */
void registry_forget(void);

#endif
