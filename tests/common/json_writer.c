#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/byte_sink.h"
#include "common/json_reader.h"
#include "common/json_writer.h"
#include "common/memory.h"
#include "common/number_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct output {
    struct error error;
    struct byte_sink *sink;
    struct json_writer *w;
};

static void open_output(struct output *o, int indent)
{
    *o = (struct output){0};
    o->sink = byte_sink_memory(&o->error);
    assert_non_null(o->sink);
    o->w = json_writer_open(o->sink, indent, &o->error);
    assert_non_null(o->w);
}

static void assert_output(struct output *o, const char *expected)
{
    assert_int_equal(json_writer_close(o->w), 0);
    struct slice bytes = byte_sink_memory_bytes(o->sink);
    assert_int_equal(bytes.length, strlen(expected));
    assert_memory_equal(bytes.text, expected, bytes.length);
    byte_sink_close(o->sink, true, &o->error);
}

static void write_one_of_each(struct json_writer *w)
{
    json_write_begin_object(w);
    json_write_key(w, "empty");
    json_write_begin_array(w);
    json_write_end_array(w);
    json_write_key(w, "none");
    json_write_begin_object(w);
    json_write_end_object(w);
    json_write_key_slice(w, SLICE("row"));
    json_write_begin_array(w);
    json_write_number(w, 1.5);
    json_write_integer(w, -2);
    json_write_boolean(w, true);
    json_write_boolean(w, false);
    json_write_null(w);
    json_write_text(w, "x");
    json_write_text(w, NULL);
    json_write_string(w, SLICE("y"));
    json_write_raw(w, SLICE("[1, 2]"));
    json_write_begin_object(w);
    json_write_key(w, "a");
    json_write_integer(w, 1);
    json_write_key(w, "b");
    json_write_integer(w, 2);
    json_write_end_object(w);
    json_write_end_array(w);
    json_write_end_object(w);
}

static void commas_and_brackets_are_put_where_they_belong(void **state)
{
    (void)state;
    struct output o;
    open_output(&o, 0);
    write_one_of_each(o.w);
    assert_output(&o, "{\"empty\":[],\"none\":{},\"row\":[1.5,-2,true,false,null,\"x\",null,\"y\",[1, 2],{\"a\":1,\"b\":2}]}");
}

static void indented_output_has_a_line_for_every_value(void **state)
{
    (void)state;
    struct output o;
    open_output(&o, 2);
    json_write_begin_object(o.w);
    json_write_key(o.w, "empty");
    json_write_begin_array(o.w);
    json_write_end_array(o.w);
    json_write_key(o.w, "row");
    json_write_begin_array(o.w);
    json_write_integer(o.w, 1);
    json_write_begin_object(o.w);
    json_write_end_object(o.w);
    json_write_end_array(o.w);
    json_write_end_object(o.w);
    assert_output(&o, "{\n"
                      "  \"empty\": [],\n"
                      "  \"row\": [\n"
                      "    1,\n"
                      "    {}\n"
                      "  ]\n"
                      "}");
}

static void strings_are_escaped_where_they_must_be(void **state)
{
    (void)state;
    struct output o;
    open_output(&o, 0);
    json_write_begin_array(o.w);
    json_write_string(o.w, SLICE("\"\\/\b\f\n\r\t"));
    json_write_string(o.w, SLICE("\0\x01\x1f\x7f"));
    json_write_string(o.w, SLICE("µ€😀 and plain text that is longer than sixteen bytes"));
    json_write_key(o.w, "");
    json_write_end_array(o.w);
    assert_output(&o, "[\"\\\"\\\\/\\b\\f\\n\\r\\t\",\"\\u0000\\u0001\\u001f\x7f\","
                      "\"µ€😀 and plain text that is longer than sixteen bytes\",\"\":]");
}

static void bytes_that_are_not_utf8_become_replacement_characters(void **state)
{
    (void)state;
    struct output o;
    open_output(&o, 0);
    json_write_string(o.w, SLICE("a\xff\"b\xe2\x82"));
    assert_output(&o, "\"a�\\\"b��\"");
}

static void numbers_without_a_value_are_null(void **state)
{
    (void)state;
    struct output o;
    open_output(&o, 0);
    json_write_begin_array(o.w);
    json_write_number(o.w, NAN);
    json_write_number(o.w, INFINITY);
    json_write_number(o.w, -INFINITY);
    json_write_end_array(o.w);
    assert_output(&o, "[null,null,null]");
}

static void assert_number_text(double value, const char *expected)
{
    char text[NUMBER_TEXT_SIZE + 1];
    size_t length = number_text(value, text);
    assert_true(length <= NUMBER_TEXT_SIZE);
    text[length] = '\0';
    assert_string_equal(text, expected);
}

/* Expected texts: node -p 'String(value)'. */
static void numbers_are_written_as_javascript_does(void **state)
{
    (void)state;
    assert_number_text(0, "0");
    assert_number_text(-0.0, "0");
    assert_number_text(1, "1");
    assert_number_text(-1, "-1");
    assert_number_text(0.5, "0.5");
    assert_number_text(-0.5, "-0.5");
    assert_number_text(0.1, "0.1");
    assert_number_text(0.1 + 0.2, "0.30000000000000004");
    assert_number_text(20.548942, "20.548942");
    assert_number_text(1234.5678900000003, "1234.5678900000003");
    assert_number_text(100, "100");
    assert_number_text(1.0 / 3, "0.3333333333333333");
    assert_number_text(2.0 / 3, "0.6666666666666666");
    assert_number_text(0.000001, "0.000001");
    assert_number_text(0.0000015, "0.0000015");
    assert_number_text(1e-7, "1e-7");
    assert_number_text(-1.5e-7, "-1.5e-7");
    assert_number_text(1.2345e-10, "1.2345e-10");
    assert_number_text(123456789012345680000.0, "123456789012345680000");
    assert_number_text(9007199254740991, "9007199254740991");
    assert_number_text(9007199254740992, "9007199254740992");
    assert_number_text(9007199254740994, "9007199254740994");
    assert_number_text(1e20, "100000000000000000000");
    assert_number_text(1e21, "1e+21");
    assert_number_text(-1.5e300, "-1.5e+300");
    assert_number_text(1e23, "1e+23");
    assert_number_text(9.5e-7, "9.5e-7");
    assert_number_text(999999999.999999, "999999999.999999");
    assert_number_text(1700000000123.4567, "1700000000123.4568");
    assert_number_text(5e-324, "5e-324");
    assert_number_text(2.2250738585072014e-308, "2.2250738585072014e-308");
    assert_number_text(1.7976931348623157e308, "1.7976931348623157e+308");
    assert_number_text(2251799813685248.5, "2251799813685248.5");
    assert_number_text(0x1p-44, "5.684341886080802e-14");
    assert_number_text(0x1p-1074 * 3, "1.5e-323");
    assert_number_text(9007199254740993e3, "9007199254740993000");
}

static void integers_are_written_exactly(void **state)
{
    (void)state;
    struct output o;
    open_output(&o, 0);
    json_write_begin_array(o.w);
    static const int64_t values[] = {0, 9, 10, 99, 100, 12345, -7, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        json_write_integer(o.w, values[i]);
    json_write_end_array(o.w);
    assert_output(&o, "[0,9,10,99,100,12345,-7,9223372036854775807,-9223372036854775808]");
}

static void nanoseconds_are_written_as_milliseconds_without_rounding(void **state)
{
    (void)state;
    struct output o;
    open_output(&o, 0);
    json_write_begin_array(o.w);
    static const int64_t values[] = {0,  1,        10,        100000,   999999, 1000000, 1500000, 9007199254740990,
                                     -1, -2500000, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        json_write_milliseconds(o.w, values[i]);
    json_write_end_array(o.w);
    assert_output(&o, "[0,0.000001,0.00001,0.1,0.999999,1,1.5,9007199254.74099,-0.000001,-2.5,9223372036854.775807,"
                      "-9223372036854.775808]");
}

static void decimals_have_as_many_places_as_asked_for_and_no_zeros_at_the_end(void **state)
{
    (void)state;
    struct output o;
    open_output(&o, 0);
    json_write_begin_array(o.w);
    for (unsigned places = 0; places <= 6; places++)
        json_write_decimal(o.w, 12340, places);
    json_write_end_array(o.w);
    assert_output(&o, "[12340,1234,123.4,12.34,1.234,0.1234,0.01234]");
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = *state;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

/* A double of one of the kinds that profiles have, or any bit pattern at all. */
static double random_double(uint64_t *seed, int kind)
{
    uint64_t bits = next_random(seed);
    double value;
    switch (kind) {
    case 0:
        return (double)(bits % 1000000000000) / 1e6;
    case 1:
        return (double)(bits % 1000000000000) / 1e6 + (double)(next_random(seed) % 1000000000) / 1e3;
    case 2:
        return (double)(bits % 1000000) * 0x1p-20;
    case 3:
        return ldexp(1, (int)(bits % 2000) - 1000);
    default:
        memcpy(&value, &bits, sizeof value);
        return isfinite(value) ? value : 1;
    }
}

static void random_doubles_read_back_the_same(void **state)
{
    (void)state;
    enum { COUNT = 50000 };
    struct output o;
    open_output(&o, 0);
    uint64_t seed = 42;
    json_write_begin_array(o.w);
    for (int i = 0; i < COUNT; i++)
        json_write_number(o.w, random_double(&seed, i % 5));
    json_write_end_array(o.w);
    assert_int_equal(json_writer_close(o.w), 0);

    struct byte_source *source = byte_source_memory(byte_sink_memory_bytes(o.sink), 0, false, &o.error);
    struct json_reader *r = json_reader_open(source, &o.error);
    seed = 42;
    int count = 0;
    json_begin_array(r);
    for (; json_next_item(r); count++) {
        double value = json_number(r), expected = random_double(&seed, count % 5);
        assert_memory_equal(&value, &expected, sizeof value);
    }
    assert_int_equal(json_finish(r), 0);
    assert_int_equal(count, COUNT);
    json_reader_close(r);
    byte_source_close(source);
    byte_sink_close(o.sink, true, &o.error);
}

static int digit_count(const char *text, size_t length)
{
    int count = 0, zeros = 0;
    bool leading = true;
    for (size_t i = 0; i < length && text[i] != 'e'; i++) {
        if (text[i] < '0' || text[i] > '9' || (leading && text[i] == '0'))
            continue;
        leading = false;
        count++;
        zeros = text[i] == '0' ? zeros + 1 : 0;
    }
    return count - zeros;
}

static void no_shorter_text_reads_back_the_same(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        double value = random_double(&seed, i % 5);
        if (value == 0)
            continue;
        char text[NUMBER_TEXT_SIZE];
        int digits = digit_count(text, number_text(value, text));
        assert_true(digits <= 17);
        if (digits > 1) {
            char shorter[64];
            snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
            assert_true(strtod(shorter, NULL) != value);
        }
    }
}

static void output_larger_than_the_buffer_comes_out_whole(void **state)
{
    (void)state;
    enum { ITEMS = 30000, LONG = 200000 };
    struct output o;
    open_output(&o, 0);
    char *long_text = malloc(LONG);
    memset(long_text, 'x', LONG);
    long_text[LONG / 2] = '\n';
    json_write_begin_array(o.w);
    for (int i = 0; i < ITEMS; i++)
        json_write_integer(o.w, i);
    json_write_string(o.w, (struct slice){long_text, LONG});
    json_write_end_array(o.w);
    assert_int_equal(json_writer_close(o.w), 0);

    struct byte_source *source = byte_source_memory(byte_sink_memory_bytes(o.sink), 0, false, &o.error);
    struct json_reader *r = json_reader_open(source, &o.error);
    json_begin_array(r);
    for (int i = 0; i < ITEMS; i++) {
        assert_true(json_next_item(r));
        assert_int_equal(json_integer(r), i);
    }
    assert_true(json_next_item(r));
    assert_true(slice_equal(json_string(r), (struct slice){long_text, LONG}));
    assert_false(json_next_item(r));
    assert_int_equal(json_finish(r), 0);
    json_reader_close(r);
    byte_source_close(source);
    byte_sink_close(o.sink, true, &o.error);
    free(long_text);
}

static int full_write(struct byte_sink *sink, struct slice bytes, struct error *error)
{
    (void)sink;
    (void)bytes;
    return error_set(error, -ENOSPC, "cannot write: no space");
}

static void the_first_error_of_the_sink_is_the_result(void **state)
{
    (void)state;
    struct byte_sink full = {full_write, NULL};
    struct error error = {0};
    struct json_writer *w = json_writer_open(&full, 0, &error);
    json_write_begin_array(w);
    for (int i = 0; i < 100000; i++)
        json_write_integer(w, i);
    json_write_end_array(w);
    assert_int_equal(json_writer_close(w), -ENOSPC);
    assert_string_equal(error.message, "cannot write: no space");
}

static void an_empty_heap_is_a_clean_error(void **state)
{
    (void)state;
    struct byte_sink unused = {full_write, NULL};
    struct error error = {0};
    memory_fail_after(1);
    assert_null(json_writer_open(&unused, 0, &error));
    memory_fail_after(0);
    assert_int_equal(error.code, -ENOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_and_brackets_are_put_where_they_belong),
        cmocka_unit_test(indented_output_has_a_line_for_every_value),
        cmocka_unit_test(strings_are_escaped_where_they_must_be),
        cmocka_unit_test(bytes_that_are_not_utf8_become_replacement_characters),
        cmocka_unit_test(numbers_without_a_value_are_null),
        cmocka_unit_test(numbers_are_written_as_javascript_does),
        cmocka_unit_test(integers_are_written_exactly),
        cmocka_unit_test(random_doubles_read_back_the_same),
        cmocka_unit_test(nanoseconds_are_written_as_milliseconds_without_rounding),
        cmocka_unit_test(decimals_have_as_many_places_as_asked_for_and_no_zeros_at_the_end),
        cmocka_unit_test(no_shorter_text_reads_back_the_same),
        cmocka_unit_test(output_larger_than_the_buffer_comes_out_whole),
        cmocka_unit_test(the_first_error_of_the_sink_is_the_result),
        cmocka_unit_test(an_empty_heap_is_a_clean_error),
    };
    return cmocka_run_group_tests_name("json_writer", tests, NULL, NULL);
}
