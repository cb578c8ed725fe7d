/* The kinds of files, whole ones and cut ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace_text.h"

#include <math.h>

#define EVENT(name, ts) "{'name':'" name "','ph':'X','pid':7,'tid':9,'ts':" ts ",'dur':5}"

static void an_array_of_events_is_a_trace(void **state)
{
    (void)state;
    assert_entries("[" EVENT("a", "1") "," EVENT("b", "2") "]", "7:9\n"
                                                                "X a 1+5\n"
                                                                "X b 2+5\n");
}

static void an_object_with_trace_events_is_a_trace(void **state)
{
    (void)state;
    assert_entries("{'other':{'traceEvents':0},'traceEvents':[" EVENT("a", "1") "],'metadata':{}}", "7:9\n"
                                                                                                    "X a 1+5\n");
}

static void an_object_with_nodes_is_a_cpu_profile_of_process_1(void **state)
{
    (void)state;
    const char *json = "{'startTime':1000,'endTime':2000,'samples':[1],'timeDeltas':[10],'nodes':[{'id':1}]}";
    struct trace trace;
    assert_profiles(json, "1:1 0x1 1000-2000\n"
                          "samples 1\n"
                          "deltas 10\n");
    assert_reads(&trace, json);
    assert_true(trace.cpu_mode);
    trace_free(&trace);
}

static void the_process_of_a_cpu_profile_is_kept(void **state)
{
    (void)state;
    assert_kept("{'nodes':[{'id':1}]}", TRACE_RULES_NEWEST, "1 -\n");
}

static void trace_events_win_over_nodes(void **state)
{
    (void)state;
    const char *json = "{'nodes':[{'id':1}],'traceEvents':[" EVENT("a", "1") "]}";
    assert_entries(json, "7:9\n"
                         "X a 1+5\n");
    assert_profiles(json, "");
}

static void the_origin_in_the_metadata_means_cpu_mode(void **state)
{
    (void)state;
    struct trace trace;
    assert_reads(&trace, "{'traceEvents':[],'metadata':{'dataOrigin':'CPUProfile'}}");
    assert_true(trace.cpu_mode);
    trace_free(&trace);
    assert_reads(&trace, "{'traceEvents':[],'metadata':{'dataOrigin':'TraceEvents'}}");
    assert_false(trace.cpu_mode);
    trace_free(&trace);
}

static void the_older_form_with_a_head_is_refused(void **state)
{
    (void)state;
    assert_trace_refused("{'head':{'id':1},'startTime':1}",
                         "neither a trace nor a CPU profile: it has neither traceEvents nor nodes");
}

static void nodes_that_are_null_make_no_cpu_profile(void **state)
{
    (void)state;
    assert_trace_refused("{'nodes':null}", "neither a trace nor a CPU profile: it has neither traceEvents nor nodes");
}

static void a_file_that_is_neither_array_nor_object_is_refused(void **state)
{
    (void)state;
    assert_trace_refused(" 'trace'", "neither a trace nor a CPU profile at byte 1");
    assert_trace_refused("", "neither a trace nor a CPU profile at byte 0");
}

static void trace_events_twice_are_refused(void **state)
{
    (void)state;
    assert_trace_refused("{'traceEvents':[],'traceEvents':[]}", "key \"traceEvents\" occurs twice at byte 18");
}

/* ---- cut files ---- */

static void assert_cut_after(const char *json, const char *expected)
{
    struct trace trace;
    assert_reads(&trace, json);
    assert_true(trace.cut);
    trace_free(&trace);
    assert_entries(json, expected);
}

static void a_trace_that_is_whole_is_not_cut(void **state)
{
    (void)state;
    struct trace trace;
    assert_reads(&trace, "[]");
    assert_false(trace.cut);
    trace_free(&trace);
}

static void an_array_without_an_end_is_as_good_as_its_last_event(void **state)
{
    (void)state;
    assert_cut_after("[" EVENT("a", "1"), "7:9\nX a 1+5\n");
    assert_cut_after("[" EVENT("a", "1") ",\n", "7:9\nX a 1+5\n");
    assert_cut_after("[", "");
}

static void half_an_event_at_the_end_is_dropped(void **state)
{
    (void)state;
    assert_cut_after("[" EVENT("a", "1") ",{'name':'b','ph':'X','pid':7,'tid':9,'ts':2", "7:9\nX a 1+5\n");
    assert_cut_after("[" EVENT("a", "1") ",{'name':'b\\", "7:9\nX a 1+5\n");
    assert_cut_after("[" EVENT("a", "1") ",{'name':nul", "7:9\nX a 1+5\n");
    assert_cut_after("[" EVENT("a", "1") ",{'ts':-", "7:9\nX a 1+5\n");
}

static void an_object_may_be_cut_in_its_events_and_after_them(void **state)
{
    (void)state;
    assert_cut_after("{'traceEvents':[" EVENT("a", "1") ",{", "7:9\nX a 1+5\n");
    assert_cut_after("{'traceEvents':[" EVENT("a", "1") "]", "7:9\nX a 1+5\n");
    assert_cut_after("{'traceEvents':[" EVENT("a", "1") "],'metadata':{'x", "7:9\nX a 1+5\n");
}

static void a_file_that_is_cut_before_its_events_is_refused(void **state)
{
    (void)state;
    assert_trace_refused("{'metadata':{'x", "unexpected end of input at byte 15");
    assert_trace_refused("{'nodes':[{'id':1}],'samples':[1,", "unexpected end of input at byte 33");
}

static void garbage_is_refused_with_its_place(void **state)
{
    (void)state;
    assert_trace_refused("[" EVENT("a", "1") ",]", "expected a value, found ']', at byte 54");
    assert_trace_refused("[{'ts':1}{'ts':2}]", "expected ',' or ']', found an object, at byte 9");
    assert_trace_refused("[{'ts':NaN}]", "expected a value, found 'N', at byte 7");
    assert_trace_refused("[]]", "expected the end, found ']', at byte 2");
}

/* ---- odd events ---- */

static void assert_odd(const char *json, uint64_t odd)
{
    struct trace trace;
    assert_reads(&trace, json);
    assert_int_equal(trace.odd_events, odd);
    trace_free(&trace);
}

static void events_that_make_no_sense_are_passed_over_and_counted(void **state)
{
    (void)state;
    const char *json = "[null,7,[],'x',"
                       "{'name':'no thread','ph':'X','pid':7,'ts':1},"
                       "{'name':'no time','ph':'X','pid':7,'tid':9},"
                       "{'ph':'X','pid':7,'tid':9,'ts':1},"
                       "{'name':'text for time','ph':'X','pid':7,'tid':9,'ts':'1'},"
                       "{'name':'text for pid','ph':'X','pid':'7','tid':9,'ts':1},"
                       "{'name':'half a thread','ph':'X','pid':7,'tid':9.5,'ts':1},"
                       "{'name':7,'ph':'X','pid':7,'tid':9,'ts':1},"
                       "{'name':'long phase','ph':'XX','pid':7,'tid':9,'ts':1},"
                       "{'name':'Profile','ph':'E','pid':7,'ts':1,'id':'0x1'},"
                       "{'name':'ProfileChunk','ph':'E','tid':9,'ts':1,'id':'0x1'},"
                       "{'name':'null for dur','ph':'X','pid':7,'tid':9,'ts':1,'dur':null}," EVENT("a", "1") "]";
    assert_odd(json, 15);
    assert_entries(json, "7:9\nX a 1+5\n");
}

static void unknown_phases_are_no_entries_and_not_odd(void **state)
{
    (void)state;
    const char *json = "[{'name':'a','ph':'?','pid':7,'tid':9,'ts':1},{'name':'b','ph':'i','pid':7,'tid':9,'ts':1},{}]";
    assert_odd(json, 0);
    assert_entries(json, "");
}

static void times_span_all_that_has_a_time_but_names(void **state)
{
    (void)state;
    struct trace trace;
    assert_reads(&trace, "[{'name':'thread_name','ph':'M','pid':7,'tid':9,'ts':0}," EVENT(
                             "a", "10") ","
                                        "{'name':'c','ph':'s','pid':7,'tid':9,'ts':5}]");
    assert_true(trace.first_ts == 5 && trace.last_ts == 15);
    trace_free(&trace);
    assert_reads(&trace, "{'startTime':100,'nodes':[{'id':1}],'samples':[1,1],'timeDeltas':[10,-20]}");
    assert_true(trace.first_ts == 90 && trace.last_ts == 110);
    trace_free(&trace);
    assert_reads(&trace, "[]");
    assert_true(isnan(trace.first_ts) && isnan(trace.last_ts));
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_of_events_is_a_trace),
        cmocka_unit_test(an_object_with_trace_events_is_a_trace),
        cmocka_unit_test(an_object_with_nodes_is_a_cpu_profile_of_process_1),
        cmocka_unit_test(the_process_of_a_cpu_profile_is_kept),
        cmocka_unit_test(trace_events_win_over_nodes),
        cmocka_unit_test(the_origin_in_the_metadata_means_cpu_mode),
        cmocka_unit_test(the_older_form_with_a_head_is_refused),
        cmocka_unit_test(nodes_that_are_null_make_no_cpu_profile),
        cmocka_unit_test(a_file_that_is_neither_array_nor_object_is_refused),
        cmocka_unit_test(trace_events_twice_are_refused),
        cmocka_unit_test(a_trace_that_is_whole_is_not_cut),
        cmocka_unit_test(an_array_without_an_end_is_as_good_as_its_last_event),
        cmocka_unit_test(half_an_event_at_the_end_is_dropped),
        cmocka_unit_test(an_object_may_be_cut_in_its_events_and_after_them),
        cmocka_unit_test(a_file_that_is_cut_before_its_events_is_refused),
        cmocka_unit_test(garbage_is_refused_with_its_place),
        cmocka_unit_test(events_that_make_no_sense_are_passed_over_and_counted),
        cmocka_unit_test(unknown_phases_are_no_entries_and_not_odd),
        cmocka_unit_test(times_span_all_that_has_a_time_but_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
