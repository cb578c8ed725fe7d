#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/memory.h"
#include "common/time_ranges.h"

static struct time_ranges built(const struct time_range *given, size_t count)
{
    struct time_ranges ranges;
    assert_true(time_ranges_build(&ranges, given, count));
    return ranges;
}

static void the_newest_range_that_has_an_address_is_there(void **state)
{
    (void)state;
    const struct time_range given[] = {{0x1000, 0x100, 10}, {0x1040, 0x10, 20}, {0x1000, 0x80, 30}};
    struct time_ranges ranges = built(given, 3);
    assert_int_equal(time_ranges_newest(&ranges, 0x1044, 9), UINT32_MAX);
    assert_int_equal(time_ranges_newest(&ranges, 0x1044, 10), 0);
    assert_int_equal(time_ranges_newest(&ranges, 0x1044, 20), 1);
    assert_int_equal(time_ranges_newest(&ranges, 0x1050, 20), 0);
    assert_int_equal(time_ranges_newest(&ranges, 0x1044, 30), 2);
    assert_int_equal(time_ranges_newest(&ranges, 0x1080, 30), 0);
    assert_int_equal(time_ranges_newest(&ranges, 0x1100, 30), UINT32_MAX);
    assert_int_equal(time_ranges_newest(&ranges, 0xfff, 30), UINT32_MAX);
    time_ranges_free(&ranges);
}

static void the_next_range_is_the_oldest_one_after_a_time(void **state)
{
    (void)state;
    const struct time_range given[] = {{0x1000, 0x100, 30}, {0x1000, 0x100, 20}};
    struct time_ranges ranges = built(given, 2);
    assert_int_equal(time_ranges_next(&ranges, 0x1000, 5), 1);
    assert_int_equal(time_ranges_next(&ranges, 0x1000, 20), 0);
    assert_int_equal(time_ranges_next(&ranges, 0x1000, 30), UINT32_MAX);
    time_ranges_free(&ranges);
}

static void of_one_time_the_last_one_that_was_given_is_there(void **state)
{
    (void)state;
    const struct time_range given[] = {{0, 8, 1}, {0, 8, 1}, {4, 8, 1}};
    struct time_ranges ranges = built(given, 3);
    assert_int_equal(time_ranges_newest(&ranges, 0, 1), 1);
    assert_int_equal(time_ranges_newest(&ranges, 4, 1), 2);
    time_ranges_free(&ranges);
}

static void ranges_without_a_size_are_nowhere_and_some_reach_to_the_end_of_memory(void **state)
{
    (void)state;
    const struct time_range given[] = {{0x1000, 0, 1}, {UINT64_MAX - 1, 100, 1}};
    struct time_ranges ranges = built(given, 2);
    assert_int_equal(time_ranges_newest(&ranges, 0x1000, 1), UINT32_MAX);
    assert_int_equal(time_ranges_newest(&ranges, UINT64_MAX - 1, 1), 1);
    assert_int_equal(time_ranges_newest(&ranges, UINT64_MAX, 1), 1);
    assert_int_equal(time_ranges_newest(&ranges, 3, 1), UINT32_MAX);
    time_ranges_free(&ranges);
    ranges = built(NULL, 0);
    assert_int_equal(time_ranges_newest(&ranges, 0, 0), UINT32_MAX);
    assert_int_equal(time_ranges_next(&ranges, 0, 0), UINT32_MAX);
}

static void any_ranges_answer_as_if_all_were_looked_at(void **state)
{
    (void)state;
    enum { MOST = 60 };
    srand(7);
    for (int round = 0; round < 300; round++) {
        struct time_range given[MOST];
        size_t count = 1 + (size_t)rand() % MOST;
        for (size_t i = 0; i < count; i++)
            given[i] = (struct time_range){(uint64_t)rand() % 100, (uint64_t)rand() % 40, (uint64_t)rand() % 30};
        struct time_ranges ranges = built(given, count);
        for (uint64_t address = 0; address < 150; address++) {
            uint64_t time = (uint64_t)rand() % 32;
            uint32_t newest = UINT32_MAX, next = UINT32_MAX;
            for (uint32_t i = 0; i < count; i++) {
                if (address < given[i].start || address - given[i].start >= given[i].size)
                    continue;
                if (given[i].since <= time && (newest == UINT32_MAX || given[i].since >= given[newest].since))
                    newest = i;
                if (given[i].since > time && (next == UINT32_MAX || given[i].since < given[next].since))
                    next = i;
            }
            assert_int_equal(time_ranges_newest(&ranges, address, time), newest);
            assert_int_equal(time_ranges_next(&ranges, address, time), next);
        }
        time_ranges_free(&ranges);
    }
}

static void a_failed_allocation_leaves_no_ranges(void **state)
{
    (void)state;
    const struct time_range given[] = {{0, 8, 1}, {4, 8, 2}};
    bool done = false;
    for (unsigned long n = 1; !done; n++) {
        struct time_ranges ranges;
        memory_fail_after(n);
        done = time_ranges_build(&ranges, given, 2);
        memory_fail_after(0);
        assert_int_equal(time_ranges_newest(&ranges, 4, 2), done ? 1 : UINT32_MAX);
        time_ranges_free(&ranges);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_range_that_has_an_address_is_there),
        cmocka_unit_test(the_next_range_is_the_oldest_one_after_a_time),
        cmocka_unit_test(of_one_time_the_last_one_that_was_given_is_there),
        cmocka_unit_test(ranges_without_a_size_are_nowhere_and_some_reach_to_the_end_of_memory),
        cmocka_unit_test(any_ranges_answer_as_if_all_were_looked_at),
        cmocka_unit_test(a_failed_allocation_leaves_no_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
