/* What ends a long sleep. Each would last a minute if nothing ended it. */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/clock.h"
#include "capture/long_sleep.h"

static struct long_sleep sleeper;
static sem_t begun;
static pthread_t thread;
static atomic_bool over;
static uint64_t alarm_ns; /* 0 = without */
static bool has_alarm, alarmed, in_time;

static void *sleep_long(void *argument)
{
    has_alarm = long_sleep_begin(&sleeper);
    sem_post(&begun);
    uint64_t end = clock_now() + UINT64_C(60000000000);
    alarmed = long_sleep_until(&sleeper, end, alarm_ns);
    in_time = clock_now() < end;
    atomic_store(&over, true);
    long_sleep_end(&sleeper);
    return argument;
}

static void begin(uint64_t alarm)
{
    alarm_ns = alarm;
    sigset_t all, before;
    sigfillset(&all);
    sem_init(&begun, 0, 0);
    atomic_store(&over, false);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    assert_int_equal(pthread_create(&thread, NULL, sleep_long, NULL), 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    while (sem_wait(&begun) != 0)
        ;
    assert_true(has_alarm);
}

static void work_until_over(void)
{
    static volatile uint64_t sink;
    while (!atomic_load(&over))
        for (int i = 0; i < 100000; i++)
            sink++;
    pthread_join(thread, NULL);
}

static void work_of_the_process_does(void **state)
{
    (void)state;
    begin(LONG_SLEEP_SOON_NS);
    work_until_over();
    assert_true(alarmed && in_time);
}

static void a_call_does_also_if_it_comes_first(void **state)
{
    (void)state;
    begin(0);
    long_sleep_call(&sleeper);
    pthread_join(thread, NULL);
    assert_true(in_time);
    assert_false(sleeper.off);
}

static void so_does_one_to_anybody_and_where_nobody_sleeps_it_reaches_nobody(void **state)
{
    (void)state;
    begin(0);
    long_sleep_call_anybody();
    pthread_join(thread, NULL);
    assert_true(in_time);
    long_sleep_call_anybody(); /* would end this process, if it were sent to it */
}

static atomic_uint handled;

static void on_signal(int number)
{
    (void)number;
    handled++;
}

static void what_the_program_does_with_the_signal_is_no_matter(void **state)
{
    (void)state;
    static void (*const actions[])(int) = {SIG_IGN, on_signal};
    for (size_t i = 0; i < 2; i++) {
        struct sigaction action = {.sa_handler = actions[i]}, before;
        sigaction(SIGSTKFLT, &action, &before);
        begin(LONG_SLEEP_SOON_NS);
        work_until_over();
        assert_true(alarmed && in_time);
        begin(0);
        long_sleep_call(&sleeper);
        pthread_join(thread, NULL);
        assert_true(in_time);
        sigaction(SIGSTKFLT, &before, NULL);
    }
    assert_int_equal(handled, 0);
}

static void a_signal_of_the_program_reaches_it_and_ends_all_long_sleeps(void **state)
{
    (void)state;
    sigset_t mine, before;
    sigemptyset(&mine);
    sigaddset(&mine, SIGSTKFLT);
    pthread_sigmask(SIG_BLOCK, &mine, &before);
    begin(0);
    while (!atomic_load(&over)) {
        /* As long as the sleeper does not wait yet, it stays with the process. */
        union sigval value = {.sival_int = 4711};
        assert_int_equal(sigqueue(getpid(), SIGSTKFLT, value), 0);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    pthread_join(thread, NULL);
    assert_true(in_time && !alarmed && sleeper.off);
    siginfo_t info;
    assert_int_equal(sigtimedwait(&mine, &info, &(struct timespec){.tv_sec = 10}), SIGSTKFLT);
    assert_int_equal(info.si_value.sival_int, 4711);
    assert_false(long_sleep_until(&sleeper, clock_now() + UINT64_C(60000000000), LONG_SLEEP_SOON_NS));
    while (sigtimedwait(&mine, &info, &(struct timespec){0}) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int main(void)
{
    alarm(100);
    clock_set_origin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_of_the_process_does),
        cmocka_unit_test(a_call_does_also_if_it_comes_first),
        cmocka_unit_test(so_does_one_to_anybody_and_where_nobody_sleeps_it_reaches_nobody),
        cmocka_unit_test(what_the_program_does_with_the_signal_is_no_matter),
        cmocka_unit_test(a_signal_of_the_program_reaches_it_and_ends_all_long_sleeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
