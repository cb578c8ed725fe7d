#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json_reader_support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static double read_number(const char *text)
{
    struct document d;
    open_text(&d, text);
    double value = json_number(d.r);
    assert_int_equal(json_finish(d.r), 0);
    close_document(&d);
    return value;
}

/* The text goes through the slow path alone (the end of the input follows) and through the fast one (a bracket follows). */
static void assert_number(const char *text, double expected)
{
    double value = read_number(text);
    assert_memory_equal(&value, &expected, sizeof value);
    char in_array[JSON_MAX_NUMBER + 3];
    snprintf(in_array, sizeof in_array, "[%s]", text);
    struct document d;
    open_text(&d, in_array);
    json_begin_array(d.r);
    json_next_item(d.r);
    value = json_number(d.r);
    assert_false(json_next_item(d.r));
    assert_int_equal(json_finish(d.r), 0);
    assert_memory_equal(&value, &expected, sizeof value);
    close_document(&d);
}

static void numbers_read_as_the_nearest_double(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "0.0",
        "-0.0",
        "1",
        "-1",
        "10",
        "1234567890",
        "0.1",
        "20.548942",
        "29.008653",
        "0.000001",
        "1e0",
        "1E5",
        "1e+5",
        "1.5e-5",
        "0e0",
        "0e999999",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "9007199254740994",
        "9007199254740995",
        "9223372036854775807",
        "9999999999999999999",
        "18446744073709551615",
        "18446744073709551616",
        "123456789012345678901234567890",
        "0.1234567890123456789",
        "0.12345678901234567890123",
        "1234.5678900000001",
        "1700000000123.4567",
        "0.30000000000000004",
        "9007199254740992.5",
        "9007199254740993.5",
        "900719925474099.25",
        "4503599627370496.5",
        "4503599627370497.5",
        "0.5000000000000000001",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "1.7976931348623157e308",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "4.9406564584124654e-324",
        "5e-324",
        "2e-324",
        "1e-400",
        "0.000000000000000000000000000000000000000000000000000001",
        "100000000000000000000000000000000000000000000000000000000000",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_number(texts[i], strtod(texts[i], NULL));
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = *state;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

static void random_decimals_read_as_the_nearest_double(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        uint64_t whole = next_random(&seed) >> next_random(&seed) % 64, part = next_random(&seed) >> next_random(&seed) % 64;
        if (i % 4 == 0)
            snprintf(text, sizeof text, "%" PRIu64, whole);
        else if (i % 4 == 3)
            snprintf(text, sizeof text, "-%" PRIu64 ".%" PRIu64 "e%d", whole, part, (int)(next_random(&seed) % 600) - 320);
        else
            snprintf(text, sizeof text, "%" PRIu64 ".%0*" PRIu64, whole % 100000000, (int)(next_random(&seed) % 12),
                     part % 10000000);
        assert_number(text, strtod(text, NULL));
    }
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    assert_reads(SLICE("[01]"), "error: invalid number at byte 1");
    assert_reads(SLICE("[-01]"), "error: invalid number at byte 1");
    assert_reads(SLICE("[00]"), "error: invalid number at byte 1");
    assert_reads(SLICE("[-]"), "error: invalid number at byte 1");
    assert_reads(SLICE("[1.]"), "error: invalid number at byte 1");
    assert_reads(SLICE("[1.e5]"), "error: invalid number at byte 1");
    assert_reads(SLICE("[1e]"), "error: invalid number at byte 1");
    assert_reads(SLICE("[1e+]"), "error: invalid number at byte 1");
    assert_reads(SLICE("[.5]"), "error: expected a value, found '.', at byte 1");
    assert_reads(SLICE("[+1]"), "error: expected a value, found '+', at byte 1");
    assert_reads(SLICE("[0x10]"), "error: expected ',' or ']', found 'x', at byte 2");
    assert_reads(SLICE("[1.2.3]"), "error: expected ',' or ']', found '.', at byte 4");
    assert_reads(SLICE("[NaN]"), "error: expected a value, found 'N', at byte 1");
    assert_reads(SLICE("[Infinity]"), "error: expected a value, found 'I', at byte 1");
    assert_reads(SLICE("[1e309]"), "error: number out of range at byte 1");
    assert_reads(SLICE("[-1e400]"), "error: number out of range at byte 1");
}

static void a_number_may_have_1024_characters_but_no_more(void **state)
{
    (void)state;
    char text[JSON_MAX_NUMBER + 2] = "0.";
    memset(text + 2, '3', JSON_MAX_NUMBER - 2);
    assert_number(text, strtod(text, NULL));
    text[JSON_MAX_NUMBER] = '3';
    assert_reads((struct slice){text, JSON_MAX_NUMBER + 1}, "error: number longer than 1024 characters at byte 0");
}

static void integers_are_exact_within_64_bits(void **state)
{
    (void)state;
    struct document d;
    open_text(&d, "[0,-0,-1,9007199254740993,9223372036854775807,-9223372036854775808,1e3,12.0,-5e18]");
    static const int64_t expected[] = {0, 0, -1, 9007199254740993, INT64_MAX, INT64_MIN, 1000, 12, -5000000000000000000};
    json_begin_array(d.r);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(json_next_item(d.r));
        assert_true(json_integer(d.r) == expected[i]);
    }
    assert_false(json_next_item(d.r));
    assert_int_equal(json_finish(d.r), 0);
    close_document(&d);
}

static void what_is_no_integer_is_refused_as_one(void **state)
{
    (void)state;
    static const char *const texts[] = {"1.5", "9223372036854775808", "-9223372036854775809", "1e19", "1e-1", "-1e400"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct document d;
        open_text(&d, texts[i]);
        assert_true(json_integer(d.r) == 0);
        assert_string_equal(d.error.message, "expected a whole number of 64 bits at byte 0");
        close_document(&d);
    }
}

static void null_is_a_number_only_where_it_may_be_absent(void **state)
{
    (void)state;
    struct document d;
    open_text(&d, "[null, 1.5 ,null,7, null]");
    json_begin_array(d.r);
    json_next_item(d.r);
    assert_true(json_number_or_null(d.r, -1) == -1);
    json_next_item(d.r);
    assert_true(json_number_or_null(d.r, -1) == 1.5);
    json_next_item(d.r);
    assert_int_equal(json_integer_or_null(d.r, -1), -1);
    json_next_item(d.r);
    assert_int_equal(json_integer_or_null(d.r, -1), 7);
    json_next_item(d.r);
    assert_true(json_number(d.r) == 0);
    assert_string_equal(d.error.message, "expected a number, found null, at byte 20");
    close_document(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_read_as_the_nearest_double),
        cmocka_unit_test(random_decimals_read_as_the_nearest_double),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(a_number_may_have_1024_characters_but_no_more),
        cmocka_unit_test(integers_are_exact_within_64_bits),
        cmocka_unit_test(what_is_no_integer_is_refused_as_one),
        cmocka_unit_test(null_is_a_number_only_where_it_may_be_absent),
    };
    return cmocka_run_group_tests_name("json_reader_numbers", tests, NULL, NULL);
}
