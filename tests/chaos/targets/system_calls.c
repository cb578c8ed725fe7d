/* A program that makes its system calls itself: with six arguments, with results that are addresses, with errors, such that
 * return twice, and such that do not return. Called with `emulated` it leaves out what emulators cannot do. */
#include "check.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static void await_status(long child, int wanted)
{
    int status;
    check(syscall(SYS_wait4, child, &status, 0, NULL) == child);
    check(WIFEXITED(status) && WEXITSTATUS(status) == wanted);
}

static void map_with_six_arguments(void)
{
    char text[64] = "";
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/exe", O_RDONLY, 0);
    check(fd >= 0 && pread(fd, text, sizeof text, 4096) == (ssize_t)sizeof text);
    /* The last of the six is where in the file it begins. */
    const char *bytes = (const char *)syscall(SYS_mmap, NULL, sizeof text, PROT_READ, MAP_PRIVATE, fd, (off_t)4096);
    check(bytes != MAP_FAILED && memcmp(bytes, text, sizeof text) == 0);
    check(syscall(SYS_munmap, bytes, sizeof text) == 0 && syscall(SYS_close, fd) == 0);
}

static void fail(void)
{
    errno = 0;
    check(syscall(SYS_close, -1) == -1 && errno == EBADF);
    check(syscall(SYS_mmap, NULL, 0, 0, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L) == -1 && errno == EINVAL);
    check(syscall(100000) == -1 && errno == ENOSYS);
    check(syscall(SYS_execve, "/", (char *[]){"/", NULL}, environ) == -1 && errno == EACCES);
    errno = EDOM;
    check(syscall(SYS_getpid) == getpid() && errno == EDOM);
}

/* As the kernel has it, fork() is a clone() with few flags. */
static void become_two(void)
{
    for (int i = 0; i < 20; i++) {
        long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
        check(child >= 0);
        if (child == 0)
            syscall(SYS_exit_group, i);
        await_status(child, i);
        compute(1, 500000);
    }
}

static void become_another(void)
{
    char *words[] = {"system_calls", "again", NULL};
    check(syscall(SYS_execveat, AT_FDCWD, "/proc/nowhere", words, environ, 0) == -1 && errno == ENOENT);
    long child = syscall(SYS_clone, CLONE_VFORK | SIGCHLD, NULL, NULL, NULL, NULL);
    check(child >= 0);
    if (child == 0) {
        syscall(SYS_execve, "/proc/self/exe", words, environ);
        syscall(SYS_exit_group, 1);
    }
    await_status(child, 7);
    child = fork();
    check(child >= 0);
    if (child == 0) {
        syscall(SYS_execveat, AT_FDCWD, "/proc/self/exe", words, environ, 0);
        syscall(SYS_exit_group, 1);
    }
    await_status(child, 7);
}

int main(int argc, char **argv)
{
    alarm(240);
    bool emulated = argc > 1 && strcmp(argv[1], "emulated") == 0;
    if (argc > 1 && !emulated)
        return 7;
    for (int i = 0; i < 100; i++) {
        map_with_six_arguments();
        fail();
        compute(1, 500000);
    }
    become_two();
    if (!emulated)
        become_another();
    printf("the end\n");
    fflush(stdout);
    syscall(SYS_exit_group, 3);
    return 1;
}
