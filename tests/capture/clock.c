/* The clock of a recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/core/clock.h"

#include <time.h>
#include <unistd.h>

static void time_0_is_when_the_process_started(void **state)
{
    (void)state;
    /* In ticks of 10 ms, told by the kernel; the test began since. */
    uint64_t now = clock_read(CLOCK_MONOTONIC);
    assert_true(clock_origin <= now);
    assert_in_range(clock_now(), now - clock_origin, UINT64_MAX - 1);
    uint64_t realtime = clock_origin_realtime(), wall = clock_read(CLOCK_REALTIME);
    assert_true(realtime <= wall);
}

static void time_never_goes_back(void **state)
{
    (void)state;
    uint64_t last = clock_now();
    for (int i = 0; i < 100000; i++) {
        uint64_t now = clock_now();
        assert_true(now >= last);
        last = now;
    }
}

static void the_clock_of_a_thread_counts_its_cpu_time(void **state)
{
    (void)state;
    uint64_t wall = clock_now(), cpu = clock_read(CLOCK_THREAD_CPUTIME_ID);
    usleep(50000);
    uint64_t slept = clock_now() - wall, used = clock_read(CLOCK_THREAD_CPUTIME_ID) - cpu;
    assert_true(slept >= 50000000);
    assert_true(used < slept);
}

static void the_ticks_of_the_kernel_are_some_milliseconds_apart(void **state)
{
    (void)state;
    /* From 1,000 to 100 of them a second. */
    assert_in_range(clock_kernel_tick_ns(), 1000000, 10000000);
}

int main(void)
{
    clock_set_origin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_0_is_when_the_process_started),
        cmocka_unit_test(time_never_goes_back),
        cmocka_unit_test(the_clock_of_a_thread_counts_its_cpu_time),
        cmocka_unit_test(the_ticks_of_the_kernel_are_some_milliseconds_apart),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
