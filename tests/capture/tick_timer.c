/* Sleeping from tick to tick with timers that the program may close. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/clock.h"
#include "capture/tick_timer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INTERVAL = 1000000 };

static struct tick_timer timer;

static int begin(void **state)
{
    (void)state;
    tick_timer_begin(&timer, INTERVAL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    tick_timer_end(&timer);
    return 0;
}

/* On a busy machine some of them are over before they begin. */
static void sleep_ticks(unsigned count)
{
    uint64_t next = timer.last ? timer.last : clock_now();
    for (unsigned i = 0; i < count; i++) {
        next += INTERVAL;
        tick_timer_sleep(&timer, next);
        assert_true(clock_now() >= next);
    }
}

enum { ENOUGH = 10 }; /* ticks for the timers to be in use */

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static void no_sleep_ends_before_its_time(void **state)
{
    (void)state;
    sleep_ticks(2 * ENOUGH);
    assert_true(timer.due[0] != 0 && timer.due[1] != 0);
    assert_true(timer.fd[0] >= 0 && timer.fd[1] >= 0);
}

static void when_one_tick_is_there_the_next_is_set(void **state)
{
    (void)state;
    sleep_ticks(ENOUGH);
    assert_true(timer.due[0] == timer.last + INTERVAL || timer.due[1] == timer.last + INTERVAL);
}

static void irregular_ticks_do_without_timers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        sleep_ticks(2);
        tick_timer_sleep(&timer, timer.last + INTERVAL / 2);
    }
    assert_int_equal(timer.due[0], 0);
}

static void ticks_that_come_earlier_or_later_than_expected_are_kept(void **state)
{
    (void)state;
    static const uint64_t steps[] = {INTERVAL, INTERVAL / 4, 3 * INTERVAL, INTERVAL, 10 * INTERVAL, 2 * INTERVAL, INTERVAL / 2};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        sleep_ticks((unsigned)i);
        uint64_t time = clock_now() + steps[i];
        tick_timer_sleep(&timer, time);
        assert_true(clock_now() >= time);
    }
    assert_true(timer.fd[0] >= 0);
}

static void closed_timers_are_done_without(void **state)
{
    (void)state;
    sleep_ticks(ENOUGH);
    int other = timer.fd[1];
    close(timer.fd[0]);
    sleep_ticks(4);
    assert_int_equal(timer.fd[0], -1);
    assert_false(is_open(other));
}

/* The program has closed our timers and has a pipe and a timer of its own under their numbers. */
static void files_of_the_program_under_their_numbers_are_not_touched(void **state)
{
    (void)state;
    int ends[2], theirs = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), fds[2] = {timer.fd[0], timer.fd[1]};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "12345678", 8), 8);
    struct itimerspec hour = {.it_value.tv_sec = 3600}, found;
    assert_int_equal(timerfd_settime(theirs, 0, &hour, NULL), 0);
    sleep_ticks(ENOUGH);
    dup2(ends[0], fds[0]);
    dup2(theirs, fds[1]);
    sleep_ticks(4);
    char text[8];
    assert_true(is_open(fds[0]) && is_open(fds[1]));
    assert_int_equal(read(ends[0], text, sizeof text), 8);
    assert_int_equal(timerfd_gettime(theirs, &found), 0);
    assert_true(found.it_value.tv_sec > 3000);
    for (unsigned i = 0; i < 2; i++) {
        close(ends[i]);
        close(fds[i]);
    }
    close(theirs);
}

static void nor_are_they_when_the_timers_were_never_used(void **state)
{
    (void)state;
    int ends[2], fds[2] = {timer.fd[0], timer.fd[1]};
    assert_int_equal(pipe(ends), 0);
    for (unsigned i = 0; i < 2; i++)
        dup2(ends[i], fds[i]);
    tick_timer_end(&timer);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(is_open(fds[i]));
        close(ends[i]);
        close(fds[i]);
    }
}

/* Of the calling process from now on. */
static bool forbid_sleep(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_timerfd_gettime, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_nanosleep, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void programs_that_may_not_sleep_have_ticks_all_the_same(void **state)
{
    (void)state;
    enum { CANNOT_FORBID = 77 };
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        if (!forbid_sleep())
            _exit(CANNOT_FORBID);
        uint64_t next = clock_now();
        for (unsigned i = 0; i < 2 * ENOUGH; i++) {
            next += INTERVAL;
            tick_timer_sleep(&timer, next);
            if (clock_now() < next)
                _exit(1);
        }
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CANNOT_FORBID)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_program_that_may_open_few_files_has_them_to_itself(void **state)
{
    (void)state;
    struct rlimit before, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = (struct rlimit){64, before.rlim_max};
    tick_timer_end(&timer);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    tick_timer_begin(&timer, INTERVAL);
    assert_int_equal(timer.fd[0], -1);
    sleep_ticks(2);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static void at_the_end_nothing_is_left_open(void **state)
{
    (void)state;
    int fds[2] = {timer.fd[0], timer.fd[1]};
    sleep_ticks(ENOUGH);
    tick_timer_end(&timer);
    assert_false(is_open(fds[0]) || is_open(fds[1]));
    tick_timer_begin(&timer, INTERVAL);
    fds[0] = timer.fd[0];
    fds[1] = timer.fd[1];
    tick_timer_end(&timer); /* never used */
    assert_false(is_open(fds[0]) || is_open(fds[1]));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    clock_set_origin();
    const struct CMUnitTest tests[] = {
        TEST(no_sleep_ends_before_its_time),
        TEST(when_one_tick_is_there_the_next_is_set),
        TEST(irregular_ticks_do_without_timers),
        TEST(ticks_that_come_earlier_or_later_than_expected_are_kept),
        TEST(closed_timers_are_done_without),
        TEST(files_of_the_program_under_their_numbers_are_not_touched),
        TEST(nor_are_they_when_the_timers_were_never_used),
        TEST(programs_that_may_not_sleep_have_ticks_all_the_same),
        TEST(a_program_that_may_open_few_files_has_them_to_itself),
        TEST(at_the_end_nothing_is_left_open),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
