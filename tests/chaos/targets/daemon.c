/* A daemon: forks twice, gets a session of its own, closes everything, works on while its parents are gone. The first process
 * waits for the end of a pipe that only the daemon may hold. */
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void *compute_much(void *argument)
{
    return (void *)(uintptr_t)compute((uint32_t)(uintptr_t)argument, 50000000);
}

static void be_daemon(int result)
{
    alarm(240);
    check(chdir("/") == 0);
    umask(0);
    check(dup2(result, 3) == 3);
    closefrom(4);
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++)
        check(dup2(null, fd) == fd);
    pthread_t threads[3];
    unsigned sum = 0;
    for (unsigned i = 0; i < 3; i++)
        check(pthread_create(&threads[i], NULL, compute_much, (void *)(uintptr_t)i) == 0);
    for (unsigned i = 0; i < 3; i++) {
        void *value;
        check(pthread_join(threads[i], &value) == 0);
        sum += (unsigned)(uintptr_t)value;
    }
    check(dprintf(3, "the daemon says %08x\n", sum) > 0);
    exit(0);
}

int main(void)
{
    alarm(240);
    pthread_t thread;
    void *value;
    check(pthread_create(&thread, NULL, compute_much, NULL) == 0);
    check(pthread_join(thread, &value) == 0);
    int result[2];
    check(pipe(result) == 0);
    pid_t child = fork();
    check(child >= 0);
    if (child == 0) {
        check(setsid() > 0);
        pid_t daemon = fork();
        check(daemon >= 0);
        if (daemon == 0)
            be_daemon(result[1]);
        _exit(0);
    }
    close(result[1]);
    int status;
    while (waitpid(child, &status, 0) != child)
        check(errno == EINTR);
    check(status == 0);
    char text[100];
    ssize_t size;
    while ((size = read(result[0], text, sizeof text)) > 0)
        check(fwrite(text, 1, (size_t)size, stdout) == (size_t)size);
    check(size == 0);
    return 0;
}
