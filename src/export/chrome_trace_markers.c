/* Markers in a Chrome trace.
 *
 *     [A ·············]                 A   X
 *        [B ····]                       B   X
 *              [C ······]               C   b … e: it overlaps A, and events of a thread must lie within each other
 *      |D                               D   I
 *     [E ······]                        E   b … e, and n for a moment, where it has the id of such events in a trace
 *
 * The payload is under `args.data`, where readers of traces look for it, and the stack that a marker came from under
 * `args.stackTrace`, innermost first. What importing a trace did to the arguments of events (import/trace_payload.h) is undone:
 * DevTools wants those of its own events as they were. */
#include "export/chrome_trace_writer.h"
#include "markers/marker_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct ordered_marker {
    double start, end; /* ms */
    uint32_t row;
};

struct marker_writer {
    struct chrome_writer *out;
    struct chrome_ids ids;
    const struct marker_list *list;
    VEC(struct ordered_marker) order;
    VEC(double) open; /* ends of the X events that the next one may lie in */
    bool of_trace;    /* what was an X event there is one again, wherever it lies */
};

/* What contains others comes before them. */
static int compare_markers(const void *a, const void *b)
{
    const struct ordered_marker *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static void write_stack(struct chrome_writer *out, struct stack_index stack)
{
    const struct profile *profile = out->profile;
    json_write_key(out->w, "stackTrace");
    json_write_begin_array(out->w);
    for (; stack_exists(stack); stack = stack_prefix(&profile->stacks, stack)) {
        json_write_begin_object(out->w);
        chrome_write_func(out, frame_func(&profile->frames, stack_frame(&profile->stacks, stack)));
        json_write_end_object(out->w);
    }
    json_write_end_array(out->w);
}

/* ---- payloads ---- */

/* More than this nobody has, and to sort them takes time by the square of it. */
enum { MOST_DOTTED_KEYS = 64 };

struct payload_writer {
    struct chrome_writer *out;
    struct value object;
    bool skips_type; /* it says nothing but the name of the marker */
    bool is_dotted;  /* `beginData.frame` stands for an object `beginData` */
};

/* `Network` and its like are the types of other payloads, so that an imported event has a type that is longer. */
static bool is_type_of_name(struct slice type, struct slice name)
{
    return slice_equal(type, name) ||
           (slice_starts_with(type, name) && slice_equal(slice_from(type, name.length), SLICE(" event")));
}

static struct slice original_key(const struct payload_writer *payload, struct slice key)
{
    if (!payload->skips_type)
        return key;
    return slice_is(key, "type2") ? SLICE("type") : slice_is(key, "cause2") ? SLICE("cause") : key;
}

/* What stands before the dot; empty where there is none, and where that is written for other reasons. */
static struct slice outer_key(const struct payload_writer *payload, struct slice key)
{
    const char *dot = payload->is_dotted ? memchr(key.text, '.', key.length) : NULL;
    struct slice outer = slice_until(key, dot ? (size_t)(dot - key.text) : 0);
    return slice_is(outer, "data") || slice_is(outer, "stackTrace") ? SLICE("") : outer;
}

/* The members within `outer`, in an object of that name; those within none are in `data`. */
static void write_members(struct payload_writer *payload, struct slice outer)
{
    struct chrome_writer *out = payload->out;
    const struct marker_catalog *catalog = &out->catalog;
    const uint8_t *at = payload->object.rest;
    json_write_key_slice(out->w, outer.length > 0 ? outer : SLICE("data"));
    json_write_begin_object(out->w);
    for (uint32_t i = 0; i < payload->object.count; i++, at = value_skip(at)) {
        struct slice key = marker_text(&catalog->texts, value_read_key(&at));
        if (!slice_equal(outer_key(payload, key), outer) ||
            (payload->skips_type && (slice_is(key, "type") || slice_is(key, "asyncId"))))
            continue;
        json_write_key_slice(out->w, original_key(payload, outer.length > 0 ? slice_from(key, outer.length + 1) : key));
        value_to_json_extended(at, &out->profile->strings, &catalog->texts.added, out->w);
    }
    json_write_end_object(out->w);
}

/* Whether one of the first `count` members is within `outer`, too. */
static bool has_before(const struct payload_writer *payload, struct slice outer, uint32_t count)
{
    const uint8_t *at = payload->object.rest;
    for (uint32_t i = 0; i < count; i++, at = value_skip(at))
        if (slice_equal(outer_key(payload, marker_text(&payload->out->catalog.texts, value_read_key(&at))), outer))
            return true;
    return false;
}

/* Whether it is the payload of an event of a trace. */
static bool is_of_event(const struct chrome_writer *out, const struct marker *marker)
{
    struct slice type = marker_text(&out->catalog.texts, marker_payload_type(&out->catalog.texts, marker->data));
    return type.length > 0 && is_type_of_name(type, marker_text(&out->catalog.texts, marker->name));
}

/* By which the events of a trace belonged together that it was made of; empty where it was one event. */
static struct slice async_id_of(const struct chrome_writer *out, const struct marker *marker)
{
    if (!marker->data || !is_of_event(out, marker))
        return SLICE("");
    struct value object = value_read(marker->data);
    const uint8_t *at = object.rest;
    for (uint32_t i = 0; i < object.count; i++, at = value_skip(at))
        if (slice_is(marker_text(&out->catalog.texts, value_read_key(&at)), "asyncId") && value_read(at).kind == VALUE_STRING)
            return marker_text(&out->catalog.texts, value_read(at).string);
    return SLICE("");
}

static void write_payload(struct chrome_writer *out, const struct marker *marker)
{
    struct payload_writer payload = {.out = out, .object = value_read(marker->data)};
    payload.skips_type = is_of_event(out, marker);
    payload.is_dotted = payload.skips_type && payload.object.count <= MOST_DOTTED_KEYS;
    write_members(&payload, SLICE(""));
    const uint8_t *at = payload.object.rest;
    for (uint32_t i = 0; i < payload.object.count; i++, at = value_skip(at)) {
        struct slice outer = outer_key(&payload, marker_text(&out->catalog.texts, value_read_key(&at)));
        if (outer.length > 0 && !has_before(&payload, outer, i))
            write_members(&payload, outer);
    }
}

static void write_arguments(struct marker_writer *writer, const struct marker *marker)
{
    struct chrome_writer *out = writer->out;
    struct marker_index cause = marker_cause_row(writer->list, marker);
    json_write_key(out->w, "args");
    json_write_begin_object(out->w);
    if (marker->data)
        write_payload(out, marker);
    if (marker_exists(cause))
        write_stack(out, marker_table_get(writer->list->raw, cause).cause_stack);
    json_write_end_object(out->w);
}

static void begin_marker(struct marker_writer *writer, const struct marker *marker, char phase, double time)
{
    const struct profile *profile = writer->out->profile;
    struct slice category = category_exists(marker->category)
                                ? profile_text(profile, profile->categories.rows.items[marker->category.i].name)
                                : SLICE("");
    chrome_begin_event(writer->out, phase, marker_text(&writer->out->catalog.texts, marker->name), category, writer->ids, time);
}

static void write_id(struct chrome_writer *out, struct slice id)
{
    json_write_key(out->w, "id");
    json_write_string(out->w, id);
}

static void write_pair(struct marker_writer *writer, const struct marker *marker, struct slice id)
{
    struct chrome_writer *out = writer->out;
    begin_marker(writer, marker, 'b', marker->start);
    write_id(out, id);
    write_arguments(writer, marker);
    json_write_end_object(out->w);
    begin_marker(writer, marker, 'e', marker->end);
    write_id(out, id);
    json_write_end_object(out->w);
}

static void write_moment(struct marker_writer *writer, const struct marker *marker, struct slice id)
{
    struct json_writer *w = writer->out->w;
    begin_marker(writer, marker, id.length > 0 ? 'n' : 'I', marker->start);
    if (id.length > 0) {
        write_id(writer->out, id);
    } else {
        json_write_key(w, "s");
        json_write_text(w, "t");
    }
    write_arguments(writer, marker);
    json_write_end_object(w);
}

/* Of a trace: what began and never ended there, or ended without a beginning, is that again. */
static bool write_unfinished(struct marker_writer *writer, const struct marker *marker, struct slice id)
{
    if (!writer->of_trace || !marker->incomplete || !marker_exists(marker->row))
        return false;
    enum marker_phase phase = marker_table_get(writer->list->raw, marker->row).phase;
    bool begins = phase == MARKER_START;
    if (!begins && phase != MARKER_END)
        return false;
    begin_marker(writer, marker, begins ? (id.length > 0 ? 'b' : 'B') : (id.length > 0 ? 'e' : 'E'),
                 begins ? marker->start : marker->end);
    if (id.length > 0)
        write_id(writer->out, id);
    write_arguments(writer, marker);
    json_write_end_object(writer->out->w);
    return true;
}

static bool write_interval(struct marker_writer *writer, const struct marker *marker, double end)
{
    struct json_writer *w = writer->out->w;
    while (writer->open.count > 0 && writer->open.items[writer->open.count - 1] <= marker->start)
        writer->open.count--;
    if (writer->open.count > 0 && writer->open.items[writer->open.count - 1] < end && !writer->of_trace) {
        char id[40];
        snprintf(id, sizeof id, "sonde:%" PRIu64, ++writer->out->async_count);
        write_pair(writer, marker, slice_of(id));
        return true;
    }
    begin_marker(writer, marker, 'X', marker->start);
    json_write_key(w, "dur");
    chrome_write_duration(writer->out, marker->start, end);
    write_arguments(writer, marker);
    json_write_end_object(w);
    return vec_push(&writer->open, end);
}

/* Markers without a time have no place in a trace. */
static bool order_markers(struct marker_writer *writer)
{
    writer->order.count = writer->open.count = 0;
    for (size_t i = 0; i < writer->list->items.count; i++) {
        const struct marker *marker = &writer->list->items.items[i];
        double end = marker_has_end(marker) && marker->end > marker->start ? marker->end : marker->start;
        struct ordered_marker ordered = {marker->start, end, (uint32_t)i};
        if (isfinite(marker->start) && isfinite(end) && !vec_push(&writer->order, ordered))
            return false;
    }
    if (writer->order.count > 0)
        qsort(writer->order.items, writer->order.count, sizeof *writer->order.items, compare_markers);
    return true;
}

static bool write_thread(struct marker_writer *writer)
{
    if (!order_markers(writer))
        return false;
    for (size_t i = 0; i < writer->order.count && json_writer_ok(writer->out->w); i++) {
        const struct marker *marker = &writer->list->items.items[writer->order.items[i].row];
        struct slice id = async_id_of(writer->out, marker);
        if (write_unfinished(writer, marker, id))
            continue;
        if (!marker_has_end(marker))
            write_moment(writer, marker, id);
        else if (id.length > 0)
            write_pair(writer, marker, id);
        else if (!write_interval(writer, marker, writer->order.items[i].end))
            return false;
    }
    return true;
}

bool chrome_write_markers(struct chrome_writer *out)
{
    struct string_index product = out->profile->meta.product;
    struct marker_writer writer = {
        .out = out,
        .of_trace = string_exists(product) && slice_is(profile_text(out->profile, product), "Chrome Trace"),
    };
    bool ok = true;
    for (size_t i = 0; ok && i < out->profile->threads.count; i++) {
        struct marker_list list;
        ok = marker_list_collect(&list, &out->catalog, thread_at(i), false, out->error) == 0;
        writer.list = &list;
        writer.ids = out->ids[i];
        ok = ok && write_thread(&writer);
        marker_list_free(&list);
    }
    vec_free(&writer.order);
    vec_free(&writer.open);
    return ok;
}
