/* Threads that the thread library knows nothing of, made by clone: without thread-local storage of their own, they may call
 * nothing in libc. And a child that shares the memory but is a process of its own. */
#include "check.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { ROUNDS = 8, THREADS = 4, STACK = 64 << 10 };

static _Atomic int ended;
static uint32_t results[THREADS];

/* Everything AddressSanitizer would add here would need thread-local storage. */
static __attribute__((no_sanitize("address"))) int run_raw(void *argument)
{
    uint32_t *result = argument, value = *result * 2654435761u + 1;
    for (unsigned i = 0; i < 3000000; i++) {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
    }
    *result = value;
    atomic_fetch_add(&ended, 1);
    return 0;
}

static __attribute__((no_sanitize("address"))) int run_sharing(void *argument)
{
    run_raw(argument);
    return 23;
}

int main(void)
{
    alarm(240);
    char *stacks = mmap(NULL, (size_t)THREADS * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(stacks != MAP_FAILED);
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
    for (unsigned round = 0; round < ROUNDS; round++) {
        pid_t alive[THREADS];
        for (unsigned i = 0; i < THREADS; i++) {
            results[i] = i;
            alive[i] = 1;
        }
        for (unsigned i = 0; i < THREADS; i++)
            check(clone(run_raw, stacks + (size_t)(i + 1) * STACK, flags, &results[i], NULL, NULL, &alive[i]) > 0);
        for (unsigned i = 0; i < THREADS; i++) {
            while (__atomic_load_n(&alive[i], __ATOMIC_ACQUIRE) != 0)
                usleep(200);
            check(results[i] == compute(i, 3000000));
        }
        results[0] = 9;
        pid_t child = clone(run_sharing, stacks + STACK, CLONE_VM | SIGCHLD, &results[0]);
        check(child > 0);
        int status;
        while (waitpid(child, &status, 0) != child)
            check(errno == EINTR);
        check(WIFEXITED(status) && WEXITSTATUS(status) == 23 && results[0] == compute(9, 3000000));
    }
    printf("%d threads and processes ended\n", atomic_load(&ended));
    return 0;
}
