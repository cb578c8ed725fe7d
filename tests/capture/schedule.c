/* When loops begin: times in units of which an interval has 100. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/schedule.h"

static struct schedule schedule;
static uint64_t missed, all_missed;

static int begin(void **state)
{
    (void)state;
    schedule = (struct schedule){.interval_ns = 100, .next = 1000};
    all_missed = 0;
    return 0;
}

static uint64_t next(uint64_t now)
{
    uint64_t until = schedule_next(&schedule, now, &missed);
    all_missed += missed;
    return until;
}

static void loops_begin_at_multiples_of_the_interval_however_long_they_take(void **state)
{
    (void)state;
    assert_int_equal(next(1010), 1100);
    assert_int_equal(next(1160), 1200);
    assert_int_equal(next(1201), 1300);
    assert_int_equal(all_missed, 0);
}

static void a_loop_that_ends_late_is_followed_by_a_quarter_of_an_interval_of_sleep(void **state)
{
    (void)state;
    assert_int_equal(next(1090), 1115);
    /* The schedule was not shifted. */
    assert_int_equal(next(1120), 1200);
    assert_int_equal(all_missed, 0);
}

static void a_schedule_that_is_past_begins_anew_one_interval_from_now(void **state)
{
    (void)state;
    assert_int_equal(next(1100), 1200);
    assert_int_equal(missed, 1);
    assert_int_equal(next(1740), 1840);
    assert_int_equal(next(1850), 1940);
}

static void ticks_made_and_missed_fill_the_time(void **state)
{
    (void)state;
    uint64_t now = 1000, ticks = 0;
    for (unsigned i = 0; i < 1000; i++) {
        ticks++;
        now = next(now + i * 7 % 350);
    }
    /* Not further off than the interval that has begun. */
    uint64_t expected = (now - 1000) / 100;
    assert_in_range(ticks + all_missed, expected - 1, expected + 1);
    assert_true(all_missed > 0);
}

static void ticks_that_a_long_sleep_went_through_are_skipped_and_the_grid_stays(void **state)
{
    (void)state;
    assert_int_equal(next(1010), 1100);
    assert_int_equal(schedule_skip(&schedule, 1399, 3), 3);
    assert_int_equal(schedule.next, 1400);
    assert_int_equal(next(1410), 1500);
    assert_int_equal(all_missed, 0);
}

static void a_long_sleep_that_ends_early_skips_only_what_has_passed(void **state)
{
    (void)state;
    assert_int_equal(next(1010), 1100);
    assert_int_equal(schedule_skip(&schedule, 1100, 30), 0);
    assert_int_equal(schedule_skip(&schedule, 1250, 30), 2);
    assert_int_equal(schedule.next, 1300);
}

static void ticks_after_the_end_of_a_long_sleep_are_missed(void **state)
{
    (void)state;
    assert_int_equal(next(1010), 1100);
    assert_int_equal(schedule_skip(&schedule, 1750, 3), 3);
    assert_int_equal(schedule.next, 1400);
    next(1760);
    assert_int_equal(all_missed, 3);
}

static void what_a_long_sleep_took_too_long_can_be_made_up_for(void **state)
{
    (void)state;
    next(1010);
    assert_int_equal(schedule_skip(&schedule, 1730, 4), 4);
    assert_int_equal(schedule.next, 1500);
    assert_int_equal(schedule_skip_late(&schedule, 1730, 8), 2);
    assert_int_equal(schedule.next, 1700);
    assert_int_equal(schedule_skip_late(&schedule, 1730, 8), 0);
    assert_int_equal(schedule_skip_late(&schedule, 5000, 8), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(loops_begin_at_multiples_of_the_interval_however_long_they_take, begin),
        cmocka_unit_test_setup(a_loop_that_ends_late_is_followed_by_a_quarter_of_an_interval_of_sleep, begin),
        cmocka_unit_test_setup(a_schedule_that_is_past_begins_anew_one_interval_from_now, begin),
        cmocka_unit_test_setup(ticks_made_and_missed_fill_the_time, begin),
        cmocka_unit_test_setup(ticks_that_a_long_sleep_went_through_are_skipped_and_the_grid_stays, begin),
        cmocka_unit_test_setup(a_long_sleep_that_ends_early_skips_only_what_has_passed, begin),
        cmocka_unit_test_setup(ticks_after_the_end_of_a_long_sleep_are_missed, begin),
        cmocka_unit_test_setup(what_a_long_sleep_took_too_long_can_be_made_up_for, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
