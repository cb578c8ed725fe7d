/* Locks all its memory, which may be 8 MiB at most, while two threads compute. */
#include "burn.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { ROUNDS = 100000000, MOST_KIB = 8 << 10, STACK_BYTES = 64 << 10 };
static atomic_bool is_over;

__attribute__((noinline, noclone)) static void work_before(void)
{
    burn(ROUNDS);
}

static void *thread_main(void *unused)
{
    while (!atomic_load(&is_over))
        compute(1, 10000);
    return unused;
}

static long locked_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    check(file != NULL);
    while (kib < 0 && fgets(line, sizeof line, file))
        (void)sscanf(line, "VmLck: %ld", &kib);
    fclose(file);
    return kib;
}

int main(void)
{
    struct rlimit limit;
    pthread_attr_t attributes;
    pthread_t thread;
    check(getrlimit(RLIMIT_MEMLOCK, &limit) == 0);
    limit.rlim_cur = (rlim_t)MOST_KIB << 10;
    check(setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
    check(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0);
    check(pthread_create(&thread, &attributes, thread_main, NULL) == 0);
    work_before();
    int result = mlockall(MCL_CURRENT | MCL_FUTURE);
    printf("locked: %s\n", result == 0 ? "yes" : strerror(errno));
    long kib = locked_kib();
    printf("%s\n", kib > 0 && kib < MOST_KIB ? "little" : "much");
    atomic_store(&is_over, true);
    check(pthread_join(thread, NULL) == 0);
}
