/* The call trees of small inputs of every format are those that the Firefox Profiler makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/import_text.h"
#include "vector.h"

#include "import/importer.h"

#include <errno.h>

/* With the samples that the Firefox Profiler takes. */
static int import_thin(struct byte_source *source, struct profile *profile, struct error *error)
{
    static const struct import_options options = {.thin = true};
    return import_profile_with(source, &options, profile, error);
}

static void assert_text(const struct json_document *document, const uint8_t *expected, struct slice actual)
{
    struct slice text = json_text(document, expected);
    if (!slice_equal(text, actual))
        fail_msg("'%.*s' instead of '%.*s'", (int)actual.length, actual.text, (int)text.length, text.text);
}

static void assert_category(const struct answer *answer, uint32_t pair, const struct json_document *document,
                            const uint8_t *expected)
{
    const struct profile *profile = answer->view.profile;
    const struct category *category = &profile->categories.rows.items[pair_category(pair)];
    const uint8_t *subcategory = json_find(document, expected, "subcategory");
    assert_text(document, json_get(document, expected, "category"), profile_text(profile, category->name));
    assert_int_equal(subcategory != NULL, pair_subcategory(pair) != 0);
    if (subcategory)
        assert_text(document, subcategory, profile_text(profile, category->subcategories.items[pair_subcategory(pair)]));
}

static void assert_nodes(const struct answer *answer, uint32_t parent, const struct json_document *document,
                         const uint8_t *expected)
{
    struct node_list children = {0};
    uint32_t count;
    expected = json_items(expected, &count);
    assert_true(call_tree_children(&answer->tree, parent, &children));
    assert_int_equal(children.nodes.count, count);
    for (uint32_t i = 0; i < count; i++, expected = value_skip(expected)) {
        uint32_t node = children.nodes.items[i];
        assert_text(document, json_get(document, expected, "name"),
                    func_list_name(answer->view.funcs, answer->nodes.func[node]));
        assert_true(answer->tree.total[node] == json_double(json_get(document, expected, "total")));
        assert_true(answer->tree.self[node] == json_double(json_get(document, expected, "self")));
        assert_category(answer, answer->nodes.pair[node], document, expected);
        assert_nodes(answer, node, document, json_get(document, expected, "children"));
    }
    vec_free(&children.nodes);
}

static void assert_threads(const struct profile *profile, const struct json_document *document, const uint8_t *threads)
{
    struct error error = {0};
    struct view whole;
    uint32_t count;
    assert_int_equal(view_open(profile, &whole, &error), 0);
    threads = json_items(threads, &count);
    assert_int_equal(count, profile->threads.count);
    for (uint32_t i = 0; i < count; i++, threads = value_skip(threads)) {
        const uint8_t *tree = json_get(document, threads, "tree");
        struct thread_index thread = thread_at(i);
        struct query query = query_default();
        struct answer answer;
        query.threads = &thread;
        query.thread_count = 1;
        assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
        /* A text is what the Firefox Profiler failed with: categories that conflict where there is none to fall back to. */
        if (value_read(tree).kind == VALUE_ARRAY)
            assert_nodes(&answer, INDEX_NONE, document, tree);
        answer_free(&answer);
    }
    view_free(&whole);
}

static void input_gives_the_tree_of_the_firefox_profiler(void **state)
{
    const struct vector_item *item = *state;
    const uint8_t *input = json_get(item->document, item->json, "input");
    const uint8_t *expected = json_get(item->document, item->json, "expected");
    bool is_text = value_read(input).kind == VALUE_STRING;
    char *json = is_text ? NULL : json_dump(item->document, input, 0);
    struct profile profile;
    struct error error;
    import_text(import_thin, is_text ? json_text(item->document, input) : slice_of(json), 0, &profile, &error);
    if (json_find(item->document, expected, "error"))
        assert_int_equal(error.code, -EBADMSG);
    else if (error.code != 0)
        fail_msg("%s", error.message);
    else
        assert_threads(&profile, item->document, json_get(item->document, expected, "threads"));
    profile_free(&profile);
    memory_release(json);
}

int main(void)
{
    return run_vectors(TEST_DATA "/vectors-import.json.gz", input_gives_the_tree_of_the_firefox_profiler);
}
