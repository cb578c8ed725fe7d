#include "api/request_read.h"

#include "api/request_ask.h"

#include <errno.h>
#include <math.h>

/* ---- the state ---- */

static void read_threads(struct fields *fields, struct view_state *state)
{
    state->has_threads = true;
    if (json_peek(fields->reader) != JSON_ARRAY) {
        fields_fail(fields, "an array of threads is wanted");
        return;
    }
    json_begin_array(fields->reader);
    while (json_next_item(fields->reader)) {
        int64_t thread = fields_item(fields, 0, UINT32_MAX - 1);
        if (!vec_push(&state->threads, thread_at((size_t)thread)))
            fields_out_of_memory(fields);
    }
}

static void read_transforms(struct fields *fields, struct view_state *state)
{
    if (json_peek(fields->reader) != JSON_ARRAY) {
        fields_fail(fields, "an array of texts is wanted");
        return;
    }
    json_begin_array(fields->reader);
    while (json_next_item(fields->reader)) {
        struct slice text = fields_text(fields, REQUEST_MAX_BYTES);
        if (state->transforms.count == REQUEST_MAX_TRANSFORMS)
            fields_fail(fields, "these are too many transforms");
        else if (!vec_push(&state->transforms, text))
            fields_out_of_memory(fields);
    }
}

static void read_state(struct fields *fields, struct request *request)
{
    static const char *const implementations[] = {"combined", "js", "cpp", NULL};
    struct view_state *state = &request->state;
    if (json_peek(fields->reader) != JSON_OBJECT) {
        fields_fail(fields, "an object is wanted");
        return;
    }
    text_copy(fields->object, sizeof fields->object, "state");
    json_begin_object(fields->reader);
    for (struct slice key; fields_next(fields, &key);) {
        if (slice_is(key, "generation")) {
            request->has_generation = true;
            request->generation = fields_count(fields, 0, UINT32_MAX);
        } else if (slice_is(key, "threads")) {
            read_threads(fields, state);
        } else if (slice_is(key, "range")) {
            fields_range(fields, &state->range);
        } else if (slice_is(key, "preview")) {
            fields_range(fields, &state->preview);
        } else if (slice_is(key, "transforms")) {
            read_transforms(fields, state);
        } else if (slice_is(key, "implementation")) {
            state->implementation = (enum implementation)fields_choice(fields, implementations);
        } else if (slice_is(key, "search")) {
            state->search = fields_search(fields, REQUEST_MAX_TEXT);
        } else if (slice_is(key, "marker_search")) {
            state->marker_search = fields_text(fields, REQUEST_MAX_TEXT);
        } else if (slice_is(key, "inverted")) {
            state->inverted = fields_boolean(fields);
        } else if (slice_is(key, "idle")) {
            state->exclude_idle = !fields_boolean(fields);
        } else if (slice_is(key, "strategy")) {
            state->strategy = (enum strategy)fields_choice(fields, strategy_names);
        } else {
            fields_fail(fields, "a state has no such field");
        }
    }
    fields->object[0] = '\0';
}

/* ---- the whole ---- */

static void read_have(struct fields *fields, struct request *request)
{
    if (json_peek(fields->reader) != JSON_ARRAY) {
        fields_fail(fields, "an array of ids is wanted");
        return;
    }
    json_begin_array(fields->reader);
    while (json_next_item(fields->reader)) {
        uint32_t id = (uint32_t)fields_item(fields, 0, UINT32_MAX - 1);
        if (!vec_push(&request->have, id))
            fields_out_of_memory(fields);
    }
}

static void check_given(struct fields *fields, bool given, const char *key)
{
    text_copy(fields->key, sizeof fields->key, key);
    if (!given)
        fields_fail(fields, "it is missing");
}

static void read_whole(struct fields *fields, struct request *request)
{
    bool has_version = false, has_asks = false;
    if (json_peek(fields->reader) != JSON_OBJECT) {
        fields_fail(fields, "a request is an object");
        return;
    }
    json_begin_object(fields->reader);
    for (struct slice key; fields_next(fields, &key);) {
        if (slice_is(key, "v")) {
            has_version = true;
            if (fields_count(fields, 0, UINT32_MAX) != 1)
                fields_fail(fields, "only version 1 is spoken here");
        } else if (slice_is(key, "seq")) {
            request->seq = (double)fields_item(fields, 0, INT64_C(1) << 53);
            request->has_seq = true;
        } else if (slice_is(key, "lane")) {
            request->lane = fields_text(fields, REQUEST_MAX_LANE);
        } else if (slice_is(key, "state")) {
            read_state(fields, request);
        } else if (slice_is(key, "asks")) {
            has_asks = true;
            request_read_asks(fields, request);
        } else if (slice_is(key, "have")) {
            read_have(fields, request);
        } else {
            fields_fail(fields, "a request has no such field");
        }
    }
    check_given(fields, has_version, "v");
    check_given(fields, has_asks, "asks");
}

/* The text of a request as a source, all of it at once. */
struct text_source {
    struct byte_source base;
    struct slice rest;
};

static ssize_t text_source_read(struct byte_source *source, char *buffer, size_t capacity, struct error *error)
{
    (void)error;
    struct text_source *text = (struct text_source *)source;
    size_t count = text->rest.length < capacity ? text->rest.length : capacity;
    if (count > 0)
        memcpy(buffer, text->rest.text, count);
    text->rest = slice_from(text->rest, count);
    return (ssize_t)count;
}

int request_read(struct slice text, struct request *request, struct fault *fault)
{
    *request = (struct request){
        .state = {.range = {NAN, NAN}, .preview = {NAN, NAN}, .search = SLICE(""), .marker_search = SLICE("")},
    };
    if (text.length > REQUEST_MAX_BYTES)
        return fault_set(fault, "invalid", "", "a request is at most %d bytes long, this one is %zu", REQUEST_MAX_BYTES,
                         text.length);
    struct error error = {0};
    struct text_source source = {{text_source_read, NULL}, text};
    struct json_reader *reader = json_reader_open(&source.base, &error);
    if (!reader)
        return error.code;
    struct fields fields = {.reader = reader, .arena = &request->arena, .fault = fault};
    read_whole(&fields, request);
    int status = json_finish(reader);
    json_reader_close(reader);
    if (status != 0 && error.code != -ENOMEM && !fault->code)
        fault_set(fault, "invalid", "", "the request is not JSON: %s", error.message);
    return error.code == -ENOMEM ? -ENOMEM : fault->code ? -EINVAL : 0;
}
