#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/nearest.h"
#include "print/number.h"

static void thousands_are_set_apart(void **state)
{
    (void)state;
    assert_string_equal(number_grouped(0, 0).text, "0");
    assert_string_equal(number_grouped(999, 0).text, "999");
    assert_string_equal(number_grouped(1000, 0).text, "1,000");
    assert_string_equal(number_grouped(-1234567.89, 1).text, "-1,234,567.9");
    assert_string_equal(number_grouped(-0.001, 1).text, "0.0");
    assert_string_equal(number_grouped(1e300, 0).text, "1e+300");
}

static void a_share_of_nothing_is_a_dash(void **state)
{
    (void)state;
    assert_string_equal(number_share(1, 0).text, "-");
    assert_string_equal(number_share(1, 3).text, "33.3%");
    assert_string_equal(number_share(-1, 4).text, "-25.0%");
}

static void a_duration_has_the_unit_that_suits_it(void **state)
{
    (void)state;
    assert_string_equal(number_duration(0).text, "0.0 ms");
    assert_string_equal(number_duration(0.0125).text, "12.5 µs");
    assert_string_equal(number_duration(12.34).text, "12.3 ms");
    assert_string_equal(number_duration(456.7).text, "457 ms");
    assert_string_equal(number_duration(10774.48).text, "10.77 s");
    assert_string_equal(number_duration(200e3).text, "3 min 20 s");
    assert_string_equal(number_duration(9000e3).text, "2.5 h");
    assert_string_equal(number_duration(NAN).text, "-");
}

static struct slice nearest_of(const char *typed, const char *a, const char *b)
{
    struct nearest nearest;
    nearest_start(&nearest, slice_of(typed));
    nearest_offer(&nearest, slice_of(a));
    nearest_offer(&nearest, slice_of(b));
    return nearest.best;
}

static void the_nearest_name_is_offered(void **state)
{
    (void)state;
    assert_string_equal(nearest_of("tre", "tree", "lines").text, "tree");
    assert_string_equal(nearest_of("serach", "select", "search").text, "search");
    assert_string_equal(nearest_of("geckomain", "Renderer", "GeckoMain").text, "GeckoMain");
    assert_string_equal(nearest_of("func", "info", "functions").text, "functions");
}

static void a_name_that_is_far_from_all_gets_no_offer(void **state)
{
    (void)state;
    assert_null(nearest_of("record", "tree", "lines").text);
    assert_null(nearest_of("", "tree", "lines").text);
    assert_null(nearest_of("A", "B", "C").text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thousands_are_set_apart),
        cmocka_unit_test(a_share_of_nothing_is_a_dash),
        cmocka_unit_test(a_duration_has_the_unit_that_suits_it),
        cmocka_unit_test(the_nearest_name_is_offered),
        cmocka_unit_test(a_name_that_is_far_from_all_gets_no_offer),
    };
    return cmocka_run_group_tests_name("cli/number", tests, NULL, NULL);
}
