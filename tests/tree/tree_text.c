#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tree_text.h"

#include "common/text_buffer.h"
#include "support/text_profile.h"
#include "tree/transform_text.h"

#include <stdio.h>

static void add_line(struct text_buffer *text, const struct view *view, uint32_t depth, uint32_t func, double total,
                     double self)
{
    char line[200];
    struct slice name = func_list_name(view->funcs, func);
    int length =
        snprintf(line, sizeof line, "%*s%.*s (%g | %g)\n", (int)depth * 2, "", (int)name.length, name.text, total, self);
    text_add(text, (struct slice){line, (size_t)length});
}

static void add_nodes(struct text_buffer *text, const struct answer *answer, uint32_t parent)
{
    struct node_list children = {0};
    assert_true(call_tree_children(&answer->tree, parent, &children));
    for (size_t i = 0; i < children.nodes.count; i++) {
        uint32_t node = children.nodes.items[i];
        add_line(text, &answer->view, answer->nodes.depth[node], answer->nodes.func[node], answer->tree.total[node],
                 answer->tree.self[node]);
        add_nodes(text, answer, node);
    }
    vec_free(&children.nodes);
}

static void add_inverted(struct text_buffer *text, struct answer *answer, uint32_t first, uint32_t count)
{
    struct error error = {0};
    for (uint32_t i = first; i < first + count; i++) {
        assert_int_equal(inverted_tree_expand(&answer->inverted, i, &error), 0);
        struct inverted_node node = answer->inverted.nodes.items[i];
        add_line(text, &answer->view, node.depth, node.func, node.total, inverted_node_self(&node));
        add_inverted(text, answer, node.first_child, node.child_count);
    }
}

char *tree_text(struct answer *answer, bool inverted)
{
    struct text_buffer text = {0};
    if (inverted)
        add_inverted(&text, answer, 0, answer->inverted.root_count);
    else
        add_nodes(&text, answer, INDEX_NONE);
    text_add_char(&text, '\0');
    assert_false(text.failed);
    char *copy = strdup(text.bytes.items);
    text_free(&text);
    return copy;
}

void assert_tree_text(const struct view *whole, const struct query *query, const char *expected)
{
    struct error error = {0};
    struct answer answer;
    if (query_run(whole, query, &answer, &error) != 0)
        fail_msg("%s", error.message);
    char *text = tree_text(&answer, query->inverted);
    assert_string_equal(text, expected);
    free(text);
    answer_free(&answer);
}

void assert_transformed(const char *samples, const char *transforms, const char *expected)
{
    struct error error = {0};
    struct profile profile;
    struct view whole;
    struct transform_list list = {0};
    text_profile_open(&profile);
    text_profile_add_thread(&profile, samples);
    assert_int_equal(profile_finish(&profile, &error), 0);
    assert_int_equal(view_open(&profile, &whole, &error), 0);
    while (transforms && *transforms) {
        size_t length = strcspn(transforms, " ");
        struct transform transform;
        if (transform_parse(whole.funcs, (struct slice){transforms, length}, IMPLEMENTATION_COMBINED, &transform, &error) != 0)
            fail_msg("%s", error.message);
        assert_true(vec_push(&list.items, transform));
        transforms += length + (transforms[length] == ' ');
    }
    struct thread_index thread = thread_at(0);
    struct query query = query_default();
    query.threads = &thread;
    query.thread_count = 1;
    query.transforms = list.items.items;
    query.transform_count = list.items.count;
    assert_tree_text(&whole, &query, expected);
    transform_list_free(&list);
    view_free(&whole);
    profile_free(&profile);
}
