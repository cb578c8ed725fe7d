/* Functions after which the process may not be able to open any of our files: it becomes another user, or sees other folders.
 * What is to be opened is opened before. */
#include "capture/preload.h"

#include <dlfcn.h>
#include <sched.h>

static void leave(void)
{
    const struct preload_base *wanted = wanted_base();
    if (wanted)
        wanted->leaving();
}

/* Looked for when it is needed: hardly any program does, and all would pay for it. */
#define BEFORE_IT_LEAVES(name, parameters, arguments)                                                                          \
    INTERPOSED int name parameters                                                                                             \
    {                                                                                                                          \
        static __typeof__(name) *_Atomic real_function;                                                                        \
        leave();                                                                                                               \
        if (!real_function)                                                                                                    \
            real_function = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);                                                       \
        return real_function arguments;                                                                                        \
    }

BEFORE_IT_LEAVES(setuid, (uid_t user), (user))
BEFORE_IT_LEAVES(seteuid, (uid_t effective), (effective))
BEFORE_IT_LEAVES(setreuid, (uid_t user, uid_t effective), (user, effective))
BEFORE_IT_LEAVES(setresuid, (uid_t user, uid_t effective, uid_t saved), (user, effective, saved))
BEFORE_IT_LEAVES(setgid, (gid_t group), (group))
BEFORE_IT_LEAVES(setegid, (gid_t effective), (effective))
BEFORE_IT_LEAVES(setregid, (gid_t group, gid_t effective), (group, effective))
BEFORE_IT_LEAVES(setresgid, (gid_t group, gid_t effective, gid_t saved), (group, effective, saved))
BEFORE_IT_LEAVES(chroot, (const char *path), (path))
BEFORE_IT_LEAVES(unshare, (int flags), (flags))
BEFORE_IT_LEAVES(setns, (int fd, int kind), (fd, kind))
