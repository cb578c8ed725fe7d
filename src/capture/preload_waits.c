/* Waits for children: the sampler is told when they end (announced_wait.h).
 *
 * The frames of these functions are on the stack for as long as the thread waits. */
#include "capture/preload.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Looked for when they are first called: most programs have no children. Twice at the same time does no harm. */
#define LATE(name) ((__typeof__(name) *)find_late(&late_##name, #name))
static void *_Atomic late_wait, *_Atomic late_wait3, *_Atomic late_wait4, *_Atomic late_waitpid, *_Atomic late_waitid;

static void *find_late(void *_Atomic *place, const char *name)
{
    void *found = atomic_load_explicit(place, memory_order_relaxed);
    if (!found) {
        found = dlsym(RTLD_NEXT, name);
        atomic_store_explicit(place, found, memory_order_relaxed);
    }
    return found;
}

/* One that may only look does not wait. */
static bool begin_wait(int options, const void *frame)
{
    bool waits = base && !(options & WNOHANG);
    if (waits)
        base->child_wait_begin(frame);
    return waits;
}

static void end_wait(bool waits)
{
    if (waits)
        base->child_wait_end();
}

INTERPOSED pid_t wait(int *status)
{
    bool waits = begin_wait(0, __builtin_frame_address(0));
    pid_t result = LATE(wait)(status);
    end_wait(waits);
    return result;
}

INTERPOSED pid_t wait3(int *status, int options, struct rusage *usage)
{
    bool waits = begin_wait(options, __builtin_frame_address(0));
    pid_t result = LATE(wait3)(status, options, usage);
    end_wait(waits);
    return result;
}

INTERPOSED pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    bool waits = begin_wait(options, __builtin_frame_address(0));
    pid_t result = LATE(wait4)(pid, status, options, usage);
    end_wait(waits);
    return result;
}

INTERPOSED pid_t waitpid(pid_t pid, int *status, int options)
{
    bool waits = begin_wait(options, __builtin_frame_address(0));
    pid_t result = LATE(waitpid)(pid, status, options);
    end_wait(waits);
    return result;
}

INTERPOSED int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    bool waits = begin_wait(options, __builtin_frame_address(0));
    int result = LATE(waitid)(type, id, info, options);
    end_wait(waits);
    return result;
}
