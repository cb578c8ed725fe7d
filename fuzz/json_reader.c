/* Any bytes as JSON. The first byte says how the rest is cut into pieces; however it is cut, reading, skipping and capturing
 * must agree, and what was read and written again must read as the same. */
#include "target.h"

#include "common/byte_sink.h"
#include "common/json_reader.h"
#include "common/json_writer.h"
#include "common/memory.h"

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
        json_write_number(w, json_number_or_null(r, 0));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        json_write_boolean(w, json_boolean(r));
        break;
    case JSON_NULL:
        json_write_number(w, json_number_or_null(r, 0));
        break;
    case JSON_FAILED:
        break;
    }
}

/* Reads `text` and writes it again into a sink, which is the caller's to close; what was wrong with it in `error`. */
static struct byte_sink *copy_text(struct slice text, size_t piece, struct error *error)
{
    struct error write_error = {0};
    struct byte_sink *sink = byte_sink_memory(&write_error);
    struct byte_source *source = byte_source_memory(text, piece, false, error);
    struct json_reader *r = json_reader_open(source, error);
    struct json_writer *w = json_writer_open(sink, 0, &write_error);
    copy_value(r, w);
    fuzz_check(json_finish(r) == error->code);
    fuzz_check(json_writer_close(w) == 0);
    json_reader_close(r);
    byte_source_close(source);
    return sink;
}

static void check_skipping(struct slice text, size_t piece, const struct error *expected)
{
    struct error error = {0};
    struct byte_source *source = byte_source_memory(text, piece, false, &error);
    struct json_reader *r = json_reader_open(source, &error);
    struct slice copy = json_capture(r);
    json_finish(r);
    fuzz_check(error.code == expected->code);
    fuzz_check(strcmp(error.message, expected->message) == 0);
    if (expected->code == 0) {
        fuzz_check(memmem(text.text, text.length, copy.text, copy.length));
    }
    memory_release((void *)(uintptr_t)copy.text);
    json_reader_close(r);
    byte_source_close(source);
}

/* Where keys may occur twice, what follows the second one is looked at, too, and may be wrong in another way. */
static void check_ignoring_keys(struct slice text, size_t piece, const struct error *expected)
{
    struct error error = {0};
    struct byte_source *source = byte_source_memory(text, piece, false, &error);
    struct json_reader *r = json_reader_open(source, &error);
    json_ignore_repeated_keys(r);
    json_skip(r);
    json_finish(r);
    if (!strstr(expected->message, "occurs twice")) {
        fuzz_check(error.code == expected->code);
        fuzz_check(strcmp(error.message, expected->message) == 0);
    }
    json_reader_close(r);
    byte_source_close(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    size_t piece = data[0];
    struct slice text = {(const char *)data + 1, size - 1};
    struct error error = {0}, cut_error = {0}, again_error = {0}, unused = {0};
    struct byte_sink *whole = copy_text(text, 0, &error);
    struct byte_sink *cut = copy_text(text, piece, &cut_error);
    fuzz_check(error.code == cut_error.code);
    fuzz_check(strcmp(error.message, cut_error.message) == 0);
    check_skipping(text, piece, &error);
    check_ignoring_keys(text, piece, &error);
    if (error.code == 0) {
        fuzz_check(slice_equal(byte_sink_memory_bytes(whole), byte_sink_memory_bytes(cut)));
        struct byte_sink *again = copy_text(byte_sink_memory_bytes(whole), piece, &again_error);
        fuzz_check(again_error.code == 0);
        fuzz_check(slice_equal(byte_sink_memory_bytes(whole), byte_sink_memory_bytes(again)));
        byte_sink_close(again, false, &unused);
    }
    byte_sink_close(whole, false, &unused);
    byte_sink_close(cut, false, &unused);
    return 0;
}
