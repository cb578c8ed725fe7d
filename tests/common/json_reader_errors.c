#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json_reader_support.h"

#include "common/count.h"
#include "common/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void a_value_of_another_kind_than_expected_is_refused(void **state)
{
    (void)state;
    struct document d;
    open_text(&d, "[\"a\"]");
    json_begin_array(d.r);
    json_next_item(d.r);
    assert_true(json_number(d.r) == 0);
    assert_string_equal(d.error.message, "expected a number, found a string, at byte 1");
    assert_int_equal(d.error.code, -EBADMSG);
    close_document(&d);
    open_text(&d, " 17");
    assert_int_equal(json_string(d.r).length, 0);
    assert_string_equal(d.error.message, "expected a string, found a number, at byte 1");
    close_document(&d);
    open_text(&d, "null");
    assert_false(json_begin_object(d.r));
    assert_string_equal(d.error.message, "expected an object, found null, at byte 0");
    close_document(&d);
    open_text(&d, "{}");
    assert_false(json_begin_array(d.r));
    assert_string_equal(d.error.message, "expected an array, found an object, at byte 0");
    close_document(&d);
    open_text(&d, "[]");
    assert_false(json_boolean(d.r));
    assert_string_equal(d.error.message, "expected a boolean, found an array, at byte 0");
    close_document(&d);
}

static void errors_stick_and_everything_after_is_empty(void **state)
{
    (void)state;
    struct document d;
    open_text(&d, "[1,x,3]");
    json_begin_array(d.r);
    json_next_item(d.r);
    json_number(d.r);
    json_next_item(d.r);
    json_number(d.r);
    assert_false(json_ok(d.r));
    struct slice key;
    assert_false(json_begin_array(d.r));
    assert_false(json_next_item(d.r));
    assert_false(json_begin_object(d.r));
    assert_false(json_next_key(d.r, &key));
    assert_int_equal(key.length, 0);
    assert_true(json_number(d.r) == 0);
    assert_true(json_number_or_null(d.r, 5) == 0);
    assert_int_equal(json_integer(d.r), 0);
    assert_int_equal(json_integer_or_null(d.r, 5), 0);
    assert_false(json_boolean(d.r));
    assert_false(json_null(d.r));
    assert_int_equal(json_string(d.r).length, 0);
    assert_int_equal(json_peek(d.r), JSON_FAILED);
    assert_null(json_capture(d.r).text);
    json_skip(d.r);
    json_fail(d.r, "something else");
    assert_int_equal(json_finish(d.r), -EBADMSG);
    assert_string_equal(d.error.message, "expected a number, found 'x', at byte 3");
    assert_int_equal(json_offset(d.r), 3);
    close_document(&d);
}

static void a_complaint_of_the_caller_names_the_last_value(void **state)
{
    (void)state;
    static const size_t pieces[] = {0, 1, 5};
    for (size_t i = 0; i < 3; i++) {
        struct document d;
        open_pieces(&d, SLICE("[1, 22 ,3]"), pieces[i]);
        json_begin_array(d.r);
        json_next_item(d.r);
        json_number(d.r);
        json_next_item(d.r);
        int64_t value = json_integer(d.r);
        json_next_item(d.r);
        json_fail(d.r, "no row %d", (int)value);
        assert_string_equal(d.error.message, "no row 22 at byte 4");
        assert_int_equal(json_finish(d.r), -EBADMSG);
        close_document(&d);
    }
}

static void a_caller_without_memory_ends_the_reading(void **state)
{
    (void)state;
    struct document d;
    open_text(&d, "[1,2]");
    json_begin_array(d.r);
    json_fail_out_of_memory(d.r);
    assert_false(json_next_item(d.r));
    assert_int_equal(json_finish(d.r), -ENOMEM);
    assert_string_equal(d.error.message, "out of memory");
    close_document(&d);
}

static void a_long_complaint_keeps_its_offset(void **state)
{
    (void)state;
    struct document d;
    open_text(&d, "[1]");
    char text[1000] = "";
    memset(text, 'x', sizeof text - 1);
    json_fail(d.r, "%s", text);
    assert_non_null(strstr(d.error.message, "x at byte 0"));
    close_document(&d);
}

static void assert_ended_early(const char *text, bool expected)
{
    struct document d;
    open_text(&d, text);
    json_skip(d.r);
    assert_int_not_equal(json_finish(d.r), 0);
    assert_int_equal(json_ended_early(d.r), expected);
    close_document(&d);
}

static void input_that_ends_early_is_told_from_wrong_input(void **state)
{
    (void)state;
    static const char *const early[] = {"",       "[",       "[1",   "[1,", "{",   "{\"a",
                                        "{\"a\"", "{\"a\":", "[tru", "[-",  "[1e", "[\"\\u12"};
    static const char *const wrong[] = {"[1}", "[1]]", "{1", "[trx", "[1e]", "[\"\\x\""};
    for (size_t i = 0; i < COUNT(early); i++)
        assert_ended_early(early[i], true);
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_ended_early(wrong[i], false);
}

static ssize_t broken_read(struct byte_source *source, char *buffer, size_t capacity, struct error *error)
{
    (void)capacity;
    /* One byte a call, then trouble. */
    static const char text[] = "[1,2,\"abc";
    struct broken {
        struct byte_source base;
        size_t at;
    } *broken = (struct broken *)source;
    if (broken->at == sizeof text - 1)
        return error_set(error, -EIO, "cannot read: the disk is gone");
    *buffer = text[broken->at++];
    return 1;
}

static void an_error_of_the_source_is_the_error_of_the_reader(void **state)
{
    (void)state;
    struct {
        struct byte_source base;
        size_t at;
    } broken = {{broken_read, NULL}, 0};
    struct error error = {0};
    struct json_reader *r = json_reader_open(&broken.base, &error);
    json_skip(r);
    assert_int_equal(json_finish(r), -EIO);
    assert_string_equal(error.message, "cannot read: the disk is gone");
    json_reader_close(r);
}

static void a_failing_allocation_is_a_clean_error(void **state)
{
    (void)state;
    char *long_text = repeat_text("0123456789", 60000);
    char *keys = object_with_keys(200, 200);
    size_t size = strlen(long_text) + strlen(keys) + 100;
    char *text = malloc(size);
    snprintf(text, size, "[\"%s\",\"a\\tb\",%s,{\"x\":1}]", long_text, keys);
    bool done = false;
    unsigned long n = 1;
    for (; !done; n++) {
        struct error error = {0};
        struct byte_source *source = byte_source_memory(slice_of(text), 0, false, &error);
        memory_fail_after(n);
        struct json_reader *r = json_reader_open(source, &error);
        if (r) {
            struct slice copy = json_capture(r);
            memory_release((void *)(uintptr_t)copy.text);
            done = json_finish(r) == 0;
            json_reader_close(r);
        }
        memory_fail_after(0);
        byte_source_close(source);
        if (!done) {
            assert_int_equal(error.code, -ENOMEM);
            assert_string_equal(error.message, "out of memory");
        }
    }
    assert_true(n > 8);
    free(text);
    free(keys);
    free(long_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_of_another_kind_than_expected_is_refused),
        cmocka_unit_test(errors_stick_and_everything_after_is_empty),
        cmocka_unit_test(a_complaint_of_the_caller_names_the_last_value),
        cmocka_unit_test(a_caller_without_memory_ends_the_reading),
        cmocka_unit_test(a_long_complaint_keeps_its_offset),
        cmocka_unit_test(input_that_ends_early_is_told_from_wrong_input),
        cmocka_unit_test(an_error_of_the_source_is_the_error_of_the_reader),
        cmocka_unit_test(a_failing_allocation_is_a_clean_error),
    };
    return cmocka_run_group_tests_name("json_reader_errors", tests, NULL, NULL);
}
