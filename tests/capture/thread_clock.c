/* The timer of a thread's CPU time. */
#include "capture/sampler/thread_clock.h"

#include "capture/core/sandbox.h"
#include "capture/sampler/handler.h"
#include "support/cpu_work.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char mark;
static atomic_int came, strange;
static atomic_int wanted_tid;

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    came++;
    strange += info->si_code != SI_TIMER || info->si_value.sival_ptr != &mark || gettid() != wanted_tid;
}

static int set_up(void **state)
{
    (void)state;
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    came = strange = 0;
    wanted_tid = gettid();
    atomic_store(&sandbox_closed, false);
    return sigaction(SAMPLE_SIGNAL, &action, NULL);
}

static void it_comes_while_the_thread_works_with_the_mark(void **state)
{
    (void)state;
    struct thread_clock clock = {0};
    thread_clock_start(&clock, gettid(), CLOCK_THREAD_CPUTIME_ID, &mark, 1000000, 4000000);
    assert_true(clock.is_set);
    work_ms(200);
    thread_clock_stop(&clock);
    assert_false(clock.is_set);
    assert_true(came > 5); /* the kernel's slowest ticks are 10 ms apart */
    assert_int_equal(strange, 0);
}

static void it_does_not_come_while_the_thread_waits_nor_when_it_was_stopped(void **state)
{
    (void)state;
    struct thread_clock clock = {0};
    thread_clock_start(&clock, gettid(), CLOCK_THREAD_CPUTIME_ID, &mark, 1000000, 4000000);
    work_ms(30);
    int before = came;
    struct timespec nap = {0, 50000000};
    for (int i = 0; i < 5; i++)
        assert_int_equal(nanosleep(&nap, NULL), 0);
    assert_in_range(came, before, before + 2);
    thread_clock_stop(&clock);
    before = came;
    work_ms(100);
    assert_in_range(came, before, before + 1); /* one may have been on its way */
    thread_clock_stop(&clock);
}

static void it_rests_until_it_is_started_anew(void **state)
{
    (void)state;
    struct thread_clock clock = {0};
    thread_clock_start(&clock, gettid(), CLOCK_THREAD_CPUTIME_ID, &mark, 1000000, 4000000);
    thread_clock_rest(&clock);
    int before = came;
    work_ms(100);
    assert_in_range(came, before, before + 1);
    thread_clock_stop(&clock);
    thread_clock_start(&clock, gettid(), CLOCK_THREAD_CPUTIME_ID, &mark, 1000000, 4000000);
    before = came;
    work_ms(100);
    assert_true(came > before);
    thread_clock_stop(&clock);
}

static atomic_int other_tid;
static atomic_bool enough;

static void *work_elsewhere(void *clockid)
{
    assert_int_equal(pthread_getcpuclockid(pthread_self(), clockid), 0);
    other_tid = gettid();
    while (!enough)
        work_ms(1);
    return NULL;
}

static void it_can_be_that_of_another_thread(void **state)
{
    (void)state;
    struct thread_clock clock = {0};
    pthread_t thread;
    clockid_t clockid;
    other_tid = 0;
    enough = false;
    assert_int_equal(pthread_create(&thread, NULL, work_elsewhere, &clockid), 0);
    while (other_tid == 0)
        usleep(1000);
    wanted_tid = (int)other_tid;
    thread_clock_start(&clock, other_tid, clockid, &mark, 1000000, 4000000);
    while (came < 5)
        usleep(1000);
    thread_clock_stop(&clock);
    enough = true;
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(strange, 0);
}

static void a_forked_child_has_none_and_can_have_one(void **state)
{
    (void)state;
    struct thread_clock clock = {0};
    thread_clock_start(&clock, gettid(), CLOCK_THREAD_CPUTIME_ID, &mark, 1000000, 4000000);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        came = 0;
        wanted_tid = gettid();
        work_ms(100);
        bool none = came == 0;
        thread_clock_forked(&clock);
        thread_clock_start(&clock, gettid(), CLOCK_THREAD_CPUTIME_ID, &mark, 1000000, 4000000);
        work_ms(100);
        _exit(!none || came == 0 || strange > 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    thread_clock_stop(&clock);
}

static void none_is_made_in_a_program_that_has_shut_itself_in(void **state)
{
    (void)state;
    struct thread_clock clock = {0};
    sandbox_close(false);
    thread_clock_start(&clock, gettid(), CLOCK_THREAD_CPUTIME_ID, &mark, 1000000, 4000000);
    assert_false(clock.is_set);
}

static void where_no_timer_can_be_had_there_is_none(void **state)
{
    (void)state;
    struct thread_clock clock = {0};
    thread_clock_start(&clock, -1, CLOCK_THREAD_CPUTIME_ID, &mark, 1000000, 4000000);
    assert_false(clock.is_set);
    thread_clock_stop(&clock);
}

static void a_signal_after_many_overruns_stands_for_as_many_ticks(void **state)
{
    (void)state;
    struct thread_clock clock = {.period = 1};
    assert_int_equal(thread_clock_ticks(&clock, 0), 1);
    assert_int_equal(thread_clock_ticks(&clock, 15), 1);
    assert_int_equal(thread_clock_ticks(&clock, 16), 1);
    assert_int_equal(thread_clock_ticks(&clock, 31), 2);
    assert_int_equal(thread_clock_ticks(&clock, 24 * 16 - 1), 24);
    assert_int_equal(thread_clock_ticks(&clock, -1), 1);
    assert_int_equal(thread_clock_ticks(&(struct thread_clock){0}, 100), 1);
}

int main(void)
{
    alarm(100);
#define TEST(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_after_many_overruns_stands_for_as_many_ticks),
        TEST(it_comes_while_the_thread_works_with_the_mark),
        TEST(it_does_not_come_while_the_thread_waits_nor_when_it_was_stopped),
        TEST(it_rests_until_it_is_started_anew),
        TEST(it_can_be_that_of_another_thread),
        TEST(a_forked_child_has_none_and_can_have_one),
        TEST(none_is_made_in_a_program_that_has_shut_itself_in),
        TEST(where_no_timer_can_be_had_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
