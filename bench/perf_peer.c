#include "perf_peer.h"

#include "workers.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000, RATE = 1000 };

static pid_t perf;
static int control, answers, messages;
static uint64_t cpu_at_start;
static char data[] = "/tmp/sonde-bench-perf-XXXXXX";

/* True when perf has answered. */
static bool tell(const char *command)
{
    char answer[16];
    struct pollfd answered = {.fd = answers, .events = POLLIN};
    return dprintf(control, "%s\n", command) > 0 && poll(&answered, 1, PATIENCE_MS) == 1 &&
           read(answers, answer, sizeof answer) > 0;
}

static void become_perf(pid_t target, int commands, int acknowledgements)
{
    char process[16], descriptors[40];
    snprintf(process, sizeof process, "%d", (int)target);
    snprintf(descriptors, sizeof descriptors, "fd:%d,%d", commands, acknowledgements);
    dup2(messages, STDERR_FILENO);
    dup2(messages, STDOUT_FILENO);
    execlp("perf", "perf", "record", "-g", "-e", "cpu-clock", "-F", "1000", "-p", process, "--delay", "-1", "--control",
           descriptors, "-o", data, (char *)NULL);
    _exit(127);
}

/* Nanoseconds that its main thread has been on a CPU, from the first number of schedstat. */
static uint64_t own_cpu_ns(void)
{
    char path[60], text[100] = "";
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)perf);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (read(fd, text, sizeof text - 1) < 0)
            text[0] = '\0';
        close(fd);
    }
    return strtoull(text, NULL, 10);
}

bool perf_peer_start(void)
{
    int commands[2], acknowledgements[2];
    messages = fileno(tmpfile());
    int file = mkstemp(data);
    if (file < 0 || pipe(commands) != 0 || pipe(acknowledgements) != 0)
        return false;
    close(file);
    pid_t target = getpid();
    perf = fork();
    if (perf == 0) {
        close(commands[1]);
        close(acknowledgements[0]);
        become_perf(target, commands[0], acknowledgements[1]);
    }
    control = commands[1];
    answers = acknowledgements[0];
    close(commands[0]);
    close(acknowledgements[1]);
    signal(SIGPIPE, SIG_IGN);
    if (perf < 0 || !tell("disable"))
        return false;
    cpu_at_start = own_cpu_ns();
    return true;
}

void perf_peer_on(void)
{
    tell("enable");
}

void perf_peer_off(void)
{
    tell("disable");
}

void perf_peer_report(double on_seconds)
{
    uint64_t cpu = own_cpu_ns() - cpu_at_start;
    kill(perf, SIGINT);
    int status;
    waitpid(perf, &status, 0);
    /* "[ perf record: Captured and wrote 0.123 MB FILE (4567 samples) ]" */
    char text[4000] = "";
    if (pread(messages, text, sizeof text - 1, 0) < 0)
        text[0] = '\0';
    char *number = strrchr(text, '(');
    double samples = number ? strtod(number + 1, NULL) : 0;
    struct stat size = {0};
    stat(data, &size);
    unlink(data);
    printf(", \"cpu\": %.3f, \"samples\": %.4f, \"bytes\": %.1f", (double)cpu / 1e9 / on_seconds * 100,
           samples / (on_seconds * RATE * WORKERS), samples > 0 ? (double)size.st_size / samples : 0);
}
