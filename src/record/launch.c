#include "record/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What no loader knows is a script for the shell, as execvp has it. */
static void run_by_shell(const struct launch *launch, char **words)
{
    words[0] = (char *)"/bin/sh";
    words[1] = (char *)launch->path;
    execve(words[0], words, launch->environment->words.items);
}

/* In the new process; writes to `failed` why it did not become the program. Nothing is allocated here: a test may have let
 * the heap run out. */
_Noreturn static void become(const struct launch *launch, char *pid_word, size_t pid_size, char **shell_words, int failed)
{
    if (launch->pid_variable)
        snprintf(pid_word, pid_size, "%s=%d", launch->pid_variable, getpid());
    signals_give_back(launch->signals);
    execve(launch->path, launch->words, launch->environment->words.items);
    if (errno == ENOEXEC)
        run_by_shell(launch, shell_words);
    int why = errno;
    ssize_t written = write(failed, &why, sizeof why);
    (void)written;
    _exit(127);
}

/* The shell's words are `/bin/sh PATH` and all but the first of ours. */
static char **make_shell_words(char *const *words)
{
    size_t count = 0;
    while (words[count])
        count++;
    char **shell_words = memory_zeroed(count + 2, sizeof *shell_words);
    for (size_t i = 1; shell_words && i < count; i++)
        shell_words[i + 1] = words[i];
    return shell_words;
}

/* Puts a place for the process id into the environment. */
static char *make_pid_word(const struct launch *launch, size_t *size)
{
    static const char widest[] = "-2147483648";
    if (!environment_set(launch->environment, launch->pid_variable, widest))
        return NULL;
    *size = strlen(launch->pid_variable) + 1 + sizeof widest;
    return (char *)environment_get(launch->environment, launch->pid_variable) - strlen(launch->pid_variable) - 1;
}

/* The pipe closes when exec succeeds; what comes out of it before is why it did not. */
static int wait_for_exec(int fd, pid_t pid)
{
    int why = 0;
    ssize_t length;
    while ((length = read(fd, &why, sizeof why)) < 0 && errno == EINTR)
        ;
    if (length != sizeof why)
        return 0;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return -why;
}

int launch_program(const struct launch *launch, pid_t *pid, bool *exec_failed, struct error *error)
{
    size_t pid_size = 0;
    char *pid_word = launch->pid_variable ? make_pid_word(launch, &pid_size) : NULL;
    char **shell_words = make_shell_words(launch->words);
    int ends[2] = {-1, -1};
    int failed = 0;
    *exec_failed = false;
    if ((launch->pid_variable && !pid_word) || !shell_words) {
        failed = error_out_of_memory(error);
        goto out;
    }
    if (pipe2(ends, O_CLOEXEC) != 0 || (*pid = fork()) < 0) {
        failed = error_set(error, -errno, "cannot start a process: %s", strerror(errno));
        goto out;
    }
    if (*pid == 0)
        become(launch, pid_word, pid_size, shell_words, ends[1]);
    close(ends[1]);
    ends[1] = -1;
    failed = wait_for_exec(ends[0], *pid);
    if (failed) {
        *exec_failed = true;
        error_set(error, failed, "%s", strerror(-failed));
    }
out:
    if (ends[0] >= 0)
        close(ends[0]);
    if (ends[1] >= 0)
        close(ends[1]);
    memory_release(shell_words);
    return failed;
}
