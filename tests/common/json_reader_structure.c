#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json_reader_support.h"

#include <stdio.h>
#include <stdlib.h>

static void values_of_every_kind_read_as_they_are(void **state)
{
    (void)state;
    assert_reads_as_itself("null");
    assert_reads_as_itself("true");
    assert_reads_as_itself("false");
    assert_reads_as_itself("-12.5");
    assert_reads_as_itself("\"\"");
    assert_reads_as_itself("\"text\"");
    assert_reads_as_itself("[]");
    assert_reads_as_itself("{}");
    assert_reads_as_itself("[[],{},[{}],null,true,false,0,\"\"]");
    assert_reads_as_itself("{\"a\":{\"a\":{\"a\":[1,{\"b\":2}]}},\"\":{}}");
    assert_reads_as_itself(
        "[78,20.548942,20.562602,1,1,{\"type\":\"TextStack\",\"name\":\"a much longer text than 16 bytes\"}]");
}

static void white_space_may_stand_between_all_tokens(void **state)
{
    (void)state;
    assert_reads(SLICE(" \t\r\n[ \n1 , \t2 ,{ \"a\" \r\n: 3 , \"b\":4 } , [ ] , { } ] \n "), "[1,2,{\"a\":3,\"b\":4},[],{}]");
    assert_reads(SLICE("\v1"), "error: expected a value, found the byte 0x0b, at byte 0");
    assert_reads(SLICE("1\xc2\xa0"), "error: expected the end, found the byte 0xc2, at byte 1");
}

static void a_byte_order_mark_at_the_start_is_passed_over(void **state)
{
    (void)state;
    assert_reads(SLICE("\xef\xbb\xbf[1]"), "[1]");
    assert_reads(SLICE("[\xef\xbb\xbf]"), "error: expected a value, found the byte 0xef, at byte 1");
    assert_reads(SLICE("\xef\xbb"), "error: expected a value, found the byte 0xef, at byte 0");
}

static void bad_structure_is_refused(void **state)
{
    (void)state;
    assert_reads(SLICE("[1,]"), "error: expected a value, found ']', at byte 3");
    assert_reads(SLICE("[,1]"), "error: expected a value or ']', found ',', at byte 1");
    assert_reads(SLICE("[1,,2]"), "error: expected a value, found ',', at byte 3");
    assert_reads(SLICE("[1 2]"), "error: expected ',' or ']', found a number, at byte 3");
    assert_reads(SLICE("[1[2]]"), "error: expected ',' or ']', found an array, at byte 2");
    assert_reads(SLICE("[1}"), "error: expected ',' or ']', found '}', at byte 2");
    assert_reads(SLICE("{\"a\":1,}"), "error: expected a key, found '}', at byte 7");
    assert_reads(SLICE("{,}"), "error: expected a key, found ',', at byte 1");
    assert_reads(SLICE("{\"a\" 1}"), "error: expected ':', found a number, at byte 5");
    assert_reads(SLICE("{\"a\":}"), "error: expected a value, found '}', at byte 5");
    assert_reads(SLICE("{\"a\"}"), "error: expected ':', found '}', at byte 4");
    assert_reads(SLICE("{a:1}"), "error: expected a key, found 'a', at byte 1");
    assert_reads(SLICE("{1:1}"), "error: expected a key, found a number, at byte 1");
    assert_reads(SLICE("{\"a\":1]"), "error: expected ',' or '}', found ']', at byte 6");
    assert_reads(SLICE("{\"a\":1 \"b\":2}"), "error: expected ',' or '}', found a string, at byte 7");
    assert_reads(SLICE("]"), "error: expected a value, found ']', at byte 0");
    assert_reads(SLICE("[tru]"), "error: invalid value at byte 1");
    assert_reads(SLICE("[nulll]"), "error: expected ',' or ']', found 'l', at byte 5");
    assert_reads(SLICE("[True]"), "error: expected a value, found 'T', at byte 1");
    assert_reads(SLICE("[1]\0"), "error: expected the end, found the byte 0x00, at byte 3");
    assert_reads(SLICE("[\0]"), "error: expected a value, found the byte 0x00, at byte 1");
    assert_reads(SLICE("[1] []"), "error: expected the end, found an array, at byte 4");
    assert_reads(SLICE("[1] // done"), "error: expected the end, found '/', at byte 4");
}

static void an_empty_document_is_refused(void **state)
{
    (void)state;
    assert_reads(SLICE(""), "error: unexpected end of input at byte 0");
    assert_reads(SLICE("  \n"), "error: unexpected end of input at byte 3");
}

static void a_document_cut_anywhere_is_refused(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":[1,-2.5e+3,true,false,null,\"x\\u00e9\\n\xc3\xa9\"],\"b\" : {\"c\":[{}]}}";
    for (size_t length = 0; length < sizeof text - 1; length++) {
        char expected[100];
        snprintf(expected, sizeof expected, "error: unexpected end of input at byte %zu", length);
        assert_reads((struct slice){text, length}, expected);
    }
    assert_reads((struct slice){text, sizeof text - 1}, "{\"a\":[1,-2500,true,false,null,\"xé\\né\"],\"b\":{\"c\":[{}]}}");
}

static void nesting_is_limited(void **state)
{
    (void)state;
    char text[2 * (JSON_MAX_DEPTH + 1)];
    memset(text, '[', JSON_MAX_DEPTH);
    memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
    char *result = skip_all((struct slice){text, 2 * JSON_MAX_DEPTH}, 0, false);
    assert_string_equal(result, "");
    free(result);
    memset(text, '[', JSON_MAX_DEPTH + 1);
    assert_reads((struct slice){text, sizeof text}, "error: nested deeper than 512 at byte 512");
    size_t count = 0;
    char objects[5 * (JSON_MAX_DEPTH + 1)];
    for (; count < sizeof objects; count += 5)
        memcpy(objects + count, "{\"a\":", 5);
    assert_reads((struct slice){objects, sizeof objects}, "error: nested deeper than 512 at byte 2560");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_kind_read_as_they_are),
        cmocka_unit_test(white_space_may_stand_between_all_tokens),
        cmocka_unit_test(a_byte_order_mark_at_the_start_is_passed_over),
        cmocka_unit_test(bad_structure_is_refused),
        cmocka_unit_test(an_empty_document_is_refused),
        cmocka_unit_test(a_document_cut_anywhere_is_refused),
        cmocka_unit_test(nesting_is_limited),
    };
    return cmocka_run_group_tests_name("json_reader_structure", tests, NULL, NULL);
}
