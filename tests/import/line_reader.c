#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "import/line_reader.h"

#include <errno.h>
#include <stdio.h>

/* The lines in brackets, cut into pieces of every size. */
static void assert_lines(struct slice text, const char *expected)
{
    for (size_t piece = 0; piece <= text.length; piece++) {
        struct error error = {0};
        struct line_reader reader;
        char found[1000] = "";
        size_t length = 0;
        struct byte_source *source = byte_source_memory(text, piece, false, &error);
        assert_non_null(source);
        line_reader_init(&reader, source, &error);
        for (struct slice line; line_reader_next(&reader, &line);)
            length += (size_t)snprintf(found + length, sizeof found - length, "[%.*s]", (int)line.length, line.text);
        assert_int_equal(error.code, 0);
        assert_string_equal(found, expected);
        line_reader_free(&reader);
        byte_source_close(source);
    }
}

static void lines_are_the_same_however_the_bytes_come(void **state)
{
    (void)state;
    assert_lines(SLICE("one\ntwo\n\nfour\n"), "[one][two][][four]");
    assert_lines(SLICE("no newline"), "[no newline]");
    assert_lines(SLICE("\n"), "[]");
    assert_lines(SLICE(""), "");
}

static void carriage_returns_belong_to_the_end_of_a_line(void **state)
{
    (void)state;
    assert_lines(SLICE("a\r\n\r\nb\rc\r\r\nd\r"), "[a][][b\rc\r][d]");
}

static void bytes_that_are_not_utf_8_are_replaced(void **state)
{
    (void)state;
    assert_lines(SLICE("\xff\n\xe2\x82\xac\xe2\x82\nok\n"), "[\xef\xbf\xbd][\xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd][ok]");
}

static void lines_longer_than_the_buffer_are_whole(void **state)
{
    (void)state;
    enum { LENGTH = 1 << 20 };
    char *text = memory_array(LENGTH, 2);
    assert_non_null(text);
    memset(text, 'x', 2 * LENGTH);
    text[LENGTH - 1] = text[LENGTH + 9] = '\n';
    struct error error = {0};
    struct line_reader reader;
    struct byte_source *source = byte_source_memory((struct slice){text, 2 * LENGTH}, 1000, false, &error);
    assert_non_null(source);
    line_reader_init(&reader, source, &error);
    static const size_t lengths[] = {LENGTH - 1, 9, LENGTH - 10};
    struct slice line;
    for (size_t i = 0; i < 3; i++) {
        assert_true(line_reader_next(&reader, &line));
        assert_int_equal(line.length, lengths[i]);
        assert_int_equal(reader.number, i + 1);
    }
    assert_false(line_reader_next(&reader, &line));
    line_reader_free(&reader);
    byte_source_close(source);
    memory_release(text);
}

/* A source that never ends its line. */
static ssize_t read_endlessly(struct byte_source *source, char *buffer, size_t capacity, struct error *error)
{
    (void)source;
    (void)error;
    memset(buffer, 'x', capacity);
    return (ssize_t)capacity;
}

static void a_line_without_end_is_refused(void **state)
{
    (void)state;
    struct byte_source source = {read_endlessly, NULL};
    struct error error = {0};
    struct line_reader reader;
    struct slice line;
    line_reader_init(&reader, &source, &error);
    assert_false(line_reader_next(&reader, &line));
    assert_int_equal(error.code, -EINVAL);
    assert_string_equal(error.message, "line 1 is longer than 67108864 bytes");
    assert_false(line_reader_next(&reader, &line));
    line_reader_free(&reader);
}

static ssize_t read_nothing(struct byte_source *source, char *buffer, size_t capacity, struct error *error)
{
    (void)source;
    (void)buffer;
    (void)capacity;
    return error_set(error, -EIO, "the disk is gone");
}

static void errors_of_the_source_are_handed_on(void **state)
{
    (void)state;
    struct byte_source source = {read_nothing, NULL};
    struct error error = {0};
    struct line_reader reader;
    struct slice line;
    line_reader_init(&reader, &source, &error);
    assert_false(line_reader_next(&reader, &line));
    assert_int_equal(error.code, -EIO);
    line_reader_free(&reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_the_same_however_the_bytes_come),
        cmocka_unit_test(carriage_returns_belong_to_the_end_of_a_line),
        cmocka_unit_test(bytes_that_are_not_utf_8_are_replaced),
        cmocka_unit_test(lines_longer_than_the_buffer_are_whole),
        cmocka_unit_test(a_line_without_end_is_refused),
        cmocka_unit_test(errors_of_the_source_are_handed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
