/* The stacks that samples have in a view, one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random_query.h"

#include "support/failing_alloc.h"
#include "support/text_profile.h"
#include "tree/sample_stacks.h"
#include "tree/transform_text.h"

#include <math.h>

enum { PROFILES = 100, QUESTIONS = 20 };

static struct profile profile;
static struct view whole;

static void open_profile(const char *samples)
{
    struct error error = {0};
    text_profile_open(&profile);
    text_profile_add_thread(&profile, samples);
    struct raw_marker marker = {
        .name = string_table_add(&profile.strings, SLICE("frame")),
        .start = 1.5,
        .end = 3.5,
        .phase = MARKER_INTERVAL,
        .category = category_at(0),
        .cause_stack = stack_none(),
        .cause_time = NAN,
        .cause_tid = STRING_NONE,
        .thread_id = STRING_NONE,
    };
    marker_table_append(&profile.threads.items[0].markers, &marker);
    assert_int_equal(profile_finish(&profile, &error), 0);
    assert_int_equal(view_open(&profile, &whole, &error), 0);
}

static void close_profile(void)
{
    view_free(&whole);
    profile_free(&profile);
}

static char drawing[1000];

static void draw_stack(const struct view *view, uint32_t stack)
{
    if (view->prefix[stack] != INDEX_NONE) {
        draw_stack(view, view->prefix[stack]);
        strcat(drawing, ";");
    }
    struct slice name = func_list_name(view->funcs, view->func[stack]);
    strncat(drawing, name.text, name.length);
}

/* One word a sample: its functions from the root on, `-` where there are none. */
static void assert_stacks(struct query query, const char *transform_text, const char *expected)
{
    struct thread_index thread = thread_at(0);
    struct error error = {0};
    struct transform transform = {0};
    query.threads = &thread;
    query.thread_count = 1;
    if (transform_text) {
        assert_int_equal(transform_parse(whole.funcs, slice_of(transform_text), query.implementation, &transform, &error), 0);
        query.transforms = &transform;
        query.transform_count = 1;
    }
    struct view view;
    struct path selected;
    uint32_t stacks[16];
    assert_int_equal(query_view(&whole, &query, &view, &selected, &error), 0);
    assert_int_equal(sample_stacks_read(&whole, &view, thread, query.exclude_idle, stacks, &error), 0);
    drawing[0] = '\0';
    for (size_t i = 0; i < sample_count(&profile.threads.items[0].samples); i++) {
        strcat(drawing, i > 0 ? " " : "");
        if (stacks[i] == INDEX_NONE)
            strcat(drawing, "-");
        else
            draw_stack(&view, stacks[i]);
    }
    assert_string_equal(drawing, expected);
    path_free(&selected);
    view_free(&view);
    if (transform_text)
        transform_free(&transform);
}

static void samples_have_the_stacks_that_transforms_leave(void **state)
{
    (void)state;
    open_profile("1  2            3  4\n"
                 "A  A               A\n"
                 "B  C[lib:libC]     Djs\n");
    struct query query = query_default();
    assert_stacks(query, NULL, "A;B A;C - A;Djs");
    assert_stacks(query, "merge-function:A", "B C - Djs");
    assert_stacks(query, "focus-function:B", "B - - -");
    assert_stacks(query, "collapse-resource:libC", "A;B A;libC - A;Djs");
    query.implementation = IMPLEMENTATION_JS;
    assert_stacks(query, NULL, "- - - Djs");
    close_profile();
}

static void samples_outside_of_the_times_of_a_filter_have_none(void **state)
{
    (void)state;
    open_profile("1  2  3  4\n"
                 "A  A  B  B\n");
    assert_stacks(query_default(), "filter-samples:marker-search:frame", "- A B -");
    assert_stacks(query_default(), "filter-samples:outside-marker:frame", "A - - B");
    close_profile();
}

static void idle_samples_have_none_where_they_are_not_wanted(void **state)
{
    (void)state;
    open_profile("1  2            3\n"
                 "A  A[cat:Idle]  A\n"
                 "B  C            D[cat:Idle]\n");
    struct query query = query_default();
    query.exclude_idle = true;
    assert_stacks(query, NULL, "A;B - -");
    assert_stacks(query, "merge-function:D", "A;B - -");
    close_profile();
}

static void a_selected_path_is_followed(void **state)
{
    (void)state;
    open_profile("1\nA\nB\n");
    struct thread_index thread = thread_at(0);
    struct error error = {0};
    struct transform transform;
    struct path path = {0}, selected;
    struct view view;
    assert_int_equal(path_parse(whole.funcs, SLICE("A;B"), &path, &error), 0);
    assert_int_equal(transform_parse(whole.funcs, SLICE("merge-function:A"), IMPLEMENTATION_COMBINED, &transform, &error), 0);
    struct query query = query_default();
    query.threads = &thread;
    query.thread_count = 1;
    query.transforms = &transform;
    query.transform_count = 1;
    query.selected = &path;
    assert_int_equal(query_view(&whole, &query, &view, &selected, &error), 0);
    assert_int_equal(selected.funcs.count, 1);
    assert_true(slice_is(func_list_name(whole.funcs, selected.funcs.items[0]), "B"));
    path_free(&selected);
    path_free(&path);
    transform_free(&transform);
    view_free(&view);
    close_profile();
}

static size_t count_stacks(const struct view *all, const struct query *query, const struct view *view)
{
    struct error error = {0};
    size_t found = 0;
    for (size_t i = 0; i < query->thread_count; i++) {
        size_t count = sample_count(&all->profile->threads.items[query->threads[i].i].samples);
        uint32_t *stacks = calloc(count + 1, sizeof *stacks);
        assert_int_equal(sample_stacks_read(all, view, query->threads[i], query->exclude_idle, stacks, &error), 0);
        for (size_t k = 0; k < count; k++)
            found += stacks[k] != INDEX_NONE;
        free(stacks);
    }
    return found;
}

static void trees_count_the_samples_that_have_one(void **state)
{
    (void)state;
    size_t compared = 0;
    for (uint64_t seed = 1; seed <= PROFILES; seed++) {
        struct random random = {seed};
        struct error error = {0};
        struct profile made;
        struct view all;
        random_profile(&made, &random, RANDOM_WEIGHTS_ANY);
        assert_int_equal(view_open(&made, &all, &error), 0);
        for (int i = 0; i < QUESTIONS; i++) {
            struct random_query question;
            struct answer answer;
            random_query_make(&question, &random, &all);
            question.query.strategy = STRATEGY_TIMING;
            question.query.range = question.query.preview = (struct time_range){-INFINITY, INFINITY};
            if (query_run(&all, &question.query, &answer, &error) == 0) {
                assert_int_equal(count_stacks(&all, &question.query, &answer.view), answer.tree.row_count);
                compared += answer.tree.row_count > 0;
                answer_free(&answer);
            }
            random_query_free(&question);
        }
        view_free(&all);
        profile_free(&made);
    }
    assert_true(compared > PROFILES);
}

static int read_and_free(void *data, struct error *error)
{
    struct query *query = data;
    struct view view;
    struct path selected;
    uint32_t stacks[16];
    int status = query_view(&whole, query, &view, &selected, error);
    if (status == 0)
        status = sample_stacks_read(&whole, &view, thread_at(0), true, stacks, error);
    path_free(&selected);
    view_free(&view);
    return status;
}

static void too_little_memory_is_an_error(void **state)
{
    (void)state;
    open_profile("1  2  3\nA  A  A\n   B\n");
    struct thread_index thread = thread_at(0);
    struct error error = {0};
    struct transform transform;
    assert_int_equal(
        transform_parse(whole.funcs, SLICE("filter-samples:marker-search:frame"), IMPLEMENTATION_COMBINED, &transform, &error),
        0);
    struct query query = query_default();
    query.threads = &thread;
    query.thread_count = 1;
    query.transforms = &transform;
    query.transform_count = 1;
    assert_true(assert_survives_failing_allocations(read_and_free, &query) > 3);
    transform_free(&transform);
    close_profile();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_have_the_stacks_that_transforms_leave),
        cmocka_unit_test(samples_outside_of_the_times_of_a_filter_have_none),
        cmocka_unit_test(idle_samples_have_none_where_they_are_not_wanted),
        cmocka_unit_test(a_selected_path_is_followed),
        cmocka_unit_test(trees_count_the_samples_that_have_one),
        cmocka_unit_test(too_little_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
