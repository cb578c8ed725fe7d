#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json_reader_support.h"

static void escapes_are_taken_apart(void **state)
{
    (void)state;
    struct document d;
    open_text(&d, "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"\\u0041\\u00b5\\u20AC\\ud83d\\ude00\",\"a\\u0000b\"]");
    json_begin_array(d.r);
    json_next_item(d.r);
    assert_true(slice_is(json_string(d.r), "\"\\/\b\f\n\r\t"));
    json_next_item(d.r);
    assert_true(slice_is(json_string(d.r), "Aµ€😀"));
    json_next_item(d.r);
    assert_true(slice_equal(json_string(d.r), SLICE("a\0b")));
    assert_false(json_next_item(d.r));
    assert_int_equal(json_finish(d.r), 0);
    close_document(&d);
}

static void a_lone_surrogate_reads_as_the_replacement_character(void **state)
{
    (void)state;
    assert_reads(SLICE("\"\\ud800\""), "\"�\"");
    assert_reads(SLICE("\"\\udc00x\""), "\"�x\"");
    assert_reads(SLICE("\"\\ud800\\n\""), "\"�\\n\"");
    assert_reads(SLICE("\"\\ud800\\ud83d\\ude00\""), "\"�😀\"");
    assert_reads(SLICE("\"\\ud83d\\u0041\""), "\"�A\"");
}

static void utf8_reads_as_it_is(void **state)
{
    (void)state;
    assert_reads_as_itself("\"é\"");
    assert_reads_as_itself("[\"µs\",\"€ and 16 more bytes\",\"16 bytes before 😀\"]");
    assert_reads_as_itself("\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"");
    assert_reads_as_itself("{\"ключ\":\"значение\"}");
}

static void invalid_utf8_is_refused_with_its_offset(void **state)
{
    (void)state;
    assert_reads(SLICE("\"a\xff\""), "error: invalid UTF-8 in a string at byte 2");
    assert_reads(SLICE("\"\x80\""), "error: invalid UTF-8 in a string at byte 1");
    assert_reads(SLICE("\"\xc0\x80\""), "error: invalid UTF-8 in a string at byte 1");
    assert_reads(SLICE("\"\xc3\""), "error: invalid UTF-8 in a string at byte 1");
    assert_reads(SLICE("\"\xe0\x9f\xbf\""), "error: invalid UTF-8 in a string at byte 1");
    assert_reads(SLICE("\"\xed\xa0\x80\""), "error: invalid UTF-8 in a string at byte 1");
    assert_reads(SLICE("\"\xe2\x82\""), "error: invalid UTF-8 in a string at byte 1");
    assert_reads(SLICE("\"\xf0\x8f\xbf\xbf\""), "error: invalid UTF-8 in a string at byte 1");
    assert_reads(SLICE("\"\xf4\x90\x80\x80\""), "error: invalid UTF-8 in a string at byte 1");
    assert_reads(SLICE("\"\xf0\x9f\x98\""), "error: invalid UTF-8 in a string at byte 1");
    assert_reads(SLICE("\"0123456789abcdefg\xfe\""), "error: invalid UTF-8 in a string at byte 18");
    assert_reads(SLICE("{\"\xff\":1}"), "error: invalid UTF-8 in a string at byte 2");
    assert_reads(SLICE("\"\\n\xff\""), "error: invalid UTF-8 in a string at byte 3");
}

static void bad_strings_are_refused(void **state)
{
    (void)state;
    assert_reads(SLICE("\"a\nb\""), "error: control character in a string at byte 2");
    assert_reads(SLICE("\"a\0b\""), "error: control character in a string at byte 2");
    assert_reads(SLICE("\"\x1f\""), "error: control character in a string at byte 1");
    assert_reads(SLICE("\"\\\n\""), "error: invalid escape in a string at byte 1");
    assert_reads(SLICE("\"ab\\x41\""), "error: invalid escape in a string at byte 3");
    assert_reads(SLICE("\"\\u12\""), "error: invalid escape in a string at byte 1");
    assert_reads(SLICE("\"\\u12g4\""), "error: invalid escape in a string at byte 1");
    assert_reads(SLICE("\"\\U0041\""), "error: invalid escape in a string at byte 1");
    assert_reads(SLICE("'a'"), "error: expected a value, found ''', at byte 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_are_taken_apart), cmocka_unit_test(a_lone_surrogate_reads_as_the_replacement_character),
        cmocka_unit_test(utf8_reads_as_it_is),     cmocka_unit_test(invalid_utf8_is_refused_with_its_offset),
        cmocka_unit_test(bad_strings_are_refused),
    };
    return cmocka_run_group_tests_name("json_reader_strings", tests, NULL, NULL);
}
