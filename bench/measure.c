/* Runs a command and prints what it took: {"seconds": 1.25, "cpu": 2.31, "peakKiB": 20480, "status": 0}; CPU time is that of
 * all its threads, in seconds, too. The command's output is thrown away; it has the input that this has.
 *
 *     measure [--unrecorded] [--beside PID] COMMAND [ARGUMENTS…]
 *
 * --unrecorded takes away what a recording has put into the environment, so that the command runs as it would without one.
 * --beside adds "beside", the CPU time that another process, such as the recorder, has used meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* CPU time of all threads of a process. */
static double cpu_of(pid_t process)
{
    clockid_t clock;
    struct timespec time;
    int failed = clock_getcpuclockid(process, &clock);
    if (failed || clock_gettime(clock, &time) != 0) {
        fprintf(stderr, "measure: --beside %d: %s\n", (int)process, strerror(failed ? failed : errno));
        exit(1);
    }
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static bool is_ours(const char *library)
{
    const char *slash = strrchr(library, '/');
    return strcmp(slash ? slash + 1 : library, "libsonde-preload.so") == 0;
}

/* Other libraries of the list stay. It is rewritten in place, since it only becomes shorter. */
static void leave_preloaded(char *list)
{
    char *end = list;
    for (char *library = strtok(list, ": "); library; library = strtok(NULL, ": ")) {
        size_t length = strlen(library);
        if (is_ours(library))
            continue;
        if (end > list)
            *end++ = ':';
        memmove(end, library, length + 1);
        end += length;
    }
    if (end == list)
        unsetenv("LD_PRELOAD");
    else
        *end = '\0';
}

static void leave_recording(void)
{
    char **kept = environ;
    for (char **word = environ; *word; word++)
        if (strncmp(*word, "SONDE_", strlen("SONDE_")) != 0)
            *kept++ = *word;
    *kept = NULL;
    char *list = getenv("LD_PRELOAD");
    if (list)
        leave_preloaded(list);
}

int main(int argc, char **argv)
{
    bool is_unrecorded = argc > 1 && strcmp(argv[1], "--unrecorded") == 0;
    if (argc < 2 + is_unrecorded) {
        fputs("usage: measure [--unrecorded] [--beside PID] COMMAND [ARGUMENTS...]\n", stderr);
        return 2;
    }
    if (is_unrecorded) {
        /* Started anew, since this process is recorded, too. */
        leave_recording();
        argv[1] = argv[0];
        execv("/proc/self/exe", argv + 1);
        perror("measure: /proc/self/exe");
        return 1;
    }
    bool has_beside = argc > 3 && strcmp(argv[1], "--beside") == 0;
    pid_t beside = has_beside ? atoi(argv[2]) : 0;
    char **command = argv + (has_beside ? 3 : 1);
    double beside_cpu = has_beside ? cpu_of(beside) : 0, start = now();
    pid_t child = fork();
    if (child < 0) {
        perror("measure: fork");
        return 1;
    }
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nowhere, STDOUT_FILENO);
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) != child) {
        perror("measure: wait4");
        return 1;
    }
    double end = now();
    printf("{\"seconds\": %.6f, \"cpu\": %.6f, \"peakKiB\": %ld, ", end - start,
           seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss);
    if (has_beside)
        printf("\"beside\": %.6f, ", cpu_of(beside) - beside_cpu);
    printf("\"status\": %d}\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}
