/* Timers of threads, and the ring that their samples go through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/clock.h"
#include "capture/own_timer.h"
#include "capture/sandbox.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

_Atomic bool sandbox_closed;

enum { INTERVAL = 1000000 };

static struct own_timer timer;
static const char mark;
static int number;

static _Atomic pid_t raised_on;
static _Atomic unsigned raised, strange;

static void on_signal(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    atomic_store(&raised_on, gettid());
    atomic_fetch_add(&raised, 1);
    atomic_fetch_add(&strange, info->si_code != SI_TIMER || info->si_value.sival_ptr != &mark);
}

static int begin(void **state)
{
    (void)state;
    number = SIGRTMIN + 7;
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(number, &action, NULL);
    atomic_store(&raised, 0);
    atomic_store(&sandbox_closed, false);
    return 0;
}

static int end(void **state)
{
    (void)state;
    atomic_store(&sandbox_closed, false);
    own_timer_remove(&timer);
    while (own_timer_oldest(&timer))
        own_timer_take(&timer);
    atomic_store(&timer.lost, 0);
    return 0;
}

static bool start_at(pid_t tid, clockid_t cpu_clock, const struct own_timer_pace *pace)
{
    if (!own_timer_start(&timer, tid, cpu_clock, number, &mark, pace))
        return false;
    own_timer_arm(&timer, pace);
    return true;
}

static bool start(pid_t tid)
{
    return start_at(tid, CLOCK_THREAD_CPUTIME_ID, &(struct own_timer_pace){false, clock_now() + INTERVAL, INTERVAL});
}

static void *run_until_told(void *count)
{
    while (atomic_load(&raised) < *(unsigned *)count)
        ;
    return NULL;
}

static _Atomic pid_t worker;

static void *say_who_and_run(void *count)
{
    atomic_store(&worker, gettid());
    return run_until_told(count);
}

static void a_timer_raises_its_signal_on_its_thread_again_and_again(void **state)
{
    (void)state;
    unsigned count = 50;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, say_who_and_run, &count), 0);
    while (!atomic_load(&worker))
        ;
    assert_true(start(worker));
    assert_int_equal(own_timer_signal(&timer), number);
    pthread_join(thread, NULL);
    own_timer_remove(&timer);
    assert_int_equal(raised_on, worker);
    assert_int_equal(strange, 0);
}

static void a_timer_that_is_stopped_raises_no_more_and_can_be_started_again(void **state)
{
    (void)state;
    unsigned count = 5;
    assert_true(start(gettid()));
    run_until_told(&count);
    own_timer_stop(&timer);
    assert_int_equal(own_timer_signal(&timer), 0);
    unsigned before = atomic_load(&raised); /* what was under way has come with the system call */
    clock_sleep_until(clock_now() + 10 * INTERVAL);
    assert_int_equal(raised, before);
    count = before + 5;
    assert_true(start(gettid()));
    run_until_told(&count);
}

static void a_timer_with_another_signal_is_another_timer(void **state)
{
    (void)state;
    unsigned count = 3;
    assert_true(start(gettid()));
    begin(NULL);
    number = SIGRTMIN + 8;
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(number, &action, NULL);
    assert_true(start(gettid()));
    assert_int_equal(own_timer_signal(&timer), number);
    assert_int_equal(timer.made_for, number);
    run_until_told(&count);
}

static void a_timer_that_goes_by_cpu_time_does_not_go_off_while_its_thread_waits(void **state)
{
    (void)state;
    enum { LONG_AGO = 20 };
    unsigned count = 5;
    const struct own_timer_pace pace = {true, INTERVAL, INTERVAL};
    assert_true(start_at(gettid(), CLOCK_THREAD_CPUTIME_ID, &pace));
    assert_true(own_timer_is_by_cpu(&timer));
    run_until_told(&count);
    unsigned before = atomic_load(&raised);
    struct timespec left = {.tv_nsec = LONG_AGO * INTERVAL};
    assert_int_equal(nanosleep(&left, NULL), 0);
    assert_true(atomic_load(&raised) <= before + 1); /* what little it ran may have been the rest of an interval */
    count = before + 5;
    run_until_told(&count);
    assert_int_equal(strange, 0);
}

static void a_timer_of_the_other_kind_is_another_timer(void **state)
{
    (void)state;
    unsigned count = 5;
    assert_true(start_at(gettid(), CLOCK_THREAD_CPUTIME_ID, &(struct own_timer_pace){true, INTERVAL, INTERVAL}));
    assert_true(start(gettid()));
    assert_false(own_timer_is_by_cpu(&timer));
    clock_sleep_until(clock_now() + 10 * INTERVAL);
    assert_true(atomic_load(&raised) >= count);
}

static void a_program_that_has_shut_itself_in_gets_none(void **state)
{
    (void)state;
    atomic_store(&sandbox_closed, true);
    assert_false(start(gettid()));
    assert_int_equal(own_timer_signal(&timer), 0);
}

static void where_the_kernel_has_none_to_give_there_is_none_and_errno_stays(void **state)
{
    (void)state;
    struct rlimit before, none = {0, 0};
    assert_int_equal(getrlimit(RLIMIT_SIGPENDING, &before), 0);
    none.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_SIGPENDING, &none), 0);
    errno = 1234;
    bool started = start(gettid());
    assert_int_equal(errno, 1234);
    assert_int_equal(setrlimit(RLIMIT_SIGPENDING, &before), 0);
    assert_false(started);
    assert_int_equal(timer.made_for, 0);
}

static void what_was_filled_is_taken_in_order(void **state)
{
    (void)state;
    if (!start(gettid())) /* which maps the ring */
        skip();
    own_timer_stop(&timer);
    for (uint64_t i = 1; i <= 5 * OWN_TIMER_ROOM; i++) {
        struct timed_sample *sample = own_timer_room(&timer);
        assert_non_null(sample);
        sample->raw.time = i;
        own_timer_filled(&timer);
        assert_int_equal(own_timer_count(&timer), 1);
        assert_int_equal(own_timer_oldest(&timer)->raw.time, i);
        own_timer_take(&timer);
    }
    assert_null(own_timer_oldest(&timer));
}

static void samples_that_find_no_room_are_counted_and_the_others_stay(void **state)
{
    (void)state;
    if (!start(gettid()))
        skip();
    own_timer_stop(&timer);
    for (uint64_t i = 1; i <= OWN_TIMER_ROOM; i++) {
        own_timer_room(&timer)->raw.time = i;
        own_timer_filled(&timer);
    }
    assert_null(own_timer_room(&timer));
    assert_null(own_timer_room(&timer));
    assert_int_equal(timer.lost, 2);
    assert_int_equal(own_timer_count(&timer), OWN_TIMER_ROOM);
    assert_int_equal(own_timer_oldest(&timer)->raw.time, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

static void system_calls_that_do_not_wait_are_not_taken_for_waits(void **state)
{
    (void)state;
    assert_true(start(gettid()));
    own_timer_stop(&timer);
    assert_false(own_timer_finds_waiting(&timer, false)); /* the first sample */
    assert_false(own_timer_finds_waiting(&timer, true));
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    assert_false(own_timer_finds_waiting(&timer, false)); /* it runs again, whatever it did before */
    assert_true(own_timer_finds_waiting(&timer, true));
    assert_false(own_timer_finds_waiting(&timer, true));
    /* Nobody can say where no system call may be made, nor at the first sample. */
    atomic_store(&sandbox_closed, true);
    assert_true(own_timer_finds_waiting(&timer, true));
    atomic_store(&sandbox_closed, false);
    assert_true(start(gettid()));
    own_timer_stop(&timer);
    assert_true(own_timer_finds_waiting(&timer, true));
}

int main(void)
{
    clock_set_origin();
#if !defined(__x86_64__)
    return 77; /* there are none */
#endif
    const struct CMUnitTest tests[] = {
        TEST(a_timer_raises_its_signal_on_its_thread_again_and_again),
        TEST(a_timer_that_is_stopped_raises_no_more_and_can_be_started_again),
        TEST(a_timer_with_another_signal_is_another_timer),
        TEST(a_timer_that_goes_by_cpu_time_does_not_go_off_while_its_thread_waits),
        TEST(a_timer_of_the_other_kind_is_another_timer),
        TEST(a_program_that_has_shut_itself_in_gets_none),
        TEST(where_the_kernel_has_none_to_give_there_is_none_and_errno_stays),
        TEST(system_calls_that_do_not_wait_are_not_taken_for_waits),
        TEST(what_was_filled_is_taken_in_order),
        TEST(samples_that_find_no_room_are_counted_and_the_others_stay),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
