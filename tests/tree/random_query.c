#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random_query.h"

#include "common/number_text.h"

#include <stdio.h>

/* ---- questions ---- */

static void random_path(struct random *random, const struct view *whole, struct path *path)
{
    /* Mostly one that exists: the beginning of some stack. */
    uint32_t funcs[200];
    size_t count = 0;
    for (uint32_t stack = random_below(random, whole->count); stack != INDEX_NONE && count < 200; stack = whole->prefix[stack])
        funcs[count++] = whole->func[stack];
    for (size_t length = 1 + random_below(random, 3); length > 0 && count > 0; length--) {
        uint32_t func = random_chance(random, 8) ? random_below(random, whole->funcs->count) : funcs[count - 1];
        assert_true(path_push(path, func));
        count--;
    }
}

/* What terms look at: functions, or categories as well, or threads as well. */
enum search_kind { SEARCH_OF_FUNCS, SEARCH_OF_STACKS, SEARCH_OF_SAMPLES };

/* One to three terms. */
static void random_search_text(struct random *random, enum search_kind kind, char *text, size_t room)
{
    static const char *const terms[] = {
        "script",        "1",
        "NATIVE",        "LIB0",
        "label",         "example.com",
        "-native1",      "-lib1",
        "name:1",        "lib:so",
        "file:.js",      "-name:2",
        "-lib:lib0",     "-file:example",
        "/^n.*[1-3]$/",  "-/^script[^0-2]/",
        "lib:/lib[01]/", "file:/1[.]js$/",
        "name:0x",       "/^(0x|label)/",
        "cat:other",     "cat:J",
        "-cat:/^l/",     "-cat:Idle",
        "thread:1",      "-thread:/ [02]$/",
    };
    static const uint32_t counts[] = {[SEARCH_OF_FUNCS] = 20, [SEARCH_OF_STACKS] = 24, [SEARCH_OF_SAMPLES] = 26};
    text[0] = '\0';
    for (uint32_t i = 1 + random_below(random, 3); i > 0; i--) {
        size_t used = strlen(text);
        snprintf(text + used, room - used, "%s%s", used > 0 ? ", " : "", terms[random_below(random, counts[kind])]);
    }
}

static char *random_search(struct random *random, enum transform_type type)
{
    char *text = memory_zeroed(SEARCH_ROOM, 1);
    assert_non_null(text);
    random_search_text(random,
                       type == KEEP_MATCHING   ? SEARCH_OF_SAMPLES
                       : type == DROP_MATCHING ? SEARCH_OF_STACKS
                                               : SEARCH_OF_FUNCS,
                       text, SEARCH_ROOM);
    return text;
}

struct transform random_transform(struct random *random, const struct view *whole)
{
    static const char *const searches[] = {"Marker 1", "name:Marker 2", "nothing", ""};
    struct transform transform = {
        .type = (enum transform_type)random_below(random, TRANSFORM_TYPES),
        .implementation = (enum implementation)random_below(random, 3),
        .func = random_below(random, whole->funcs->own_count),
        .category = random_below(random, (uint32_t)whole->profile->categories.rows.count),
    };
    uint32_t resources = whole->funcs->count - whole->funcs->own_count;
    if (transform.type == COLLAPSE_RESOURCE && resources == 0)
        transform.type = MERGE_FUNCTION;
    transform.inverted = transform.type == FOCUS_SUBTREE && random_chance(random, 3);
    if (transform.type == COLLAPSE_RESOURCE) {
        transform.resource = random_below(random, resources);
        transform.func = func_list_collapsed(whole->funcs, transform.resource);
    }
    if (transform.type == FOCUS_SUBTREE || transform.type == MERGE_CALL_NODE)
        random_path(random, whole, &transform.path);
    if (transform.type >= KEEP_MATCHING)
        transform.text = random_search(random, transform.type);
    if (transform.type != FILTER_SAMPLES)
        return transform;
    transform.filter = (enum sample_filter)random_below(random, SAMPLE_FILTERS);
    if (transform.filter == FILTER_MARKER_SEARCH || transform.filter == FILTER_OUTSIDE_MARKER) {
        const char *search = searches[random_below(random, 4)];
        transform.text = memory_array(strlen(search) + 1, 1);
        assert_non_null(transform.text);
        strcpy(transform.text, search);
    } else if (transform.filter == FILTER_STACK_SUFFIX) {
        assert_true(path_push(&transform.path, transform.func));
    } else {
        random_path(random, whole, &transform.path);
    }
    return transform;
}

void random_query_make(struct random_query *random_query, struct random *random, const struct view *whole)
{
    *random_query = (struct random_query){.query = query_default()};
    struct query *query = &random_query->query;
    uint32_t threads = (uint32_t)whole->profile->threads.count, first = random_below(random, threads);
    do
        random_query->threads[query->thread_count++] = thread_at(first++ % threads);
    while (query->thread_count < 3 && query->thread_count < threads && random_chance(random, 2));
    query->threads = random_query->threads;
    for (uint32_t i = random_below(random, 5); i > 0; i--)
        assert_true(vec_push(&random_query->transforms.items, random_transform(random, whole)));
    query->transforms = random_query->transforms.items.items;
    query->transform_count = random_query->transforms.items.count;
    query->implementation = (enum implementation)random_below(random, 3);
    query->inverted = random_chance(random, 2);
    query->exclude_idle = random_chance(random, 3);
    if (random_chance(random, 3))
        query->range = (struct time_range){random_below(random, 40), 20 + random_below(random, 100)};
    if (random_chance(random, 4))
        query->preview = (struct time_range){random_below(random, 40), 20 + random_below(random, 100)};
    if (random_chance(random, 3))
        random_search_text(random, SEARCH_OF_SAMPLES, random_query->search, sizeof random_query->search);
    query->search = slice_of(random_query->search);
    if (random_chance(random, 3))
        query->strategy = (enum strategy)random_below(random, STRATEGIES);
}

void random_query_free(struct random_query *random_query)
{
    transform_list_free(&random_query->transforms);
}

/* ---- answers ---- */

static void add_number(struct text_buffer *text, double number)
{
    char digits[NUMBER_TEXT_SIZE];
    text_add(text, (struct slice){digits, number_text(number, digits)});
}

static void add_row(struct text_buffer *text, const struct answer *answer, uint32_t depth, uint32_t func, double total,
                    double self)
{
    for (uint32_t i = 0; i < depth; i++)
        text_add(text, SLICE("  "));
    text_add(text, func_list_name(answer->view.funcs, func));
    text_add(text, SLICE(" ("));
    add_number(text, total);
    text_add(text, SLICE(" | "));
    add_number(text, self);
    text_add(text, SLICE(")"));
}

static void add_kind(struct text_buffer *text, uint32_t pair, uint32_t inlined)
{
    char kind[64];
    snprintf(kind, sizeof kind, " category %x inlined %x\n", pair, inlined);
    text_add(text, slice_of(kind));
}

static void add_nodes(struct text_buffer *text, const struct answer *answer, uint32_t parent)
{
    const struct call_node_table *nodes = &answer->nodes;
    struct node_list children = {0};
    assert_true(call_tree_children(&answer->tree, parent, &children));
    for (size_t i = 0; i < children.nodes.count; i++) {
        uint32_t node = children.nodes.items[i];
        add_row(text, answer, nodes->depth[node], nodes->func[node], answer->tree.total[node], answer->tree.self[node]);
        add_kind(text, nodes->pair[node], nodes->inlined ? nodes->inlined[node] : INLINED_NOT);
        add_nodes(text, answer, node);
    }
    vec_free(&children.nodes);
}

static void add_inverted_nodes(struct text_buffer *text, struct answer *answer, uint32_t first, uint32_t count)
{
    struct error error = {0};
    for (uint32_t node = first; node < first + count; node++) {
        assert_int_equal(inverted_tree_expand(&answer->inverted, node, &error), 0);
        struct inverted_node row = answer->inverted.nodes.items[node];
        add_row(text, answer, row.depth, row.func, row.total, inverted_node_self(&row));
        add_kind(text, row.pair, row.inlined);
        add_inverted_nodes(text, answer, row.first_child, row.child_count);
    }
}

static void add_functions(struct text_buffer *text, const struct answer *answer)
{
    struct error error = {0};
    struct function_list list;
    assert_int_equal(function_list_build(&answer->tree, answer->view.funcs->count, FUNCTIONS_BY_TOTAL, &list, &error), 0);
    for (size_t i = 0; i < list.rows.count; i++) {
        add_row(text, answer, 0, list.rows.items[i].func, list.rows.items[i].total, list.rows.items[i].self);
        text_add(text, SLICE("\n"));
    }
    function_list_free(&list);
}

char *query_text(const struct view *whole, const struct query *query)
{
    struct error error = {0};
    struct answer answer;
    struct text_buffer text = {0};
    if (query_run(whole, query, &answer, &error) != 0) {
        text_add(&text, slice_of(error.message));
    } else {
        text_add(&text, SLICE("total "));
        add_number(&text, answer.tree.root_total);
        text_add(&text, SLICE("\n"));
        if (query->inverted)
            add_inverted_nodes(&text, &answer, 0, answer.inverted.root_count);
        else
            add_nodes(&text, &answer, INDEX_NONE);
        add_functions(&text, &answer);
        answer_free(&answer);
    }
    text_add_char(&text, '\0');
    assert_false(text.failed);
    char *copy = strdup(text_slice(&text).text);
    assert_non_null(copy);
    text_free(&text);
    return copy;
}
