/* How often running threads are looked at, by what that costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/thrift.h"

enum { US = 1000, MS = 1000000 };

static struct thrift thrift;

static int begin(void **state)
{
    (void)state;
    thrift_begin(&thrift, true, false);
    return 0;
}

/* A program with one thread that runs all the time, looked at for so many ticks. Returns at how many of them. */
static unsigned run(uint64_t ticks, uint64_t held_ns, uint64_t sampler_ns, bool cpus_scarce)
{
    unsigned looks = 0;
    for (uint64_t at = 0; at < ticks; at += thrift.stride, looks++)
        thrift_add(&thrift, &(struct thrift_look){1, held_ns, sampler_ns, thrift.stride * MS, cpus_scarce});
    return looks;
}

static void cheap_looks_are_made_at_every_tick(void **state)
{
    (void)state;
    assert_int_equal(run(1000, 5 * US, 30 * US, false), 1000);
}

static void dear_looks_are_made_less_often_and_take_1_percent(void **state)
{
    (void)state;
    run(100, 35 * US, 30 * US, false);
    assert_int_equal(thrift.stride, 4);
    run(100, 18 * US, 30 * US, false);
    assert_int_equal(thrift.stride, 2);
}

static void the_first_16_ticks_are_looked_at_whatever_it_costs(void **state)
{
    (void)state;
    assert_int_equal(run(16, 100 * US, 0, false), 16);
    assert_int_equal(thrift.stride, 16);
}

static void where_cpus_are_scarce_it_begins_with_every_16th_tick_and_4_answers_are_enough(void **state)
{
    (void)state;
    thrift_begin(&thrift, true, true);
    assert_int_equal(run(48, 1 * US, 2 * US, true), 3);
    assert_int_equal(thrift.stride, 16);
    run(1, 1 * US, 2 * US, true);
    assert_int_equal(thrift.stride, 4);
}

static void several_answers_may_come_at_once(void **state)
{
    (void)state;
    thrift_begin(&thrift, true, true);
    thrift_add(&thrift, &(struct thrift_look){4, 4 * 75 * US, 0, 4 * 16 * MS, true});
    assert_int_equal(thrift.stride, 16);
    thrift_add(&thrift, &(struct thrift_look){4, 4 * 150 * US, 0, 4 * 16 * MS, true});
    assert_int_equal(thrift.stride, 32);
}

/* Even where a handler takes no time, 1 % is not enough for a signal at every tick, or every second. */
static void where_cpus_are_scarce_signals_cost_something(void **state)
{
    (void)state;
    run(1000, 0, 0, true);
    assert_int_equal(thrift.stride, 2);
    run(1000, 1 * US, 0, true);
    assert_int_equal(thrift.stride, 4);
    run(1000, 1 * US, 0, false);
    assert_int_equal(thrift.stride, 1);
}

static void where_cpus_are_scarce_looks_at_those_who_wait_become_rare_too(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 15; i++)
        thrift_add(&thrift, &(struct thrift_look){0, 0, 50 * US, 0, true});
    assert_int_equal(thrift.stride, 1);
    thrift_add(&thrift, &(struct thrift_look){0, 0, 50 * US, 0, true});
    assert_int_equal(thrift.stride, 32);
}

static void where_cpus_are_scarce_the_sampler_counts_too(void **state)
{
    (void)state;
    run(100, 5 * US, 30 * US, true);
    assert_int_equal(thrift.stride, 8);
}

static void every_32nd_tick_is_looked_at_whatever_it_costs(void **state)
{
    (void)state;
    run(1000, 900 * US, 900 * US, true);
    assert_int_equal(thrift.stride, 32);
}

static void when_looks_become_cheap_every_tick_is_looked_at_again(void **state)
{
    (void)state;
    run(100, 100 * US, 30 * US, true);
    run(100, 1 * US, 30 * US, false);
    assert_int_equal(thrift.stride, 1);
}

static void a_cost_near_the_limit_does_not_make_it_go_up_and_down(void **state)
{
    (void)state;
    for (uint64_t held = 2 * US; held < 80 * US; held += US) {
        run(1000, held, 0, false);
        uint64_t stride = thrift.stride;
        for (int i = 0; i < 100; i++) {
            run(32, held, 0, false);
            assert_int_equal(thrift.stride, stride);
        }
    }
}

static void without_the_feature_the_cost_does_not_matter(void **state)
{
    (void)state;
    thrift_begin(&thrift, false, true);
    assert_int_equal(run(1000, 900 * US, 900 * US, true), 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(cheap_looks_are_made_at_every_tick, begin),
        cmocka_unit_test_setup(dear_looks_are_made_less_often_and_take_1_percent, begin),
        cmocka_unit_test_setup(the_first_16_ticks_are_looked_at_whatever_it_costs, begin),
        cmocka_unit_test_setup(where_cpus_are_scarce_it_begins_with_every_16th_tick_and_4_answers_are_enough, begin),
        cmocka_unit_test_setup(several_answers_may_come_at_once, begin),
        cmocka_unit_test_setup(where_cpus_are_scarce_signals_cost_something, begin),
        cmocka_unit_test_setup(where_cpus_are_scarce_looks_at_those_who_wait_become_rare_too, begin),
        cmocka_unit_test_setup(where_cpus_are_scarce_the_sampler_counts_too, begin),
        cmocka_unit_test_setup(every_32nd_tick_is_looked_at_whatever_it_costs, begin),
        cmocka_unit_test_setup(when_looks_become_cheap_every_tick_is_looked_at_again, begin),
        cmocka_unit_test_setup(a_cost_near_the_limit_does_not_make_it_go_up_and_down, begin),
        cmocka_unit_test(without_the_feature_the_cost_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
