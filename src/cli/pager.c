#include "cli/pager.h"

#include "cli/exit_status.h"
#include "common/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    FILE *output; /* what standard output was; NULL = nothing is kept back */
    const char *command;
    size_t rows, columns;
    VEC(char) kept;       /* until the pager runs */
    size_t lines, column; /* of what is kept */
    int pipe;             /* to the pager, -1 = it does not run */
    pid_t pid;
    int error; /* of the last write */
} pager = {.pipe = -1};

/* ---- which ---- */

/* Whether the shell would find the first word of a command. What is more than a word is up to the shell. */
static bool can_run(const char *command)
{
    size_t length = strcspn(command, " \t");
    if (memchr(command, '/', length) || strcspn(command, "'\"\\$`;&|<>()=") < length)
        return true;
    const char *path = getenv("PATH");
    for (path = path ? path : "/usr/bin:/bin"; *path;) {
        size_t folder = strcspn(path, ":");
        char file[PATH_MAX];
        if (snprintf(file, sizeof file, "%.*s/%.*s", (int)folder, path, (int)length, command) < (int)sizeof file &&
            access(file, X_OK) == 0)
            return true;
        path += folder + (path[folder] == ':');
    }
    return false;
}

/* NULL = none. */
static const char *pager_command(void)
{
    const char *command = getenv("SONDE_PAGER");
    if (!command)
        command = getenv("PAGER");
    if (command)
        return *command && strcmp(command, "cat") != 0 && can_run(command) ? command : NULL;
    return can_run("less") ? "less" : can_run("more") ? "more" : NULL;
}

/* ---- the pager itself ---- */

static void run_pager(int input)
{
    dup2(input, STDIN_FILENO);
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    /* Colours as they are; what is on the screen stays there when less is left. */
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    execl("/bin/sh", "sh", "-c", pager.command, (char *)NULL);
    _exit(127);
}

static bool start_pager(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pager.pid = fork();
    if (pager.pid == 0)
        run_pager(ends[0]);
    close(ends[0]);
    if (pager.pid < 0) {
        close(ends[1]);
        return false;
    }
    pager.pipe = ends[1];
    /* Ctrl-C is for the pager, and a pager that was left is no error. */
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    return true;
}

static int wait_for_pager(void)
{
    int status = 0;
    if (pager.pipe >= 0)
        close(pager.pipe);
    pager.pipe = -1;
    while (waitpid(pager.pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

static bool write_all(int file, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            pager.error = errno;
            return false;
        }
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

/* Whoever leaves the pager has seen enough: the rest need not be made. */
static bool write_to_pager(const char *bytes, size_t count)
{
    if (write_all(pager.pipe, bytes, count))
        return true;
    if (pager.error == EPIPE) {
        wait_for_pager();
        _exit(EXIT_OK);
    }
    return false;
}

/* ---- what is kept back ---- */

/* Lines on the screen, with those that are wider than it; colours take no columns. */
static void count_lines(const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '\x1b') {
            while (i < count && bytes[i] != 'm')
                i++;
        } else if (c == '\n') {
            pager.lines++;
            pager.column = 0;
        } else if ((c & 0xc0) != 0x80 && pager.column++ == pager.columns) {
            pager.lines++;
            pager.column = 1;
        }
    }
}

static bool write_kept(int file)
{
    bool written = file == pager.pipe ? write_to_pager(pager.kept.items, pager.kept.count)
                                      : write_all(file, pager.kept.items, pager.kept.count);
    pager.kept.count = 0;
    return written;
}

/* Nothing is kept back any more: there is no pager. */
static bool pass_on(const char *bytes, size_t count)
{
    bool written = write_kept(STDOUT_FILENO);
    pager.command = NULL;
    return written && write_all(STDOUT_FILENO, bytes, count);
}

static ssize_t take(void *cookie, const char *bytes, size_t count)
{
    (void)cookie;
    pager.error = 0;
    bool taken;
    if (pager.pipe >= 0) {
        taken = write_to_pager(bytes, count);
    } else if (!pager.command) {
        taken = write_all(STDOUT_FILENO, bytes, count);
    } else if (!vec_reserve(&pager.kept, pager.kept.count + count)) {
        taken = pass_on(bytes, count);
    } else {
        memcpy(pager.kept.items + pager.kept.count, bytes, count);
        pager.kept.count += count;
        count_lines(bytes, count);
        taken = pager.lines < pager.rows || (start_pager() ? write_kept(pager.pipe) : pass_on("", 0));
    }
    errno = pager.error;
    return taken ? (ssize_t)count : -1;
}

void pager_begin(bool wanted)
{
    struct winsize size;
    const char *kind = getenv("TERM");
    if (!wanted || pager.output || !isatty(STDOUT_FILENO) || !kind || strcmp(kind, "dumb") == 0 ||
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
        return;
    pager.command = pager_command();
    FILE *kept = pager.command ? fopencookie(NULL, "w", (cookie_io_functions_t){.write = take}) : NULL;
    if (!kept)
        return;
    fflush(stdout);
    pager.rows = size.ws_row;
    pager.columns = size.ws_col > 0 ? size.ws_col : SIZE_MAX;
    pager.output = stdout;
    stdout = kept;
}

void pager_end(void)
{
    if (!pager.output)
        return;
    fclose(stdout);
    stdout = pager.output;
    pager.output = NULL;
    if (pager.pipe >= 0)
        wait_for_pager();
    else
        write_kept(STDOUT_FILENO);
    vec_free(&pager.kept);
}
