/* Questions with several parts: threads, ranges, strategies, a selected node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tree_text.h"

#include "support/text_profile.h"
#include "tree/transform_text.h"

#include <errno.h>

static struct profile profile;
static struct view whole;

/* The numbers of an optional column, for all samples of the thread. */
static void fill(struct column *column, size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++)
        column_append_number(column, values[i]);
}

static void open_whole(void)
{
    struct error error = {0};
    if (profile_finish(&profile, &error) != 0 || view_open(&profile, &whole, &error) != 0)
        fail_msg("%s", error.message);
}

static void close_whole(void)
{
    view_free(&whole);
    profile_free(&profile);
}

static struct query query_of(const struct thread_index *threads, size_t count)
{
    struct query query = query_default();
    query.threads = threads;
    query.thread_count = count;
    return query;
}

static const struct thread_index two_threads[] = {{0}, {1}};

static void several_threads_are_added_up(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "A  A\nB\n");
    text_profile_add_thread(&profile, "A  D\nC\n");
    open_whole();
    struct query query = query_of(two_threads, 2);
    assert_tree_text(&whole, &query,
                     "A (3 | 1)\n"
                     "  B (1 | 1)\n"
                     "  C (1 | 1)\n"
                     "D (1 | 1)\n");
    query.thread_count = 1;
    assert_tree_text(&whole, &query,
                     "A (2 | 1)\n"
                     "  B (1 | 1)\n");
    close_whole();
}

static void a_range_cuts_each_thread_by_its_own_times(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "0  5  10  15\nA  B  C   D\n");
    text_profile_add_thread(&profile, "3  10\nE  F\n");
    open_whole();
    struct query query = query_of(two_threads, 2);
    query.range = (struct time_range){5, 15};
    assert_tree_text(&whole, &query,
                     "B (1 | 1)\n"
                     "C (1 | 1)\n"
                     "F (1 | 1)\n");
    query.range.end = query_default().range.end;
    query.preview = (struct time_range){10, 11};
    assert_tree_text(&whole, &query,
                     "C (1 | 1)\n"
                     "F (1 | 1)\n");
    close_whole();
}

static void without_a_range_samples_outside_of_the_recording_do_not_count(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "0  5  10\nA  B  C\n");
    profile.meta.profiling_start_time = 5;
    profile.meta.profiling_end_time = 10;
    open_whole();
    struct query query = query_of(two_threads, 1);
    assert_tree_text(&whole, &query, "B (1 | 1)\n");
    close_whole();
}

static void weights_count_instead_of_samples(void **state)
{
    (void)state;
    text_profile_open(&profile);
    struct thread *thread = text_profile_add_thread(&profile, "A  A  A\nB  C  B\n");
    fill(&thread->samples.weight, 3, (double[]){2.5, -4, 1});
    thread->samples.weight_type = WEIGHT_TRACING_MS;
    open_whole();
    struct query query = query_of(two_threads, 1);
    assert_tree_text(&whole, &query,
                     "A (-0.5 | 0)\n"
                     "  C (-4 | -4)\n"
                     "  B (3.5 | 3.5)\n");
    struct error error = {0};
    struct answer answer;
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    assert_true(answer.tree.root_total == 7.5);
    assert_int_equal(answer.tree.row_count, 3);
    assert_int_equal(answer.weights.type, WEIGHT_TRACING_MS);
    answer_free(&answer);
    close_whole();
}

static void weights_that_add_up_to_infinity_are_an_error(void **state)
{
    (void)state;
    text_profile_open(&profile);
    struct thread *thread = text_profile_add_thread(&profile, "A  B\n");
    fill(&thread->samples.weight, 2, (double[]){1e308, 1e308});
    open_whole();
    struct query query = query_of(two_threads, 1);
    struct error error = {0};
    struct answer answer;
    assert_int_equal(query_run(&whole, &query, &answer, &error), -ERANGE);
    close_whole();
}

static void samples_that_are_not_weighted_count_1_beside_those_that_are(void **state)
{
    (void)state;
    text_profile_open(&profile);
    struct thread *thread = text_profile_add_thread(&profile, "A  B\n");
    fill(&thread->samples.weight, 2, (double[]){5, 7});
    text_profile_add_thread(&profile, "A  A\n");
    open_whole();
    struct query query = query_of(two_threads, 2);
    assert_tree_text(&whole, &query,
                     "A (7 | 7)\n"
                     "B (7 | 7)\n");
    close_whole();
}

static void cpu_time_is_counted_in_ms_from_the_second_sample_on(void **state)
{
    (void)state;
    text_profile_open(&profile);
    struct thread *thread = text_profile_add_thread(&profile, "A  A  B  A\n");
    profile.meta.cpu_unit = CPU_MICROSECONDS;
    fill(&thread->samples.cpu_delta, 4, (double[]){900, 500, 250, __builtin_nan("")});
    open_whole();
    struct query query = query_of(two_threads, 1);
    query.strategy = STRATEGY_CPU;
    assert_tree_text(&whole, &query,
                     "A (0.5 | 0.5)\n"
                     "B (0.25 | 0.25)\n");
    close_whole();
}

static void cycles_are_compared_with_the_busiest_time_between_two_samples(void **state)
{
    (void)state;
    text_profile_open(&profile);
    struct thread *thread = text_profile_add_thread(&profile, "0  1  3\nA  A  B\n");
    profile.meta.cpu_unit = CPU_CYCLES;
    fill(&thread->samples.cpu_delta, 3, (double[]){0, 4000, 2000});
    open_whole();
    struct query query = query_of(two_threads, 1);
    query.strategy = STRATEGY_CPU;
    assert_tree_text(&whole, &query,
                     "A (1 | 1)\n"
                     "B (0.5 | 0.5)\n");
    close_whole();
}

static void a_strategy_that_the_profile_has_no_data_for_is_an_error(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "A  B\n");
    open_whole();
    struct query query = query_of(two_threads, 1);
    for (query.strategy = STRATEGY_CPU; query.strategy < STRATEGY_TIME; query.strategy++) {
        struct error error = {0};
        struct answer answer;
        assert_int_equal(query_run(&whole, &query, &answer, &error), -ENODATA);
        assert_non_null(strstr(error.message, strategy_names[query.strategy]));
    }
    close_whole();
}

static void a_thread_that_does_not_exist_is_an_error(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "A\n");
    open_whole();
    struct query query = query_of(two_threads, 2);
    struct error error = {0};
    struct answer answer;
    assert_int_equal(query_run(&whole, &query, &answer, &error), -EINVAL);
    assert_string_equal(error.message, "there is no thread t-1");
    close_whole();
}

static void a_thread_without_samples_has_an_empty_tree(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "");
    open_whole();
    struct query query = query_of(two_threads, 1);
    assert_tree_text(&whole, &query, "");
    query.inverted = true;
    assert_tree_text(&whole, &query, "");
    close_whole();
}

static void an_inverted_tree_starts_at_the_leaves(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "A  A  D\nB  B  C\nC  C\n");
    open_whole();
    struct query query = query_of(two_threads, 1);
    query.inverted = true;
    assert_tree_text(&whole, &query,
                     "C (3 | 3)\n"
                     "  B (2 | 0)\n"
                     "    A (2 | 0)\n"
                     "  D (1 | 0)\n");
    close_whole();
}

/* ---- functions ---- */

static void functions_are_listed_by_self_or_by_total_and_recursion_counts_once(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "A  A  A\nB  A  C\nA     C\n");
    open_whole();
    struct query query = query_of(two_threads, 1);
    struct error error = {0};
    struct answer answer;
    struct function_list list;
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    assert_int_equal(function_list_build(&answer.tree, whole.funcs->count, FUNCTIONS_BY_SELF, &list, &error), 0);
    static const struct {
        uint32_t func;
        double self, total;
    } expected[] = {{0, 2, 3}, {2, 1, 1}, {1, 0, 1}};
    assert_int_equal(list.rows.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(list.rows.items[i].func, expected[i].func);
        assert_true(list.rows.items[i].self == expected[i].self && list.rows.items[i].total == expected[i].total);
    }
    function_list_free(&list);
    assert_int_equal(function_list_build(&answer.tree, whole.funcs->count, FUNCTIONS_BY_TOTAL, &list, &error), 0);
    assert_int_equal(list.rows.items[1].func, 1);
    function_list_free(&list);
    answer_free(&answer);
    close_whole();
}

static void lines_of_a_function_count_recursion_once(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "A[line:1]  A[line:1]  A[line:2]\n"
                                      "A[line:1]  B[line:7]\n"
                                      "A[line:3]\n");
    open_whole();
    struct query query = query_of(two_threads, 1);
    struct error error = {0};
    struct answer answer;
    struct line_timings lines;
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    assert_int_equal(line_timings_of_func(&answer.view, &answer.weights, 0, &lines, &error), 0);
    static const struct line_row expected[] = {{1, 0, 0, 2}, {2, 0, 1, 1}, {3, 0, 1, 1}};
    assert_int_equal(lines.rows.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(lines.rows.items[i].line, expected[i].line);
        assert_true(lines.rows.items[i].self == expected[i].self && lines.rows.items[i].total == expected[i].total);
    }
    line_timings_free(&lines);
    answer_free(&answer);
    close_whole();
}

/* ---- the selected node ---- */

/* Where `path` is after `transform`: funcs as text, and whether the node found is exactly that. */
static void assert_selected(const char *path, const char *transform_text, bool inverted, const char *expected,
                            const char *expected_node, bool exact)
{
    struct error error = {0};
    struct path selected = {0};
    struct transform transform;
    struct answer answer;
    struct query query = query_of(two_threads, 1);
    assert_int_equal(path_parse(whole.funcs, slice_of(path), &selected, &error), 0);
    assert_int_equal(transform_parse(whole.funcs, slice_of(transform_text), IMPLEMENTATION_COMBINED, &transform, &error), 0);
    query.selected = &selected;
    query.transforms = &transform;
    query.transform_count = 1;
    query.inverted = inverted;
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    struct text_buffer text = {0};
    for (size_t i = 0; i < answer.selected.funcs.count; i++) {
        text_add(&text, i > 0 ? SLICE(";") : SLICE(""));
        text_add(&text, func_list_name(whole.funcs, answer.selected.funcs.items[i]));
    }
    text_add_char(&text, '\0');
    assert_string_equal(text.bytes.items, expected);
    uint32_t func = INDEX_NONE;
    if (answer.selected_node != INDEX_NONE)
        func = inverted ? answer.inverted.nodes.items[answer.selected_node].func : answer.nodes.func[answer.selected_node];
    assert_true(slice_equal(func_list_name(whole.funcs, func), slice_of(expected_node)));
    assert_int_equal(answer.selected_is_exact, exact);
    text_free(&text);
    answer_free(&answer);
    transform_free(&transform);
    path_free(&selected);
}

static void the_selected_path_follows_the_transforms(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "A            A\n"
                                      "B[cat:DOM]   C\n"
                                      "D[cat:DOM]\n");
    open_whole();
    assert_selected("A;B;D", "merge-function:B", false, "A;D", "D", true);
    assert_selected("A;B;D", "collapse-function-subtree:B", false, "A;B", "B", true);
    assert_selected("A;B;D", "focus-category:DOM", false, "B;D", "D", true);
    assert_selected("D;B;A", "focus-category:DOM", true, "D;B", "B", true);
    close_whole();
}

static void a_selected_node_that_is_gone_leaves_an_empty_path(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "A  A\nB  C\n");
    open_whole();
    assert_selected("A;B", "drop-function:B", false, "", "", false);
    assert_selected("A;B;C", "focus-category:Other", false, "", "", false);
    close_whole();
}

static void a_selected_node_that_has_no_samples_left_gives_way_to_the_nearest_caller(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "A  A\nB  C\nD\n");
    open_whole();
    assert_selected("A;B;D", "filter-samples:stack-suffix:C", false, "A;B;D", "A", false);
    assert_selected("D;B;A", "filter-samples:stack-suffix:C", true, "D;B;A", "", false);
    close_whole();
}

static void the_heaviest_node_is_the_first_of_those_with_the_most_self(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "A  A  A  A  A  D\nB  B  C  C  B\n      E  E\n");
    open_whole();
    struct query query = query_of(two_threads, 1);
    struct error error = {0};
    struct answer answer;
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    uint32_t heaviest = call_tree_heaviest(&answer.tree, 0);
    assert_true(slice_is(func_list_name(whole.funcs, answer.nodes.func[heaviest]), "B"));
    uint32_t c = call_node_find(&answer.nodes, (uint32_t[]){0, 2}, 2);
    heaviest = call_tree_heaviest(&answer.tree, c);
    assert_true(slice_is(func_list_name(whole.funcs, answer.nodes.func[heaviest]), "E"));
    answer_free(&answer);
    close_whole();
}

/* ---- causes of markers ---- */

static void transforms_move_causes_of_markers_and_sample_filters_do_not(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "A\nB\nC\n");
    open_whole();
    static const char *const transforms[] = {"merge-function:C", "filter-samples:stack-suffix:A", "merge-function:B"};
    struct error error = {0};
    struct view view = view_share(&whole);
    for (size_t i = 0; i < 3; i++) {
        struct transform transform;
        struct view next;
        assert_int_equal(transform_parse(whole.funcs, slice_of(transforms[i]), IMPLEMENTATION_COMBINED, &transform, &error), 0);
        assert_int_equal(transform_apply(&transform, &view, two_threads, 1, &next, &error), 0);
        view_free(&view);
        transform_free(&transform);
        view = next;
    }
    assert_int_equal(view_cause_stack(&view, 2), 0);
    assert_int_equal(view_sample_stack(&view, 2), INDEX_NONE);
    assert_int_equal(view_sample_stack(&view, 0), 0);
    assert_int_equal(view_cause_stack(&view, INDEX_NONE), INDEX_NONE);
    view_free(&view);
    close_whole();
}

/* ---- popping ---- */

static void a_view_stays_as_it_was_whatever_is_made_from_it(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "A  A         Ajs\nB  B[lib:x]  C\nB            B[lib:x]\n");
    open_whole();
    static const char *const transforms[] = {
        "focus-subtree:A;f-1",
        "focus-function:A",
        "focus-self:A",
        "focus-category:Other",
        "merge-call-node:A",
        "merge-function:f-1",
        "drop-function:Ajs",
        "collapse-resource:x",
        "collapse-direct-recursion:f-1",
        "collapse-recursion:f-1",
        "collapse-function-subtree:C",
        "filter-samples:stack-suffix:f-1",
        "filter-samples:outside-marker:x",
    };
    struct query query = query_of(two_threads, 1);
    struct error error = {0};
    struct answer answer;
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    char *before = tree_text(&answer, false);
    for (size_t i = 0; i < sizeof transforms / sizeof *transforms; i++) {
        struct transform transform;
        struct view view;
        assert_int_equal(transform_parse(whole.funcs, slice_of(transforms[i]), IMPLEMENTATION_JS, &transform, &error), 0);
        assert_int_equal(transform_apply(&transform, &whole, two_threads, 1, &view, &error), 0);
        assert_tree_text(&whole, &query, before);
        view_free(&view);
        transform_free(&transform);
        assert_tree_text(&whole, &query, before);
    }
    free(before);
    answer_free(&answer);
    close_whole();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_threads_are_added_up),
        cmocka_unit_test(a_range_cuts_each_thread_by_its_own_times),
        cmocka_unit_test(without_a_range_samples_outside_of_the_recording_do_not_count),
        cmocka_unit_test(weights_count_instead_of_samples),
        cmocka_unit_test(weights_that_add_up_to_infinity_are_an_error),
        cmocka_unit_test(samples_that_are_not_weighted_count_1_beside_those_that_are),
        cmocka_unit_test(cpu_time_is_counted_in_ms_from_the_second_sample_on),
        cmocka_unit_test(cycles_are_compared_with_the_busiest_time_between_two_samples),
        cmocka_unit_test(a_strategy_that_the_profile_has_no_data_for_is_an_error),
        cmocka_unit_test(a_thread_that_does_not_exist_is_an_error),
        cmocka_unit_test(a_thread_without_samples_has_an_empty_tree),
        cmocka_unit_test(an_inverted_tree_starts_at_the_leaves),
        cmocka_unit_test(functions_are_listed_by_self_or_by_total_and_recursion_counts_once),
        cmocka_unit_test(lines_of_a_function_count_recursion_once),
        cmocka_unit_test(the_selected_path_follows_the_transforms),
        cmocka_unit_test(a_selected_node_that_is_gone_leaves_an_empty_path),
        cmocka_unit_test(a_selected_node_that_has_no_samples_left_gives_way_to_the_nearest_caller),
        cmocka_unit_test(the_heaviest_node_is_the_first_of_those_with_the_most_self),
        cmocka_unit_test(transforms_move_causes_of_markers_and_sample_filters_do_not),
        cmocka_unit_test(a_view_stays_as_it_was_whatever_is_made_from_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
