/* What the kernel allows only processes with one thread: prints how many there are and what it says. */
#include "burn.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

static void print_result(const char *what, int result)
{
    printf("%s: %s\n", what, result == 0 ? "done" : strerrorname_np(errno));
}

static int threads_count(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    check(file != NULL);
    char line[256];
    int count = 0;
    while (fgets(line, sizeof line, file))
        sscanf(line, "Threads: %d", &count);
    fclose(file);
    return count;
}

/* A child in namespaces of its own, which lives until it is killed; its namespace, open. */
static pid_t child_apart(int *user_namespace)
{
    int pipe_ends[2];
    check(pipe(pipe_ends) == 0);
    pid_t child = fork();
    check(child >= 0);
    if (child == 0) {
        char answer = unshare(CLONE_NEWUSER) == 0 ? 'y' : 'n';
        check(write(pipe_ends[1], &answer, 1) == 1);
        for (;;)
            pause();
    }
    char answer, path[64];
    check(read(pipe_ends[0], &answer, 1) == 1);
    printf("unshare in a child: %s\n", answer == 'y' ? "done" : "refused");
    snprintf(path, sizeof path, "/proc/%d/ns/user", (int)child);
    *user_namespace = open(path, O_RDONLY | O_CLOEXEC);
    check(*user_namespace >= 0);
    return child;
}

int main(void)
{
    burn(100000000); /* long enough for whoever looks at it to have begun */
    printf("%d thread\n", threads_count());
    fflush(stdout);
    int user_namespace;
    pid_t child = child_apart(&user_namespace);
    fflush(stdout);
    pid_t other = fork();
    check(other >= 0);
    if (other == 0) {
        print_result("setns in a child", setns(user_namespace, CLONE_NEWUSER));
        fflush(stdout);
        _exit(0);
    }
    check(waitpid(other, NULL, 0) == other);
    check(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    print_result("unshare", unshare(CLONE_NEWUSER | CLONE_NEWNS));
    print_result("setns", setns(user_namespace, CLONE_NEWUSER));
    burn(50000000);
    printf("%d thread\n", threads_count());
    return 0;
}
