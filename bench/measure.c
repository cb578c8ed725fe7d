/* Runs a command and prints what it took: {"seconds": 1.25, "cpu": 2.31, "peakKiB": 20480, "status": 0}; CPU time is that of
 * all its threads, in seconds, too. The command's output is thrown away; it has the input that this has.
 *
 *     measure COMMAND [ARGUMENTS…] */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: measure COMMAND [ARGUMENTS...]\n", stderr);
        return 2;
    }
    double start = now();
    pid_t child = fork();
    if (child < 0) {
        perror("measure: fork");
        return 1;
    }
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nowhere, STDOUT_FILENO);
        execvp(argv[1], argv + 1);
        perror(argv[1]);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) != child) {
        perror("measure: wait4");
        return 1;
    }
    printf("{\"seconds\": %.6f, \"cpu\": %.6f, \"peakKiB\": %ld, \"status\": %d}\n", now() - start,
           seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss,
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}
