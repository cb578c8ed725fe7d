/* Addresses of the Firefox Profiler, CPU percents, and paths under another implementation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vector.h"

#include "tree/cpu.h"
#include "tree/transform_text.h"
#include "tree/transform_url.h"

#include <math.h>
#include <stdlib.h>

static struct json_document document;

/* The items of one list of the file. */
static const uint8_t *list(const char *key, uint32_t *count)
{
    return json_items(json_get(&document, json_root(&document), key), count);
}

static struct slice text_of(const uint8_t *object, const char *key)
{
    return json_text(&document, json_get(&document, object, key));
}

static void assert_text(struct text_buffer *actual, struct slice expected)
{
    assert_false(actual->failed);
    assert_true(slice_equal(text_slice(actual), expected));
    text_free(actual);
}

static void read_numbers(const uint8_t *numbers, struct path *path)
{
    uint32_t count;
    path->funcs.count = 0;
    for (const uint8_t *number = json_items(numbers, &count); count > 0; count--, number = value_skip(number))
        assert_true(path_push(path, json_u32(number)));
}

static void assert_path(const struct path *actual, const uint8_t *expected)
{
    struct path numbers = {0};
    read_numbers(expected, &numbers);
    assert_int_equal(actual->funcs.count, numbers.funcs.count);
    for (size_t i = 0; i < numbers.funcs.count; i++)
        assert_int_equal(actual->funcs.items[i], numbers.funcs.items[i]);
    path_free(&numbers);
}

static void lists_of_funcs_are_written_and_read_as_in_addresses(void **state)
{
    (void)state;
    uint32_t count;
    for (const uint8_t *item = list("uintArrays", &count); count > 0; count--, item = value_skip(item)) {
        struct path path = {0};
        struct text_buffer text = {0};
        read_numbers(json_get(&document, item, "array"), &path);
        func_list_text_encode(&path, &text);
        assert_text(&text, text_of(item, "encoded"));
        assert_true(func_list_text_decode(text_of(item, "encoded"), &path));
        assert_path(&path, json_get(&document, item, "decoded"));
        path_free(&path);
    }
}

static void a_short_text_cannot_stand_for_more_funcs_than_memory_has_room_for(void **state)
{
    (void)state;
    struct path path = {0};
    assert_false(func_list_text_decode(SLICE("0wx_____v"), &path));
    path_free(&path);
}

static void from_the_largest_number_no_run_goes_on_to_zero(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {UINT32_MAX - 1, UINT32_MAX, 0, 1, 0, UINT32_MAX, UINT32_MAX - 1};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    struct path path = {0}, again = {0};
    struct text_buffer text = {0};
    for (size_t i = 0; i < NUMBERS; i++)
        assert_true(path_push(&path, numbers[i]));
    func_list_text_encode(&path, &text);
    assert_true(func_list_text_decode(text_slice(&text), &again));
    assert_int_equal(again.funcs.count, NUMBERS);
    for (size_t i = 0; i < NUMBERS; i++)
        assert_int_equal(again.funcs.items[i], numbers[i]);
    path_free(&path);
    path_free(&again);
    text_free(&text);
}

/* ---- transforms ---- */

static enum transform_type type_of(const uint8_t *json)
{
    for (enum transform_type type = 0; type < TRANSFORM_TYPES; type++)
        if (slice_equal(text_of(json, "type"), slice_of(transform_name(type))))
            return type;
    fail();
    return TRANSFORM_TYPES;
}

/* A transform with indices instead of names. */
static struct transform transform_of(const uint8_t *json)
{
    struct transform transform = {.type = type_of(json), .func = INDEX_NONE, .resource = INDEX_NONE, .category = INDEX_NONE};
    const uint8_t *path = json_find(&document, json, "callNodePath"), *func = json_find(&document, json, "funcIndex"),
                  *resource = json_find(&document, json, "resourceIndex"),
                  *collapsed = json_find(&document, json, "collapsedFuncIndex"),
                  *category = json_find(&document, json, "category"), *filter = json_find(&document, json, "filter"),
                  *implementation = json_find(&document, json, "implementation"),
                  *inverted = json_find(&document, json, "inverted");
    if (path)
        read_numbers(path, &transform.path);
    if (func)
        transform.func = json_u32(func);
    if (resource)
        transform.resource = json_u32(resource);
    if (collapsed)
        transform.func = json_u32(collapsed);
    if (category)
        transform.category = json_u32(category);
    if (implementation)
        assert_true(implementation_parse(json_text(&document, implementation), &transform.implementation));
    transform.inverted = inverted && json_is_true(inverted);
    if (filter) {
        assert_true(slice_is(text_of(json, "filterType"), "marker-search"));
        struct slice text = json_text(&document, filter);
        transform.text = memory_zeroed(text.length + 1, 1);
        assert_non_null(transform.text);
        memcpy(transform.text, text.text, text.length);
    }
    return transform;
}

static void read_transforms(const uint8_t *json, struct transform_list *transforms)
{
    uint32_t count;
    for (const uint8_t *item = json_items(json, &count); count > 0; count--, item = value_skip(item))
        assert_true(vec_push(&transforms->items, transform_of(item)));
}

static void assert_transforms(const struct transform_list *actual, const uint8_t *expected)
{
    struct transform_list transforms = {0};
    read_transforms(expected, &transforms);
    assert_int_equal(actual->items.count, transforms.items.count);
    for (size_t i = 0; i < transforms.items.count; i++) {
        const struct transform *a = &actual->items.items[i], *b = &transforms.items.items[i];
        assert_int_equal(a->type, b->type);
        assert_int_equal(a->implementation, b->implementation);
        assert_int_equal(a->inverted, b->inverted);
        assert_int_equal(a->func, b->func);
        assert_int_equal(a->resource, b->resource);
        assert_int_equal(a->category, b->category);
        assert_string_equal(a->text ? a->text : "", b->text ? b->text : "");
        assert_int_equal(a->path.funcs.count, b->path.funcs.count);
        for (size_t k = 0; k < a->path.funcs.count; k++)
            assert_int_equal(a->path.funcs.items[k], b->path.funcs.items[k]);
    }
    transform_list_free(&transforms);
}

static void transforms_are_written_and_read_as_in_addresses(void **state)
{
    (void)state;
    uint32_t count;
    for (const uint8_t *item = list("transforms", &count); count > 0; count--, item = value_skip(item)) {
        struct error error = {0};
        struct transform_list transforms = {0}, decoded = {0};
        struct text_buffer text = {0};
        read_transforms(json_get(&document, item, "transforms"), &transforms);
        transforms_encode(transforms.items.items, transforms.items.count, &text);
        assert_text(&text, text_of(item, "url"));
        assert_int_equal(transforms_decode(text_of(item, "url"), &decoded, &error), 0);
        assert_transforms(&decoded, json_get(&document, item, "parsedBack"));
        transform_list_free(&transforms);
        transform_list_free(&decoded);
    }
}

static void what_is_no_transform_in_an_address_is_left_out(void **state)
{
    (void)state;
    uint32_t count;
    for (const uint8_t *item = list("parseTransforms", &count); count > 0; count--, item = value_skip(item)) {
        struct error error = {0};
        struct transform_list decoded = {0};
        assert_int_equal(transforms_decode(text_of(item, "url"), &decoded, &error), 0);
        assert_transforms(&decoded, json_get(&document, item, "expected"));
        transform_list_free(&decoded);
    }
}

static void an_unknown_kind_of_sample_filter_is_an_error(void **state)
{
    (void)state;
    struct error error = {0};
    struct transform_list decoded = {0};
    assert_true(transforms_decode(SLICE("mf-1~fs-zz-x"), &decoded, &error) < 0);
    assert_string_not_equal(error.message, "");
    transform_list_free(&decoded);
}

/* ---- ranges ---- */

static void ranges_are_written_and_read_as_in_addresses(void **state)
{
    (void)state;
    uint32_t count;
    for (const uint8_t *item = list("ranges", &count); count > 0; count--, item = value_skip(item)) {
        uint32_t range_count;
        struct text_buffer text = {0};
        const uint8_t *range = json_items(json_get(&document, item, "ranges"), &range_count),
                      *back = json_items(json_get(&document, item, "parsedBack"), &range_count);
        for (; range_count > 0; range_count--, range = value_skip(range), back = value_skip(back)) {
            if (text.bytes.count > 0)
                text_add_char(&text, '~');
            size_t start = text.bytes.count;
            struct time_range decoded,
                times = {json_double(json_get(&document, range, "start")), json_double(json_get(&document, range, "end"))};
            range_encode(&times, &text);
            assert_true(range_decode(slice_from(text_slice(&text), start), &decoded));
            assert_float_equal(decoded.start, json_double(json_get(&document, back, "start")), 1e-9);
            assert_float_equal(decoded.end, json_double(json_get(&document, back, "end")), 1e-9);
        }
        assert_text(&text, text_of(item, "url"));
    }
}

static void a_range_of_no_duration_is_made_a_little_longer(void **state)
{
    (void)state;
    struct time_range range;
    assert_true(range_decode(SLICE("5m0"), &range));
    assert_float_equal(range.end, 5.0001, 1e-9);
}

static void what_is_no_range_is_none(void **state)
{
    (void)state;
    struct time_range range;
    static const char *const texts[] = {"", "5", "m", "5m", "5x3", "5m3x", "-m"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(range_decode(slice_of(texts[i]), &range));
}

/* ---- the rest ---- */

static void cpu_percents_are_those_of_the_firefox_profiler(void **state)
{
    (void)state;
    uint32_t count;
    for (const uint8_t *item = list("cpuPercent", &count); count > 0; count--, item = value_skip(item)) {
        uint32_t rows;
        double deltas[16], times[16], time = 0;
        uint8_t percents[17];
        const uint8_t *delta = json_items(json_get(&document, item, "threadCPUDelta"), &rows),
                      *elapsed = json_items(json_get(&document, item, "timeDeltas"), &rows);
        for (uint32_t i = 0; i < rows; i++, delta = value_skip(delta), elapsed = value_skip(elapsed)) {
            deltas[i] = json_is_null(delta) ? NAN : json_double(delta);
            times[i] = time += json_double(elapsed);
        }
        cpu_percents(deltas, times, rows, json_double(json_get(&document, item, "referencePerMs")), percents);
        const uint8_t *expected = json_get(&document, item, "expected");
        for (uint32_t i = 0; i <= rows; i++)
            assert_int_equal(percents[i], json_u32(json_item(expected, i)));
    }
}

static void paths_change_with_the_implementation_as_in_the_firefox_profiler(void **state)
{
    (void)state;
    uint32_t count;
    struct error error = {0};
    struct profile profile;
    struct view whole;
    const uint8_t *item = list("implementationSwitch", &count);
    import_value(&document, json_get(&document, item, "profile"), &profile); /* all of them speak of one profile */
    assert_int_equal(view_open(&profile, &whole, &error), 0);
    for (; count > 0; count--, item = value_skip(item)) {
        struct path path = {0}, expected = {0};
        enum implementation from, to;
        assert_true(implementation_parse(text_of(item, "from"), &from));
        assert_true(implementation_parse(text_of(item, "to"), &to));
        path_of_names(&document, whole.funcs, json_get(&document, item, "path"), &path);
        path_of_names(&document, whole.funcs, json_get(&document, item, "expected"), &expected);
        assert_int_equal(path_switch_implementation(&path, &whole, from, to, &error), 0);
        assert_int_equal(path.funcs.count, expected.funcs.count);
        for (size_t i = 0; i < path.funcs.count; i++)
            assert_int_equal(path.funcs.items[i], expected.funcs.items[i]);
        path_free(&path);
        path_free(&expected);
    }
    view_free(&whole);
    profile_free(&profile);
}

int main(void)
{
    json_document_open(&document, TEST_DATA "/vectors-misc.json.gz");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_funcs_are_written_and_read_as_in_addresses),
        cmocka_unit_test(a_short_text_cannot_stand_for_more_funcs_than_memory_has_room_for),
        cmocka_unit_test(from_the_largest_number_no_run_goes_on_to_zero),
        cmocka_unit_test(transforms_are_written_and_read_as_in_addresses),
        cmocka_unit_test(what_is_no_transform_in_an_address_is_left_out),
        cmocka_unit_test(an_unknown_kind_of_sample_filter_is_an_error),
        cmocka_unit_test(ranges_are_written_and_read_as_in_addresses),
        cmocka_unit_test(a_range_of_no_duration_is_made_a_little_longer),
        cmocka_unit_test(what_is_no_range_is_none),
        cmocka_unit_test(cpu_percents_are_those_of_the_firefox_profiler),
        cmocka_unit_test(paths_change_with_the_implementation_as_in_the_firefox_profiler),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    json_document_close(&document);
    return failed;
}
