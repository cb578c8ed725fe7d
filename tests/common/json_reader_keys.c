#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json_reader_support.h"

#include "common/count.h"

#include <stdio.h>
#include <stdlib.h>

static void a_key_that_occurs_twice_is_refused(void **state)
{
    (void)state;
    assert_reads(SLICE("{\"a\":1,\"b\":2,\"a\":3}"), "error: key \"a\" occurs twice at byte 13");
    assert_reads(SLICE("{\"\":1,\"\":2}"), "error: key \"\" occurs twice at byte 6");
    assert_reads(SLICE("{\"ab\":1,\"\\u0061b\":2}"), "error: key \"ab\" occurs twice at byte 8");
    assert_reads(SLICE("{\"a key of more than 16 bytes\":1,\"a key of more than 16 bytes\":2}"),
                 "error: key \"a key of more than 16 bytes\" occurs twice at byte 33");
    assert_reads_as_itself("{\"a\":{\"a\":1},\"b\":{\"a\":1}}");
    assert_reads_as_itself("{\"a\":1,\"aa\":2,\"a\\u0000\":3,\"\\u0000a\":4,\"aaaaaaaa\":5,\"aaaaaaaaa\":6}");
}

static void repeated_keys_pass_where_they_are_allowed(void **state)
{
    (void)state;
    struct document d;
    open_text(&d, "[{\"a\":1,\"a\":2},{\"a\":1,\"a\":2}]");
    json_begin_array(d.r);
    json_next_item(d.r);
    json_allow_repeated_keys(d.r, true);
    json_skip(d.r);
    assert_true(json_ok(d.r));
    json_allow_repeated_keys(d.r, false);
    json_next_item(d.r);
    json_skip(d.r);
    assert_string_equal(d.error.message, "key \"a\" occurs twice at byte 22");
    close_document(&d);
}

static void a_repeated_key_can_be_told_where_it_is_allowed(void **state)
{
    (void)state;
    struct document d;
    struct slice key;
    open_text(&d, "{\"a\":1,\"b\":{\"a\":2},\"a\":3,\"c\":4}");
    json_allow_repeated_keys(d.r, true);
    json_begin_object(d.r);
    static const bool repeated[] = {false, false, true, false};
    for (size_t i = 0; i < 4; i++) {
        assert_true(json_next_key(d.r, &key));
        assert_int_equal(json_key_repeated(d.r), repeated[i]);
        json_skip(d.r);
    }
    assert_false(json_next_key(d.r, &key));
    assert_int_equal(json_finish(d.r), 0);
    close_document(&d);
}

static void keys_that_are_not_held_against_each_other_come_as_often_as_they_are_there(void **state)
{
    (void)state;
    struct document d;
    struct slice key;
    open_text(&d, "{\"a\":1,\"b\":{\"a\":2,\"a\":[]},\"a\":3}");
    json_ignore_repeated_keys(d.r);
    json_begin_object(d.r);
    static const char *const keys[] = {"a", "b", "a"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        assert_true(json_next_key(d.r, &key));
        assert_true(slice_equal(key, slice_of(keys[i])));
        assert_false(json_key_repeated(d.r));
        json_skip(d.r);
    }
    assert_false(json_next_key(d.r, &key));
    assert_int_equal(json_finish(d.r), 0);
    close_document(&d);
}

static void keys_in_an_order_seen_before_or_not_read_as_they_are(void **state)
{
    (void)state;
    assert_reads_as_itself("[{\"type\":1,\"name\":2},{\"type\":1,\"name\":2},{\"type\":1,\"names\":2},{\"name\":1,\"type\":2},"
                           "{\"type\":1,\"nam\":2},{\"type\":1},{\"type\":1,\"\":2},{\"type\":1,\"\":2}]");
    assert_reads(
        SLICE("[{\"type\":1,\"name\":2},{\"type\" :1,\"name\": 2},{ \"type\":1 , \"na\\u006de\":2},{\"type\":1,\"name\":2}]"),
        "[{\"type\":1,\"name\":2},{\"type\":1,\"name\":2},{\"type\":1,\"name\":2},{\"type\":1,\"name\":2}]");
    assert_reads(SLICE("[{\"a\":1,\"b\":2},{\"a\":1,\"b\":2,\"a\":3}]"), "error: key \"a\" occurs twice at byte 28");
    /* Around the longest key that is remembered. */
    assert_reads_as_itself("[{\"29 characters are remembered.\":1},{\"29 characters are remembered.\":1},"
                           "{\"30 characters, and this is not\":1},{\"30 characters, and this is not\":1},"
                           "{\"ключ\":1,\"ключ2\":2},{\"ключ\":1,\"ключ2\":2}]");
}

static void keys_are_told_apart_in_objects_of_any_size(void **state)
{
    (void)state;
    static const unsigned counts[] = {1, 15, 16, 17, 18, 40, 1000, 100000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        unsigned count = counts[i];
        char *good = object_with_keys(count, count);
        char *result = skip_all(slice_of(good), 0, false);
        assert_string_equal(result, "");
        free(result);
        free(good);
        unsigned twice[] = {0, count / 2, count - 1};
        for (size_t j = 0; j < 3; j++) {
            char expected[100];
            char *bad = object_with_keys(count, twice[j]);
            snprintf(expected, sizeof expected, "key \"k%u\" occurs twice at byte %zu", twice[j],
                     strlen(bad) - strlen(",\"last\":0}") - strlen(":0}") - (size_t)snprintf(NULL, 0, "\"k%u\"", twice[j]));
            result = skip_all(slice_of(bad), 0, false);
            assert_string_equal(result, expected);
            free(result);
            free(bad);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_that_occurs_twice_is_refused),
        cmocka_unit_test(repeated_keys_pass_where_they_are_allowed),
        cmocka_unit_test(a_repeated_key_can_be_told_where_it_is_allowed),
        cmocka_unit_test(keys_that_are_not_held_against_each_other_come_as_often_as_they_are_there),
        cmocka_unit_test(keys_in_an_order_seen_before_or_not_read_as_they_are),
        cmocka_unit_test(keys_are_told_apart_in_objects_of_any_size),
    };
    return cmocka_run_group_tests_name("json_reader_keys", tests, NULL, NULL);
}
