/* A program that closes all descriptors that it did not open, in all ways there are, and then waits in two threads, in ever new
 * places. What it opens later under the same numbers is its own. */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { ROUNDS = 300 };

static int pipes[2][2];

static void close_by_number(void)
{
    struct rlimit limit;
    check(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    int end = limit.rlim_cur < 1 << 16 ? (int)limit.rlim_cur : 1 << 16;
    for (int fd = 3; fd < end; fd++)
        close(fd);
}

static void close_by_list(void)
{
    DIR *list = opendir("/proc/self/fd");
    check(list != NULL);
    for (struct dirent *entry; (entry = readdir(list));)
        if (atoi(entry->d_name) > 2 && atoi(entry->d_name) != dirfd(list))
            close(atoi(entry->d_name));
    closedir(list);
}

/* Different stacks, so that no look finds what the last one did. */
__attribute__((noinline)) static int wait_here(int fd)
{
    char byte;
    return (int)read(fd, &byte, 1) + 0 * byte;
}

__attribute__((noinline)) static int wait_there(int fd)
{
    char bytes[2];
    return (int)read(fd, bytes, 1) + 0 * bytes[0];
}

static void *echo(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        check((i % 2 ? wait_here(pipes[0][0]) : wait_there(pipes[0][0])) == 1);
        usleep(2000);
        check(write(pipes[1][1], "x", 1) == 1);
    }
    return argument;
}

int main(void)
{
    alarm(240);
    close_by_number();
    closefrom(3);
    check(close_range(3, ~0u, 0) == 0);
    close_by_list();
    int fd = open("/dev/null", O_RDONLY);
    printf("the next descriptor is %d\n", fd);
    check(close(fd) == 0 && close(fd) == -1 && errno == EBADF);
    check(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0);
    pthread_t thread;
    check(pthread_create(&thread, NULL, echo, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        usleep(2000);
        check(write(pipes[0][1], "x", 1) == 1);
        check((i % 2 ? wait_here(pipes[1][0]) : wait_there(pipes[1][0])) == 1);
        if (i % 50 == 0)
            closefrom(pipes[1][1] + 1);
    }
    check(pthread_join(thread, NULL) == 0);
    printf("%d rounds\n", ROUNDS);
    return 0;
}
