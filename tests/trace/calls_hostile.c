/* Threads that are made to cost time or memory, and machines without memory. */
#include "drawn_trace.h"

#include "support/failing_alloc.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

struct scene {
    struct trace trace;
    struct trace_calls calls;
    struct calls_options options;
    struct error error;
};

static struct string_index text(struct scene *scene, const char *text)
{
    struct string_index index = string_table_add(&scene->trace.strings, slice_of(text));
    assert_true(string_exists(index));
    return index;
}

static void scene_make(struct scene *scene)
{
    *scene = (struct scene){0};
    struct trace_profile profile = {.pid = 7, .tid = 9, .has_owner = true, .start = 1000, .end = 2000};
    profile.has_samples = profile.has_deltas = true;
    assert_true(vec_push(&scene->trace.profiles, profile));
    assert_true(vec_push(&scene->trace.threads, ((struct trace_thread){.pid = 7, .tid = 9, .name = STRING_NONE})));
    assert_true(vec_push(&scene->trace.processes, ((struct trace_process){.pid = 7, .kept = true})));
}

static void scene_free(struct scene *scene)
{
    trace_calls_free(&scene->calls);
    trace_free(&scene->trace);
}

static void add_node(struct scene *scene, double id, double parent, const char *name)
{
    struct trace_profile *profile = &scene->trace.profiles.items[0];
    struct trace_function function = {.line = 1, .name = text(scene, name), .url = text(scene, "")};
    function.script_id = function.url;
    struct trace_node node = {.id = id, .parent = parent, .child_count = INDEX_NONE};
    node.function = trace_profile_add_function(profile, &function);
    assert_true(node.function != INDEX_NONE && vec_push(&profile->nodes, node));
}

static void add_sample(struct scene *scene, double id, double delta)
{
    assert_true(vec_push(&scene->trace.profiles.items[0].samples, id));
    assert_true(vec_push(&scene->trace.profiles.items[0].deltas, delta));
}

static void add_event(struct scene *scene, const char *name, double ts, double dur)
{
    struct trace_event event = {.ts = ts, .dur = dur, .phase = 'X', .arguments = INDEX_NONE, .name = text(scene, name)};
    assert_true(vec_push(&scene->trace.threads.items[0].events, event));
}

static int scene_build(struct scene *scene)
{
    return trace_calls_build(&scene->calls, &scene->trace, &scene->options, &scene->error);
}

enum { DEEP = 100000 };

/* A stack of 100,000 frames below the root, and a sibling of its leaf. */
static void add_deep_stack(struct scene *scene)
{
    add_node(scene, 1, 0, "(root)");
    for (int id = 2; id < DEEP + 2; id++)
        add_node(scene, id, id - 1, "f");
    add_node(scene, DEEP + 2, DEEP, "g");
}

static void a_stack_of_100000_frames_costs_its_depth_once_and_not_with_every_sample(void **state)
{
    (void)state;
    for (int cpu_mode = 0; cpu_mode < 2; cpu_mode++) {
        struct scene scene;
        scene_make(&scene);
        scene.trace.cpu_mode = cpu_mode;
        add_deep_stack(&scene);
        /* Compared frame by frame this would take an hour. */
        for (int i = 0; i < 300000; i++)
            add_sample(&scene, i % 2 ? DEEP + 1 : DEEP + 2, 1);
        if (!cpu_mode)
            add_event(&scene, "FunctionCall", 1000, 400000);
        assert_int_equal(scene_build(&scene), 0);
        const struct thread_calls *thread = &scene.calls.threads.items[0];
        assert_int_equal(thread->calls.count, DEEP - 1 + 300000);
        assert_int_equal(thread->calls.items[DEEP - 1].depth, cpu_mode ? DEEP - 1 : DEEP);
        scene_free(&scene);
    }
}

static void deep_stacks_that_take_turns_are_refused_before_they_fill_the_memory(void **state)
{
    (void)state;
    for (int cpu_mode = 0; cpu_mode < 2; cpu_mode++) {
        struct scene scene;
        scene_make(&scene);
        scene.trace.cpu_mode = cpu_mode;
        add_deep_stack(&scene);
        scene.options.most_calls = 2000000;
        for (int i = 0; i < 2000; i++)
            add_sample(&scene, i % 2 ? 1 : DEEP + 1, 1);
        if (!cpu_mode)
            add_event(&scene, "FunctionCall", 1000, 400000);
        assert_int_equal(scene_build(&scene), -E2BIG);
        assert_non_null(strstr(scene.error.message, "more than 2000000 calls"));
        scene_free(&scene);
    }
}

static void a_million_open_tasks_are_a_million_levels(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene);
    add_node(&scene, 1, 0, "(root)");
    add_node(&scene, 2, 1, "f");
    for (int i = 0; i < 1000000; i++)
        add_event(&scene, i % 2 ? "RunTask" : "FunctionCall", i, 2000000 - 2 * i);
    for (int i = 0; i < 1000; i++)
        add_sample(&scene, 2, 1000);
    assert_int_equal(scene_build(&scene), 0);
    assert_int_equal(scene.calls.threads.items[0].entries.count, 1000000 + scene.calls.threads.items[0].calls.count);
    assert_true(scene.calls.threads.items[0].max_depth >= 1000000);
    scene_free(&scene);
}

static void numbers_that_are_none_and_times_out_of_order_give_a_result_or_an_error(void **state)
{
    (void)state;
    const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 0x1p53, 0x1p60, -0.0, 5e-324, 1000};
    enum { ODD = sizeof odd / sizeof *odd };
    unsigned seed = 1;
    for (int turn = 0; turn < 20000; turn++) {
        struct scene scene;
        scene_make(&scene);
        scene.options.rules = turn % 2 ? TRACE_RULES_0_0_65 : TRACE_RULES_NEWEST;
        scene.trace.cpu_mode = turn % 3 == 0;
        add_node(&scene, 1, 0, "(root)");
        add_node(&scene, 2, 1, turn % 5 == 0 ? "(garbage collector)" : "(program)");
        add_node(&scene, 3, 1, "f");
        add_node(&scene, turn % 7 == 0 ? NAN : 4, 3, "g");
        for (int i = 0; i < 12; i++) {
            seed = seed * 1103515245 + 12345;
            unsigned r = seed >> 16;
            add_sample(&scene, r % 4 == 0 ? odd[r / 4 % ODD] : 1 + r / 4 % 4, r % 3 == 0 ? odd[r / 3 % ODD] : r % 20);
            if (turn % 3 != 0 && i % 2 == 0)
                add_event(&scene, r % 2 ? "FunctionCall" : "RunTask", r % 5 == 0 ? odd[r / 5 % ODD] : 1000 + r % 50,
                          r % 7 == 0 ? odd[r / 7 % ODD] : r % 30);
        }
        assert_true(trace_profile_add_stack(&scene.trace.profiles.items[0], 1, odd[turn % ODD]));
        if (scene.trace.threads.items[0].events.count > 0)
            scene.trace.threads.items[0].events.items[0].sample_trace_id = turn % 4 == 0 ? NAN : 1;
        int result = scene_build(&scene);
        assert_true(result == 0 || (result == -EINVAL && scene.error.code == result));
        scene_free(&scene);
    }
}

static void a_node_in_many_places_does_not_make_a_big_tree_of_a_small_file(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene);
    struct trace_profile *profile = &scene.trace.profiles.items[0];
    /* Each has the next one as its child twice: 2^64 places. */
    for (int id = 1; id <= 64; id++) {
        add_node(&scene, id, NAN, "f");
        struct trace_node *node = &profile->nodes.items[id - 1];
        node->first_child = (uint32_t)profile->children.count;
        node->child_count = 2;
        assert_true(vec_push(&profile->children, id + 1) && vec_push(&profile->children, id + 1));
    }
    add_sample(&scene, 5, 10);
    assert_int_equal(scene_build(&scene), -EINVAL);
    scene_free(&scene);
}

static int attempt(void *data, struct error *error)
{
    const struct scene *scene = data;
    struct trace_calls calls = {0};
    int result = trace_calls_build(&calls, &scene->trace, &scene->options, error);
    trace_calls_free(&calls);
    return result;
}

static void no_memory_is_a_clean_error(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct scene scene;
        struct drawing drawing = {.events = "FunctionCall(1000,100) Layout(1005,30) TimeStamp@1023#77 RunTask(1060,20)",
                                  .nodes = kind == 2 ? "1e12<1:x" : NULL,
                                  .stacks = "77=6",
                                  .samples = "4 5 8 2 5 6 10 9 4 4 5",
                                  .deltas = "10 10 20 -10 10 10 10 10 10 10 10"};
        if (kind == 1)
            drawing.events = NULL;
        drawing.listed = drawing.cpu_mode = kind == 1;
        scene = (struct scene){0};
        draw_trace(&scene.trace, &drawing);
        assert_true(assert_survives_failing_allocations(attempt, &scene) > 10);
        scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_of_100000_frames_costs_its_depth_once_and_not_with_every_sample),
        cmocka_unit_test(deep_stacks_that_take_turns_are_refused_before_they_fill_the_memory),
        cmocka_unit_test(a_million_open_tasks_are_a_million_levels),
        cmocka_unit_test(numbers_that_are_none_and_times_out_of_order_give_a_result_or_an_error),
        cmocka_unit_test(a_node_in_many_places_does_not_make_a_big_tree_of_a_small_file),
        cmocka_unit_test(no_memory_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
