/* How long the sampler sleeps, by what it finds. Programs here work on a clock that only counts ticks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/idle.h"

enum { MS = 1000000 };

static struct idle idle;

static int begin(void **state)
{
    (void)state;
    idle_begin(&idle, MS, true);
    return 0;
}

static uint64_t next(struct idle_finding finding)
{
    return idle_next(&idle, &finding);
}

static uint64_t nothing_for(uint64_t ticks)
{
    return next((struct idle_finding){.ticks = ticks});
}

/* Loops at every tick until it says to sleep. */
static uint64_t ticks_until_sleep(void)
{
    uint64_t ticks = 1;
    while (nothing_for(1) == 1)
        ticks++;
    return ticks;
}

/* A program that is idle but for `cpu_ns` at the end of every period, after which its thread is where it was. Returns the share
 * of the CPU time that was used in sleeps. */
static double unseen_share(uint64_t period, uint64_t cpu_ns, uint64_t ticks)
{
    uint64_t seen = 0, unseen = 0, sleep = 1, at = 0;
    while (at < ticks) {
        bool works = at / period != (at + sleep) / period;
        at += sleep;
        *(sleep > 1 ? &unseen : &seen) += works ? cpu_ns : 0;
        sleep = next((struct idle_finding){.ticks = sleep, .ran_ns = works ? cpu_ns : 0});
    }
    return (double)unseen / (double)(seen + unseen);
}

static void sleeps_begin_after_a_quiet_while_and_grow(void **state)
{
    (void)state;
    assert_int_equal(ticks_until_sleep(), 8);
    uint64_t sleep = 2;
    for (uint64_t longer = 4; longer <= 32; longer *= 2) {
        sleep = nothing_for(sleep);
        assert_int_equal(sleep, longer);
    }
    assert_int_equal(nothing_for(32), 48);
    assert_int_equal(nothing_for(48), 48);
}

static void they_become_longer_still_when_nobody_has_run_for_long(void **state)
{
    (void)state;
    ticks_until_sleep();
    for (unsigned quiet = 8 + 48; quiet < 400; quiet += 48)
        assert_int_equal(nothing_for(48), 48);
    assert_int_equal(nothing_for(48), 96);
    assert_int_equal(nothing_for(96), 96);
    next((struct idle_finding){.ticks = 96, .works = true});
    ticks_until_sleep();
    assert_int_equal(nothing_for(48), 48);
}

static void whoever_works_ends_them(void **state)
{
    (void)state;
    ticks_until_sleep();
    assert_int_equal(next((struct idle_finding){.ticks = 2, .ran_ns = MS / 2, .works = true, .alarmed = true}), 1);
    assert_int_equal(ticks_until_sleep(), 8);
    ticks_until_sleep();
    assert_int_equal(next((struct idle_finding){.ticks = 1, .works = true}), 1);
    assert_int_equal(ticks_until_sleep(), 8);
    assert_int_equal(next((struct idle_finding){.ticks = 1, .ran_ns = 1}), 1);
    assert_int_equal(ticks_until_sleep(), 8);
}

static void a_thread_that_woke_for_a_moment_in_a_sleep_makes_the_next_one_short(void **state)
{
    (void)state;
    ticks_until_sleep();
    assert_int_equal(nothing_for(8), 16);
    assert_int_equal(next((struct idle_finding){.ticks = 16, .ran_ns = MS / 50}), 2);
    assert_int_equal(nothing_for(2), 4);
}

static void a_burst_that_was_slept_through_makes_it_wait_longer(void **state)
{
    (void)state;
    ticks_until_sleep();
    next((struct idle_finding){.ticks = 32, .ran_ns = 3 * MS});
    assert_int_equal(ticks_until_sleep(), 16);
    next((struct idle_finding){.ticks = 2, .ran_ns = 3 * MS});
    assert_int_equal(ticks_until_sleep(), 32);
}

static void so_does_a_thread_that_waits_elsewhere_nobody_knows_since_when(void **state)
{
    (void)state;
    ticks_until_sleep();
    /* The alarm says since when. */
    next((struct idle_finding){.ticks = 32, .ran_ns = MS / 4, .works = true, .elsewhere = true, .alarmed = true});
    assert_int_equal(ticks_until_sleep(), 8);
    next((struct idle_finding){.ticks = 32, .ran_ns = MS / 50, .works = true, .elsewhere = true});
    assert_int_equal(ticks_until_sleep(), 16);
}

static void it_waits_a_minute_at_most(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        ticks_until_sleep();
        next((struct idle_finding){.ticks = 2, .ran_ns = 30 * MS});
    }
    assert_in_range(ticks_until_sleep(), 60000, 70000);
}

static void idle_times_without_loss_make_it_trust_the_program_again(void **state)
{
    (void)state;
    ticks_until_sleep();
    next((struct idle_finding){.ticks = 2, .ran_ns = 3 * MS});
    ticks_until_sleep();
    for (unsigned slept = 0; slept < 30000; slept += 48)
        nothing_for(48);
    next((struct idle_finding){.ticks = 1, .works = true});
    assert_int_equal(ticks_until_sleep(), 8);
}

static void the_beginnings_of_long_bursts_may_be_lost(void **state)
{
    (void)state;
    /* 4 ms of 500, again and again. */
    for (int i = 0; i < 100; i++) {
        for (int tick = 0; tick < 496; tick++)
            next((struct idle_finding){.ticks = 1, .ran_ns = MS, .works = true});
        assert_int_equal(ticks_until_sleep(), 8);
        next((struct idle_finding){.ticks = 32, .ran_ns = 4 * MS, .works = true, .alarmed = true});
    }
}

static void of_short_bursts_hardly_any_is_lost(void **state)
{
    (void)state;
    static const uint64_t periods[] = {40, 100, 333, 1000, 2000};
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        begin(NULL);
        double share = unseen_share(periods[i], MS / 2, 1000 * periods[i]);
        if (share > 0.05)
            fail_msg("%.1f %% of what happens every %u ms", share * 100, (unsigned)periods[i]);
    }
}

static void what_is_too_short_to_be_sampled_does_not_keep_it_awake(void **state)
{
    (void)state;
    /* 50 µs a second: one sample in 20 s could be expected. */
    unseen_share(1000, MS / 20, 600000);
    assert_int_equal(idle.after_ns, idle.shortest_ns);
}

static void sleeps_are_short_without_an_alarm_and_there_are_none_with_long_intervals(void **state)
{
    (void)state;
    idle_begin(&idle, MS, false);
    ticks_until_sleep();
    assert_int_equal(nothing_for(2), 4);
    assert_int_equal(nothing_for(4), 4);
    idle_begin(&idle, MS / 10, true);
    assert_int_equal(ticks_until_sleep(), 80);
    assert_int_equal(nothing_for(480), 480);
    idle_begin(&idle, 10 * MS, true);
    assert_int_equal(ticks_until_sleep(), 8);
    assert_int_equal(nothing_for(2), 4);
    assert_int_equal(nothing_for(4), 4);
    static const uint64_t long_ones[] = {100 * MS, UINT64_C(1000000000000)};
    for (size_t i = 0; i < 2; i++) {
        idle_begin(&idle, long_ones[i], true);
        for (int tick = 0; tick < 1000; tick++)
            assert_int_equal(nothing_for(1), 1);
    }
}

static void threads_with_timers_are_fetched_from_in_time(void **state)
{
    (void)state;
    uint64_t sleep = 1;
    for (unsigned i = 0; i < 1000; i++) {
        sleep = next((struct idle_finding){.ticks = sleep, .timed = true, .others = true});
        assert_true(sleep <= 16);
    }
    assert_int_equal(sleep, 16);
    assert_int_equal(next((struct idle_finding){.ticks = sleep, .timed = true, .others = true, .works = true}), 1);
}

static void where_all_threads_have_timers_it_sleeps_at_once(void **state)
{
    (void)state;
    assert_int_equal(next((struct idle_finding){.ticks = 1, .timed = true, .works = true}), 1);
    assert_int_equal(next((struct idle_finding){.ticks = 1, .timed = true}), 16);
    assert_int_equal(next((struct idle_finding){.ticks = 16, .timed = true}), 16);
}

static void where_they_go_by_cpu_time_it_sleeps_longer_and_longer_until_one_may_have_waited(void **state)
{
    (void)state;
    assert_int_equal(next((struct idle_finding){.ticks = 4, .timed = true, .by_cpu = true}), 32);
    assert_int_equal(next((struct idle_finding){.ticks = 32, .timed = true, .by_cpu = true}), 64);
    assert_int_equal(next((struct idle_finding){.ticks = 64, .timed = true, .by_cpu = true}), 96);
    assert_int_equal(next((struct idle_finding){.ticks = 96, .timed = true, .by_cpu = true}), 96);
    assert_int_equal(next((struct idle_finding){.ticks = 96, .timed = true, .by_cpu = true, .unsteady = true}), 16);
    assert_int_equal(next((struct idle_finding){.ticks = 4, .timed = true, .by_cpu = true, .all_wait = true}), 192);
}

static void where_all_threads_will_call_it_sleeps_at_once(void **state)
{
    (void)state;
    assert_int_equal(next((struct idle_finding){.ticks = 1, .others = true, .elsewhere = true}), 96);
    assert_int_equal(next((struct idle_finding){.ticks = 96, .others = true}), 96);
    assert_int_equal(next((struct idle_finding){.ticks = 1, .others = true, .works = true}), 1);
    assert_int_equal(next((struct idle_finding){.ticks = 1, .others = true, .unannounced = true}), 1);
    assert_int_equal(next((struct idle_finding){.ticks = 1, .others = true, .timed = true}), 1);
    /* There are no threads. */
    assert_int_equal(next((struct idle_finding){.ticks = 1}), 1);
}

static void a_sleep_that_one_of_them_ended_costs_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(next((struct idle_finding){.ticks = 1, .others = true}), 96);
        next((struct idle_finding){.ticks = 30, .ran_ns = MS, .others = true, .works = true, .called = true});
    }
    assert_int_equal(idle.after_ns, idle.shortest_ns);
}

static void work_that_nobody_announced_ends_such_sleeps(void **state)
{
    (void)state;
    next((struct idle_finding){.ticks = 96, .ran_ns = 4 * MS, .others = true});
    assert_int_equal(next((struct idle_finding){.ticks = 1, .others = true}), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, begin)
    const struct CMUnitTest tests[] = {
        TEST(sleeps_begin_after_a_quiet_while_and_grow),
        TEST(they_become_longer_still_when_nobody_has_run_for_long),
        TEST(whoever_works_ends_them),
        TEST(a_thread_that_woke_for_a_moment_in_a_sleep_makes_the_next_one_short),
        TEST(a_burst_that_was_slept_through_makes_it_wait_longer),
        TEST(so_does_a_thread_that_waits_elsewhere_nobody_knows_since_when),
        TEST(it_waits_a_minute_at_most),
        TEST(idle_times_without_loss_make_it_trust_the_program_again),
        TEST(the_beginnings_of_long_bursts_may_be_lost),
        TEST(of_short_bursts_hardly_any_is_lost),
        TEST(what_is_too_short_to_be_sampled_does_not_keep_it_awake),
        TEST(sleeps_are_short_without_an_alarm_and_there_are_none_with_long_intervals),
        TEST(threads_with_timers_are_fetched_from_in_time),
        TEST(where_all_threads_have_timers_it_sleeps_at_once),
        TEST(where_they_go_by_cpu_time_it_sleeps_longer_and_longer_until_one_may_have_waited),
        TEST(where_all_threads_will_call_it_sleeps_at_once),
        TEST(a_sleep_that_one_of_them_ended_costs_nothing),
        TEST(work_that_nobody_announced_ends_such_sleeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
