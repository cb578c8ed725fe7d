/* What must hold for every profile: random ones, very deep ones, and with too little memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/failing_alloc.h"
#include "support/text_profile.h"
#include "tree/path_rewrite.h"
#include "tree/query.h"
#include "tree/transform_text.h"
#include "tree/transform_url.h"

#include <math.h>

enum { FUNCS = 9, RESOURCES = 2, ROUNDS = 400 };

/* ---- random profiles ---- */

static uint64_t seed;

static uint32_t random_below(uint32_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % limit);
}

static void add_random_funcs(struct profile *profile)
{
    for (uint32_t i = 0; i < RESOURCES; i++) {
        struct resource resource = {.name = string_table_add(&profile->strings, (struct slice){&"xy"[i], 1}),
                                    .host = STRING_NONE,
                                    .type = i == 0 ? RESOURCE_LIBRARY : RESOURCE_URL};
        assert_true(resource_exists(resource_table_append(&profile->resources, &resource)));
    }
    for (uint32_t i = 0; i < FUNCS; i++) {
        uint32_t resource = random_below(RESOURCES + 2);
        struct func func = {
            .name = string_table_add(&profile->strings, (struct slice){&"ABCDEFGHI"[i], 1}),
            .is_js = random_below(3) == 0,
            .relevant_for_js = random_below(4) == 0,
            .resource = resource < RESOURCES ? resource_at(resource) : resource_none(),
            .source = source_none(),
            .line = INDEX_NONE,
            .column = INDEX_NONE,
            .original_location = location_none(),
        };
        func_table_append(&profile->funcs, &func);
    }
}

static void add_random_stacks(struct profile *profile, uint32_t frames, uint32_t stacks)
{
    for (uint32_t i = 0; i < frames; i++) {
        uint32_t category = random_below(12);
        struct frame frame = {
            .address = COLUMN_ABSENT,
            .lib = lib_none(),
            .category = category < 8 ? category_at(category) : category_none(),
            .subcategory = INDEX_NONE,
            .func = func_at(random_below(FUNCS)),
            .native_symbol = native_symbol_none(),
            .implementation = STRING_NONE,
            .line = random_below(5),
            .column = INDEX_NONE,
            .original_location = location_none(),
        };
        frame_table_append(&profile->frames, &frame);
    }
    for (uint32_t i = 0; i < stacks; i++) {
        uint32_t prefix = random_below(8) == 0 ? i : random_below(i + 1);
        stack_table_append(&profile->stacks, prefix < i ? stack_at(prefix) : stack_none(), frame_at(random_below(frames)));
    }
}

static void add_random_samples(struct profile *profile, uint32_t stacks, uint32_t samples)
{
    struct thread *thread = text_profile_add_thread(profile, "");
    bool weighted = random_below(2) == 0;
    for (uint32_t i = 0; i < samples; i++) {
        column_append_index(&thread->samples.stack, random_below(9) == 0 ? INDEX_NONE : random_below(stacks));
        column_append_number(&thread->samples.time, i);
        if (weighted)
            column_append_number(&thread->samples.weight, (double)random_below(7) - 3);
    }
}

static void random_profile(struct profile *profile)
{
    struct error error = {0};
    uint32_t stacks = 1 + random_below(60);
    text_profile_open(profile);
    add_random_funcs(profile);
    add_random_stacks(profile, 1 + random_below(30), stacks);
    add_random_samples(profile, stacks, random_below(80));
    if (profile_finish(profile, &error) != 0)
        fail_msg("%s", error.message);
}

/* What transforms of a search look for; NULL for the others. */
static char *search_text(enum transform_type type, const char *search)
{
    if (type < KEEP_MATCHING)
        return NULL;
    char *text = memory_zeroed(strlen(search) + 1, 1);
    assert_non_null(text);
    return strcpy(text, search);
}

static struct transform random_transform(const struct func_list *funcs)
{
    struct transform transform = {
        .type = (enum transform_type)random_below(TRANSFORM_TYPES),
        .implementation = (enum implementation)random_below(3),
        .func = random_below(funcs->count),
        .category = random_below(8),
    };
    static const char *const searches[] = {"a", "-b, c", "/^[a-c]/", "~%, 1", "lib:0"};
    transform.text = search_text(transform.type, searches[random_below(5)]);
    transform.inverted = transform.type == FOCUS_SUBTREE && random_below(2) == 0;
    transform.filter = (enum sample_filter)(FILTER_FUNCTION_INCLUDE + random_below(3));
    if (transform.type == COLLAPSE_RESOURCE) {
        transform.resource = random_below(RESOURCES);
        transform.func = func_list_collapsed(funcs, transform.resource);
    }
    uint32_t length = transform.filter == FILTER_STACK_SUFFIX ? 1 : 1 + random_below(3);
    for (uint32_t i = 0; i < length; i++)
        assert_true(path_push(&transform.path, random_below(funcs->count)));
    return transform;
}

static void random_transforms(const struct func_list *funcs, struct transform_list *list)
{
    for (uint32_t i = random_below(5); i > 0; i--)
        assert_true(vec_push(&list->items, random_transform(funcs)));
}

/* ---- what holds ---- */

static void assert_parents_first(const struct view *view)
{
    for (uint32_t stack = 0; stack < view->count; stack++) {
        assert_true(view->prefix[stack] == INDEX_NONE || view->prefix[stack] < stack);
        assert_true(view->func[stack] < view->funcs->count);
    }
    for (uint32_t source = 0; view->sample_map && source < view_source_count(view); source++)
        assert_true(view->sample_map[source] == INDEX_NONE || view->sample_map[source] < view->count);
}

static void assert_nodes(const struct call_node_table *nodes)
{
    for (uint32_t node = 0; node < nodes->count; node++) {
        uint32_t parent = nodes->parent[node];
        assert_true(parent == INDEX_NONE ? nodes->depth[node] == 0
                                         : parent < node && nodes->depth[node] == nodes->depth[parent] + 1);
        assert_true(nodes->subtree_end[node] > node);
        assert_true(nodes->subtree_end[node] <= (parent == INDEX_NONE ? nodes->count : nodes->subtree_end[parent]));
        uint32_t next = nodes->subtree_end[node];
        if (next < nodes->count && nodes->parent[next] == parent)
            assert_true(nodes->func[next] > nodes->func[node]);
    }
}

static void assert_totals(const struct answer *answer)
{
    const struct call_node_table *nodes = &answer->nodes;
    double root_total = 0;
    for (uint32_t node = 0; node < nodes->count; node++) {
        double below = 0;
        for (uint32_t i = node; i < nodes->subtree_end[node]; i++)
            below += answer->tree.self[i];
        assert_true(answer->tree.total[node] == below);
        root_total += fabs(answer->tree.self[node]);
    }
    assert_true(answer->tree.root_total == root_total);
}

/* The self of the call node whose path is that of the inverted node, turned round. */
static double self_of_reversed(const struct answer *answer, const struct inverted_node *node)
{
    uint32_t funcs[128];
    size_t count = 0;
    for (;; node = &answer->inverted.nodes.items[node->parent]) {
        assert_true(count < 128);
        funcs[count++] = node->func;
        if (node->parent == INDEX_NONE)
            break;
    }
    uint32_t found = call_node_find(&answer->nodes, funcs, count);
    return found == INDEX_NONE ? 0 : answer->tree.self[found];
}

static void assert_inverted(struct answer *answer)
{
    struct error error = {0};
    double self_of_func[FUNCS + RESOURCES] = {0};
    assert_int_equal(inverted_tree_expand_all(&answer->inverted, &error), 0);
    for (uint32_t node = 0; node < answer->nodes.count; node++)
        self_of_func[answer->nodes.func[node]] += answer->tree.self[node];
    for (uint32_t i = 0; i < answer->inverted.nodes.count; i++) {
        const struct inverted_node *node = &answer->inverted.nodes.items[i];
        if (i < answer->inverted.root_count) {
            assert_true(node->total == self_of_func[node->func]);
            self_of_func[node->func] = 0;
        }
        double below = self_of_reversed(answer, node);
        for (uint32_t child = node->first_child; child < node->first_child + node->child_count; child++)
            below += answer->inverted.nodes.items[child].total;
        assert_true(node->total == below);
    }
    for (size_t func = 0; func < FUNCS + RESOURCES; func++)
        assert_true(self_of_func[func] == 0); /* functions that are no roots have no self */
}

static void assert_function_selfs(const struct answer *answer)
{
    struct error error = {0};
    struct function_list list;
    double sum = 0, listed = 0;
    assert_int_equal(function_list_build(&answer->tree, answer->view.funcs->count, FUNCTIONS_BY_SELF, &list, &error), 0);
    for (uint32_t node = 0; node < answer->nodes.count; node++)
        sum += answer->tree.self[node];
    for (size_t i = 0; i < list.rows.count; i++)
        listed += list.rows.items[i].self;
    bool cancels = false;
    for (uint32_t node = 0; node < answer->nodes.count; node++)
        cancels |= answer->tree.self[node] < 0;
    assert_true(cancels || listed == sum);
    function_list_free(&list);
}

static void sums_agree_in_trees_of_random_profiles(void **state)
{
    (void)state;
    for (seed = 1; seed < ROUNDS;) {
        uint64_t start = seed;
        struct error error = {0};
        struct profile profile;
        struct view whole;
        struct transform_list transforms = {0};
        struct thread_index thread = {0};
        struct answer answer;
        random_profile(&profile);
        assert_int_equal(view_open(&profile, &whole, &error), 0);
        random_transforms(whole.funcs, &transforms);
        struct query query = query_default();
        query.threads = &thread;
        query.thread_count = 1;
        query.implementation = (enum implementation)random_below(3);
        query.inverted = true;
        query.exclude_idle = random_below(3) == 0;
        query.transforms = transforms.items.items;
        query.transform_count = transforms.items.count;
        if (query_run(&whole, &query, &answer, &error) != 0)
            fail_msg("%s", error.message);
        assert_parents_first(&answer.view);
        assert_nodes(&answer.nodes);
        assert_totals(&answer);
        assert_inverted(&answer);
        assert_function_selfs(&answer);
        answer_free(&answer);
        transform_list_free(&transforms);
        view_free(&whole);
        profile_free(&profile);
        seed = start + 1;
    }
}

/* ---- taking transforms away again ---- */

struct snapshot {
    struct view copy; /* the numbers only */
};

static uint32_t *copy_of(const uint32_t *numbers, size_t count)
{
    uint32_t *copy = numbers ? malloc(count * sizeof *copy + 1) : NULL;
    if (copy)
        memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

static void snapshot_take(struct snapshot *snapshot, const struct view *view)
{
    snapshot->copy = *view;
    snapshot->copy.prefix = copy_of(view->prefix, view->count);
    snapshot->copy.func = copy_of(view->func, view->count);
    snapshot->copy.pair = copy_of(view->pair, view->count);
    snapshot->copy.sample_map = copy_of(view->sample_map, view_source_count(view));
}

static void snapshot_assert(struct snapshot *snapshot, const struct view *view)
{
    size_t bytes = view->count * sizeof(uint32_t);
    assert_int_equal(snapshot->copy.count, view->count);
    assert_memory_equal(snapshot->copy.prefix, view->prefix, bytes);
    assert_memory_equal(snapshot->copy.func, view->func, bytes);
    assert_memory_equal(snapshot->copy.pair, view->pair, bytes);
    assert_int_equal(snapshot->copy.sample_map == NULL, view->sample_map == NULL);
    if (view->sample_map)
        assert_memory_equal(snapshot->copy.sample_map, view->sample_map, view_source_count(view) * sizeof(uint32_t));
    free(snapshot->copy.prefix);
    free(snapshot->copy.func);
    free(snapshot->copy.pair);
    free(snapshot->copy.sample_map);
}

static void taking_transforms_away_gives_back_what_was_there(void **state)
{
    (void)state;
    for (seed = 1000; seed < 1000 + ROUNDS;) {
        uint64_t start = seed;
        enum { DEEP = 4 };
        struct error error = {0};
        struct profile profile;
        struct view views[DEEP + 1];
        struct snapshot snapshots[DEEP + 1];
        random_profile(&profile);
        assert_int_equal(view_open(&profile, &views[0], &error), 0);
        for (size_t i = 0; i < DEEP; i++) {
            struct transform transform = random_transform(views[i].funcs);
            snapshot_take(&snapshots[i], &views[i]);
            assert_int_equal(transform_apply(&transform, &views[i], NULL, 0, &views[i + 1], &error), 0);
            transform_free(&transform);
        }
        for (size_t i = DEEP; i > 0; i--) {
            view_free(&views[i]);
            snapshot_assert(&snapshots[i - 1], &views[i - 1]);
        }
        view_free(&views[0]);
        profile_free(&profile);
        seed = start + 1;
    }
}

/* ---- texts ---- */

static void transforms_survive_both_of_their_texts(void **state)
{
    (void)state;
    struct error error = {0};
    struct profile profile;
    seed = 7;
    random_profile(&profile);
    struct func_list *funcs = func_list_create(&profile);
    assert_non_null(funcs);
    for (size_t round = 0; round < ROUNDS; round++) {
        struct transform transform = random_transform(funcs), parsed;
        struct text_buffer text = {0}, again = {0};
        enum implementation view = (enum implementation)random_below(3);
        transform_print(&transform, funcs, view, &text);
        if (transform_parse(funcs, text_slice(&text), view, &parsed, &error) != 0)
            fail_msg("%s", error.message);
        transform_print(&parsed, funcs, view, &again);
        assert_true(slice_equal(text_slice(&text), text_slice(&again)));
        transform_free(&parsed);

        struct transform_list list = {0};
        text_cut(&text, 0);
        text_cut(&again, 0);
        transforms_encode(&transform, 1, &text);
        assert_int_equal(transforms_decode(text_slice(&text), &list, &error), 0);
        assert_int_equal(list.items.count, transform.type == FILTER_SAMPLES ? 0 : 1);
        transforms_encode(list.items.items, list.items.count, &again);
        assert_true(transform.type == FILTER_SAMPLES || slice_equal(text_slice(&text), text_slice(&again)));
        transform_list_free(&list);
        transform_free(&transform);
        text_free(&text);
        text_free(&again);
    }
    func_list_drop(funcs);
    profile_free(&profile);
}

/* ---- depth ---- */

enum { DEPTH = 100000 };

/* One sample, of a function that called itself and another in turns. */
static void deep_profile(struct profile *profile)
{
    struct error error = {0};
    text_profile_open(profile);
    struct thread *thread = text_profile_add_thread(profile, "A  A\nB\n");
    struct stack_index stack = stack_at(1);
    for (uint32_t i = 2; i < DEPTH; i++)
        stack = stack_table_append(&profile->stacks, stack, frame_at(i % 2));
    column_append_index(&thread->samples.stack, stack.i);
    column_append_number(&thread->samples.time, 2);
    assert_int_equal(profile_finish(profile, &error), 0);
}

static void stacks_may_be_very_deep(void **state)
{
    (void)state;
    struct error error = {0};
    struct profile profile;
    struct view whole;
    struct thread_index thread = {0};
    struct query query = query_default();
    query.threads = &thread;
    query.thread_count = 1;
    query.inverted = true;
    deep_profile(&profile);
    assert_int_equal(view_open(&profile, &whole, &error), 0);
    for (enum transform_type type = 0; type < TRANSFORM_TYPES; type++) {
        struct transform transform = {.type = type, .filter = FILTER_STACK_PREFIX, .text = search_text(type, "a")};
        struct answer answer;
        if (type == COLLAPSE_RESOURCE) /* there are no resources */
            continue;
        assert_true(path_push(&transform.path, 0));
        query.transforms = &transform;
        query.transform_count = 1;
        if (query_run(&whole, &query, &answer, &error) != 0)
            fail_msg("%s", error.message);
        assert_int_equal(inverted_tree_expand_all(&answer.inverted, &error), 0);
        answer_free(&answer);
        transform_free(&transform);
    }
    query.transform_count = 0;
    struct answer answer;
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    assert_int_equal(answer.nodes.count, DEPTH);
    assert_int_equal(inverted_tree_expand_all(&answer.inverted, &error), 0);
    assert_true(answer.inverted.nodes.count >= DEPTH);
    answer_free(&answer);
    view_free(&whole);
    profile_free(&profile);
}

/* ---- too little memory ---- */

static int ask_everything(void *data, struct error *error)
{
    static const char *const texts[] = {"merge-function:C", "focus-subtree:A", "collapse-resource:x", "focus-category:Other",
                                        "filter-samples:outside-marker:q"};
    const struct profile *profile = data;
    struct view whole;
    struct answer answer;
    struct transform_list transforms = {0};
    struct thread_index thread = {0};
    struct path selected = {0};
    struct line_timings lines;
    struct function_list functions;
    int status = view_open(profile, &whole, error);
    if (status != 0)
        return status;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && status == 0; i++) {
        struct transform transform;
        status = transform_parse(whole.funcs, slice_of(texts[i]), IMPLEMENTATION_COMBINED, &transform, error);
        if (status == 0 && !vec_push(&transforms.items, transform)) {
            transform_free(&transform);
            status = error_out_of_memory(error);
        }
    }
    if (status == 0)
        status = path_parse(whole.funcs, SLICE("A;B"), &selected, error);
    struct query query = query_default();
    query.threads = &thread;
    query.thread_count = 1;
    query.implementation = IMPLEMENTATION_CPP;
    query.search = SLICE("a, x");
    query.range = (struct time_range){0, 10};
    query.inverted = true;
    query.transforms = transforms.items.items;
    query.transform_count = transforms.items.count;
    query.selected = &selected;
    if (status == 0) {
        status = query_run(&whole, &query, &answer, error);
        if (status == 0) {
            status = inverted_tree_expand_all(&answer.inverted, error);
            if (status == 0)
                status = function_list_build(&answer.tree, whole.funcs->count, FUNCTIONS_BY_SELF, &functions, error);
            if (status == 0) {
                function_list_free(&functions);
                status = line_timings_of_func(&answer.view, &answer.weights, 0, &lines, error);
            }
            if (status == 0) {
                line_timings_free(&lines);
                status = line_timings_of_path(&answer.view, &answer.nodes, &answer.weights, &selected, true, &lines, error);
            }
            if (status == 0)
                line_timings_free(&lines);
            answer_free(&answer);
        }
    }
    path_free(&selected);
    transform_list_free(&transforms);
    view_free(&whole);
    return status;
}

static void every_failing_allocation_is_a_clean_error(void **state)
{
    (void)state;
    struct error error = {0};
    struct profile profile;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "A          A          A\n"
                                      "B[lib:x]   B[lib:x]   C\n"
                                      "D[line:3]  E[lib:x]\n");
    assert_int_equal(profile_finish(&profile, &error), 0);
    assert_true(assert_survives_failing_allocations(ask_everything, &profile) > 50);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_agree_in_trees_of_random_profiles),
        cmocka_unit_test(taking_transforms_away_gives_back_what_was_there),
        cmocka_unit_test(transforms_survive_both_of_their_texts),
        cmocka_unit_test(stacks_may_be_very_deep),
        cmocka_unit_test(every_failing_allocation_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
