/* What the CPU clock of a thread says about the time between two looks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/cpu_time.h"

enum { START = 7000000, TICK = 1000000, SINCE = 3000000 };

/* A thread that had not run for SINCE of its life when it was looked at, and the sampler had used 500 µs. */
static struct cpu_watch looked_at(void)
{
    return (struct cpu_watch){.cpu_ns = START - SINCE, .off_ns = SINCE, .our_cpu_ns = 500000};
}

/* A tick later it has lost `lost`, and the sampler used `ours`. */
static bool ran(int64_t lost, int64_t ours)
{
    struct cpu_watch watch = looked_at();
    struct cpu_time now = {.time = START + TICK, .cpu_ns = (uint64_t)(START + TICK - SINCE - lost)};
    return cpu_watch_ran(&watch, &now, (uint64_t)(500000 + ours));
}

static void a_thread_that_lost_no_time_ran(void **state)
{
    (void)state;
    assert_true(ran(0, 30000));
    assert_true(ran(500, 30000));
    assert_true(ran(-500, 30000)); /* the last reading was late */
}

static void a_thread_that_lost_what_the_sampler_took_ran(void **state)
{
    (void)state;
    assert_true(ran(30000, 30000));
    assert_true(ran(30900, 30000));
    assert_true(ran(29100, 30000));
}

static void a_thread_that_lost_more_or_less_may_be_blocked(void **state)
{
    (void)state;
    assert_false(ran(10000, 30000));
    assert_false(ran(50000, 30000));
    assert_false(ran(TICK, 30000));
}

static void a_thread_that_ran_for_a_moment_may_be_blocked(void **state)
{
    (void)state;
    /* It woke and waits again, while the sampler slept for as long, by chance. */
    struct cpu_watch watch = looked_at();
    struct cpu_time now = {.time = START + 40000, .cpu_ns = START - SINCE + 10000};
    assert_false(cpu_watch_ran(&watch, &now, 530000));
}

static void a_thread_that_is_looked_at_for_the_first_time_may_be_blocked(void **state)
{
    (void)state;
    struct cpu_watch watch = {0};
    struct cpu_time now = {.time = START, .cpu_ns = START - SINCE};
    assert_false(cpu_watch_ran(&watch, &now, 500000));
}

static void every_look_counts_from_the_one_before(void **state)
{
    (void)state;
    struct cpu_watch watch = looked_at();
    struct cpu_time now = {.time = START + TICK, .cpu_ns = START - SINCE};
    assert_false(cpu_watch_ran(&watch, &now, 530000));
    now = (struct cpu_time){.time = now.time + TICK, .cpu_ns = now.cpu_ns + TICK};
    assert_true(cpu_watch_ran(&watch, &now, 560000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_lost_no_time_ran),
        cmocka_unit_test(a_thread_that_lost_what_the_sampler_took_ran),
        cmocka_unit_test(a_thread_that_lost_more_or_less_may_be_blocked),
        cmocka_unit_test(a_thread_that_ran_for_a_moment_may_be_blocked),
        cmocka_unit_test(a_thread_that_is_looked_at_for_the_first_time_may_be_blocked),
        cmocka_unit_test(every_look_counts_from_the_one_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
