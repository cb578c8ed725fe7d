/* A program that knows nothing of the library, with it and without. */
#include "session/reader.h"
#include "support/session_draw.h"
#include "support/session_dump.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct result {
    int status; /* as waitpid gives it */
    char output[4096], errors[4096];
};

static void read_all(int fd, char *text, size_t room)
{
    size_t length = 0;
    ssize_t got;
    while (length < room - 1 && (got = read(fd, text + length, room - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = '\0';
    close(fd);
}

/* `settings` is NAME=VALUE …, NULL. Both outputs are short, so that they fit their pipes. */
static struct result run(const char *const *words, const char *const *settings)
{
    int output[2], errors[2];
    assert_int_equal(pipe2(output, O_CLOEXEC), 0);
    assert_int_equal(pipe2(errors, O_CLOEXEC), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        dup2(output[1], STDOUT_FILENO);
        dup2(errors[1], STDERR_FILENO);
        for (; *settings; settings++)
            putenv((char *)(uintptr_t)*settings);
        execv(words[0], (char *const *)(uintptr_t)words);
        _exit(127);
    }
    close(output[1]);
    close(errors[1]);
    struct result result;
    read_all(output[0], result.output, sizeof result.output);
    read_all(errors[0], result.errors, sizeof result.errors);
    assert_int_equal(waitpid(child, &result.status, 0), child);
    return result;
}

static const char preload[] = "LD_PRELOAD=" PRELOAD;
static const char *const plain[] = {PROGRAM, NULL};

/* The only file of the session. */
static char *session_text(const char *folder)
{
    char path[PATH_MAX] = "";
    DIR *stream = opendir(folder);
    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));) {
        if (strstr(entry->d_name, ".sonde")) {
            assert_string_equal(path, "");
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        }
    }
    closedir(stream);
    return *path ? session_dump(path, NULL) : NULL;
}

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

static void status_and_output_are_as_without_it(void **state)
{
    (void)state;
    char folder[64], session[96];
    snprintf(session, sizeof session, "SONDE_SESSION=%s", session_folder_make(folder));
    struct result without = run(plain, (const char *const[]){"A=B", NULL});
    struct result with = run(plain, (const char *const[]){preload, session, "SONDE_STARTUP=1", NULL});
    session_folder_remove(folder);
    assert_int_equal(WEXITSTATUS(without.status), 3);
    assert_int_equal(with.status, without.status);
    assert_string_equal(with.output, without.output);
    assert_string_equal(with.errors, "");
}

static void every_thread_is_registered_under_its_name_and_its_end_is_known(void **state)
{
    (void)state;
    char folder[64], session[96];
    snprintf(session, sizeof session, "SONDE_SESSION=%s", session_folder_make(folder));
    run(plain, (const char *const[]){preload, session, "SONDE_STARTUP=1", NULL});
    char *text = session_text(folder);
    session_folder_remove(folder);
    assert_non_null(text);
    assert_int_equal(count_of(text, "\nthread "), 7);
    assert_int_equal(count_of(text, "\nthread-end "), 7);
    assert_int_equal(count_of(text, " main sampled"), 1);
    static const char *const names[] = {" returns ", " exits ", "\"is cancelled\"", " c11 ", "\"all signals\""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (count_of(text, names[i]) < 1)
            fail_msg("%s is missing in:\n%s", names[i], text);
    free(text);
}

/* In the headers of the files of a session: how many there are, and whether all are of one process with one start. */
static unsigned files_of_one_process(const char *folder, bool *one)
{
    unsigned count = 0;
    struct session_file_header first, header;
    DIR *stream = opendir(folder);
    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));) {
        char path[PATH_MAX];
        struct error error = {0};
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        struct session_file *file = strstr(entry->d_name, ".sonde") ? session_file_open(path, &error) : NULL;
        if (!file)
            continue;
        session_file_header(file, &header);
        session_file_close(file);
        if (count++ == 0)
            first = header;
        *one = header.pid == first.pid && header.start_monotonic_ns == first.start_monotonic_ns;
    }
    closedir(stream);
    return count;
}

static void programs_that_a_process_becomes_have_one_time_0(void **state)
{
    (void)state;
    char folder[64], session[96];
    bool one = false;
    snprintf(session, sizeof session, "SONDE_SESSION=%s", session_folder_make(folder));
    const char *const words[] = {"/bin/sh", "-c", "exec " PROGRAM, NULL};
    run(words, (const char *const[]){preload, session, "SONDE_STARTUP=1", NULL});
    assert_int_equal(files_of_one_process(folder, &one), 2);
    session_folder_remove(folder);
    assert_true(one);
}

static void a_process_that_is_not_meant_is_not_recorded(void **state)
{
    (void)state;
    char folder[64], session[96];
    snprintf(session, sizeof session, "SONDE_SESSION=%s", session_folder_make(folder));
    struct result with = run(plain, (const char *const[]){preload, session, "SONDE_STARTUP=1", "SONDE_SESSION_PID=1", NULL});
    char *text = session_text(folder);
    session_folder_remove(folder);
    assert_int_equal(WEXITSTATUS(with.status), 3);
    assert_null(text);
}

static void children_are_not_recorded(void **state)
{
    (void)state;
    char folder[64], session[96];
    snprintf(session, sizeof session, "SONDE_SESSION=%s", session_folder_make(folder));
    /* The shell is told to be the one that is meant, as `sonde record` does it. */
    const char *const shell[] = {"/bin/sh", "-c",
                                 "export SONDE_SESSION_PID=$$; export LD_PRELOAD=" PRELOAD "; exec /bin/sh -c '" PROGRAM
                                 "; (" PROGRAM "); exit 9'",
                                 NULL};
    struct result result = run(shell, (const char *const[]){session, "SONDE_STARTUP=1", NULL});
    char *text = session_text(folder);
    session_folder_remove(folder);
    assert_int_equal(WEXITSTATUS(result.status), 9);
    assert_string_equal(result.errors, "");
    assert_non_null(text);
    assert_int_equal(count_of(text, "\nthread "), 1);
    free(text);
}

static void a_wrong_value_says_what_is_allowed_and_ends_the_program(void **state)
{
    (void)state;
    struct result result = run(plain, (const char *const[]){preload, "SONDE_STARTUP_INTERVAL=never", NULL});
    assert_int_equal(WEXITSTATUS(result.status), 1);
    assert_string_equal(result.output, "");
    assert_string_equal(result.errors,
                        "sonde: SONDE_STARTUP_INTERVAL is \"never\"; allowed: milliseconds above 0, at most 5000\n");
}

static void help_is_printed_and_ends_the_program(void **state)
{
    (void)state;
    struct result result = run(plain, (const char *const[]){preload, "SONDE_HELP=1", NULL});
    assert_int_equal(result.status, 0);
    assert_non_null(strstr(result.output, "SONDE_STARTUP_FEATURES"));
    assert_non_null(strstr(result.output, "  D stackwalk"));
    assert_null(strstr(result.output, "returned"));
}

static void a_folder_that_cannot_be_written_is_told_and_the_program_runs(void **state)
{
    (void)state;
    struct result result = run(plain, (const char *const[]){preload, "SONDE_STARTUP=1", "SONDE_SESSION=/proc/no/such", NULL});
    assert_int_equal(WEXITSTATUS(result.status), 3);
    assert_true(strncmp(result.errors, "sonde: nothing is recorded: ", 28) == 0);
    assert_non_null(strstr(result.output, "c11 42"));
}

static void who_starts_when_the_recorder_has_removed_its_folder_runs_as_it_would(void **state)
{
    (void)state;
    char folder[64], session[96];
    snprintf(session, sizeof session, "SONDE_SESSION=%s", session_folder_make(folder));
    session_folder_remove(folder);
    struct result result = run(plain, (const char *const[]){preload, session, "SONDE_STARTUP=recorder", NULL});
    assert_int_equal(WEXITSTATUS(result.status), 3);
    assert_string_equal(result.errors, "");
    assert_int_equal(access(folder, F_OK), -1);
}

static void the_profile_is_written_at_exit_where_it_is_asked_for(void **state)
{
    (void)state;
    char folder[64], shutdown[128];
    snprintf(shutdown, sizeof shutdown, "SONDE_SHUTDOWN=%s/%%p.json", session_folder_make(folder));
    struct result result = run(plain, (const char *const[]){preload, "SONDE_STARTUP=1", shutdown, NULL});
    assert_int_equal(WEXITSTATUS(result.status), 3);
    assert_string_equal(result.errors, "");
    DIR *stream = opendir(folder);
    char path[PATH_MAX] = "";
    for (struct dirent *entry; (entry = readdir(stream));)
        if (atoi(entry->d_name) > 0)
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    closedir(stream);
    assert_non_null(strstr(path, ".json"));
    assert_null(strstr(path, ".part"));
    char start[64] = "";
    int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    read_all(file, start, sizeof start);
    session_folder_remove(folder);
    assert_true(strncmp(start, "{\"libs\":", 8) == 0);
}

int main(void)
{
    alarm(110);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_and_output_are_as_without_it),
        cmocka_unit_test(every_thread_is_registered_under_its_name_and_its_end_is_known),
        cmocka_unit_test(programs_that_a_process_becomes_have_one_time_0),
        cmocka_unit_test(a_process_that_is_not_meant_is_not_recorded),
        cmocka_unit_test(children_are_not_recorded),
        cmocka_unit_test(a_wrong_value_says_what_is_allowed_and_ends_the_program),
        cmocka_unit_test(help_is_printed_and_ends_the_program),
        cmocka_unit_test(a_folder_that_cannot_be_written_is_told_and_the_program_runs),
        cmocka_unit_test(who_starts_when_the_recorder_has_removed_its_folder_runs_as_it_would),
        cmocka_unit_test(the_profile_is_written_at_exit_where_it_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
