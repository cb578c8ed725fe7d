/* A real recording of Firefox, asked in 36 ways; the answers are kept as digests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vector.h"

#include "common/text_buffer.h"
#include "import/importer.h"
#include "support/sha256.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the text of a tree ----
 *
 * A line "depth name total self" per node, before those of its children; siblings by total, then by name, then by the text of
 * their whole subtrees. */

struct digest {
    struct answer *answer;
    bool inverted;
    struct text_buffer text;
    size_t node_count;
    double self_sum;
};

struct sibling {
    double total;
    struct slice name;
    size_t start, length; /* of its text */
    const char *text;     /* the whole text, while siblings are sorted */
};

static int compare_slices(struct slice a, struct slice b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter > 0 ? memcmp(a.text, b.text, shorter) : 0;
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare_siblings(const void *a, const void *b)
{
    const struct sibling *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    int order = compare_slices(x->name, y->name);
    if (order != 0)
        return order;
    return compare_slices((struct slice){x->text + x->start, x->length}, (struct slice){y->text + y->start, y->length});
}

/* Brings the texts of siblings, which stand one after the other from `start` on, into order. */
static void arrange_siblings(struct text_buffer *text, struct sibling *siblings, size_t count, size_t start)
{
    size_t length = text->bytes.count - start;
    for (size_t i = 0; i < count; i++)
        siblings[i].text = text->bytes.items;
    qsort(siblings, count, sizeof *siblings, compare_siblings);
    char *copy = malloc(length);
    memcpy(copy, text->bytes.items + start, length);
    size_t at = start;
    for (size_t i = 0; i < count; i++) {
        memcpy(text->bytes.items + at, copy + (siblings[i].start - start), siblings[i].length);
        at += siblings[i].length;
    }
    free(copy);
}

static void add_children(struct digest *digest, uint32_t parent);

static struct sibling add_node(struct digest *digest, uint32_t node)
{
    const struct answer *answer = digest->answer;
    bool inverted = digest->inverted;
    struct inverted_node copy = inverted ? answer->inverted.nodes.items[node] : (struct inverted_node){0};
    uint32_t func = inverted ? copy.func : answer->nodes.func[node];
    struct sibling sibling = {
        .total = inverted ? copy.total : answer->tree.total[node],
        .name = func_list_name(answer->view.funcs, func),
        .start = digest->text.bytes.count,
    };
    double self = inverted ? inverted_node_self(&copy) : answer->tree.self[node];
    char number[64];
    snprintf(number, sizeof number, "%u\t", inverted ? copy.depth : answer->nodes.depth[node]);
    text_add(&digest->text, slice_of(number));
    text_add(&digest->text, sibling.name);
    snprintf(number, sizeof number, "\t%.0f\t%.0f\n", sibling.total, self);
    text_add(&digest->text, slice_of(number));
    digest->node_count++;
    digest->self_sum += self;
    add_children(digest, node);
    sibling.length = digest->text.bytes.count - sibling.start;
    return sibling;
}

static void find_children(struct digest *digest, uint32_t parent, struct node_list *children)
{
    struct inverted_tree *inverted = &digest->answer->inverted;
    struct error error = {0};
    if (!digest->inverted) {
        assert_true(call_tree_children(&digest->answer->tree, parent, children));
        return;
    }
    uint32_t first = 0, count = inverted->root_count;
    if (parent != INDEX_NONE) {
        assert_int_equal(inverted_tree_expand(inverted, parent, &error), 0);
        first = inverted->nodes.items[parent].first_child;
        count = inverted->nodes.items[parent].child_count;
    }
    for (uint32_t i = 0; i < count; i++)
        assert_true(vec_push(&children->nodes, first + i));
}

static void add_children(struct digest *digest, uint32_t parent)
{
    struct node_list children = {0};
    find_children(digest, parent, &children);
    size_t count = children.nodes.count, start = digest->text.bytes.count;
    struct sibling *siblings = count > 0 ? calloc(count, sizeof *siblings) : NULL;
    for (size_t i = 0; i < count; i++)
        siblings[i] = add_node(digest, children.nodes.items[i]);
    if (count > 1)
        arrange_siblings(&digest->text, siblings, count, start);
    free(siblings);
    vec_free(&children.nodes);
}

/* ---- the tests ---- */

struct combination {
    const struct json_document *document;
    const uint8_t *json;
    const struct view *whole;
    struct thread_index thread;
};

static void combination_gives_what_the_firefox_profiler_gives(void **state)
{
    const struct combination *combination = *state;
    const struct json_document *document = combination->document;
    struct error error = {0};
    struct question question;
    struct answer answer;
    question_read(&question, combination->whole, document, json_get(document, combination->json, "options"),
                  json_get(document, combination->json, "transforms"));
    question.thread = combination->thread;
    if (query_run(combination->whole, &question.query, &answer, &error) != 0)
        fail_msg("%s", error.message);

    struct digest digest = {.answer = &answer, .inverted = question.query.inverted};
    char hex[65];
    add_children(&digest, INDEX_NONE);
    sha256_hex(text_slice(&digest.text), hex);
    assert_false(digest.text.failed);
    assert_true(answer.tree.root_total == json_double(json_get(document, combination->json, "rootTotal")));
    assert_int_equal(digest.node_count, json_u32(json_get(document, combination->json, "nodeCount")));
    assert_true(digest.self_sum == json_double(json_get(document, combination->json, "selfSum")));
    assert_true(slice_equal(slice_of(hex), json_text(document, json_get(document, combination->json, "sha256"))));
    text_free(&digest.text);
    answer_free(&answer);
    question_free(&question);
}

static void sha256_is_that_of_the_standard(void **state)
{
    (void)state;
    char hex[65];
    sha256_hex(SLICE(""), hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_hex(SLICE("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), hex);
    assert_string_equal(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* One test for each combination, of one file. */
static int run_combinations(const char *path, const struct json_document *document)
{
    struct error error = {0};
    struct profile profile;
    struct view whole;
    profile_init(&profile);
    if (import_file(path, NULL, &profile, &error) != 0 || view_open(&profile, &whole, &error) != 0) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        profile_free(&profile);
        return 1;
    }
    const uint8_t *thread = json_item(json_get(document, json_root(document), "threads"), 0);
    uint32_t count;
    const uint8_t *json = json_items(json_get(document, thread, "combos"), &count);
    struct combination *combinations = calloc(count, sizeof *combinations);
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    char **names = calloc(count, sizeof *names);
    for (uint32_t i = 0; i < count; i++, json = value_skip(json)) {
        char *options = json_dump(document, json_get(document, json, "options"), 0),
             *transforms = json_dump(document, json_get(document, json, "transforms"), 0);
        assert_true(asprintf(&names[i], "%s %s", options, transforms) > 0);
        memory_release(options);
        memory_release(transforms);
        combinations[i] =
            (struct combination){document, json, &whole, thread_at(json_u32(json_get(document, thread, "index")))};
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = combination_gives_what_the_firefox_profiler_gives,
                                       .initial_state = &combinations[i]};
    }
    int failed = _cmocka_run_group_tests(path, tests, count, NULL, NULL);
    for (uint32_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    free(tests);
    free(combinations);
    view_free(&whole);
    profile_free(&profile);
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sha256_is_that_of_the_standard)};
    struct json_document document;
    json_document_open(&document, TEST_DATA "/gecko1-expected.json.gz");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    failed += run_combinations(TEST_DATA "/gecko1-processed.json.gz", &document);
    failed += run_combinations(TEST_DATA "/gecko1.json.gz", &document);
    json_document_close(&document);
    return failed;
}
