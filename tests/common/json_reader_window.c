#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json_reader_support.h"

#include "common/memory.h"

#include <stdio.h>
#include <stdlib.h>

static void the_offset_counts_what_was_consumed(void **state)
{
    (void)state;
    struct document d;
    open_pieces(&d, SLICE("[10,{\"a\":\"b\"}]"), 3);
    assert_int_equal(json_offset(d.r), 0);
    json_begin_array(d.r);
    assert_int_equal(json_offset(d.r), 1);
    json_next_item(d.r);
    json_number(d.r);
    assert_int_equal(json_offset(d.r), 3);
    json_next_item(d.r);
    assert_int_equal(json_offset(d.r), 4);
    json_skip(d.r);
    assert_int_equal(json_offset(d.r), 13);
    close_document(&d);
}

static void peeking_says_the_kind_and_consumes_nothing(void **state)
{
    (void)state;
    struct document d;
    open_pieces(&d, SLICE(" [ {} , [] , \"\" , 0 , -1 , true , false , null ] "), 1);
    static const enum json_kind kinds[] = {JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER,
                                           JSON_NUMBER, JSON_TRUE,  JSON_FALSE,  JSON_NULL};
    assert_int_equal(json_peek(d.r), JSON_ARRAY);
    json_begin_array(d.r);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        assert_true(json_next_item(d.r));
        assert_int_equal(json_peek(d.r), kinds[i]);
        assert_int_equal(json_peek(d.r), kinds[i]);
        json_skip(d.r);
    }
    assert_false(json_next_item(d.r));
    assert_int_equal(json_peek(d.r), JSON_FAILED);
    assert_true(json_ok(d.r));
    assert_int_equal(json_finish(d.r), 0);
    close_document(&d);
}

static void a_captured_value_is_its_text(void **state)
{
    (void)state;
    static const char inner[] = "{ \"a\\n\": [1, 2.50, \"\\u00e9\"], \"b\":{}}";
    char text[100];
    snprintf(text, sizeof text, "[1,  %s ,\"after\"]", inner);
    for (size_t piece = 0; piece < 20; piece++) {
        struct document d;
        open_pieces(&d, slice_of(text), piece);
        json_begin_array(d.r);
        json_next_item(d.r);
        json_number(d.r);
        json_next_item(d.r);
        struct slice copy = json_capture(d.r);
        assert_true(slice_equal(copy, slice_of(inner)));
        json_next_item(d.r);
        assert_true(slice_is(json_string(d.r), "after"));
        assert_false(json_next_item(d.r));
        assert_int_equal(json_finish(d.r), 0);
        memory_release((void *)(uintptr_t)copy.text);
        close_document(&d);
    }
}

static void a_capture_of_a_bad_value_fails(void **state)
{
    (void)state;
    struct document d;
    open_text(&d, "[{\"a\":1,\"a\":2}]");
    json_begin_array(d.r);
    json_next_item(d.r);
    assert_null(json_capture(d.r).text);
    assert_string_equal(d.error.message, "key \"a\" occurs twice at byte 8");
    close_document(&d);
}

static void what_is_read_meanwhile_can_be_captured(void **state)
{
    (void)state;
    for (size_t piece = 0; piece < 20; piece++) {
        struct document d;
        struct text_buffer text = {0};
        struct slice key;
        open_pieces(&d, SLICE("[  {\"a\": [1 , 2]} ,3]"), piece);
        json_begin_array(d.r);
        json_next_item(d.r);
        json_capture_begin(d.r);
        json_begin_object(d.r);
        assert_true(json_next_key(d.r, &key));
        json_skip(d.r);
        assert_false(json_next_key(d.r, &key));
        json_capture_end(d.r, &text);
        assert_true(slice_is(text_slice(&text), "{\"a\": [1 , 2]}"));
        json_next_item(d.r);
        assert_true(json_number(d.r) == 3);
        text_free(&text);
        close_document(&d);
    }
}

static void input_much_larger_than_the_window_reads_the_same(void **state)
{
    (void)state;
    enum { ROWS = 60000 };
    char *rows = repeat_text("[78,20.548942,null,{\"type\":\"Text\",\"n\\u0061me\":\"caf\xc3\xa9\"}] ,", ROWS);
    size_t length = strlen(rows);
    char *text = malloc(length + 10);
    snprintf(text, length + 10, "[%s[]]", rows);
    for (size_t piece = 0; piece < 100000; piece = piece * 3 + 1000) {
        struct document d;
        open_pieces(&d, slice_of(text), piece);
        int rows_read = 0;
        struct slice key;
        json_begin_array(d.r);
        while (json_next_item(d.r)) {
            json_begin_array(d.r);
            if (!json_next_item(d.r))
                break;
            assert_int_equal(json_integer(d.r), 78);
            json_next_item(d.r);
            assert_true(json_number(d.r) == 20.548942);
            json_next_item(d.r);
            assert_int_equal(json_integer_or_null(d.r, -7), -7);
            json_next_item(d.r);
            json_begin_object(d.r);
            assert_true(json_next_key(d.r, &key));
            assert_true(slice_is(key, "type"));
            assert_true(slice_is(json_string(d.r), "Text"));
            assert_true(json_next_key(d.r, &key));
            assert_true(slice_is(key, "name"));
            assert_true(slice_is(json_string(d.r), "café"));
            assert_false(json_next_key(d.r, &key));
            assert_false(json_next_item(d.r));
            rows_read++;
        }
        assert_false(json_next_item(d.r));
        assert_int_equal(json_finish(d.r), 0);
        assert_int_equal(rows_read, ROWS);
        close_document(&d);
    }
    free(text);
    free(rows);
}

static void a_string_larger_than_the_window_reads_whole(void **state)
{
    (void)state;
    enum { TIMES = 100000 };
    char *inside = repeat_text("0123456789\xc3\xa9", TIMES);
    size_t length = strlen(inside);
    char *text = malloc(2 * length + 100);
    snprintf(text, 2 * length + 100, "{\"%s\":\"\\t%s\"}", inside, inside);
    struct document d;
    open_pieces(&d, slice_of(text), 70000);
    struct slice key;
    json_begin_object(d.r);
    assert_true(json_next_key(d.r, &key));
    assert_true(slice_equal(key, (struct slice){inside, length}));
    struct slice value = json_string(d.r);
    assert_int_equal(value.length, length + 1);
    assert_int_equal(value.text[0], '\t');
    assert_memory_equal(value.text + 1, inside, length);
    assert_false(json_next_key(d.r, &key));
    assert_int_equal(json_finish(d.r), 0);
    close_document(&d);
    free(text);
    free(inside);
}

static void white_space_larger_than_the_window_is_passed_over(void **state)
{
    (void)state;
    char *blank = repeat_text(" \n", 300000);
    size_t size = 4 * strlen(blank) + 100;
    char *text = malloc(size);
    snprintf(text, size, "%s{\"key\"%s:%s1}%s", blank, blank, blank, blank);
    assert_reads(slice_of(text), "{\"key\":1}");
    free(text);
    free(blank);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_offset_counts_what_was_consumed),
        cmocka_unit_test(peeking_says_the_kind_and_consumes_nothing),
        cmocka_unit_test(a_captured_value_is_its_text),
        cmocka_unit_test(a_capture_of_a_bad_value_fails),
        cmocka_unit_test(what_is_read_meanwhile_can_be_captured),
        cmocka_unit_test(input_much_larger_than_the_window_reads_the_same),
        cmocka_unit_test(a_string_larger_than_the_window_reads_whole),
        cmocka_unit_test(white_space_larger_than_the_window_is_passed_over),
    };
    return cmocka_run_group_tests_name("json_reader_window", tests, NULL, NULL);
}
