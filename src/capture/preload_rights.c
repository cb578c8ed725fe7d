/* Functions after which the process may not be able to open any of our files: it becomes another user, or sees other folders.
 * What is to be opened is opened before. */
#include "capture/preload.h"

#include <dlfcn.h>
#include <sched.h>

#define FUNCTIONS(X)                                                                                                           \
    X(setuid, (uid_t user), (user))                                                                                            \
    X(seteuid, (uid_t effective), (effective))                                                                                 \
    X(setreuid, (uid_t user, uid_t effective), (user, effective))                                                              \
    X(setresuid, (uid_t user, uid_t effective, uid_t saved), (user, effective, saved))                                         \
    X(setgid, (gid_t group), (group))                                                                                          \
    X(setegid, (gid_t effective), (effective))                                                                                 \
    X(setregid, (gid_t group, gid_t effective), (group, effective))                                                            \
    X(setresgid, (gid_t group, gid_t effective, gid_t saved), (group, effective, saved))                                       \
    X(chroot, (const char *path), (path))                                                                                      \
    X(unshare, (int flags), (flags))                                                                                           \
    X(setns, (int fd, int kind), (fd, kind))

/* Looked for when one of them is needed, which hardly any program does, and all would pay for it; but where there are threads
 * before: the child of a fork() must not wait for a lock of the linker that a thread had which is not there any more. */
#define DECLARE(name, parameters, arguments) static __typeof__(name) *_Atomic real_##name;
FUNCTIONS(DECLARE)

void preload_find_rights(void)
{
#define FIND(name, parameters, arguments) real_##name = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);
    if (!real_setuid) {
        FUNCTIONS(FIND)
    }
}

static void leave(void)
{
    preload_find_rights();
    const struct preload_base *wanted = wanted_base();
    if (wanted)
        wanted->leaving();
}

#define DEFINE(name, parameters, arguments)                                                                                    \
    INTERPOSED int name parameters                                                                                             \
    {                                                                                                                          \
        leave();                                                                                                               \
        return real_##name arguments;                                                                                          \
    }
FUNCTIONS(DEFINE)
