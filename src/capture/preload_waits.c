/* Waits for children: the sampler is told when they end (announced_wait.h).
 *
 * The frames of these functions are on the stack for as long as the thread waits. The real ones are looked for beforehand:
 * these are called in signal handlers. */
#include "capture/preload.h"

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
    pid_t result = REAL(wait)(status);
    end_wait(waits);
    return result;
}

INTERPOSED pid_t wait3(int *status, int options, struct rusage *usage)
{
    bool waits = begin_wait(options, __builtin_frame_address(0));
    pid_t result = REAL(wait3)(status, options, usage);
    end_wait(waits);
    return result;
}

INTERPOSED pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    bool waits = begin_wait(options, __builtin_frame_address(0));
    pid_t result = REAL(wait4)(pid, status, options, usage);
    end_wait(waits);
    return result;
}

INTERPOSED pid_t waitpid(pid_t pid, int *status, int options)
{
    bool waits = begin_wait(options, __builtin_frame_address(0));
    pid_t result = REAL(waitpid)(pid, status, options);
    end_wait(waits);
    return result;
}

INTERPOSED int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    bool waits = begin_wait(options, __builtin_frame_address(0));
    int result = REAL(waitid)(type, id, info, options);
    end_wait(waits);
    return result;
}
