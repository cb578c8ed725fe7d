/* Symbols applied as the Firefox Profiler applies them: every table, every path, every node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tree/vector.h"

#include "common/text_buffer.h"
#include "symbols/apply.h"
#include "tree/carry.h"

#include <stdio.h>
#include <stdlib.h>

static struct json_document document;

static const uint8_t *get(const uint8_t *object, const char *key)
{
    return json_get(&document, object, key);
}

static void print(struct text_buffer *out, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    assert_true(vasprintf(&text, format, arguments) >= 0);
    va_end(arguments);
    text_add(out, slice_of(text));
    free(text);
}

static void assert_same_text(struct text_buffer *actual, struct text_buffer *expected)
{
    text_add_char(actual, '\0');
    text_add_char(expected, '\0');
    assert_string_equal(text_slice(actual).text, text_slice(expected).text);
    text_free(actual);
    text_free(expected);
}

/* ---- answers ---- */

static struct string_index text_of(struct symbol_answers *answers, const uint8_t *object, const char *key)
{
    const uint8_t *text = json_find(&document, object, key);
    return text ? string_table_add(&answers->strings, json_text(&document, text)) : STRING_NONE;
}

static struct symbol_call call_of(struct symbol_answers *answers, const uint8_t *object)
{
    const uint8_t *line = json_find(&document, object, "line");
    struct string_index name = text_of(answers, object, "name");
    return (struct symbol_call){name, name, text_of(answers, object, "file"), line ? json_u32(line) : 0};
}

static int compare_rows(const void *a, const void *b)
{
    uint64_t x = ((const struct symbol_answer *)a)->address, y = ((const struct symbol_answer *)b)->address;
    return x < y ? -1 : x > y;
}

/* `results` has an object for each address, in hexadecimal. */
static void read_answers(struct symbol_answers *answers, const uint8_t *results)
{
    struct value object = value_read(results);
    const uint8_t *at = object.rest;
    for (uint32_t i = 0; i < object.count; i++, at = value_skip(at)) {
        struct slice key = string_table_get(&document.strings, value_read_key(&at));
        const uint8_t *size = json_find(&document, at, "functionSize"), *inlines = json_find(&document, at, "inlines");
        struct symbol_answer row = {
            .address = strtoull(key.text, NULL, 16),
            .symbol_start = json_u32(get(at, "symbolAddress")),
            .symbol_size = size ? json_u32(size) : 0,
            .symbol = text_of(answers, at, "name"),
            .outer = call_of(answers, at),
            .first_inline = (uint32_t)answers->inlines.count,
        };
        row.mangled = row.symbol;
        if (inlines)
            for (const uint8_t *call = json_items(inlines, &row.inline_count);
                 answers->inlines.count < row.first_inline + row.inline_count; call = value_skip(call))
                assert_true(vec_push(&answers->inlines, call_of(answers, call)));
        assert_true(vec_push(&answers->rows, row));
    }
    if (answers->rows.count > 0)
        qsort(answers->rows.items, answers->rows.count, sizeof *answers->rows.items, compare_rows);
}

static struct lib_index lib_named(const struct profile *profile, struct slice name)
{
    for (size_t i = 0; i < profile->libs.rows.count; i++)
        if (slice_equal(profile_text(profile, profile->libs.rows.items[i].debug_name), name))
            return lib_at(i);
    fail();
    return lib_none();
}

static void add_all(struct symbolication *symbolication, const struct profile *profile, const uint8_t *results)
{
    struct error error = {0};
    struct value object = value_read(results);
    const uint8_t *at = object.rest;
    for (uint32_t i = 0; i < object.count; i++, at = value_skip(at)) {
        struct lib_index lib = lib_named(profile, string_table_get(&document.strings, value_read_key(&at)));
        struct symbol_answers answers = {0};
        read_answers(&answers, at);
        assert_int_equal(symbolication_add(symbolication, lib, &answers, &error), 0);
    }
}

/* ---- tables ---- */

static void print_number(struct text_buffer *out, const uint8_t *number)
{
    if (json_is_null(number))
        print(out, " null");
    else
        print(out, " %g", json_double(number));
}

static void print_index(struct text_buffer *out, uint32_t index)
{
    if (index == INDEX_NONE)
        print(out, " null");
    else
        print(out, " %g", (double)index);
}

static void assert_funcs(const struct profile *profile, const uint8_t *expected)
{
    struct text_buffer actual = {0}, wanted = {0};
    uint32_t count;
    for (const uint8_t *row = json_items(expected, &count); count > 0; count--, row = value_skip(row)) {
        const uint8_t *file = get(row, "file");
        print(&wanted, "%s %s", json_text(&document, get(row, "name")).text,
              json_is_null(file) ? "null" : json_text(&document, file).text);
        print_number(&wanted, get(row, "resource"));
        text_add_char(&wanted, '\n');
    }
    for (size_t i = 0; i < func_count(&profile->funcs); i++) {
        struct func func = func_table_get(&profile->funcs, func_at(i));
        struct source source = source_exists(func.source) ? profile->sources.rows.items[func.source.i] : (struct source){0};
        print(&actual, "%s %s %g\n", profile_text(profile, func.name).text,
              source_exists(func.source) ? profile_text(profile, source.filename).text : "null",
              resource_exists(func.resource) ? (double)func.resource.i : -1);
    }
    assert_same_text(&actual, &wanted);
}

static void assert_frames(const struct profile *profile, const uint8_t *expected)
{
    struct text_buffer actual = {0}, wanted = {0};
    uint32_t count;
    for (const uint8_t *row = json_items(expected, &count); count > 0; count--, row = value_skip(row)) {
        static const char *const keys[] = {"func", "address", "inlineDepth", "nativeSymbol", "line"};
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            print_number(&wanted, get(row, keys[i]));
        text_add_char(&wanted, '\n');
    }
    for (size_t i = 0; i < frame_count(&profile->frames); i++) {
        struct frame frame = frame_table_get(&profile->frames, frame_at(i));
        print_index(&actual, frame.func.i);
        print(&actual, " %g", frame.address == COLUMN_ABSENT ? -1 : (double)frame.address);
        print_index(&actual, frame.inline_depth);
        print_index(&actual, frame.native_symbol.i);
        print_index(&actual, frame.line);
        text_add_char(&actual, '\n');
    }
    assert_same_text(&actual, &wanted);
}

static void assert_symbols(const struct profile *profile, const uint8_t *expected)
{
    struct text_buffer actual = {0}, wanted = {0};
    uint32_t count;
    for (const uint8_t *row = json_items(expected, &count); count > 0; count--, row = value_skip(row)) {
        print(&wanted, "%s", json_text(&document, json_item(row, 0)).text);
        print_number(&wanted, json_item(row, 1));
        print_number(&wanted, json_item(row, 2));
        text_add_char(&wanted, '\n');
    }
    for (size_t i = 0; i < native_symbol_count(&profile->native_symbols); i++) {
        struct native_symbol symbol = native_symbol_get(&profile->native_symbols, native_symbol_at(i));
        print(&actual, "%s %g", profile_text(profile, symbol.name).text, (double)symbol.address);
        print_index(&actual, symbol.size == COLUMN_ABSENT ? INDEX_NONE : (uint32_t)symbol.size);
        text_add_char(&actual, '\n');
    }
    assert_same_text(&actual, &wanted);
}

static void assert_changes(const struct func_changes *changes, const uint8_t *expected)
{
    struct text_buffer actual = {0}, wanted = {0};
    uint32_t count, length;
    for (const uint8_t *row = json_items(expected, &count); count > 0; count--, row = value_skip(row)) {
        print(&wanted, "%u:", json_u32(json_item(row, 0)));
        for (const uint8_t *func = json_items(json_item(row, 1), &length); length > 0; length--, func = value_skip(func))
            print_number(&wanted, func);
        text_add_char(&wanted, '\n');
    }
    for (uint32_t func = 0; func + 1 < changes->start.count; func++) {
        if (changes->start.items[func] == changes->start.items[func + 1])
            continue;
        print(&actual, "%u:", func);
        for (uint32_t i = changes->start.items[func]; i < changes->start.items[func + 1]; i++)
            print_index(&actual, changes->funcs.items[i]);
        text_add_char(&actual, '\n');
    }
    assert_same_text(&actual, &wanted);
}

/* ---- paths and nodes ---- */

/* The names of a path, as they are once it was carried over. */
static void assert_path(const struct profile *profile, const struct path *path, const uint8_t *expected)
{
    struct text_buffer actual = {0}, wanted = {0};
    uint32_t count;
    for (const uint8_t *name = json_items(expected, &count); count > 0; count--, name = value_skip(name))
        print(&wanted, "%s\n", json_text(&document, name).text);
    for (size_t i = 0; i < path->funcs.count; i++)
        print(&actual, "%s\n", profile_text(profile, func_name(&profile->funcs, func_at(path->funcs.items[i]))).text);
    assert_same_text(&actual, &wanted);
}

static void print_expected_nodes(const uint8_t *nodes, int depth, struct text_buffer *out)
{
    uint32_t count;
    for (const uint8_t *node = json_items(nodes, &count); count > 0; count--, node = value_skip(node)) {
        const uint8_t *inlined = json_find(&document, node, "inlinedInto");
        print(out, "%*s%s %g %g %s (%s)\n", depth * 2, "", json_text(&document, get(node, "name")).text,
              json_double(get(node, "total")), json_double(get(node, "self")), json_text(&document, get(node, "category")).text,
              inlined ? json_text(&document, inlined).text : "");
        print_expected_nodes(get(node, "children"), depth + 1, out);
    }
}

static void print_nodes(const struct answer *answer, uint32_t parent, struct text_buffer *out)
{
    const struct profile *profile = answer->view.profile;
    const struct call_node_table *nodes = &answer->nodes;
    struct node_list children = {0};
    assert_true(call_tree_children(&answer->tree, parent, &children));
    for (size_t i = 0; i < children.nodes.count; i++) {
        uint32_t node = children.nodes.items[i], inlined = nodes->inlined ? nodes->inlined[node] : INLINED_NOT;
        const struct category *category = &profile->categories.rows.items[pair_category(nodes->pair[node])];
        const char *into =
            inlined == INLINED_NOT ? ""
            : inlined == INLINED_DIVERGENT
                ? "divergent"
                : profile_text(profile, native_symbol_get(&profile->native_symbols, native_symbol_at(inlined)).name).text;
        print(out, "%*s%s %g %g %s (%s)\n", (int)nodes->depth[node] * 2, "",
              func_list_name(answer->view.funcs, nodes->func[node]).text, answer->tree.total[node], answer->tree.self[node],
              profile_text(profile, category->name).text, into);
        print_nodes(answer, node, out);
    }
    vec_free(&children.nodes);
}

static void assert_nodes(const struct profile *profile, const uint8_t *expected)
{
    struct error error = {0};
    struct view whole;
    struct answer answer;
    struct text_buffer actual = {0}, wanted = {0};
    struct query query = query_default();
    struct thread_index thread = thread_at(0);
    query.threads = &thread;
    query.thread_count = 1;
    assert_int_equal(view_open(profile, &whole, &error), 0);
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    print_nodes(&answer, INDEX_NONE, &actual);
    print_expected_nodes(expected, 0, &wanted);
    answer_free(&answer);
    view_free(&whole);
    assert_same_text(&actual, &wanted);
}

/* ---- the test ---- */

enum { PATHS_MAX = 8 };

static void symbols_are_applied_as_the_firefox_profiler_does(void **state)
{
    const struct vector_item *item = *state;
    const uint8_t *expected = get(item->json, "expected");
    struct error error = {0};
    struct profile profile;
    struct func_changes changes = {0};
    struct path paths[PATHS_MAX] = {0};
    import_value(&document, get(item->json, "profile"), &profile);

    uint32_t count;
    struct view whole;
    assert_int_equal(view_open(&profile, &whole, &error), 0);
    const uint8_t *path = json_items(get(expected, "paths"), &count);
    assert_in_range(count, 1, PATHS_MAX);
    for (uint32_t i = 0; i < count; i++, path = value_skip(path))
        path_of_names(&document, whole.funcs, get(path, "before"), &paths[i]);
    view_free(&whole);

    struct symbolication *symbolication = symbolication_begin(&profile, &error);
    assert_non_null(symbolication);
    add_all(symbolication, &profile, get(item->json, "symbolResults"));
    assert_int_equal(symbolication_update(symbolication, &changes, &error), 0);
    symbolication_end(symbolication);
    assert_int_equal(profile_finish(&profile, &error), 0);

    assert_funcs(&profile, get(expected, "funcs"));
    assert_frames(&profile, get(expected, "frames"));
    assert_symbols(&profile, get(expected, "nativeSymbols"));
    assert_changes(&changes, get(expected, "oldFuncToNewFuncs"));
    path = json_items(get(expected, "paths"), &count);
    for (uint32_t i = 0; i < count; i++, path = value_skip(path)) {
        assert_true(path_carry(&paths[i], &changes, false));
        assert_path(&profile, &paths[i], get(path, "after"));
        path_free(&paths[i]);
    }
    assert_nodes(&profile, get(expected, "nodes"));
    func_changes_free(&changes);
    profile_free(&profile);
}

int main(void)
{
    enum { VECTORS = 5 };
    struct vector_item items[VECTORS];
    struct CMUnitTest tests[VECTORS];
    uint32_t count;
    json_document_open(&document, TEST_DATA "/vectors-misc.json.gz");
    const uint8_t *vector = json_items(get(json_root(&document), "symbolication"), &count);
    assert_int_equal(count, VECTORS);
    for (uint32_t i = 0; i < count; i++, vector = value_skip(vector)) {
        items[i] = (struct vector_item){.document = &document, .json = vector};
        tests[i] = (struct CMUnitTest)cmocka_unit_test_prestate(symbols_are_applied_as_the_firefox_profiler_does, &items[i]);
        tests[i].name = json_text(&document, get(vector, "name")).text;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    json_document_close(&document);
    return failed;
}
