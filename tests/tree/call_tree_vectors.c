/* Trees, function lists and selected paths, as the Firefox Profiler has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vector.h"

#include "common/text_buffer.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- trees as text: a line per node, indented by depth ---- */

static void print(struct text_buffer *out, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    assert_true(length >= 0);
    text_add(out, slice_of(text));
    free(text);
}

static void print_expected_nodes(const struct json_document *document, const uint8_t *nodes, int depth, struct text_buffer *out)
{
    uint32_t count;
    for (const uint8_t *node = json_items(nodes, &count); count > 0; count--, node = value_skip(node)) {
        struct slice name = json_text(document, json_get(document, node, "name")),
                     category = json_text(document, json_get(document, node, "category"));
        const uint8_t *subcategory = json_find(document, node, "subcategory"),
                      *inlined = json_find(document, node, "inlinedInto");
        print(out, "%*s%.*s %g %g %.*s", depth * 2, "", (int)name.length, name.text,
              json_double(json_get(document, node, "total")), json_double(json_get(document, node, "self")),
              (int)category.length, category.text);
        if (subcategory) {
            struct slice text = json_text(document, subcategory);
            print(out, ": %.*s", (int)text.length, text.text);
        }
        if (inlined) {
            struct slice text = json_text(document, inlined);
            print(out, " (%.*s)", (int)text.length, text.text);
        }
        text_add_char(out, '\n');
        print_expected_nodes(document, json_get(document, node, "children"), depth + 1, out);
    }
}

static void print_node(const struct view *view, uint32_t depth, uint32_t func, double total, double self, uint32_t pair,
                       uint32_t inlined, struct text_buffer *out)
{
    const struct profile *profile = view->profile;
    struct slice name = func_list_name(view->funcs, func);
    const struct category *category = &profile->categories.rows.items[pair_category(pair)];
    print(out, "%*s%.*s %g %g %s", (int)depth * 2, "", (int)name.length, name.text, total, self,
          profile_text(profile, category->name).text);
    if (pair_subcategory(pair) != 0)
        print(out, ": %s", profile_text(profile, category->subcategories.items[pair_subcategory(pair)]).text);
    if (inlined == INLINED_DIVERGENT)
        print(out, " (divergent)");
    else if (inlined != INLINED_NOT)
        print(out, " (%s)",
              profile_text(profile, native_symbol_get(&profile->native_symbols, (struct native_symbol_index){inlined}).name)
                  .text);
    text_add_char(out, '\n');
}

static void print_tree(const struct answer *answer, uint32_t parent, struct text_buffer *out)
{
    const struct call_node_table *nodes = &answer->nodes;
    struct node_list children = {0};
    assert_true(call_tree_children(&answer->tree, parent, &children));
    for (size_t i = 0; i < children.nodes.count; i++) {
        uint32_t node = children.nodes.items[i];
        print_node(&answer->view, nodes->depth[node], nodes->func[node], answer->tree.total[node], answer->tree.self[node],
                   nodes->pair[node], nodes->inlined ? nodes->inlined[node] : INLINED_NOT, out);
        print_tree(answer, node, out);
    }
    vec_free(&children.nodes);
}

static void print_inverted(struct answer *answer, uint32_t first, uint32_t count, struct text_buffer *out)
{
    struct error error = {0};
    for (uint32_t node = first; node < first + count; node++) {
        assert_int_equal(inverted_tree_expand(&answer->inverted, node, &error), 0);
        struct inverted_node copy = answer->inverted.nodes.items[node];
        print_node(&answer->view, copy.depth, copy.func, copy.total, inverted_node_self(&copy), copy.pair, copy.inlined, out);
        assert_int_equal(copy.has_children, copy.child_count > 0);
        print_inverted(answer, copy.first_child, copy.child_count, out);
    }
}

/* ---- lists as text ---- */

static void print_expected_functions(const struct json_document *document, const uint8_t *rows, struct text_buffer *out)
{
    uint32_t count;
    for (const uint8_t *row = json_items(rows, &count); count > 0; count--, row = value_skip(row)) {
        struct slice name = json_text(document, json_get(document, row, "name"));
        print(out, "%.*s %g %g\n", (int)name.length, name.text, json_double(json_get(document, row, "total")),
              json_double(json_get(document, row, "self")));
    }
}

static void print_functions(const struct answer *answer, struct text_buffer *out)
{
    struct function_list list;
    struct error error = {0};
    assert_int_equal(function_list_build(&answer->tree, answer->view.funcs->count, FUNCTIONS_BY_TOTAL, &list, &error), 0);
    for (size_t i = 0; i < list.rows.count; i++) {
        struct slice name = func_list_name(answer->view.funcs, list.rows.items[i].func);
        print(out, "%.*s %g %g\n", (int)name.length, name.text, list.rows.items[i].total, list.rows.items[i].self);
    }
    function_list_free(&list);
}

static void print_expected_path(const struct json_document *document, const uint8_t *path, struct text_buffer *out)
{
    uint32_t count;
    for (const uint8_t *name = json_items(path, &count); count > 0; count--, name = value_skip(name)) {
        text_add(out, json_text(document, name));
        text_add_char(out, '\n');
    }
}

static void print_path(const struct func_list *funcs, const struct path *path, struct text_buffer *out)
{
    for (size_t i = 0; i < path->funcs.count; i++) {
        uint32_t func = path->funcs.items[i];
        text_add(out, func == INDEX_NONE ? SLICE("?") : func_list_name(funcs, func));
        text_add_char(out, '\n');
    }
}

static void assert_same_text(struct text_buffer *actual, struct text_buffer *expected)
{
    text_add_char(actual, '\0');
    text_add_char(expected, '\0');
    assert_false(actual->failed || expected->failed);
    assert_string_equal(actual->bytes.items, expected->bytes.items);
    text_free(actual);
    text_free(expected);
}

/* ---- one vector ---- */

static void assert_tree(struct answer *answer, const struct query *query, const struct json_document *document,
                        const uint8_t *expected)
{
    struct text_buffer actual_text = {0}, expected_text = {0};
    assert_true(answer->tree.root_total == json_double(json_get(document, expected, "rootTotal")));
    print_expected_nodes(document, json_get(document, expected, "nodes"), 0, &expected_text);
    if (query->inverted)
        print_inverted(answer, 0, answer->inverted.root_count, &actual_text);
    else
        print_tree(answer, INDEX_NONE, &actual_text);
    assert_same_text(&actual_text, &expected_text);
}

static void assert_functions(const struct answer *answer, const struct json_document *document, const uint8_t *expected)
{
    struct text_buffer actual_text = {0}, expected_text = {0};
    const uint8_t *rows = json_find(document, expected, "functionList");
    if (!rows)
        return;
    print_expected_functions(document, rows, &expected_text);
    print_functions(answer, &actual_text);
    assert_same_text(&actual_text, &expected_text);
}

/* Where the Firefox Profiler fails to look a path up, the selection is gone. */
static void assert_selected(const struct answer *answer, const struct query *query, const struct json_document *document,
                            const uint8_t *expected)
{
    struct text_buffer actual_text = {0}, expected_text = {0};
    const uint8_t *path = json_find(document, expected, "pathAfter");
    if (!query->selected)
        return;
    if (json_find(document, expected, "pathError"))
        assert_int_equal(answer->selected.funcs.count, 0);
    else
        print_expected_path(document, path, &expected_text);
    print_path(answer->view.funcs, &answer->selected, &actual_text);
    assert_same_text(&actual_text, &expected_text);
}

static void vector_gives_what_the_firefox_profiler_gives(void **state)
{
    const struct vector_item *item = *state;
    const uint8_t *expected = json_get(item->document, item->json, "expected");
    struct error error = {0};
    struct vector vector;
    struct answer answer;
    vector_open(&vector, item->document, item->json);
    int status = query_run(&vector.whole, &vector.question.query, &answer, &error);
    if (json_find(item->document, expected, "error")) {
        assert_true(status < 0);
        assert_string_not_equal(error.message, "");
    } else {
        if (status != 0)
            fail_msg("%s", error.message);
        assert_tree(&answer, &vector.question.query, item->document, expected);
        assert_functions(&answer, item->document, expected);
        assert_selected(&answer, &vector.question.query, item->document, expected);
        answer_free(&answer);
    }
    vector_close(&vector);
}

int main(void)
{
    int failed = run_vectors(TEST_DATA "/vectors-handmade.json.gz", vector_gives_what_the_firefox_profiler_gives);
    return failed + run_vectors(TEST_DATA "/vectors-random.json.gz", vector_gives_what_the_firefox_profiler_gives);
}
