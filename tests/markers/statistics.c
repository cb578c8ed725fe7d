#include "vectors.h"

#include "markers/statistics.h"

static void add(struct marker_statistics *statistics, uint32_t name, double start, double end)
{
    struct marker marker = {.name = {name}, .start = start, .end = end};
    assert_true(marker_statistics_add(statistics, &marker));
}

static void the_most_frequent_name_comes_first(void **state)
{
    (void)state;
    struct marker_statistics statistics = {0};
    add(&statistics, 7, 1, NAN);
    add(&statistics, 3, 1, NAN);
    add(&statistics, 5, 1, NAN);
    add(&statistics, 5, 2, NAN);
    assert_true(marker_statistics_finish(&statistics));
    assert_int_equal(statistics.rows.count, 3);
    assert_int_equal(statistics.rows.items[0].name.i, 5);
    assert_int_equal(statistics.rows.items[0].count, 2);
    assert_int_equal(statistics.rows.items[1].name.i, 7);
    assert_int_equal(statistics.rows.items[2].name.i, 3);
    marker_statistics_free(&statistics);
}

static void moments_count_but_have_no_duration(void **state)
{
    (void)state;
    struct marker_statistics statistics = {0};
    add(&statistics, 1, 10, 14);
    add(&statistics, 1, 10, NAN);
    add(&statistics, 1, 10, 12);
    add(&statistics, 2, 10, NAN);
    add(&statistics, 3, 10, 10);
    assert_true(marker_statistics_finish(&statistics));
    const struct name_statistics *mixed = &statistics.rows.items[0];
    assert_int_equal(mixed->count, 3);
    assert_int_equal(mixed->intervals, 2);
    assert_true(mixed->total == 6 && mixed->min == 2 && mixed->average == 3 && mixed->max == 4);
    const struct name_statistics *moment = &statistics.rows.items[1], *nothing = &statistics.rows.items[2];
    assert_true(isnan(moment->total) && isnan(moment->min) && isnan(moment->average) && isnan(moment->max));
    assert_true(nothing->total == 0 && nothing->min == 0 && nothing->average == 0 && nothing->max == 0);
    marker_statistics_free(&statistics);
}

static void what_markers_take_themselves_is_added_up(void **state)
{
    (void)state;
    struct marker_statistics statistics = {0};
    add(&statistics, 1, 10, 14);
    add(&statistics, 1, 20, 25);
    add(&statistics, 2, 10, NAN);
    assert_true(marker_statistics_add_self(&statistics, (struct string_index){1}, 3));
    assert_true(marker_statistics_add_self(&statistics, (struct string_index){1}, 5));
    assert_true(marker_statistics_add_self(&statistics, (struct string_index){2}, NAN));
    assert_true(marker_statistics_finish(&statistics));
    assert_true(statistics.rows.items[0].self == 8 && statistics.rows.items[0].total == 9);
    assert_true(isnan(statistics.rows.items[1].self));
    marker_statistics_free(&statistics);
}

static void median_and_p95_are_durations_that_were_measured(void **state)
{
    (void)state;
    struct marker_statistics statistics = {0};
    for (int i = 100; i > 0; i--)
        add(&statistics, 1, 0, i);
    add(&statistics, 2, 0, 3);
    add(&statistics, 2, 0, 1);
    add(&statistics, 3, 0, NAN);
    assert_true(marker_statistics_finish(&statistics));
    const struct name_statistics *many = &statistics.rows.items[0], *two = &statistics.rows.items[1];
    assert_true(many->median == 50 && many->p95 == 95);
    assert_true(two->median == 1 && two->p95 == 3);
    assert_true(isnan(statistics.rows.items[2].median) && isnan(statistics.rows.items[2].p95));
    for (size_t i = 0; i < 100; i++)
        assert_true(statistics.sorted[many->first + i] == (double)i + 1);
    assert_true(statistics.sorted[two->first] == 1 && statistics.sorted[two->first + 1] == 3);
    marker_statistics_free(&statistics);
}

static void other_numbers_are_summed_up_alike(void **state)
{
    (void)state;
    struct marker_statistics statistics = {0};
    assert_true(marker_statistics_add_number(&statistics, string_at(4), 512));
    assert_true(marker_statistics_add_number(&statistics, string_at(4), NAN));
    assert_true(marker_statistics_add_number(&statistics, string_at(4), -12));
    assert_true(marker_statistics_finish(&statistics));
    const struct name_statistics *row = &statistics.rows.items[0];
    assert_int_equal(row->count, 3);
    assert_int_equal(row->intervals, 2);
    assert_true(row->total == 500 && row->min == -12 && row->max == 512);
    marker_statistics_free(&statistics);
}

static void when_memory_runs_out_it_says_so(void **state)
{
    (void)state;
    for (unsigned long n = 1; n <= 3; n++) {
        struct marker_statistics statistics = {0};
        struct marker marker = {.name = {1}, .start = 0, .end = 1};
        memory_fail_after(n);
        assert_false(marker_statistics_add(&statistics, &marker));
        memory_fail_after(0);
        marker_statistics_free(&statistics);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_frequent_name_comes_first),
        cmocka_unit_test(moments_count_but_have_no_duration),
        cmocka_unit_test(what_markers_take_themselves_is_added_up),
        cmocka_unit_test(median_and_p95_are_durations_that_were_measured),
        cmocka_unit_test(other_numbers_are_summed_up_alike),
        cmocka_unit_test(when_memory_runs_out_it_says_so),
    };
    return cmocka_run_group_tests_name("markers/statistics", tests, NULL, NULL);
}
