#include "vectors.h"

#include "markers/derive.h"
#include "markers/jank.h"
#include "markers/marker_list.h"
#include "markers/payload.h"

#include <errno.h>
#include <stdio.h>

/* A derived marker as JSON in the form of the vectors; lives until the next call. */
static const char *describe(const struct marker_catalog *catalog, const struct marker *marker)
{
    static char text[4096];
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    struct json_writer *w = json_writer_open(sink, 0, &error);
    json_write_begin_object(w);
    json_write_key(w, "name");
    json_write_string(w, marker_text(&catalog->texts, marker->name));
    json_write_key(w, "start");
    json_write_number(w, marker->start);
    json_write_key(w, "end");
    json_write_number(w, marker->end);
    json_write_key(w, "data");
    if (marker->data)
        marker_payload_to_json(&catalog->texts, marker->data, w);
    else
        json_write_null(w);
    json_write_end_object(w);
    json_writer_close(w);
    struct slice written = byte_sink_memory_bytes(sink);
    snprintf(text, sizeof text, "%.*s", (int)written.length, written.text);
    byte_sink_close(sink, false, &error);
    return text;
}

/* Objects are equal whatever the order of their fields is. */
static bool same_value(const struct marker_catalog *catalog, const uint8_t *a, const uint8_t *b)
{
    struct value x = value_read(a), y = value_read(b);
    if (x.kind != y.kind)
        return false;
    double number, other;
    if (value_as_number(&x, &number) && value_as_number(&y, &other))
        return number == other;
    if (x.kind == VALUE_STRING)
        return slice_equal(marker_text(&catalog->texts, x.string), marker_text(&catalog->texts, y.string));
    if (x.kind != VALUE_OBJECT)
        return value_skip(a) - a == value_skip(b) - b && memcmp(a, b, (size_t)(value_skip(a) - a)) == 0;
    if (x.count != y.count)
        return false;
    const uint8_t *at = x.rest;
    for (uint32_t i = 0; i < x.count; i++, at = value_skip(at)) {
        const uint8_t *there = value_find(b, value_read_key(&at));
        if (!there || !same_value(catalog, at, there))
            return false;
    }
    return true;
}

static bool same_time(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_payload(const struct vectors *vectors, const struct marker_catalog *catalog, const struct marker_list *list,
                         const struct marker *marker, const uint8_t *expected)
{
    if (vector_is_null(expected) || !marker->data)
        return vector_is_null(expected) && !marker->data;
    const uint8_t *cause = vector_find(vectors, expected, "cause");
    struct marker_index cause_row = marker_cause_row(list, marker);
    if ((cause != NULL) != marker_exists(cause_row))
        return false;
    if (cause &&
        vector_number(vector_find(vectors, cause, "stack")) != (double)column_get(&list->raw->cause_stack, cause_row.i))
        return false;
    struct value_bytes without_cause = {0};
    vector_put_payload(vectors, expected, NULL, &without_cause);
    bool same = same_value(catalog, marker->data, without_cause.bytes.items);
    value_bytes_free(&without_cause);
    return same;
}

static bool same_rows(const struct marker *marker, const uint8_t *rows)
{
    size_t last = vector_count(rows) - 1;
    return vector_number(vector_item(rows, last)) == marker->row.i &&
           (last == 0 ? !marker_exists(marker->start_row) : vector_number(vector_item(rows, 0)) == marker->start_row.i);
}

static bool same_marker(const struct vectors *vectors, const struct marker_catalog *catalog, const struct marker_list *list,
                        const struct marker *marker, const uint8_t *expected)
{
    const uint8_t *incomplete = vector_find(vectors, expected, "incomplete");
    return slice_equal(marker_text(&catalog->texts, marker->name),
                       vector_text(vectors, vector_find(vectors, expected, "name"))) &&
           same_time(marker->start, vector_number(vector_find(vectors, expected, "start"))) &&
           same_time(marker->end, vector_number(vector_find(vectors, expected, "end"))) &&
           marker->category.i == vector_number(vector_find(vectors, expected, "category")) &&
           marker->incomplete == (incomplete && value_read(incomplete).kind == VALUE_TRUE) &&
           same_rows(marker, vector_find(vectors, expected, "rawIndexes")) &&
           same_payload(vectors, catalog, list, marker, vector_find(vectors, expected, "data"));
}

static void assert_derives(struct vectors *vectors, const uint8_t *vector)
{
    vector_add_thread(vectors, vector_find(vectors, vector, "rawMarkers"), vector_find(vectors, vector, "stringArray"));
    const uint8_t *span = vector_find(vectors, vector, "threadRange");
    struct time_span range = {vector_number(vector_find(vectors, span, "start")),
                              vector_number(vector_find(vectors, span, "end"))};
    struct error error = {0};
    struct marker_catalog catalog;
    assert_int_equal(marker_catalog_init(&catalog, &vectors->profile, &error), 0);
    struct marker_list list = {.raw = &vectors->profile.threads.items[0].markers};
    assert_true(markers_derive(&list, &catalog, thread_at(0), range));

    const uint8_t *expected = vector_find(vectors, vector, "expected");
    assert_int_equal(list.items.count, vector_count(expected));
    for (size_t i = 0; i < list.items.count; i++)
        if (!same_marker(vectors, &catalog, &list, &list.items.items[i], vector_item(expected, i)))
            fail_msg("%s: marker %zu is %s, not %s", vector_text(vectors, vector_find(vectors, vector, "name")).text, i,
                     describe(&catalog, &list.items.items[i]), vector_json(vectors, vector_item(expected, i)));

    struct marker unsorted[16];
    assert_true(list.items.count <= 16);
    memcpy(unsorted, list.items.items, list.items.count * sizeof *unsorted);
    assert_true(marker_list_sort(&list));
    const uint8_t *order = vector_find(vectors, vector, "sortedOrder");
    for (size_t i = 0; i < list.items.count; i++)
        assert_memory_equal(&list.items.items[i], &unsorted[(size_t)vector_number(vector_item(order, i))], sizeof *unsorted);
    marker_list_free(&list);
    marker_catalog_free(&catalog);
}

static void raw_markers_of_the_vectors_become_markers(void **state)
{
    (void)state;
    struct vectors vectors;
    vectors_open(&vectors);
    size_t count = 0;
    for (VECTOR_EACH(at, vector_top(&vectors, "derive"))) {
        assert_derives(&vectors, at);
        vectors_reset(&vectors);
        count++;
    }
    assert_int_equal(count, 28);
    vectors_close(&vectors);
}

static void event_delays_of_the_vectors_become_jank(void **state)
{
    (void)state;
    struct vectors vectors;
    vectors_open(&vectors);
    size_t count = 0;
    for (VECTOR_EACH(at, vector_top(&vectors, "jank"))) {
        struct thread *thread = profile_add_thread(&vectors.profile);
        for (VECTOR_EACH(time, vector_find(&vectors, at, "time"))) {
            column_append(&thread->samples.stack, COLUMN_ABSENT);
            column_append_number(&thread->samples.time, vector_number(time));
        }
        for (VECTOR_EACH(delay, vector_find(&vectors, at, "eventDelay")))
            column_append_number(&thread->samples.event_delay, vector_number(delay));
        struct error error = {0};
        struct marker_catalog catalog;
        struct marker_list list;
        assert_int_equal(marker_catalog_init(&catalog, &vectors.profile, &error), 0);
        assert_int_equal(marker_list_build(&list, &catalog, thread_at(0), &error), 0);
        const uint8_t *expected = vector_find(&vectors, at, "expected");
        assert_int_equal(list.items.count, vector_count(expected));
        for (size_t i = 0; i < list.items.count; i++) {
            const uint8_t *pair = vector_item(expected, i);
            assert_true(list.items.items[i].start == vector_number(vector_item(pair, 0)));
            assert_true(list.items.items[i].end == vector_number(vector_item(pair, 1)));
            assert_true(slice_is(marker_text(&catalog.texts, list.items.items[i].name), "Jank"));
        }
        marker_list_free(&list);
        marker_catalog_free(&catalog);
        vectors_reset(&vectors);
        count++;
    }
    assert_int_equal(count, 6);
    vectors_close(&vectors);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct vectors vectors;
    vectors_open(&vectors);
    for (VECTOR_EACH(at, vector_top(&vectors, "derive"))) {
        vector_add_thread(&vectors, vector_find(&vectors, at, "rawMarkers"), vector_find(&vectors, at, "stringArray"));
        vectors.profile.threads.items[0].tid_is_text = false;
        int status = -ENOMEM;
        for (unsigned long n = 1; status != 0; n++) {
            struct error error = {0};
            struct marker_catalog catalog;
            struct marker_list list = {0};
            memory_fail_after(n);
            status = marker_catalog_init(&catalog, &vectors.profile, &error);
            if (status == 0)
                status = marker_list_build(&list, &catalog, thread_at(0), &error);
            memory_fail_after(0);
            assert_true(status == 0 || status == -ENOMEM);
            assert_true(n < 1000);
            marker_list_free(&list);
            marker_catalog_free(&catalog);
        }
        vectors_reset(&vectors);
    }
    vectors_close(&vectors);
}

/* An object with the keys from `first` on and the values `value`. */
static void put_many_fields(struct value_bytes *out, uint32_t first, uint32_t count, int64_t value)
{
    value_put_object(out, count);
    for (uint32_t i = 0; i < count; i++) {
        value_put_key(out, string_at(first + i));
        value_put_integer(out, value);
    }
}

static void payloads_with_many_fields_are_joined_like_others(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    struct value_bytes start = {0}, end = {0}, scratch = {0};
    struct arena arena = {0};
    put_many_fields(&start, 0, COUNT, 1);
    put_many_fields(&end, COUNT / 2, COUNT, 2);
    const uint8_t *joined = payload_overlay(start.bytes.items, end.bytes.items, &scratch, &arena);
    assert_non_null(joined);
    struct value object = value_read(joined);
    assert_int_equal(object.count, COUNT + COUNT / 2);
    const uint8_t *at = object.rest;
    for (uint32_t i = 0; i < object.count; i++, at = value_skip(at)) {
        assert_int_equal(value_read_key(&at).i, i);
        assert_int_equal(value_read(at).integer, i < COUNT / 2 ? 1 : 2);
    }
    value_bytes_free(&start);
    value_bytes_free(&end);
    value_bytes_free(&scratch);
    arena_free(&arena);
}

static void add_raw_marker(struct vectors *vectors, const char *name, enum marker_phase phase, double start, double end)
{
    struct raw_marker marker = {
        .name = string_table_add(&vectors->profile.strings, slice_of(name)),
        .start = start,
        .end = end,
        .phase = phase,
        .category = category_at(0),
        .cause_stack = stack_none(),
        .cause_time = NAN,
        .cause_tid = STRING_NONE,
        .thread_id = STRING_NONE,
    };
    marker_table_append(&vectors->profile.threads.items[0].markers, &marker);
}

static void times_that_are_missing_are_those_of_the_range(void **state)
{
    (void)state;
    struct vectors vectors = {0};
    profile_init(&vectors.profile);
    profile_add_thread(&vectors.profile);
    add_raw_marker(&vectors, "A", MARKER_INSTANT, NAN, NAN);
    add_raw_marker(&vectors, "B", MARKER_INTERVAL, NAN, NAN);
    add_raw_marker(&vectors, "C", MARKER_END, NAN, NAN);
    add_raw_marker(&vectors, "D", MARKER_START, NAN, NAN);
    struct error error = {0};
    struct marker_catalog catalog;
    assert_int_equal(marker_catalog_init(&catalog, &vectors.profile, &error), 0);
    struct marker_list list = {.raw = &vectors.profile.threads.items[0].markers};
    assert_true(markers_derive(&list, &catalog, thread_at(0), (struct time_span){10, 20}));
    assert_int_equal(list.items.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(list.items.items[i].start == 10);
        assert_true(i == 0 ? isnan(list.items.items[i].end) : list.items.items[i].end == 20);
        assert_true(list.items.items[i].incomplete);
    }
    marker_list_free(&list);
    marker_catalog_free(&catalog);
    vectors_close(&vectors);
}

static void many_markers_are_sorted_by_start_and_stay_in_order_otherwise(void **state)
{
    (void)state;
    enum { COUNT = 10007 };
    struct marker_list list = {0};
    for (uint32_t i = 0; i < COUNT; i++)
        assert_true(vec_push(&list.items, ((struct marker){.start = (double)(i * 7919u % 1009u), .row = {i}})));
    assert_true(marker_list_sort(&list));
    for (uint32_t i = 1; i < COUNT; i++) {
        const struct marker *before = &list.items.items[i - 1], *marker = &list.items.items[i];
        assert_true(before->start < marker->start || (before->start == marker->start && before->row.i < marker->row.i));
    }
    marker_list_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_markers_of_the_vectors_become_markers),
        cmocka_unit_test(event_delays_of_the_vectors_become_jank),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(payloads_with_many_fields_are_joined_like_others),
        cmocka_unit_test(times_that_are_missing_are_those_of_the_range),
        cmocka_unit_test(many_markers_are_sorted_by_start_and_stay_in_order_otherwise),
    };
    return cmocka_run_group_tests_name("markers/derive", tests, NULL, NULL);
}
