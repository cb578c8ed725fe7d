#include "vectors.h"

#include "markers/self_time.h"

#include <math.h>

static double self_of(const struct nested_interval *intervals, size_t count, uint32_t index)
{
    for (size_t i = 0; i < count; i++)
        if (intervals[i].index == index)
            return intervals[i].self;
    return NAN;
}

#define EXPECT(intervals, index, ms) assert_true(self_of(intervals, sizeof intervals / sizeof *intervals, index) == (ms))
#define MEASURE(intervals) nested_intervals_measure(intervals, sizeof intervals / sizeof *intervals)

static void what_is_inside_is_taken_away_from_the_innermost_one_around_it(void **state)
{
    (void)state;
    struct nested_interval intervals[] = {{5, 7, .index = 3}, {0, 20, .index = 0}, {2, 11, .index = 1}, {14, 18, .index = 2}};
    MEASURE(intervals);
    EXPECT(intervals, 0, 7);
    EXPECT(intervals, 1, 7);
    EXPECT(intervals, 2, 4);
    EXPECT(intervals, 3, 2);
}

static void what_reaches_over_the_end_is_no_part(void **state)
{
    (void)state;
    struct nested_interval intervals[] = {{0, 10, .index = 0}, {5, 15, .index = 1}, {6, 9, .index = 2}, {20, 30, .index = 3}};
    MEASURE(intervals);
    EXPECT(intervals, 0, 10);
    EXPECT(intervals, 1, 7);
    EXPECT(intervals, 2, 3);
    EXPECT(intervals, 3, 10);
}

static void parts_that_overlap_are_taken_away_once(void **state)
{
    (void)state;
    struct nested_interval intervals[] = {{0, 10, .index = 0}, {1, 5, .index = 1}, {3, 8, .index = 2}};
    MEASURE(intervals);
    EXPECT(intervals, 0, 3);
    EXPECT(intervals, 1, 4);
    EXPECT(intervals, 2, 5);
}

static void of_equal_ones_the_first_is_around_the_others(void **state)
{
    (void)state;
    struct nested_interval intervals[] = {{1, 5, .index = 4}, {1, 5, .index = 2}, {5, 5, .index = 9}};
    MEASURE(intervals);
    EXPECT(intervals, 2, 0);
    EXPECT(intervals, 4, 4);
    EXPECT(intervals, 9, 0);
}

/* By definition: the innermost one around each, found by looking at all, and the union of the parts. */
static double slow_self(const struct nested_interval *sorted, size_t count, size_t at)
{
    double left = sorted[at].end - sorted[at].start, covered = sorted[at].start;
    for (size_t i = at + 1; i < count; i++) {
        size_t around = SIZE_MAX;
        for (size_t k = 0; k < i; k++)
            if (sorted[k].end >= sorted[i].end)
                around = k;
        if (around == at && sorted[i].end > covered) {
            left -= sorted[i].end - fmax(covered, sorted[i].start);
            covered = sorted[i].end;
        }
    }
    return left;
}

static void random_ones_are_measured_as_the_definition_says(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int round = 0; round < 300; round++) {
        struct nested_interval intervals[24];
        for (uint32_t i = 0; i < 24; i++) {
            seed = seed * 1664525 + 1013904223;
            double start = seed >> 28;
            seed = seed * 1664525 + 1013904223;
            intervals[i] = (struct nested_interval){start, start + (seed >> 28), .index = i};
        }
        MEASURE(intervals);
        for (size_t i = 0; i < 24; i++)
            assert_true(intervals[i].self == slow_self(intervals, 24, i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_inside_is_taken_away_from_the_innermost_one_around_it),
        cmocka_unit_test(what_reaches_over_the_end_is_no_part),
        cmocka_unit_test(parts_that_overlap_are_taken_away_once),
        cmocka_unit_test(of_equal_ones_the_first_is_around_the_others),
        cmocka_unit_test(random_ones_are_measured_as_the_definition_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
