#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/byte_sink.h"
#include "common/count.h"
#include "common/json_reader.h"
#include "common/json_writer.h"
#include "common/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- a document being read --- */

struct document {
    struct error error;
    struct byte_source *source;
    struct json_reader *r;
};

static void open_pieces(struct document *d, struct slice text, size_t piece)
{
    *d = (struct document){0};
    d->source = byte_source_memory(text, piece, false, &d->error);
    assert_non_null(d->source);
    d->r = json_reader_open(d->source, &d->error);
    assert_non_null(d->r);
}

static void open_text(struct document *d, const char *text)
{
    open_pieces(d, slice_of(text), 0);
}

static void close_document(struct document *d)
{
    json_reader_close(d->r);
    byte_source_close(d->source);
}

/* Reads one value of any kind and writes it again. */
static void copy_value(struct json_reader *r, struct json_writer *w)
{
    struct slice key;
    switch (json_peek(r)) {
    case JSON_OBJECT:
        json_begin_object(r);
        json_write_begin_object(w);
        while (json_next_key(r, &key)) {
            json_write_key_slice(w, key);
            copy_value(r, w);
        }
        json_write_end_object(w);
        break;
    case JSON_ARRAY:
        json_begin_array(r);
        json_write_begin_array(w);
        while (json_next_item(r))
            copy_value(r, w);
        json_write_end_array(w);
        break;
    case JSON_STRING:
        json_write_string(w, json_string(r));
        break;
    case JSON_NUMBER:
        json_write_number(w, json_number(r));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        json_write_boolean(w, json_boolean(r));
        break;
    case JSON_NULL:
        json_null(r);
        json_write_null(w);
        break;
    case JSON_FAILED:
        break;
    }
}

/* What reading all of `text` gives: the value written again, or `error: ` and the message. To be freed. */
static char *read_all(struct slice text, size_t piece)
{
    struct document d;
    open_pieces(&d, text, piece);
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    struct json_writer *w = json_writer_open(sink, 0, &error);
    copy_value(d.r, w);
    int code = json_finish(d.r);
    assert_int_equal(code, d.error.code);
    assert_int_equal(json_writer_close(w), 0);
    struct slice written = byte_sink_memory_bytes(sink);
    char *result = NULL;
    if (code < 0)
        assert_true(asprintf(&result, "error: %s", d.error.message) >= 0);
    else
        assert_true(asprintf(&result, "%.*s", (int)written.length, written.text) >= 0);
    byte_sink_close(sink, false, &error);
    close_document(&d);
    return result;
}

/* What passing over all of `text` gives: `` or the message. To be freed. */
static char *skip_all(struct slice text, size_t piece, bool ignore_repeated_keys)
{
    struct document d;
    open_pieces(&d, text, piece);
    if (ignore_repeated_keys)
        json_ignore_repeated_keys(d.r);
    json_skip(d.r);
    json_finish(d.r);
    char *result = strdup(d.error.message);
    close_document(&d);
    return result;
}

/* `text` reads as `expected`, however it is cut; skipping it finds the same mistakes. */
static void assert_reads(struct slice text, const char *expected)
{
    static const size_t pieces[] = {0, 1, 2, 3, 7, 64};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        char *result = read_all(text, pieces[i]);
        assert_string_equal(result, expected);
        free(result);
        const char *mistake = strncmp(expected, "error: ", 7) == 0 ? expected + 7 : "";
        char *skipped = skip_all(text, pieces[i], false);
        assert_string_equal(skipped, mistake);
        free(skipped);
        skipped = skip_all(text, pieces[i], true);
        assert_string_equal(skipped, strstr(mistake, "occurs twice") ? "" : mistake);
        free(skipped);
    }
}

#define assert_reads_as_itself(literal) assert_reads(SLICE(literal), literal)

/* --- what is read --- */

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

/* --- keys --- */

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

/* An object with keys `k0` … `kN-1` and at last the key `k<last>`, inside an object of the same kind. */
static char *object_with_keys(unsigned count, unsigned last)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (unsigned level = 0; level < 2; level++) {
        fputc('{', out);
        for (unsigned i = 0; i < count; i++)
            fprintf(out, "\"k%u\":%s", i, i + 1 == count ? "" : "0,");
    }
    fprintf(out, "0,\"k%u\":0},\"last\":0}", last);
    fclose(out);
    return text;
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

/* --- numbers --- */

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

/* --- the caller's side --- */

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

/* --- larger than the window --- */

static char *repeated(const char *text, size_t times)
{
    size_t length = strlen(text);
    char *out = malloc(length * times + 1);
    for (size_t i = 0; i < times; i++)
        memcpy(out + i * length, text, length);
    out[length * times] = '\0';
    return out;
}

static void input_much_larger_than_the_window_reads_the_same(void **state)
{
    (void)state;
    enum { ROWS = 60000 };
    char *rows = repeated("[78,20.548942,null,{\"type\":\"Text\",\"n\\u0061me\":\"caf\xc3\xa9\"}] ,", ROWS);
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
    char *inside = repeated("0123456789\xc3\xa9", TIMES);
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
    char *blank = repeated(" \n", 300000);
    size_t size = 4 * strlen(blank) + 100;
    char *text = malloc(size);
    snprintf(text, size, "%s{\"key\"%s:%s1}%s", blank, blank, blank, blank);
    assert_reads(slice_of(text), "{\"key\":1}");
    free(text);
    free(blank);
}

/* --- when things fail below --- */

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
    char *long_text = repeated("0123456789", 60000);
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
        cmocka_unit_test(values_of_every_kind_read_as_they_are),
        cmocka_unit_test(white_space_may_stand_between_all_tokens),
        cmocka_unit_test(a_byte_order_mark_at_the_start_is_passed_over),
        cmocka_unit_test(escapes_are_taken_apart),
        cmocka_unit_test(a_lone_surrogate_reads_as_the_replacement_character),
        cmocka_unit_test(utf8_reads_as_it_is),
        cmocka_unit_test(invalid_utf8_is_refused_with_its_offset),
        cmocka_unit_test(bad_strings_are_refused),
        cmocka_unit_test(bad_structure_is_refused),
        cmocka_unit_test(an_empty_document_is_refused),
        cmocka_unit_test(a_document_cut_anywhere_is_refused),
        cmocka_unit_test(a_key_that_occurs_twice_is_refused),
        cmocka_unit_test(repeated_keys_pass_where_they_are_allowed),
        cmocka_unit_test(a_repeated_key_can_be_told_where_it_is_allowed),
        cmocka_unit_test(keys_that_are_not_held_against_each_other_come_as_often_as_they_are_there),
        cmocka_unit_test(keys_in_an_order_seen_before_or_not_read_as_they_are),
        cmocka_unit_test(keys_are_told_apart_in_objects_of_any_size),
        cmocka_unit_test(numbers_read_as_the_nearest_double),
        cmocka_unit_test(random_decimals_read_as_the_nearest_double),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(a_number_may_have_1024_characters_but_no_more),
        cmocka_unit_test(integers_are_exact_within_64_bits),
        cmocka_unit_test(what_is_no_integer_is_refused_as_one),
        cmocka_unit_test(null_is_a_number_only_where_it_may_be_absent),
        cmocka_unit_test(a_value_of_another_kind_than_expected_is_refused),
        cmocka_unit_test(errors_stick_and_everything_after_is_empty),
        cmocka_unit_test(a_complaint_of_the_caller_names_the_last_value),
        cmocka_unit_test(a_caller_without_memory_ends_the_reading),
        cmocka_unit_test(a_long_complaint_keeps_its_offset),
        cmocka_unit_test(the_offset_counts_what_was_consumed),
        cmocka_unit_test(peeking_says_the_kind_and_consumes_nothing),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(a_captured_value_is_its_text),
        cmocka_unit_test(a_capture_of_a_bad_value_fails),
        cmocka_unit_test(what_is_read_meanwhile_can_be_captured),
        cmocka_unit_test(input_that_ends_early_is_told_from_wrong_input),
        cmocka_unit_test(input_much_larger_than_the_window_reads_the_same),
        cmocka_unit_test(a_string_larger_than_the_window_reads_whole),
        cmocka_unit_test(white_space_larger_than_the_window_is_passed_over),
        cmocka_unit_test(an_error_of_the_source_is_the_error_of_the_reader),
        cmocka_unit_test(a_failing_allocation_is_a_clean_error),
    };
    return cmocka_run_group_tests_name("json_reader", tests, NULL, NULL);
}
