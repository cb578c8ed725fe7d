#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEADLINE_MS = 120000 };

static void start(const struct program *program, int output, int errors)
{
    setsid(); /* so that all its children can be found */
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (dup2(null, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0)
        _exit(125);
    closefrom(3);
    for (const char *const *setting = program->settings; setting && *setting; setting++)
        putenv((char *)*setting);
    if (program->file_limit) {
        struct rlimit limit = {program->file_limit, program->file_limit};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    execvp(program->words[0], (char *const *)program->words);
    dprintf(STDERR_FILENO, "%s: %s\n", program->words[0], strerror(errno));
    _exit(127);
}

/* Calls `each` with every process of the session that `leader` began. */
static void each_process(pid_t leader, void (*each)(pid_t pid))
{
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && (entry = readdir(processes));) {
        pid_t pid = atoi(entry->d_name);
        if (pid > 0 && getsid(pid) == leader)
            each(pid);
    }
    if (processes)
        closedir(processes);
}

static void show_stacks(pid_t pid)
{
    char command[400];
    snprintf(
        command, sizeof command,
        "if command -v gdb >/dev/null; then timeout 30 gdb -nx -batch -p %d -ex 'thread apply all backtrace 30' 2>&1 | grep -E "
        "'^(Thread|#)'; else grep -H . /proc/%d/task/*/{comm,syscall,wchan}; fi",
        (int)pid, (int)pid);
    print_message("process %d:\n", (int)pid);
    fflush(stdout);
    if (system(command) != 0)
        print_message("its stacks could not be had\n");
}

static void kill_process(pid_t pid)
{
    kill(pid, SIGKILL);
}

/* True if the process ended in time. */
static bool wait_for_end(pid_t pid, int timeout_ms)
{
    int fd = pidfd_open(pid, 0);
    assert_true(fd >= 0);
    struct pollfd end = {.fd = fd, .events = POLLIN};
    int ready;
    do
        ready = poll(&end, 1, timeout_ms);
    while (ready < 0 && errno == EINTR);
    close(fd);
    return ready == 1;
}

static char *read_all(int fd)
{
    struct stat stat;
    assert_int_equal(fstat(fd, &stat), 0);
    char *text = malloc((size_t)stat.st_size + 1);
    assert_non_null(text);
    ssize_t size = pread(fd, text, (size_t)stat.st_size, 0);
    text[size > 0 ? size : 0] = '\0';
    close(fd);
    return text;
}

void program_run(const struct program *program, struct ended *ended)
{
    /* Files and not pipes: nothing that the program does to its descriptors can block it. */
    int output = memfd_create("output", MFD_CLOEXEC), errors = memfd_create("errors", MFD_CLOEXEC);
    assert_true(output >= 0 && errors >= 0);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        start(program, output, errors);
    bool late = false;
    if (program->kill_after_us) {
        usleep(program->kill_after_us);
        kill(pid, SIGKILL);
    }
    if (!wait_for_end(pid, DEADLINE_MS)) {
        late = true;
        each_process(pid, show_stacks);
    }
    each_process(pid, kill_process);
    assert_int_equal(waitpid(pid, &ended->status, 0), pid);
    ended->output = read_all(output);
    ended->errors = read_all(errors);
    if (late) {
        printf("%s%s", ended->output, ended->errors);
        fail_msg("%s did not end", program->words[0]);
    }
}

void ended_free(struct ended *ended)
{
    free(ended->output);
    free(ended->errors);
}

const char *status_text(int status)
{
    static char text[40];
    if (WIFEXITED(status))
        snprintf(text, sizeof text, "exit status %d", WEXITSTATUS(status));
    else
        snprintf(text, sizeof text, "signal %d", WTERMSIG(status));
    return text;
}
