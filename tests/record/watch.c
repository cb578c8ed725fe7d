/* Starting programs and waiting for them. Every test is over after a minute at the latest. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/launch.h"
#include "record/watch.h"

enum { DEADLINE_SECONDS = 60 };

struct run {
    struct environment environment;
    struct signals signals;
    struct watch watch;
};

static int begin(void **state)
{
    struct run *run = calloc(1, sizeof *run);
    assert_true(environment_copy(&run->environment, environ));
    /* Whoever runs the tests in the background has these ignored, and then a shell cannot trap them. */
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    signals_take(&run->signals);
    alarm(DEADLINE_SECONDS);
    *state = run;
    return 0;
}

static int end(void **state)
{
    struct run *run = *state;
    signals_give_back(&run->signals);
    environment_free(&run->environment);
    alarm(0);
    free(run);
    return 0;
}

static int launch(struct run *run, const char *path, char *const *words, bool *exec_failed)
{
    struct launch launch = {path, words, &run->environment, "TEST_PID", &run->signals};
    struct error error = {0};
    int failed = launch_program(&launch, &run->watch.pid, exec_failed, &error);
    assert_int_equal(failed, error.code);
    run->watch.signals = &run->signals;
    return failed;
}

static void launch_script(struct run *run, const char *script)
{
    char *const words[] = {(char *)"sh", (char *)"-c", (char *)script, NULL};
    bool exec_failed;
    assert_int_equal(launch(run, "/bin/sh", words, &exec_failed), 0);
}

static void kill_program(const struct run *run)
{
    kill(run->watch.pid, SIGKILL);
    assert_int_equal(waitpid(run->watch.pid, NULL, 0), run->watch.pid);
}

/* ---- starting ---- */

static void the_exit_status_is_that_of_the_program(void **state)
{
    struct run *run = *state;
    static const int all[] = {0, 1, 42, 127, 255};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char script[32];
        snprintf(script, sizeof script, "exit %d", all[i]);
        launch_script(run, script);
        assert_int_equal(watch_program(&run->watch), WATCH_EXITED);
        assert_int_equal(run->watch.number, all[i]);
    }
}

static void the_signal_that_killed_it_is_known(void **state)
{
    struct run *run = *state;
    launch_script(run, "kill -KILL $$");
    assert_int_equal(watch_program(&run->watch), WATCH_KILLED);
    assert_int_equal(run->watch.number, SIGKILL);
}

static void the_program_knows_its_own_process_id(void **state)
{
    struct run *run = *state;
    launch_script(run, "test \"$TEST_PID\" = $$");
    assert_int_equal(watch_program(&run->watch), WATCH_EXITED);
    assert_int_equal(run->watch.number, 0);
}

static void a_program_that_cannot_be_executed_says_why(void **state)
{
    struct run *run = *state;
    char *const words[] = {(char *)"x", NULL};
    bool exec_failed = false;
    assert_int_equal(launch(run, "/no/such/program", words, &exec_failed), -ENOENT);
    assert_true(exec_failed);
    exec_failed = false;
    assert_int_equal(launch(run, "/etc/passwd", words, &exec_failed), -EACCES);
    assert_true(exec_failed);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void what_no_loader_knows_is_run_by_the_shell(void **state)
{
    struct run *run = *state;
    char path[] = "/tmp/sonde-test-XXXXXX";
    int fd = mkstemp(path);
    static const char script[] = "test \"$1\" = second && exit 3\n";
    assert_int_equal(write(fd, script, sizeof script - 1), sizeof script - 1);
    fchmod(fd, 0700);
    close(fd);
    char *const words[] = {(char *)"first", (char *)"second", NULL};
    bool exec_failed;
    assert_int_equal(launch(run, path, words, &exec_failed), 0);
    assert_int_equal(watch_program(&run->watch), WATCH_EXITED);
    assert_int_equal(run->watch.number, 3);
    unlink(path);
}

static void no_signal_is_blocked_in_the_program(void **state)
{
    struct run *run = *state;
    char *const words[] = {(char *)"grep", (char *)"-q", (char *)"^SigBlk:.0*$", (char *)"/proc/self/status", NULL};
    bool exec_failed;
    assert_int_equal(launch(run, "/bin/grep", words, &exec_failed), 0);
    assert_int_equal(watch_program(&run->watch), WATCH_EXITED);
    assert_int_equal(run->watch.number, 0);
}

/* ---- waiting ---- */

static void when_time_is_up_the_program_still_runs(void **state)
{
    struct run *run = *state;
    launch_script(run, "exec sleep 50");
    run->watch.seconds = 0.05;
    assert_int_equal(watch_program(&run->watch), WATCH_TIME_UP);
    assert_int_equal(kill(run->watch.pid, 0), 0);
    kill_program(run);
}

/* Scripts say by this descriptor that their trap is set. */
enum { SAYS = 9 };

struct sending {
    int fd, signal;
};

static bool send_self(void *data)
{
    struct sending *sending = data;
    char byte;
    assert_int_equal(read(sending->fd, &byte, 1), 1);
    kill(getpid(), sending->signal);
    return true;
}

static void signals_that_somebody_sends_are_forwarded(void **state)
{
    struct run *run = *state;
    static const int all[] = {SIGTERM, SIGINT, SIGUSR1, SIGALRM, SIGQUIT};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char script[100];
        int ends[2];
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        assert_int_equal(dup2(ends[1], SAYS), SAYS);
        struct sending sending = {ends[0], all[i]};
        snprintf(script, sizeof script, "trap 'exit 9' %s; echo >&%d; while :; do sleep 0.05; done", sigabbrev_np(all[i]),
                 SAYS);
        launch_script(run, script);
        close(SAYS);
        close(ends[1]);
        run->watch.fd = ends[0];
        run->watch.ready = send_self;
        run->watch.ready_data = &sending;
        run->watch.ready_pause_ms = 2 * DEADLINE_SECONDS * 1000;
        assert_int_equal(watch_program(&run->watch), WATCH_EXITED);
        assert_int_equal(run->watch.number, 9);
        close(ends[0]);
    }
}

/* ---- ending like the program ---- */

struct reading {
    int fd;
    int times;
};

/* The third time is enough. */
static bool read_one(void *data)
{
    struct reading *reading = data;
    char byte;
    assert_int_equal(read(reading->fd, &byte, 1), 1);
    return ++reading->times < 3;
}

static void who_waits_for_a_descriptor_is_called_and_can_end_the_waiting(void **state)
{
    struct run *run = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct reading reading = {.fd = ends[0]};
    assert_int_equal(write(ends[1], "abcd", 4), 4);
    launch_script(run, "exec sleep 50");
    run->watch.fd = ends[0];
    run->watch.ready = read_one;
    run->watch.ready_data = &reading;
    run->watch.ready_pause_ms = 1;
    assert_int_equal(watch_program(&run->watch), WATCH_STOPPED);
    assert_int_equal(reading.times, 3);
    kill_program(run);
    close(ends[0]);
    close(ends[1]);
}

/* The other pauses for longer than the test may take. */
struct soon_reading {
    struct reading slow;
    pid_t program;
    int fd, times;
};

static bool read_slowly(void *data)
{
    struct soon_reading *reading = data;
    return read_one(&reading->slow);
}

static void read_soon(void *data)
{
    struct soon_reading *reading = data;
    char byte;
    assert_int_equal(read(reading->fd, &byte, 1), 1);
    if (++reading->times == 5)
        kill(reading->program, SIGTERM);
}

static void who_is_to_be_called_soon_does_not_wait_for_the_pauses_of_the_other(void **state)
{
    struct run *run = *state;
    int slow[2], soon[2];
    assert_int_equal(pipe(slow), 0);
    assert_int_equal(pipe(soon), 0);
    assert_int_equal(write(slow[1], "ab", 2), 2);
    assert_int_equal(write(soon[1], "abcde", 5), 5);
    launch_script(run, "exec sleep 50");
    struct soon_reading reading = {.slow = {.fd = slow[0]}, .program = run->watch.pid, .fd = soon[0]};
    run->watch.fd = slow[0];
    run->watch.ready = read_slowly;
    run->watch.ready_data = &reading;
    run->watch.ready_pause_ms = 2 * DEADLINE_SECONDS * 1000;
    run->watch.soon_fd = soon[0];
    run->watch.soon = read_soon;
    assert_int_equal(watch_program(&run->watch), WATCH_KILLED);
    assert_int_equal(run->watch.number, SIGTERM);
    assert_int_equal(reading.times, 5);
    assert_int_equal(reading.slow.times, 1);
    for (int i = 0; i < 2; i++) {
        close(slow[i]);
        close(soon[i]);
    }
}

static void dying_of_a_signal_is_what_a_parent_sees(void **state)
{
    (void)state;
    static const int all[] = {SIGTERM, SIGSEGV, SIGKILL, SIGINT};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        pid_t pid = fork();
        if (pid == 0)
            signals_die_of(all[i]);
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), all[i]);
        assert_false(WCOREDUMP(status));
    }
}

#define WITH_RUN(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_RUN(the_exit_status_is_that_of_the_program),
        WITH_RUN(the_signal_that_killed_it_is_known),
        WITH_RUN(the_program_knows_its_own_process_id),
        WITH_RUN(a_program_that_cannot_be_executed_says_why),
        WITH_RUN(what_no_loader_knows_is_run_by_the_shell),
        WITH_RUN(no_signal_is_blocked_in_the_program),
        WITH_RUN(when_time_is_up_the_program_still_runs),
        WITH_RUN(signals_that_somebody_sends_are_forwarded),
        WITH_RUN(who_waits_for_a_descriptor_is_called_and_can_end_the_waiting),
        WITH_RUN(who_is_to_be_called_soon_does_not_wait_for_the_pauses_of_the_other),
        WITH_RUN(dying_of_a_signal_is_what_a_parent_sees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
