/* The rules for calls where there are events, one by one. Names in brackets are those of the worked examples. */
#include "drawn_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void samples_outside_of_any_event_make_calls_until_the_last_of_them(void **state)
{
    (void)state;
    assert_calls((struct drawing){.samples = "4 4 5 5"}, "a 1010+30 s20 d0; b 1030+10 s10 d1");
    assert_calls((struct drawing){.events = "Other(900,1)", .samples = "4 4 5 5"}, "a 1010+30 s20 d0; b 1030+10 s10 d1");
}

static void calls_end_with_the_event_in_which_they_began(void **state)
{
    (void)state;
    assert_calls((struct drawing){.events = "FunctionCall(1000,60)", .samples = "4 4 5 5"},
                 "a 1010+50 s20 d1; b 1030+30 s30 d2");
    assert_calls((struct drawing){.events = "FunctionCall(1000,15)", .samples = "4 5 5 6"},
                 "a 1010+5 s5 d1; a 1020+20 s0 d0; b 1020+20 s20 d1; c 1040+0 s0 d0");
}

static void a_program_sample_clears_the_stack(void **state)
{
    (void)state;
    assert_calls((struct drawing){.events = "FunctionCall(1000,80)", .samples = "5 5 2 2 5 5"},
                 "a 1010+20 s0 d1; b 1010+20 s20 d2; a 1050+30 s0 d1; b 1050+30 s30 d2");
}

static void a_single_program_sample_is_taken_for_the_one_before(void **state)
{
    (void)state;
    assert_calls((struct drawing){.events = "FunctionCall(1000,60)", .samples = "5 2 7 7"},
                 "a 1010+50 s0 d1; b 1010+20 s20 d2; d 1030+30 s30 d2");
}

static void a_garbage_sample_extends_what_it_interrupts(void **state)
{
    (void)state;
    assert_calls((struct drawing){.events = "FunctionCall(1000,70)", .samples = "5 8 8 5"},
                 "a 1010+60 s0 d1; b 1010+60 s60 d2");
    assert_calls((struct drawing){.events = "FunctionCall(1000,70)", .samples = "8 8 4"}, "a 1030+40 s40 d1");
    assert_calls((struct drawing){.events = "FunctionCall(1000,70)", .samples = "5 2 8 8 5"},
                 "a 1010+10 s0 d1; b 1010+10 s10 d2; a 1050+20 s0 d1; b 1050+20 s20 d2");
}

static void samples_within_events_that_run_no_scripts_are_ignored(void **state)
{
    (void)state;
    assert_calls((struct drawing){.events = "FunctionCall(1000,100) Layout(1015,30)", .samples = "4 5 5 4 6 6 6 6"},
                 "a 1010+90 s10 d1; b 1050+50 s0 d2; c 1050+50 s50 d3");
    assert_calls((struct drawing){.events = "FunctionCall(1000,100) MinorGC(1015,20) V8.GCScavenger(1055,20)",
                                  .samples = "4 9 9 4 4 5 5 4"},
                 "a 1010+90 s50 d1; b 1060+15 s15 d3");
}

static void but_where_nothing_runs_they_are_taken(void **state)
{
    (void)state;
    assert_calls((struct drawing){.events = "FunctionCall(1000,100) Layout(1005,30)", .samples = "4 5 5 4 6 6 6 6"},
                 "a 1010+25 s10 d2; b 1020+15 s15 d3; a 1040+60 s10 d1; b 1050+50 s0 d2; c 1050+50 s50 d3");
    assert_calls((struct drawing){.events = "FunctionCall(1000,100) Layout(1005,30) v8.run(1022,8)", .samples = "4 4 4 4"},
                 "a 1010+12 s12 d2; a 1030+5 s5 d2; a 1040+60 s60 d1");
}

static void microtasks_and_tasks_end_everything(void **state)
{
    (void)state;
    assert_calls((struct drawing){.events = "FunctionCall(1000,100) RunMicrotasks(1025,20)", .samples = "4 4 9 9 4 4 4"},
                 "a 1010+15 s15 d1; e 1030+15 s15 d2; a 1050+50 s50 d1");
}

static void a_call_with_the_extent_of_its_task_becomes_the_parent_of_it(void **state)
{
    (void)state;
    assert_calls((struct drawing){.events = "RunTask(1000,25) RunTask(1030,50)", .samples = "4 4 4 4"},
                 "a 1010+15 s15 d1; a 1030+50 s0 d0");
    assert_calls((struct drawing){.events = "FunctionCall(1000,20) FunctionCall(1020,20)", .samples = "4 4 4 4"},
                 "a 1010+10 s10 d1; a 1020+20 s0 d0; a 1040+0 s0 d0");
    assert_calls((struct drawing){.events = "EvaluateScript(1010,30)", .samples = "4 4 4"}, "a 1010+30 s0 d0");
}

static void calls_below_an_open_event_are_taken_on_trust(void **state)
{
    (void)state;
    assert_calls((struct drawing){.events = "FunctionCall(1000,100) v8.run(1015,40)", .samples = "4 9 9 9 9 4"},
                 "a 1010+90 s50 d1");
    assert_calls((struct drawing){.events = "FunctionCall(1000,100) v8.run(1015,40)", .samples = "4 10 10 10 4 4"},
                 "a 1010+90 s50 d1; g 1020+30 s30 d3");
    assert_calls((struct drawing){.events = "FunctionCall(1000,100) V8.Something(1015,12)", .samples = "4 5 5 5"},
                 "a 1010+90 s8 d1; b 1020+7 s7 d3; b 1030+70 s70 d2");
}

static void functions_are_the_same_by_script_name_and_line(void **state)
{
    (void)state;
    assert_calls(
        (struct drawing){.events = "FunctionCall(1000,60)", .nodes = "20<1:f:7:1:x.js 21<1:f:7:9:y.js", .samples = "20 21 21"},
        "f 1010+50 s50 d1");
    assert_calls((struct drawing){.events = "FunctionCall(1000,60)", .nodes = "20<1:f:7 21<1:f:8", .samples = "20 21 21"},
                 "f 1010+10 s10 d1; f 1020+40 s40 d1");
}

static void recursion_stays_recursion(void **state)
{
    (void)state;
    assert_calls(
        (struct drawing){.events = "FunctionCall(1000,60)", .nodes = "20<1:f:7 21<20:f:7 22<21:f:7", .samples = "20 22 21"},
        "f 1010+50 s10 d1; f 1020+40 s30 d2; f 1020+10 s10 d3");
}

static void frames_of_the_runtime_are_shown_if_wanted(void **state)
{
    (void)state;
    struct drawing drawing = {.events = "FunctionCall(1000,60)",
                              .nodes = "20<1:f:7 21<20:Compile:0:0:native V8Runtime 22<21:g:8",
                              .samples = "20 22 22"};
    assert_calls(drawing, "f 1010+50 s10 d1; g 1020+40 s40 d2");
    drawing.show_all = true;
    assert_calls(drawing, "f 1010+50 s10 d1; Compile 1020+40 s0 d2; g 1020+40 s40 d3");
}

static void an_event_with_a_stack_of_its_own_opens_calls(void **state)
{
    (void)state;
    struct drawing drawing = {.events = "FunctionCall(1000,100) TimeStamp@1023#77", .stacks = "77=6", .samples = "4 4 5 5"};
    assert_calls(drawing, "a 1010+90 s13 d1; b 1023+77 s70 d2 idx -1; c 1023+7 s7 d3 idx -1");
    drawing.events = "FunctionCall(1000,100) Layout(1023,10)#77";
    drawing.samples = "4 4 4 4 5";
    assert_calls(drawing, "a 1010+90 s23 d1; b 1023+17 s0 d2 idx -1; c 1023+17 s7 d3 idx -1; b 1050+50 s50 d2");
    drawing.events = "FunctionCall(1000,60) TimeStamp@1020#77";
    drawing.samples = "4 5 5";
    assert_calls(drawing, "a 1010+50 s10 d1; b 1020+40 s30 d2; c 1020+10 s10 d3 idx -1");
}

static void trace_ids_that_lead_nowhere_change_nothing(void **state)
{
    (void)state;
    struct drawing drawing = {.events = "FunctionCall(1000,60) TimeStamp@1023#77", .samples = "4 4 4"};
    assert_calls(drawing, "a 1010+50 s50 d1");
    drawing.stacks = "77=99";
    assert_calls(drawing, "a 1010+50 s50 d1");
    drawing.stacks = "77=0";
    assert_calls(drawing, "a 1010+50 s50 d1");
    drawing.events = "FunctionCall(1000,60) TimeStamp@1023#0";
    drawing.stacks = "0=9";
    assert_calls(drawing, "a 1010+50 s50 d1");
}

static void a_trace_id_of_the_collector_empties_the_stack(void **state)
{
    (void)state;
    assert_calls((struct drawing){.events = "FunctionCall(1000,100) TimeStamp@1023#77", .stacks = "77=8", .samples = "4 4 4"},
                 "a 1010+13 s13 d1; a 1030+70 s70 d1");
}

static void a_trace_id_outside_of_scripts_lets_samples_in_by_the_newest_rules(void **state)
{
    (void)state;
    struct drawing drawing = {.events = "TimeStamp@1023#77", .stacks = "77=9", .samples = "4 4 5 5"};
    assert_calls(drawing, "a 1010+13 s13 d0; e 1023+7 s7 d0 idx -1; a 1030+10 s0 d0; b 1030+10 s10 d1");
    drawing.rules = TRACE_RULES_0_0_65;
    assert_calls(drawing, "a 1010+13 s13 d0; e 1023+0 s0 d0 idx -1");

    drawing = (struct drawing){.events = "TimerFire(1000,100) FireAnimationFrame(1012,60)#77 Layout(1033,10)",
                               .stacks = "77=4",
                               .samples = "4 4 5 5 5 5 4"};
    assert_calls(drawing, "a 1010+2 s2 d1; a 1012+60 s0 d1 idx -1; b 1030+3 s3 d3");
    drawing.rules = TRACE_RULES_0_0_65;
    assert_calls(drawing, "a 1010+2 s2 d1; a 1012+88 s28 d1 idx -1");
}

static void threads_with_samples_alone_are_there_by_the_newest_rules(void **state)
{
    (void)state;
    struct drawing drawing = {.samples = "4 4 5"};
    assert_calls(drawing, "a 1010+20 s20 d0; b 1030+0 s0 d0");
    drawing.rules = TRACE_RULES_0_0_65;
    assert_calls(drawing, "");
}

static void samples_are_sorted_by_time(void **state)
{
    (void)state;
    assert_calls((struct drawing){.events = "FunctionCall(1000,100)", .samples = "4 5 4 4", .deltas = "10 20 -10 30"},
                 "a 1010+90 s70 d1; b 1030+20 s20 d2");
}

static void unknown_samples_are_passed_over(void **state)
{
    (void)state;
    assert_calls((struct drawing){.events = "FunctionCall(1000,80)", .samples = "4 4 99 5 5"},
                 "a 1010+70 s30 d1; b 1040+40 s40 d2");
    assert_calls((struct drawing){.events = "FunctionCall(1000,60)", .nodes = "20<66:x", .samples = "4 20 4"},
                 "a 1010+50 s50 d1");
    assert_calls((struct drawing){.events = "FunctionCall(1000,90)", .samples = "4 5 6 4", .deltas = "10 10"},
                 "a 1010+80 s10 d1; b 1020+70 s70 d2");
}

static void an_outer_event_waits_for_a_longer_inner_one(void **state)
{
    (void)state;
    assert_calls((struct drawing){.events = "FunctionCall(1000,30) v8.run(1020,40)", .samples = "4 4 5 5 5 5"},
                 "a 1010+20 s20 d1; b 1030+30 s30 d0; a 1060+0 s0 d0; b 1060+0 s0 d0");
}

static void a_program_below_a_function_is_a_function(void **state)
{
    (void)state;
    assert_calls((struct drawing){.events = "FunctionCall(1000,60)", .nodes = "20<4:(program):20", .samples = "4 20 20"},
                 "a 1010+50 s10 d1; (program) 1020+40 s40 d2");
}

static void times_go_through_milliseconds(void **state)
{
    (void)state;
    assert_calls(
        (struct drawing){.events = "FunctionCall(1050000001,60)", .samples = "4 4 4", .start = 1050000000, .deltas = "1 10 10"},
        "a 1050000000.9999999+1.1920928955078125e-7 s1.1920928955078125e-7 d0; a 1050000011+50 s50 d1");
}

static void the_first_of_a_node_may_have_the_id_0(void **state)
{
    (void)state;
    assert_calls((struct drawing){.events = "FunctionCall(1000,60)",
                                  .nodes = "0<-1:(root):-1 1<0:f:5 2<1:g:6",
                                  .only_these_nodes = true,
                                  .samples = "1 2 2"},
                 "f 1010+50 s10 d1; g 1020+40 s40 d2");
}

static void what_overhangs_is_in_no_tree(void **state)
{
    (void)state;
    assert_calls((struct drawing){.events = "A(1000,30) B(1020,40) C(1050,5)", .samples = "4 4"},
                 "a 1010+10 s10 d1; a 1020+30 s- d-");
    struct trace trace = {0};
    struct trace_calls calls = {0};
    struct error error = {0};
    struct drawing drawing = {.events = "A(1000,30) B(1020,40) C(1025,5) D(1050,5)"};
    struct calls_options options = drawing_options(&drawing);
    draw_trace(&trace, &drawing);
    assert_int_equal(trace_calls_build(&calls, &trace, &options, &error), 0);
    const struct thread_calls *thread = &calls.threads.items[0];
    assert_int_equal(thread->entries.count, 4);
    const int32_t depths[] = {0, -1, 1, 0};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(thread->event_depths.items[i], depths[i]);
    assert_true(thread->event_selfs.items[0] == 25);
    assert_true(thread->event_selfs.items[1] != thread->event_selfs.items[1]);
    assert_true(thread->event_selfs.items[2] == 5);
    assert_int_equal(thread->max_depth, 2);
    trace_calls_free(&calls);
    trace_free(&trace);
}

static void processes_that_are_not_kept_have_no_calls(void **state)
{
    (void)state;
    struct trace trace = {0};
    struct trace_calls calls = {0};
    struct error error = {0};
    struct drawing drawing = {.events = "FunctionCall(1000,60)", .samples = "4 4 4"};
    struct calls_options options = drawing_options(&drawing);
    draw_trace(&trace, &drawing);
    trace.processes.items[0].kept = false;
    assert_int_equal(trace_calls_build(&calls, &trace, &options, &error), 0);
    assert_int_equal(calls.threads.count, 0);
    trace_calls_free(&calls);
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_outside_of_any_event_make_calls_until_the_last_of_them),
        cmocka_unit_test(calls_end_with_the_event_in_which_they_began),
        cmocka_unit_test(a_program_sample_clears_the_stack),
        cmocka_unit_test(a_single_program_sample_is_taken_for_the_one_before),
        cmocka_unit_test(a_garbage_sample_extends_what_it_interrupts),
        cmocka_unit_test(samples_within_events_that_run_no_scripts_are_ignored),
        cmocka_unit_test(but_where_nothing_runs_they_are_taken),
        cmocka_unit_test(microtasks_and_tasks_end_everything),
        cmocka_unit_test(a_call_with_the_extent_of_its_task_becomes_the_parent_of_it),
        cmocka_unit_test(calls_below_an_open_event_are_taken_on_trust),
        cmocka_unit_test(functions_are_the_same_by_script_name_and_line),
        cmocka_unit_test(recursion_stays_recursion),
        cmocka_unit_test(frames_of_the_runtime_are_shown_if_wanted),
        cmocka_unit_test(an_event_with_a_stack_of_its_own_opens_calls),
        cmocka_unit_test(trace_ids_that_lead_nowhere_change_nothing),
        cmocka_unit_test(a_trace_id_of_the_collector_empties_the_stack),
        cmocka_unit_test(a_trace_id_outside_of_scripts_lets_samples_in_by_the_newest_rules),
        cmocka_unit_test(threads_with_samples_alone_are_there_by_the_newest_rules),
        cmocka_unit_test(samples_are_sorted_by_time),
        cmocka_unit_test(unknown_samples_are_passed_over),
        cmocka_unit_test(an_outer_event_waits_for_a_longer_inner_one),
        cmocka_unit_test(a_program_below_a_function_is_a_function),
        cmocka_unit_test(times_go_through_milliseconds),
        cmocka_unit_test(the_first_of_a_node_may_have_the_id_0),
        cmocka_unit_test(what_overhangs_is_in_no_tree),
        cmocka_unit_test(processes_that_are_not_kept_have_no_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
