#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/gecko_document.h"

#include "common/count.h"
#include "common/memory.h"
#include "support/session_draw.h"

#include <limits.h>

void gecko_document_open(struct gecko_document *document, const char *path, const struct gecko_options *options)
{
    struct error error = {0};
    struct session_file *file = session_file_open(path, &error);
    document->sink = byte_sink_memory(&error);
    if (!file || !document->sink || export_gecko_session(file, options, document->sink, &error) != 0)
        fail_msg("%s", error.message);
    session_file_close(file);
    assert_gecko_rules(gecko_document_text(document));
    json_document_parse(&document->json, gecko_document_text(document));
}

void gecko_document_draw(struct gecko_document *document, const char *text, const struct gecko_options *options)
{
    char folder[64], path[PATH_MAX];
    session_folder_make(folder);
    session_draw(folder, text, path);
    gecko_document_open(document, path, options);
    session_folder_remove(folder);
}

void gecko_document_close(struct gecko_document *document)
{
    struct error error = {0};
    json_document_close(&document->json);
    byte_sink_close(document->sink, false, &error);
}

struct slice gecko_document_text(const struct gecko_document *document)
{
    return byte_sink_memory_bytes(document->sink);
}

/* ---- paths ---- */

static const uint8_t *step(const struct json_document *json, const uint8_t *value, const char *name)
{
    if (value_read(value).kind == VALUE_OBJECT)
        return json_find(json, value, name);
    uint32_t count, index = (uint32_t)strtoul(name, NULL, 10);
    json_items(value, &count);
    return index < count ? json_item(value, index) : NULL;
}

const uint8_t *gecko_at(const struct gecko_document *document, const char *path)
{
    const uint8_t *value = json_root(&document->json);
    while (*path && value) {
        char name[64];
        size_t length = strcspn(path, "/");
        assert_true(length < sizeof name);
        memcpy(name, path, length);
        name[length] = '\0';
        value = step(&document->json, value, name);
        path += length + (path[length] == '/');
    }
    return value;
}

void assert_gecko(const struct gecko_document *document, const char *path, const char *expected)
{
    const uint8_t *value = gecko_at(document, path);
    if (!value)
        fail_msg("there is no %s", path);
    char *found = json_dump(&document->json, value, 0);
    if (strcmp(found, expected) != 0)
        fail_msg("%s is\n%s\nand not\n%s", path, found, expected);
    memory_release(found);
}

void assert_gecko_absent(const struct gecko_document *document, const char *path)
{
    if (gecko_at(document, path))
        fail_msg("there is a %s", path);
}

/* ---- rules ---- */

/* Outside of strings: no white space, no number with more than six decimals, no minus zero. */
static void check_text(struct slice json)
{
    bool in_string = false;
    size_t decimals = 0;
    bool in_fraction = false;
    for (size_t i = 0; i < json.length; i++) {
        char c = json.text[i];
        if (in_string) {
            i += c == '\\';
            in_string = c != '"';
            continue;
        }
        in_string = c == '"';
        assert_false(c == ' ' || c == '\n' || c == '\t' || c == '\r');
        bool digit = c >= '0' && c <= '9';
        decimals = digit && in_fraction ? decimals + 1 : 0;
        in_fraction = c == '.' || (digit && in_fraction);
        assert_true(decimals <= 6);
        assert_false(c == '-' && i + 2 < json.length && json.text[i + 1] == '0' && json.text[i + 2] != '.');
    }
    assert_false(in_string);
}

static void check_keys(const struct json_document *json, const uint8_t *process, bool root)
{
    static const char *const keys[] = {"libs",    "meta",         "pages",        "counters",  "sources",
                                       "threads", "pausedRanges", "profilingLog", "processes", "profileGatheringLog"};
    struct value object = value_read(process);
    const uint8_t *at = object.rest;
    size_t place = 0;
    for (uint32_t i = 0; i < object.count; i++, at = value_skip(at)) {
        struct slice key = string_table_get(&json->strings, value_read_key(&at));
        while (place < COUNT(keys) && !slice_equal(key, slice_of(keys[place])))
            place++;
        if (place == COUNT(keys))
            fail_msg("`%.*s` is no key, or not in its place", (int)key.length, key.text);
    }
    assert_true((json_find(json, process, "profileGatheringLog") != NULL) == root);
}

/* A cell of a row by the name of its column; NULL where it is left out or null. */
static const uint8_t *cell(const struct json_document *json, const uint8_t *table, const uint8_t *row, const char *column)
{
    uint32_t number = json_u32(json_get(json, json_get(json, table, "schema"), column)), count;
    json_items(row, &count);
    const uint8_t *value = number < count ? json_item(row, number) : NULL;
    return value && !json_is_null(value) ? value : NULL;
}

static const uint8_t *rows_of(const struct json_document *json, const uint8_t *table, uint32_t *count)
{
    return json_items(json_get(json, table, "data"), count);
}

static void check_index(const uint8_t *value, uint32_t count)
{
    if (value)
        assert_in_range(json_u32(value), 0, count - 1);
}

static uint32_t count_of(const struct json_document *json, const uint8_t *thread, const char *table)
{
    uint32_t count;
    rows_of(json, json_get(json, thread, table), &count);
    return count;
}

static void check_stacks(const struct json_document *json, const uint8_t *thread, uint32_t categories, uint32_t strings)
{
    const uint8_t *table = json_get(json, thread, "stackTable");
    uint32_t frames = count_of(json, thread, "frameTable"), count;
    const uint8_t *row = rows_of(json, table, &count);
    assert_true(count > 0);
    for (uint32_t i = 0; i < count; i++, row = value_skip(row)) {
        const uint8_t *prefix = cell(json, table, row, "prefix");
        assert_true((prefix == NULL) == (i == 0));
        check_index(prefix, i);
        assert_non_null(cell(json, table, row, "frame"));
        check_index(cell(json, table, row, "frame"), frames);
    }
    table = json_get(json, thread, "frameTable");
    row = rows_of(json, table, &count);
    for (uint32_t i = 0; i < count; i++, row = value_skip(row)) {
        assert_non_null(cell(json, table, row, "location"));
        check_index(cell(json, table, row, "location"), strings);
        check_index(cell(json, table, row, "category"), categories);
    }
    uint32_t root = json_u32(cell(json, table, json_item(json_get(json, table, "data"), 0), "location"));
    const uint8_t *name = json_item(json_get(json, thread, "stringTable"), root);
    assert_true(slice_is(json_text(json, name), "(root)"));
}

static void check_samples(const struct json_document *json, const uint8_t *thread, uint32_t stacks)
{
    const uint8_t *table = json_get(json, thread, "samples");
    uint32_t count;
    const uint8_t *row = rows_of(json, table, &count);
    double last = 0;
    json_get(json, json_get(json, table, "schema"), "eventDelay");
    for (uint32_t i = 0; i < count; i++, row = value_skip(row)) {
        assert_non_null(cell(json, table, row, "stack"));
        check_index(cell(json, table, row, "stack"), stacks);
        double time = json_double(cell(json, table, row, "time"));
        assert_true(time >= last);
        last = time;
        assert_non_null(cell(json, table, row, "threadCPUDelta"));
    }
}

/* A profile of one sample, in the tables of the thread around it. */
static void check_backtrace(const struct json_document *json, const uint8_t *backtrace, uint32_t stacks)
{
    const uint8_t *table = json_get(json, backtrace, "samples");
    uint32_t count;
    const uint8_t *row = rows_of(json, table, &count);
    assert_int_equal(count, 1);
    assert_non_null(cell(json, table, row, "stack"));
    check_index(cell(json, table, row, "stack"), stacks);
    assert_non_null(cell(json, table, row, "time"));
    rows_of(json, json_get(json, backtrace, "markers"), &count);
    assert_int_equal(count, 0);
}

static bool has_schema(const struct json_document *json, const uint8_t *meta, const uint8_t *type)
{
    uint32_t count;
    const uint8_t *schema = json_items(json_get(json, meta, "markerSchema"), &count);
    for (; count > 0; count--, schema = value_skip(schema))
        if (slice_equal(json_text(json, json_get(json, schema, "name")), json_text(json, type)))
            return true;
    return false;
}

static void check_markers(const struct json_document *json, const uint8_t *meta, const uint8_t *thread, uint32_t categories,
                          uint32_t strings, uint32_t stacks)
{
    const uint8_t *table = json_get(json, thread, "markers");
    uint32_t count;
    const uint8_t *row = rows_of(json, table, &count);
    for (uint32_t i = 0; i < count; i++, row = value_skip(row)) {
        check_index(cell(json, table, row, "name"), strings);
        assert_true(cell(json, table, row, "startTime") || cell(json, table, row, "endTime"));
        assert_in_range(json_u32(cell(json, table, row, "phase")), 0, 3);
        check_index(cell(json, table, row, "category"), categories);
        const uint8_t *data = cell(json, table, row, "data");
        if (!data)
            continue;
        assert_true(has_schema(json, meta, json_get(json, data, "type")));
        const uint8_t *stack = json_find(json, data, "stack");
        if (stack && value_read(stack).kind == VALUE_OBJECT)
            check_backtrace(json, stack, stacks);
    }
}

static void check_thread(const struct json_document *json, const uint8_t *meta, const uint8_t *thread)
{
    uint32_t categories, strings;
    json_items(json_get(json, meta, "categories"), &categories);
    json_items(json_get(json, thread, "stringTable"), &strings);
    uint32_t stacks = count_of(json, thread, "stackTable");
    check_stacks(json, thread, categories, strings);
    check_samples(json, thread, stacks);
    check_markers(json, meta, thread, categories, strings, stacks);
    static const char *const keys[] = {"processType", "name", "processName",        "registerTime", "unregisterTime",
                                       "pid",         "tid",  "tracedObjectShapes", "tracedValues"};
    for (size_t i = 0; i < COUNT(keys); i++)
        json_get(json, thread, keys[i]);
}

static void check_categories(const struct json_document *json, const uint8_t *meta)
{
    uint32_t count, subcategories;
    const uint8_t *category = json_items(json_get(json, meta, "categories"), &count);
    bool grey = false;
    for (; count > 0; count--, category = value_skip(category)) {
        grey |= slice_is(json_text(json, json_get(json, category, "color")), "grey");
        json_items(json_get(json, category, "subcategories"), &subcategories);
        assert_true(subcategories > 0);
    }
    assert_true(grey);
}

static void check_process(const struct json_document *json, const uint8_t *process, bool root)
{
    const uint8_t *meta = json_get(json, process, "meta");
    check_keys(json, process, root);
    assert_int_equal(json_u32(json_get(json, meta, "version")), 36);
    check_categories(json, meta);
    uint32_t count;
    const uint8_t *thread = json_items(json_get(json, process, "threads"), &count);
    assert_true(count > 0);
    assert_true(slice_is(json_text(json, json_get(json, thread, "name")), "GeckoMain"));
    for (; count > 0; count--, thread = value_skip(thread))
        check_thread(json, meta, thread);
    json_get(json, json_get(json, process, "sources"), "data");
    const uint8_t *other = json_items(json_get(json, process, "processes"), &count);
    for (; count > 0; count--, other = value_skip(other))
        check_process(json, other, false);
}

void assert_gecko_rules(struct slice json)
{
    struct json_document document;
    check_text(json);
    json_document_parse(&document, json);
    check_process(&document, json_root(&document), true);
    json_document_close(&document);
}
