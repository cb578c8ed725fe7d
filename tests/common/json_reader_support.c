#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json_reader_support.h"

#include "common/byte_sink.h"
#include "common/json_writer.h"

#include <stdio.h>
#include <stdlib.h>

void open_pieces(struct document *d, struct slice text, size_t piece)
{
    *d = (struct document){0};
    d->source = byte_source_memory(text, piece, false, &d->error);
    assert_non_null(d->source);
    d->r = json_reader_open(d->source, &d->error);
    assert_non_null(d->r);
}

void open_text(struct document *d, const char *text)
{
    open_pieces(d, slice_of(text), 0);
}

void close_document(struct document *d)
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

char *skip_all(struct slice text, size_t piece, bool ignore_repeated_keys)
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

void assert_reads(struct slice text, const char *expected)
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

char *object_with_keys(unsigned count, unsigned last)
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

char *repeat_text(const char *text, size_t times)
{
    size_t length = strlen(text);
    char *out = malloc(length * times + 1);
    for (size_t i = 0; i < times; i++)
        memcpy(out + i * length, text, length);
    out[length * times] = '\0';
    return out;
}
