#include "vectors.h"

#include "markers/histogram.h"

#include <math.h>

static uint32_t sum_of(const struct histogram *histogram)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        sum += histogram->counts[i];
    return sum;
}

static void buckets_are_of_equal_width(void **state)
{
    (void)state;
    struct histogram histogram = histogram_of((const double[]){10, 10.5, 11, 29, 30}, 5);
    assert_false(histogram.logarithmic);
    assert_true(histogram.low == 10 && histogram.high == 30);
    assert_int_equal(histogram.counts[0], 2);
    assert_int_equal(histogram.counts[1], 1);
    assert_int_equal(histogram.counts[19], 2);
    assert_int_equal(sum_of(&histogram), 5);
}

static void more_than_two_decades_make_it_logarithmic(void **state)
{
    (void)state;
    assert_false(histogram_of((const double[]){1, 100}, 2).logarithmic);
    struct histogram histogram = histogram_of((const double[]){0, 0, 1, 9, 11, 9999, 10000}, 7);
    assert_true(histogram.logarithmic);
    assert_true(histogram.low == 1 && histogram.high == 10000);
    /* Five buckets a decade; zeros are in the first. */
    assert_int_equal(histogram.counts[0], 3);
    assert_int_equal(histogram.counts[4], 1);
    assert_int_equal(histogram.counts[5], 1);
    assert_int_equal(histogram.counts[19], 2);
    assert_int_equal(sum_of(&histogram), 7);
}

static void numbers_below_zero_are_never_logarithmic(void **state)
{
    (void)state;
    struct histogram histogram = histogram_of((const double[]){-1, 0.001, 1000}, 3);
    assert_false(histogram.logarithmic);
    assert_int_equal(sum_of(&histogram), 3);
}

static void one_number_and_none(void **state)
{
    (void)state;
    struct histogram same = histogram_of((const double[]){7, 7, 7}, 3), none = histogram_of(NULL, 0);
    assert_int_equal(same.counts[0], 3);
    assert_true(same.low == 7 && same.high == 7);
    assert_true(isnan(none.low) && isnan(none.high));
    assert_int_equal(sum_of(&none), 0);
}

static void numbers_without_end_are_counted(void **state)
{
    (void)state;
    struct histogram histogram = histogram_of((const double[]){1, 5, (double)INFINITY}, 3);
    assert_int_equal(sum_of(&histogram), 3);
    histogram = histogram_of((const double[]){(double)-INFINITY, 5, (double)INFINITY}, 3);
    assert_int_equal(sum_of(&histogram), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_are_of_equal_width),
        cmocka_unit_test(more_than_two_decades_make_it_logarithmic),
        cmocka_unit_test(numbers_below_zero_are_never_logarithmic),
        cmocka_unit_test(one_number_and_none),
        cmocka_unit_test(numbers_without_end_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
