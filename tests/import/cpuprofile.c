#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/import_text.h"

#include "import/cpuprofile.h"

#define ROOT "{'id':1,'callFrame':{'functionName':'(root)','scriptId':'0','url':'','lineNumber':-1,'columnNumber':-1}"
#define F "{'id':2,'callFrame':{'functionName':'f','scriptId':'1','url':'file:///a.js','lineNumber':0,'columnNumber':4}"
#define G "{'id':3,'callFrame':{'functionName':'g','scriptId':'1','url':'file:///a.js','lineNumber':9,'columnNumber':2}"
#define SAMPLES "'startTime':1000000,'endTime':1004000,'samples':[2,3,1],'timeDeltas':[0,1000,1000]"
#define EXPECTED "1000 x1 (root);f\n1001 x1 (root);f;g\n1002 x1 (root)\n"

/* JSON in C is easier to read with single quotes. */
static struct slice quoted(const char *text)
{
    static char buffer[1 << 14];
    size_t length = strlen(text);
    assert_true(length < sizeof buffer);
    for (size_t i = 0; i <= length; i++)
        buffer[i] = text[i] == '\'' ? '"' : text[i];
    return (struct slice){buffer, length};
}

static void assert_reads(const char *json, const char *samples)
{
    struct profile profile;
    assert_imports(cpuprofile_import, quoted(json), &profile);
    assert_samples(&profile, 0, samples);
    profile_free(&profile);
}

static void nodes_name_their_children(void **state)
{
    (void)state;
    assert_reads("{'nodes':[" ROOT ",'children':[2]}," F ",'children':[3]}," G "}]," SAMPLES "}", EXPECTED);
}

static void nodes_name_their_parent(void **state)
{
    (void)state;
    assert_reads("{'nodes':[" ROOT "}," F ",'parent':1}," G ",'parent':2}]," SAMPLES "}", EXPECTED);
}

static void nodes_may_come_in_any_order(void **state)
{
    (void)state;
    assert_reads("{'nodes':[" G "}," F ",'children':[3]}," ROOT ",'children':[2]}]," SAMPLES "}", EXPECTED);
    assert_reads("{" SAMPLES ",'nodes':[" G ",'parent':2}," F ",'parent':1}," ROOT "}]}", EXPECTED);
}

static void nodes_of_the_older_form_hold_their_children(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(
        cpuprofile_import,
        quoted("{'head':{'functionName':'(root)','url':'','lineNumber':0,'columnNumber':0,'hitCount':0,'children':["
               "{'functionName':'f','url':'file:///a.js','lineNumber':1,'columnNumber':5,'children':[],'id':2}],'id':1},"
               "'startTime':1,'endTime':1.5,'samples':[2,1],'timestamps':[1000000,1001000]}"),
        &profile);
    assert_samples(&profile, 0, "1000 x1 (root);f\n1001 x1 (root)\n");
    struct func func = func_table_get(&profile.funcs, func_at(1));
    assert_int_equal(func.line, 1);
    assert_int_equal(func.column, 5);
    assert_int_equal(func_table_get(&profile.funcs, func_at(0)).line, INDEX_NONE);
    assert_true(profile.meta.profiling_start_time == 1000);
    assert_true(profile.meta.profiling_end_time == 1500);
    profile_free(&profile);
}

#define CLOSE                                                                                                                  \
    "{'nodes':[" ROOT "}," F "}," G "}],'startTime':0,'endTime':9000,"                                                         \
    "'samples':[1,2,3,2,3,1],'timeDeltas':[500,125,500,125,-375,875]}"

static void each_sample_stands_for_the_time_until_the_next(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(cpuprofile_import, quoted(CLOSE), &profile);
    assert_samples(&profile, 0,
                   "0.5 x0.125 (root)\n0.625 x0.25 f\n0.875 x0.25 g\n1.125 x0.125 g\n1.25 x0.5 f\n1.75 x0.25 (root)\n");
    assert_int_equal(profile.threads.items[0].samples.weight_type, WEIGHT_TRACING_MS);
    assert_true(profile.meta.interval == 0.25);
    profile_free(&profile);
}

static void thinned_samples_are_half_a_millisecond_apart_and_count_once(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(cpuprofile_import_thin, quoted(CLOSE), &profile);
    assert_samples(&profile, 0, "0.5 (root)\n1.125 g\n1.75 (root)\n");
    assert_true(profile.meta.interval == 0.5);
    profile_free(&profile);
}

/* The lines of the topmost frames, one of each sample. */
static void assert_lines(const char *json, const char *expected)
{
    struct profile profile;
    char lines[200] = "";
    assert_imports(cpuprofile_import, quoted(json), &profile);
    const struct sample_table *samples = &profile.threads.items[0].samples;
    for (size_t i = 0; i < sample_count(samples); i++) {
        struct stack_index stack = stack_at(column_get_index(&samples->stack, i));
        struct frame frame = frame_table_get(&profile.frames, stack_frame(&profile.stacks, stack));
        assert_int_equal(frame.column, frame.line == 1 ? 5 : INDEX_NONE);
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s%u", i > 0 ? " " : "", frame.line);
    }
    assert_string_equal(lines, expected);
    assert_int_equal(func_count(&profile.funcs), 1);
    profile_free(&profile);
}

#define TICKED(ticks, samples) "{'nodes':[" F ",'positionTicks':" ticks "}],'startTime':0,'endTime':9000,'samples':" samples "}"

static void samples_are_on_the_lines_of_their_node_in_its_shares(void **state)
{
    (void)state;
    assert_lines(TICKED("[{'line':4,'ticks':1},{'line':7,'ticks':3}]", "[2,2,2,2],'timeDeltas':[0,1000,1000,1000]"), "7 4 7 7");
    /* The declaration is a line as any other. */
    assert_lines(TICKED("[{'line':1,'ticks':2}]", "[2,2],'timeDeltas':[0,1000]"), "1 1");
}

static void hits_without_a_line_are_on_the_declaration(void **state)
{
    (void)state;
    assert_lines(TICKED("[{'line':7,'ticks':2}],'hitCount':4", "[2,2,2,2],'timeDeltas':[0,1000,1000,1000]"), "1 7 1 7");
}

static void ticks_that_do_not_add_up_give_shares(void **state)
{
    (void)state;
    assert_lines(TICKED("[{'line':4,'ticks':4000000000},{'line':7,'ticks':4000000000}]", "[2,2,2],'timeDeltas':[0,1000,1000]"),
                 "7 4 7");
    assert_lines(TICKED("[{'line':4,'ticks':1}]", "[2,2,2],'timeDeltas':[0,1000,1000]"), "4 4 4");
}

static void ticks_that_make_no_sense_are_passed_over(void **state)
{
    (void)state;
    assert_lines(TICKED("[{'line':-1,'ticks':1},{'line':'x','ticks':2},{'line':5},{'ticks':9}]", "[2],'timeDeltas':[0]"), "1");
    assert_lines(TICKED("null,'hitCount':'many'", "[2],'timeDeltas':[0]"), "1");
}

static void a_function_is_a_script_if_it_has_a_place(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(cpuprofile_import,
                   quoted("{'nodes':[" ROOT "}," F "},"
                          "{'id':4,'callFrame':{'functionName':'native','url':''}},"
                          "{'id':5,'callFrame':{'functionName':'<WASM UNNAMED>','url':''}},"
                          "{'id':6,'callFrame':{'functionName':'','url':'https://E.com:443/x.js','lineNumber':-1}},"
                          "{'id':7,'callFrame':{'functionName':'eval','url':'','lineNumber':3}}],"
                          "'startTime':0,'endTime':1,'samples':[],'timeDeltas':[]}"),
                   &profile);
    static const struct {
        const char *name, *category, *resource;
        bool is_js, relevant_for_js, has_source;
    } expected[] = {
        {"(root)", "Other", NULL, false, false, false},
        {"f", "JavaScript", "file:///a.js", true, false, true},
        {"native", "Native", NULL, false, true, false},
        {"<WASM UNNAMED>", "JavaScript", "<unknown>", true, false, false},
        {"(anonymous)", "JavaScript", "https://e.com", true, false, true},
        {"eval", "JavaScript", "<unknown>", true, false, false},
    };
    assert_int_equal(func_count(&profile.funcs), sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct frame frame = frame_table_get(&profile.frames, frame_at(i));
        struct func func = func_table_get(&profile.funcs, frame.func);
        assert_string_equal(profile_text(&profile, func.name).text, expected[i].name);
        assert_string_equal(profile_text(&profile, profile.categories.rows.items[frame.category.i].name).text,
                            expected[i].category);
        assert_int_equal(func.is_js, expected[i].is_js);
        assert_int_equal(func.relevant_for_js, expected[i].relevant_for_js);
        assert_int_equal(source_exists(func.source), expected[i].has_source);
        assert_int_equal(resource_exists(func.resource), expected[i].resource != NULL);
        if (expected[i].resource)
            assert_string_equal(profile_text(&profile, profile.resources.rows.items[func.resource.i].name).text,
                                expected[i].resource);
    }
    profile_free(&profile);
}

static void what_makes_no_whole_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"{}", "has no `nodes`"},
        {"{'nodes':[]}", "has no `samples`"},
        {"{'nodes':[],'samples':[]}", "has no `timeDeltas`"},
        {"{'nodes':[],'samples':[],'timeDeltas':[]}", "has no `startTime`"},
        {"{'nodes':[],'samples':[1,2],'timeDeltas':[1],'startTime':0}", "has times for 1 of 2 samples"},
        {"{'nodes':[],'samples':[7],'timeDeltas':[1000],'startTime':0}", "sample 0 is of node 7, which does not exist"},
        {"{'nodes':[{}]}", "a node has no id"},
        {"{'nodes':[{'id':-1}]}", "-1 is not the id of a node"},
        {"{'nodes':[{'id':4294967295}]}", "4294967295 is not the id of a node"},
        {"{'nodes':[{'id':1},{'id':1}]}", "node 1 occurs twice"},
        {"{'nodes':[{'id':1,'parent':5}],'samples':[],'timeDeltas':[],'startTime':0}", "node 1: its parent 5 does not exist"},
        {"{'nodes':[{'id':1,'parent':2},{'id':2,'parent':1}],'samples':[],'timeDeltas':[],'startTime':0}", "own ancestor"},
        {"{'nodes':[{'id':1,'parent':1}],'samples':[],'timeDeltas':[],'startTime':0}", "node 1 is its own ancestor"},
        {"{'nodes':[{'id':'x'}]}", "expected a number, found a string, at byte 16"},
        {"[]", "at byte 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(cpuprofile_import, quoted(cases[i].json), cases[i].message);
}

static void ids_need_not_be_dense(void **state)
{
    (void)state;
    assert_reads("{'nodes':[{'id':4000000000,'callFrame':{'functionName':'a'},'children':[7]},"
                 "{'id':7,'callFrame':{'functionName':'b'}}],"
                 "'startTime':0,'endTime':1,'samples':[7,4000000000],'timeDeltas':[1000,1000]}",
                 "1 x1 a;b\n2 x1 a\n");
}

static void a_real_recording_of_node(void **state)
{
    (void)state;
    struct slice text = read_test_data(TEST_DATA "/async.cpuprofile");
    struct profile profile;
    assert_imports(cpuprofile_import_thin, text, &profile);
    /* What the Firefox Profiler's client says of it. */
    assert_int_equal(sample_count(&profile.threads.items[0].samples), 164);
    assert_int_equal(frame_count(&profile.frames), 75);
    struct func func = func_table_get(&profile.funcs, func_at(38));
    assert_string_equal(profile_text(&profile, func.name).text, "fibonacci");
    profile_free(&profile);
    memory_release((char *)text.text);
}

static void a_file_cut_off_anywhere_is_refused(void **state)
{
    (void)state;
    struct slice text = read_test_data(TEST_DATA "/async.cpuprofile");
    assert_truncations_are_clean(cpuprofile_import, text, 4000);
    memory_release((char *)text.text);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct slice text = read_test_data(TEST_DATA "/async.cpuprofile");
    assert_import_survives_failing_allocations(cpuprofile_import, text);
    memory_release((char *)text.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_name_their_children),
        cmocka_unit_test(nodes_name_their_parent),
        cmocka_unit_test(nodes_may_come_in_any_order),
        cmocka_unit_test(nodes_of_the_older_form_hold_their_children),
        cmocka_unit_test(each_sample_stands_for_the_time_until_the_next),
        cmocka_unit_test(thinned_samples_are_half_a_millisecond_apart_and_count_once),
        cmocka_unit_test(samples_are_on_the_lines_of_their_node_in_its_shares),
        cmocka_unit_test(hits_without_a_line_are_on_the_declaration),
        cmocka_unit_test(ticks_that_do_not_add_up_give_shares),
        cmocka_unit_test(ticks_that_make_no_sense_are_passed_over),
        cmocka_unit_test(a_function_is_a_script_if_it_has_a_place),
        cmocka_unit_test(what_makes_no_whole_is_refused),
        cmocka_unit_test(ids_need_not_be_dense),
        cmocka_unit_test(a_real_recording_of_node),
        cmocka_unit_test(a_file_cut_off_anywhere_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
