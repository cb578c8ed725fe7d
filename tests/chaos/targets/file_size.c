/* A program that limits the size of files: its own writes fail as documented, and nobody else's failure ends it. */
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

static volatile sig_atomic_t exceeded;

static void on_exceeded(int number)
{
    (void)number;
    exceeded++;
}

static void *compute_much(void *argument)
{
    return (void *)(uintptr_t)compute((uint32_t)(uintptr_t)argument, 50000000);
}

int main(void)
{
    alarm(240);
    struct rlimit limit = {65536, 65536};
    check(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    pthread_t threads[8];
    for (unsigned i = 0; i < 8; i++)
        check(pthread_create(&threads[i], NULL, compute_much, (void *)(uintptr_t)i) == 0);
    char path[] = "/tmp/sonde-chaos-XXXXXX";
    int fd = mkstemp(path);
    check(fd >= 0 && unlink(path) == 0);
    static char bytes[65536];
    check(write(fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes);
    check(signal(SIGXFSZ, on_exceeded) != SIG_ERR);
    check(write(fd, bytes, 1) == -1 && errno == EFBIG);
    check(signal(SIGXFSZ, SIG_DFL) == on_exceeded);
    unsigned sum = 0;
    for (unsigned i = 0; i < 8; i++) {
        void *value;
        check(pthread_join(threads[i], &value) == 0);
        sum += (unsigned)(uintptr_t)value;
    }
    printf("exceeded %d times, %08x\n", (int)exceeded, sum);
    return 0;
}
