#include "trace/entry_tree.h"
#include "support/failing_alloc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- a thread, drawn as a table ---- */

struct drawn {
    const char *name;
    double ts, dur;    /* µs */
    char phase;        /* 'X', 'I', or 'c': a call of a function of that name */
    const char *place; /* category of an event, "URL:LINE" of a call */
    const char *arguments;
};

struct scene {
    struct trace trace;
    struct cpu_model model;
    struct trace_profile profile;
    struct trace_thread thread;
    struct thread_calls calls;
};

static struct string_index text(struct scene *scene, const char *text)
{
    struct string_index index = string_table_add(&scene->trace.strings, slice_of(text));
    assert_true(string_exists(index));
    return index;
}

static void add_call(struct scene *scene, const struct drawn *row)
{
    const char *colon = row->place ? strrchr(row->place, ':') : NULL;
    char url[80] = "";
    if (colon)
        snprintf(url, sizeof url, "%.*s", (int)(colon - row->place), row->place);
    struct trace_function function = {
        .line = colon ? atof(colon + 1) : -1,
        .column = -1,
        .name = text(scene, row->name),
        .url = text(scene, url),
        .script_id = text(scene, ""),
    };
    struct trace_node node = {
        .id = (double)scene->profile.nodes.count,
        .function = trace_profile_add_function(&scene->profile, &function),
    };
    uint32_t number = (uint32_t)scene->profile.nodes.count;
    assert_true(vec_push(&scene->profile.nodes, node));
    assert_true(vec_push(&scene->model.nodes, ((struct cpu_model_node){.raw = number, .function = node.function})));
    assert_true(vec_push(&scene->calls.entries, (entry_of_call((uint32_t)scene->calls.calls.count))));
    assert_true(vec_push(&scene->calls.calls, ((struct call){.ts = row->ts, .dur = row->dur, .node = number})));
}

static void add_event(struct scene *scene, const struct drawn *row)
{
    struct trace_event event = {
        .ts = row->ts,
        .dur = row->dur,
        .name = text(scene, row->name),
        .category = text(scene, row->place ? row->place : ""),
        .arguments = INDEX_NONE,
        .phase = row->phase,
    };
    if (row->arguments) {
        event.arguments = (uint32_t)scene->trace.arguments.count;
        assert_true(vec_push(&scene->trace.arguments, slice_of(row->arguments)));
    }
    assert_true(vec_push(&scene->calls.entries, (entry_of_event((uint32_t)scene->thread.events.count))));
    assert_true(vec_push(&scene->thread.events, event));
}

static void scene_make(struct scene *scene, const struct drawn *rows)
{
    *scene = (struct scene){0};
    for (; rows->name; rows++)
        if (rows->phase == 'c')
            add_call(scene, rows);
        else
            add_event(scene, rows);
    scene->model.profile = &scene->profile;
    scene->calls.model = &scene->model;
    scene->calls.thread = &scene->thread;
}

static void scene_free(struct scene *scene)
{
    vec_free(&scene->calls.entries);
    vec_free(&scene->calls.calls);
    vec_free(&scene->thread.events);
    vec_free(&scene->model.nodes);
    trace_profile_free(&scene->profile);
    trace_free(&scene->trace);
}

/* ---- trees as text: NAME SELF/TOTAL, and how many entries where that is not one ---- */

static char drawing[4000];

static void draw(const char *format, ...)
{
    size_t used = strlen(drawing);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(drawing + used, sizeof drawing - used, format, arguments);
    va_end(arguments);
}

static void draw_node(const struct scene *scene, const struct entry_tree *tree, const struct entry_tree_node *node, int depth)
{
    struct slice name;
    if (entry_tree_is_group(node))
        name = string_table_get(&tree->names.texts, node->group);
    else if (node->example.is_call)
        name = call_display_name(&scene->trace, call_function(&scene->calls, node->example.row));
    else
        name = string_table_get(&scene->trace.strings, scene->thread.events.items[node->example.row].name);
    draw("%*s%s%.*s%s %g/%g", depth * 2, "", entry_tree_is_group(node) ? "[" : "", (int)name.length, name.text,
         entry_tree_is_group(node) ? "]" : "", round(node->self * 1e6) / 1e6, round(node->total * 1e6) / 1e6);
    if (node->count != 1)
        draw(" n%llu", (unsigned long long)node->count);
    draw("\n");
}

static void draw_level(const struct scene *scene, struct entry_tree *tree, uint32_t first, int depth)
{
    for (uint32_t row = first; row != INDEX_NONE; row = tree->nodes.items[row].next_child) {
        draw_node(scene, tree, &tree->nodes.items[row], depth);
        struct error error = {0};
        assert_int_equal(entry_tree_expand(tree, row, &error), 0);
        draw_level(scene, tree, tree->nodes.items[row].first_child, depth + 1);
        entry_tree_collapse(tree, row);
    }
}

static void assert_tree(const struct drawn *rows, struct entry_tree_options options, const char *expected)
{
    struct scene scene;
    struct entry_tree tree = {0};
    struct error error = {0};
    scene_make(&scene, rows);
    assert_int_equal(entry_tree_build(&tree, &scene.calls, &scene.trace, &options, &error), 0);
    drawing[0] = '\0';
    draw_level(&scene, &tree, tree.first, 0);
    draw("= %g/%g\n", round(tree.self * 1e6) / 1e6, tree.total);
    assert_string_equal(drawing, expected);
    entry_tree_free(&tree);
    scene_free(&scene);
}

/* ---- the example of the rules ---- */

static const struct drawn tasks[] = {
    {.name = "RunTask", .ts = 0, .dur = 120000, .phase = 'X'},
    {.name = "a", .ts = 0, .dur = 100000, .phase = 'X'},
    {.name = "f", .ts = 10000, .dur = 80000, .phase = 'X'},
    {.name = "f", .ts = 30000, .dur = 30000, .phase = 'X'},
    {.name = "instant", .ts = 70000, .dur = 0, .phase = 'I'},
    {.name = "g", .ts = 105000, .dur = 0, .phase = 'X'},
    {.name = "RunTask", .ts = 130000, .dur = 10000, .phase = 'X'},
    {.name = "f", .ts = 130000, .dur = 10000, .phase = 'X'},
    {0},
};
static const bool without_tasks[] = {true, false, false, false, false, false, true, false};

static void a_top_down_tree_adds_up_entries_with_the_same_way_to_them(void **state)
{
    (void)state;
    assert_tree(tasks, (struct entry_tree_options){.kind = ENTRY_TREE_TOP_DOWN, .start = 0, .end = 150},
                "RunTask 20/130 n2\n"
                "  a 20/100\n"
                "    f 50/80\n"
                "      f 30/30\n"
                "  f 10/10\n"
                "= 20/150\n");
}

static void instants_take_part_where_they_are_asked_for(void **state)
{
    (void)state;
    assert_tree(tasks, (struct entry_tree_options){.kind = ENTRY_TREE_TOP_DOWN, .start = 0, .end = 150, .instants = true},
                "RunTask 20/130 n2\n"
                "  a 20/100\n"
                "    f 50/80\n"
                "      f 30/30\n"
                "      instant 0/0\n"
                "  g 0/0\n"
                "  f 10/10\n"
                "= 20/150\n");
}

static void a_bottom_up_tree_starts_from_self_times_and_finds_callers(void **state)
{
    (void)state;
    assert_tree(tasks, (struct entry_tree_options){.kind = ENTRY_TREE_BOTTOM_UP, .start = 0, .end = 150},
                "f 90/90 n3\n"
                "  f 30/30\n"
                "    a 30/30\n"
                "      RunTask 30/30\n"
                "  a 50/30\n"
                "    RunTask 50/80\n"
                "  RunTask 10/10\n"
                "a 20/100\n"
                "  RunTask 20/100\n"
                "RunTask 20/130 n2\n"
                "= 20/150\n");
}

static void a_log_has_every_entry_for_itself(void **state)
{
    (void)state;
    assert_tree(tasks, (struct entry_tree_options){.kind = ENTRY_TREE_LOG, .start = 0, .end = 150},
                "RunTask 20/120\n"
                "  a 20/100\n"
                "    f 50/80\n"
                "      f 30/30\n"
                "      instant 0/0\n"
                "  g 0/0\n"
                "RunTask 0/10\n"
                "  f 10/10\n"
                "= 20/150\n");
}

static void a_window_clips_and_hidden_entries_give_way_to_their_children(void **state)
{
    (void)state;
    assert_tree(tasks,
                (struct entry_tree_options){.kind = ENTRY_TREE_BOTTOM_UP, .start = 20, .end = 50, .hidden = without_tasks},
                "f 30/30 n2\n"
                "  f 20/20\n"
                "    a 20/20\n"
                "  a 10/0\n"
                "= 0/30\n");
}

/* ---- what counts as the same ---- */

static void calls_are_the_same_by_name_script_and_place(void **state)
{
    (void)state;
    static const struct drawn rows[] = {
        {.name = "f", .ts = 0, .dur = 1000, .phase = 'c', .place = "a.js:1"},
        {.name = "f", .ts = 2000, .dur = 1000, .phase = 'c', .place = "a.js:1"},
        {.name = "f", .ts = 4000, .dur = 1000, .phase = 'c', .place = "a.js:2"},
        {.name = "f", .ts = 6000, .dur = 1000, .phase = 'c', .place = "b.js:1"},
        {.name = "f", .ts = 8000, .dur = 1000, .phase = 'X'},
        {0},
    };
    assert_tree(rows, (struct entry_tree_options){.kind = ENTRY_TREE_TOP_DOWN, .start = 0, .end = 10},
                "f 2/2 n2\nf 1/1\nf 1/1\nf 1/1\n= 5/10\n");
}

static void functions_of_the_runtime_are_the_same_by_what_they_are_for(void **state)
{
    (void)state;
    static const struct drawn rows[] = {
        {.name = "ParseFunction", .ts = 0, .dur = 1000, .phase = 'c', .place = "native V8Runtime:-1"},
        {.name = "ParseProgram", .ts = 2000, .dur = 1000, .phase = 'c', .place = "native V8Runtime:-1"},
        {.name = "CompileLazy", .ts = 4000, .dur = 1000, .phase = 'c', .place = "native V8Runtime:-1"},
        {.name = "RecompileConcurrent", .ts = 6000, .dur = 1000, .phase = 'c', .place = "native V8Runtime:-1"},
        {.name = "Other", .ts = 8000, .dur = 1000, .phase = 'c', .place = "native V8Runtime:-1"},
        {0},
    };
    assert_tree(rows, (struct entry_tree_options){.kind = ENTRY_TREE_TOP_DOWN, .start = 0, .end = 10},
                "ParseFunction 2/2 n2\nCompileLazy 2/2 n2\nOther 1/1\n= 5/10\n");
}

static void time_stamps_differ_by_their_texts_and_events_of_requests_by_the_request(void **state)
{
    (void)state;
    static const struct drawn rows[] = {
        {.name = "TimeStamp", .ts = 0, .phase = 'I', .arguments = "{\"data\":{\"name\":\"one\"}}"},
        {.name = "TimeStamp", .ts = 1, .phase = 'I', .arguments = "{\"data\":{\"name\":\"two\"}}"},
        {.name = "TimeStamp", .ts = 2, .phase = 'I', .arguments = "{\"data\":{\"name\":\"one\"}}"},
        {.name = "ResourceFinish", .ts = 3, .phase = 'I', .arguments = "{\"data\":{\"requestId\":\"7\"}}"},
        {.name = "ResourceReceivedData", .ts = 4, .phase = 'I', .arguments = "{\"data\":{\"requestId\":\"7\"}}"},
        {.name = "ResourceFinish", .ts = 5, .phase = 'I', .arguments = "{\"data\":{\"requestId\":\"8\"}}"},
        {.name = "Layout", .ts = 6, .phase = 'I', .arguments = "\"__stripped__\""},
        {0},
    };
    assert_tree(rows, (struct entry_tree_options){.kind = ENTRY_TREE_TOP_DOWN, .start = 0, .end = 1, .instants = true},
                "TimeStamp 0/0 n2\nTimeStamp 0/0\nResourceFinish 0/0 n2\nResourceFinish 0/0\nLayout 0/0\n= 1/1\n");
}

/* ---- groups ---- */

static const struct drawn page[] = {
    {.name = "ParseHTML",
     .ts = 0,
     .dur = 4000,
     .phase = 'X',
     .arguments = "{\"beginData\":{\"frame\":\"F1\",\"url\":\"p.html\"}}"},
    {.name = "f", .ts = 1000, .dur = 2000, .phase = 'c', .place = "a.js:1"},
    {.name = "Layout", .ts = 5000, .dur = 1000, .phase = 'X', .arguments = "{\"beginData\":{\"frame\":\"F2\"}}"},
    {.name = "f", .ts = 6000, .dur = 1000, .phase = 'c', .place = "a.js:1"},
    {.name = "FunctionCall",
     .ts = 8000,
     .dur = 1000,
     .phase = 'X',
     .arguments = "{\"data\":{\"url\":\"a.js\",\"frame\":\"F2\"}}"},
    {0},
};

static void groups_by_url(void **state)
{
    (void)state;
    struct entry_tree_options options = {.kind = ENTRY_TREE_TOP_DOWN, .grouping = ENTRY_GROUP_URL, .start = 0, .end = 10};
    assert_tree(page, options,
                "[p.html] 2/4\n"
                "  ParseHTML 2/4\n"
                "    f 2/2\n"
                "[] 1/1\n"
                "  Layout 1/1\n"
                "[a.js] 2/2 n2\n"
                "  f 1/1\n"
                "  FunctionCall 1/1\n"
                "= 3/10\n");
}

static void groups_by_kind_of_work(void **state)
{
    (void)state;
    struct entry_tree_options options = {.kind = ENTRY_TREE_BOTTOM_UP, .grouping = ENTRY_GROUP_CATEGORY, .start = 0, .end = 10};
    assert_tree(page, options,
                "[Scripting] 4/4 n3\n"
                "  f 3/3 n2\n"
                "    ParseHTML 2/2\n"
                "  FunctionCall 1/1\n"
                "[Loading] 2/2\n"
                "  ParseHTML 2/4\n"
                "[Rendering] 1/1\n"
                "  Layout 1/1\n"
                "= 3/10\n");
}

static void groups_by_frame_with_what_runs_in_an_event_of_a_frame(void **state)
{
    (void)state;
    struct entry_tree_options options = {.kind = ENTRY_TREE_TOP_DOWN, .grouping = ENTRY_GROUP_FRAME, .start = 0, .end = 10};
    assert_tree(page, options,
                "[F1] 2/4\n"
                "  ParseHTML 2/4\n"
                "    f 2/2\n"
                "[F2] 2/2 n2\n"
                "  Layout 1/1\n"
                "  FunctionCall 1/1\n"
                "[] 1/1\n"
                "  f 1/1\n"
                "= 3/10\n");
}

/* ---- odd threads ---- */

static void an_entry_that_outlives_its_parent_is_nested_in_it(void **state)
{
    (void)state;
    static const struct drawn rows[] = {
        {.name = "a", .ts = 0, .dur = 4000, .phase = 'X'},
        {.name = "b", .ts = 2000, .dur = 6000, .phase = 'X'},
        {.name = "c", .ts = 5000, .dur = 1000, .phase = 'X'},
        {.name = "d", .ts = 9000, .dur = 1000, .phase = 'X'},
        {0},
    };
    assert_tree(rows, (struct entry_tree_options){.kind = ENTRY_TREE_TOP_DOWN, .start = 0, .end = 10},
                "a -2/4\n  b 5/6\n    c 1/1\nd 1/1\n= 5/10\n");
}

static void a_thread_without_entries_has_an_empty_tree(void **state)
{
    (void)state;
    static const struct drawn rows[] = {{0}};
    for (int kind = ENTRY_TREE_TOP_DOWN; kind <= ENTRY_TREE_LOG; kind++)
        assert_tree(rows, (struct entry_tree_options){.kind = (enum entry_tree_kind)kind, .start = 0, .end = 10}, "= 10/10\n");
}

static int build_all(void *data, struct error *error)
{
    struct scene *scene = data;
    int status = 0;
    for (int kind = ENTRY_TREE_TOP_DOWN; kind <= ENTRY_TREE_LOG && status == 0; kind++) {
        struct entry_tree tree = {0};
        struct entry_tree_options options = {
            .kind = (enum entry_tree_kind)kind, .grouping = ENTRY_GROUP_FRAME, .start = 0, .end = 10};
        status = entry_tree_build(&tree, &scene->calls, &scene->trace, &options, error);
        for (uint32_t row = 0; row < tree.nodes.count && status == 0; row++)
            status = entry_tree_expand(&tree, row, error);
        entry_tree_free(&tree);
    }
    return status;
}

static void too_little_memory_is_an_error(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene, page);
    assert_true(assert_survives_failing_allocations(build_all, &scene) > 10);
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_top_down_tree_adds_up_entries_with_the_same_way_to_them),
        cmocka_unit_test(instants_take_part_where_they_are_asked_for),
        cmocka_unit_test(a_bottom_up_tree_starts_from_self_times_and_finds_callers),
        cmocka_unit_test(a_log_has_every_entry_for_itself),
        cmocka_unit_test(a_window_clips_and_hidden_entries_give_way_to_their_children),
        cmocka_unit_test(calls_are_the_same_by_name_script_and_place),
        cmocka_unit_test(functions_of_the_runtime_are_the_same_by_what_they_are_for),
        cmocka_unit_test(time_stamps_differ_by_their_texts_and_events_of_requests_by_the_request),
        cmocka_unit_test(groups_by_url),
        cmocka_unit_test(groups_by_kind_of_work),
        cmocka_unit_test(groups_by_frame_with_what_runs_in_an_event_of_a_frame),
        cmocka_unit_test(an_entry_that_outlives_its_parent_is_nested_in_it),
        cmocka_unit_test(a_thread_without_entries_has_an_empty_tree),
        cmocka_unit_test(too_little_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
