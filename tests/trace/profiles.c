/* CPU profiles: their nodes, how they are pieced together, and which one a thread gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace_text.h"

#define HEAD(id, tid, source)                                                                                                  \
    "{'name':'Profile','ph':'P','pid':7,'tid':" tid ",'ts':1000,'id':'" id "','args':{'data':{'startTime':5" source "}}}"
#define CHUNK(id, profile, rest)                                                                                               \
    "{'name':'ProfileChunk','ph':'P','pid':7,'tid':99,'ts':1001,'id':'" id "','args':{'data':{'cpuProfile':{" profile "}" rest \
    "}}}"
#define ROOT "'nodes':[{'id':1,'callFrame':{'functionName':'(root)','scriptId':0}}]"

/* ---- nodes ---- */

static void a_node_has_its_function_place_children_and_hits(void **state)
{
    (void)state;
    assert_nodes(
        "{'nodes':[{'id':1,'callFrame':{'functionName':'(root)','scriptId':'0','url':'','lineNumber':-1,'columnNumber':-1},"
        "'hitCount':0,'children':[2,3]},"
        "{'id':2,'callFrame':{'functionName':'f','scriptId':'12','url':'u.js','lineNumber':0,'columnNumber':7},'hitCount':4,"
        "'children':[],'positionTicks':[{'line':1,'ticks':4}],'deoptReason':'no "
        "reason'},{'id':3,'callFrame':{'functionName':''}}]}",
        "1 (root) 0 - -1:-1 children 2 3 hits 0\n"
        "2 f 12 u.js 0:7 children hits 4\n"
        "3  - - -1:-1\n");
}

static void nodes_of_chunks_have_parents_and_numbers_of_scripts(void **state)
{
    (void)state;
    assert_nodes("[" HEAD("0x1", "9", "") "," CHUNK("0x1", ROOT, "") "," CHUNK(
                     "0x1",
                     "'nodes':[{'id':0,'parent':1,'callFrame':{'functionName':'f','scriptId':3,'url':'u.js','lineNumber':0}}]",
                     "") "," CHUNK("0x1", "'nodes':[{'id':5,'parent':0,'callFrame':{'functionName':'g'}}]", "") "]",
                 "1 (root) 0 - -1:-1\n"
                 "0 f 3 u.js 0:-1 parent 1\n"
                 "5 g undefined - -1:-1 parent 0\n");
}

static void children_of_later_chunks_stay_with_their_nodes(void **state)
{
    (void)state;
    assert_nodes("[" HEAD("0x1", "9", "") "," CHUNK("0x1", "'nodes':[{'id':1,'scriptId':0,'children':[2,3]}]", "") "," CHUNK(
                     "0x1", "'nodes':[{'id':2,'scriptId':0,'children':[4]},{'id':3,'scriptId':0}]", "") "]",
                 "1 - 0 - -1:-1 children 2 3\n"
                 "2 - 0 - -1:-1 children 4\n"
                 "3 - 0 - -1:-1\n");
}

static void nodes_without_a_call_frame_count_lines_from_1(void **state)
{
    (void)state;
    assert_nodes("{'nodes':[{'id':1,'functionName':'f','scriptId':'2','url':'u.js','lineNumber':3,'columnNumber':1}]}",
                 "1 f 2 u.js 2:0\n");
}

static void values_of_the_wrong_kind_are_as_if_they_were_not_there(void **state)
{
    (void)state;
    assert_nodes(
        "{'nodes':[7,{'id':'1','parent':[],'callFrame':{'functionName':3,'url':null,'lineNumber':'x'},'children':[2,'3',{}],"
        "'hitCount':null}]}",
        "NaN - - - -1:-1 children 2\n");
}

/* ---- pieces ---- */

static void a_profile_begins_at_the_time_of_its_event(void **state)
{
    (void)state;
    assert_profiles("[" HEAD("0x1", "9", "") "," CHUNK("0x1", ROOT ",'samples':[1,1]", ",'timeDeltas':[10,-5]") "]",
                    "7:9 0x1 1000-1005\n"
                    "samples 1 1\n"
                    "deltas 10 -5\n"
                    "lines 0 0\n"
                    "columns 0 0\n");
}

static void chunks_are_appended_and_the_first_one_says_the_end(void **state)
{
    (void)state;
    assert_profiles(
        "[" HEAD("0x1", "9", "") "," CHUNK(
            "0x1", ROOT ",'samples':[1,2]",
            ",'timeDeltas':[10,20],'lines':[3,4],'columns':[5,6]") "," CHUNK("0x1", "'samples':[3]", ",'timeDeltas':[0]") "]",
        "7:9 0x1 1000-1030\n"
        "samples 1 2 3\n"
        "deltas 10 20 0\n"
        "lines 3 4 0\n"
        "columns 5 6 0\n");
}

static void a_chunk_with_too_few_deltas_is_taken_but_says_no_end(void **state)
{
    (void)state;
    /* The worked example E44. */
    assert_profiles(
        "[" HEAD("0x1", "9", "") "," CHUNK("0x1", ROOT ",'samples':[4,5,6,4]", ",'timeDeltas':[10,10],'source':'Internal'") "]",
        "7:9 0x1 1000-0\n"
        "samples 4 5 6 4\n"
        "deltas 10 10\n"
        "lines 0 0 0 0\n"
        "columns 0 0 0 0\n");
}

static void a_chunk_before_its_head_has_its_end_from_0_on(void **state)
{
    (void)state;
    assert_profiles("[" CHUNK("0x1", ROOT ",'samples':[1]", ",'timeDeltas':[10]") "," HEAD("0x1", "9", "") "]",
                    "7:9 0x1 1000-10\n"
                    "samples 1\n"
                    "deltas 10\n"
                    "lines 0\n"
                    "columns 0\n");
}

static void a_profile_without_a_head_is_ignored(void **state)
{
    (void)state;
    /* The worked example E29. */
    assert_profiles("[" CHUNK("0x1", ROOT ",'samples':[1]", ",'timeDeltas':[10]") "]", "");
}

static void profiles_are_told_apart_by_process_and_id(void **state)
{
    (void)state;
    assert_profiles(
        "[" HEAD("0x1", "9", "") "," HEAD("0x2", "10", "") "," CHUNK(
            "0x2", ROOT, "") ","
                             "{'name':'ProfileChunk','ph':'P','pid':8,'id':'0x1','args':{'data':{'cpuProfile':{" ROOT "}}}}]",
        "7:10 0x2 1000-1000\n");
}

static void ids_may_be_numbers(void **state)
{
    (void)state;
    assert_profiles("[{'name':'Profile','ph':'P','pid':7,'tid':9,'ts':1000,'id':3},"
                    "{'name':'ProfileChunk','ph':'P','pid':7,'id':3,'args':{'data':{'cpuProfile':{" ROOT "}}}}]",
                    "7:9 3 1000-1000\n");
}

static void stacks_of_events_are_found_by_trace_id_and_later_ones_win(void **state)
{
    (void)state;
    assert_profiles("[" HEAD("0x1", "9", "") "," CHUNK("0x1", ROOT ",'trace_ids':{'77':4,'8912345678901234':5,'x':1,'07':1}",
                                                       "") "," CHUNK("0x1", "'trace_ids':{'77':6}", "") "]",
                    "7:9 0x1 1000-1000\n"
                    "stack 77 = 6\n"
                    "stack 8912345678901234 = 5\n");
}

static void an_event_may_hold_a_whole_profile(void **state)
{
    (void)state;
    assert_profiles("{'metadata':{'dataOrigin':'CPUProfile'},'traceEvents':["
                    "{'name':'CpuProfile','ph':'X','pid':7,'tid':9,'ts':0,'id':'0x1','args':{'data':{'cpuProfile':"
                    "{'startTime':10,'endTime':50,'samples':[1],'timeDeltas':[5]," ROOT "}}}}]}",
                    "7:9 0x1 10-50\n"
                    "samples 1\n"
                    "deltas 5\n");
}

static void a_whole_profile_of_another_phase_is_ignored(void **state)
{
    (void)state;
    assert_profiles(
        "[{'name':'CpuProfile','ph':'P','pid':7,'tid':9,'ts':0,'id':'0x1','args':{'data':{'cpuProfile':{" ROOT "}}}}]", "");
}

static void samples_that_are_no_numbers_keep_their_places(void **state)
{
    (void)state;
    assert_profiles("{'nodes':[{'id':1}],'startTime':0,'endTime':9,'samples':[1,'x',null,2],'timeDeltas':[1,'y',3,4]}",
                    "1:1 0x1 0-9\n"
                    "samples 1 NaN NaN 2\n"
                    "deltas 1 0 3 4\n");
}

/* ---- choosing ---- */

#define CANDIDATE(id, source) HEAD(id, "9", source) "," CHUNK(id, ROOT, "")
#define SELF ",'source':'SelfProfiling'"
#define INSPECTOR ",'source':'Inspector'"
#define INTERNAL ",'source':'Internal'"

static void of_several_profiles_the_internal_one_is_taken(void **state)
{
    (void)state;
    /* The worked example E24. */
    assert_profiles(
        "[" CANDIDATE("1", SELF) "," CANDIDATE("2", INSPECTOR) "," CANDIDATE("3", INTERNAL) "," CANDIDATE("4", INTERNAL) "]",
        "7:9 3 1000-1000\n");
}

static void without_an_internal_one_that_of_the_inspector_is_taken(void **state)
{
    (void)state;
    assert_profiles("[" CANDIDATE("1", SELF) "," CANDIDATE("2", INSPECTOR) "]", "7:9 2 1000-1000\n");
}

static void without_either_the_first_one_is_taken(void **state)
{
    (void)state;
    assert_profiles("[" CANDIDATE("1", ",'source':'Other'") "," CANDIDATE("2", SELF) "]", "7:9 1 1000-1000\n");
}

static void in_cpu_mode_only_the_inspector_comes_first(void **state)
{
    (void)state;
    assert_profiles(
        "{'metadata':{'dataOrigin':'CPUProfile'},'traceEvents':[" CANDIDATE("1", SELF) "," CANDIDATE("2", INTERNAL) "]}",
        "7:9 1 1000-1000\n");
    assert_profiles(
        "{'metadata':{'dataOrigin':'CPUProfile'},'traceEvents':[" CANDIDATE("1", INTERNAL) "," CANDIDATE("2", INSPECTOR) "]}",
        "7:9 2 1000-1000\n");
}

static void the_source_of_a_chunk_counts_too(void **state)
{
    (void)state;
    assert_profiles("[" CANDIDATE("1", INSPECTOR) "," HEAD("2", "9", "") "," CHUNK("2", ROOT, INTERNAL) "]",
                    "7:9 2 1000-1000\n");
}

static void a_chosen_profile_without_nodes_leaves_the_thread_without_one(void **state)
{
    (void)state;
    assert_profiles("[" CANDIDATE("1", INSPECTOR) "," HEAD("2", "9", INTERNAL) "]", "");
}

static void threads_with_nothing_but_samples_have_a_profile_under_the_newest_rules_alone(void **state)
{
    (void)state;
    /* The worked example E23. */
    const char *json = "[" CANDIDATE("1", "") "]";
    assert_profiles(json, "7:9 1 1000-1000\n");
    struct trace trace;
    struct error error = {0};
    assert_int_equal(read_trace(&trace, json, &(struct trace_read_options){.rules = TRACE_RULES_0_0_65}, &error), 0);
    assert_int_equal(trace.profiles.count, 0);
    assert_int_equal(trace.threads.items[0].profile, INDEX_NONE);
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_has_its_function_place_children_and_hits),
        cmocka_unit_test(nodes_of_chunks_have_parents_and_numbers_of_scripts),
        cmocka_unit_test(children_of_later_chunks_stay_with_their_nodes),
        cmocka_unit_test(nodes_without_a_call_frame_count_lines_from_1),
        cmocka_unit_test(values_of_the_wrong_kind_are_as_if_they_were_not_there),
        cmocka_unit_test(a_profile_begins_at_the_time_of_its_event),
        cmocka_unit_test(chunks_are_appended_and_the_first_one_says_the_end),
        cmocka_unit_test(a_chunk_with_too_few_deltas_is_taken_but_says_no_end),
        cmocka_unit_test(a_chunk_before_its_head_has_its_end_from_0_on),
        cmocka_unit_test(a_profile_without_a_head_is_ignored),
        cmocka_unit_test(profiles_are_told_apart_by_process_and_id),
        cmocka_unit_test(ids_may_be_numbers),
        cmocka_unit_test(stacks_of_events_are_found_by_trace_id_and_later_ones_win),
        cmocka_unit_test(an_event_may_hold_a_whole_profile),
        cmocka_unit_test(a_whole_profile_of_another_phase_is_ignored),
        cmocka_unit_test(samples_that_are_no_numbers_keep_their_places),
        cmocka_unit_test(of_several_profiles_the_internal_one_is_taken),
        cmocka_unit_test(without_an_internal_one_that_of_the_inspector_is_taken),
        cmocka_unit_test(without_either_the_first_one_is_taken),
        cmocka_unit_test(in_cpu_mode_only_the_inspector_comes_first),
        cmocka_unit_test(the_source_of_a_chunk_counts_too),
        cmocka_unit_test(a_chosen_profile_without_nodes_leaves_the_thread_without_one),
        cmocka_unit_test(threads_with_nothing_but_samples_have_a_profile_under_the_newest_rules_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
