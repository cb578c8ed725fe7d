#include "trace/event_arguments.h"

#include "common/json_reader.h"

#include <sys/param.h>

/* ---- all arguments of a thread as one JSON array, so that one reader serves for all: [{…},{…},null] ---- */

struct arguments_source {
    struct byte_source base;
    const struct trace *trace;
    const struct trace_thread *thread;
    size_t next;       /* event */
    struct slice left; /* what comes next */
    bool comma;        /* and after it */
};

static bool has_arguments(const struct trace *trace, const struct trace_event *event)
{
    return event->arguments < trace->arguments.count;
}

/* False at the end. */
static bool find_left(struct arguments_source *source)
{
    if (source->comma) {
        source->comma = false;
        source->left = SLICE(",");
        return true;
    }
    const struct trace_thread *thread = source->thread;
    while (source->next < thread->events.count && !has_arguments(source->trace, &thread->events.items[source->next]))
        source->next++;
    if (source->next < thread->events.count) {
        source->left = source->trace->arguments.items[thread->events.items[source->next].arguments];
        source->comma = true;
    } else if (source->next == thread->events.count) {
        source->left = SLICE("null]");
    }
    return source->next++ <= thread->events.count;
}

static ssize_t source_read(struct byte_source *base, char *buffer, size_t capacity, struct error *error)
{
    (void)error;
    struct arguments_source *source = (struct arguments_source *)base;
    size_t used = 0;
    while (used < capacity && (source->left.length > 0 || find_left(source))) {
        size_t length = MIN(source->left.length, capacity - used);
        memcpy(buffer + used, source->left.text, length);
        source->left = slice_from(source->left, length);
        used += length;
    }
    return (ssize_t)used;
}

/* ---- reading them ---- */

struct arguments_reader {
    struct json_reader *r;
    struct string_table *texts;
    struct event_arguments *out;
    struct string_index style_sheet, stack, begin_url; /* other places that tell a URL */
};

/* A text that is not empty; passes over everything else. */
static void read_text(struct arguments_reader *reader, struct string_index *out)
{
    if (json_peek(reader->r) != JSON_STRING) {
        json_skip(reader->r);
        return;
    }
    struct slice text = json_string(reader->r);
    if (text.length == 0)
        return;
    *out = string_table_add(reader->texts, text);
    if (!string_exists(*out))
        json_fail_out_of_memory(reader->r);
}

/* The URL of the innermost frame. */
static void read_stack(struct arguments_reader *reader)
{
    struct json_reader *r = reader->r;
    if (json_peek(r) != JSON_ARRAY) {
        json_skip(r);
        return;
    }
    json_begin_array(r);
    for (bool first = true; json_next_item(r); first = false) {
        if (!first || json_peek(r) != JSON_OBJECT) {
            json_skip(r);
            continue;
        }
        json_begin_object(r);
        for (struct slice key; json_next_key(r, &key);)
            if (slice_is(key, "url"))
                read_text(reader, &reader->stack);
            else
                json_skip(r);
    }
}

static void read_data(struct arguments_reader *reader)
{
    struct json_reader *r = reader->r;
    reader->out->has_data = json_peek(r) != JSON_NULL;
    if (json_peek(r) != JSON_OBJECT) {
        json_skip(r);
        return;
    }
    json_begin_object(r);
    for (struct slice key; json_next_key(r, &key);)
        if (slice_is(key, "frame")) {
            struct string_index frame = STRING_NONE;
            read_text(reader, &frame);
            if (!string_exists(reader->out->frame))
                reader->out->frame = frame;
        } else if (slice_is(key, "url")) {
            read_text(reader, &reader->out->url);
        } else if (slice_is(key, "name")) {
            read_text(reader, &reader->out->name);
        } else if (slice_is(key, "requestId")) {
            read_text(reader, &reader->out->request);
        } else if (slice_is(key, "styleSheetUrl") || slice_is(key, "stylesheetUrl")) {
            read_text(reader, &reader->style_sheet);
        } else if (slice_is(key, "stackTrace")) {
            read_stack(reader);
        } else {
            json_skip(r);
        }
}

static void read_begin_data(struct arguments_reader *reader)
{
    struct json_reader *r = reader->r;
    if (json_peek(r) != JSON_OBJECT) {
        json_skip(r);
        return;
    }
    json_begin_object(r);
    for (struct slice key; json_next_key(r, &key);)
        if (slice_is(key, "frame"))
            read_text(reader, &reader->out->frame); /* this one counts, whatever `data` says */
        else if (slice_is(key, "url"))
            read_text(reader, &reader->begin_url);
        else
            json_skip(r);
}

static void read_event(struct arguments_reader *reader, struct slice event_name)
{
    struct json_reader *r = reader->r;
    if (json_peek(r) != JSON_OBJECT) {
        json_skip(r);
        return;
    }
    reader->style_sheet = reader->stack = reader->begin_url = STRING_NONE;
    json_begin_object(r);
    for (struct slice key; json_next_key(r, &key);)
        if (slice_is(key, "data"))
            read_data(reader);
        else if (slice_is(key, "beginData"))
            read_begin_data(reader);
        else
            json_skip(r);
    struct string_index *url = &reader->out->url;
    if (slice_is(event_name, "ParseAuthorStyleSheet"))
        *url = reader->style_sheet;
    else if (string_exists(reader->stack))
        *url = reader->stack;
    else if (slice_is(event_name, "ParseHTML"))
        *url = reader->begin_url;
}

int event_arguments_read(const struct trace *trace, const struct trace_thread *thread, struct string_table *texts,
                         struct event_arguments *out, struct error *error)
{
    struct arguments_source source = {.base.read = source_read, .trace = trace, .thread = thread, .left = SLICE("[")};
    struct arguments_reader reader = {.r = json_reader_open(&source.base, error), .texts = texts};
    if (!reader.r)
        return error->code;
    json_allow_repeated_keys(reader.r, true);
    json_begin_array(reader.r);
    for (size_t i = 0; i < thread->events.count; i++) {
        const struct trace_event *event = &thread->events.items[i];
        out[i] = (struct event_arguments){STRING_NONE, STRING_NONE, STRING_NONE, STRING_NONE, false};
        reader.out = &out[i];
        if (has_arguments(trace, event) && json_next_item(reader.r))
            read_event(&reader, string_table_get(&trace->strings, event->name));
    }
    int failed = json_ok(reader.r) ? 0 : error->code;
    json_reader_close(reader.r);
    return failed;
}
