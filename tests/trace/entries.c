/* Which events are entries of a thread, how long they are, and in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace_text.h"

#include <stdio.h>
#include <stdlib.h>

/* `rest` begins with a comma or is empty. */
#define EVENT(phase, name, tid, ts, rest) "{'ph':'" phase "','name':'" name "','pid':7,'tid':" tid ",'ts':" ts rest "}"

static void complete_and_instant_events_are_entries(void **state)
{
    (void)state;
    assert_entries("[" EVENT("X", "a", "9", "1", ",'dur':5,'cat':'v8'") "," EVENT("I", "b", "9", "2", ",'s':'t'") "]",
                   "7:9\n"
                   "X a v8 1+5\n"
                   "I b 2\n");
}

static void other_phases_are_no_entries(void **state)
{
    (void)state;
    assert_entries(
        "[" EVENT("i", "a", "9", "1", "") "," EVENT("b", "a", "9", "1", "") "," EVENT("e", "a", "9", "1", "") "," EVENT(
            "s", "a", "9", "1", "") "," EVENT("M", "a", "9", "1", "") "," EVENT("P", "a", "9", "1",
                                                                                "") "," EVENT("C", "a", "9", "1",
                                                                                              "") "," EVENT("R", "a", "9", "1",
                                                                                                            "") "]",
        "");
}

static void a_complete_event_without_duration_has_none(void **state)
{
    (void)state;
    assert_entries("[" EVENT("X", "a", "9", "1", "") "]", "7:9\nX a 1+0\n");
}

static void keys_come_in_any_order_and_the_last_of_equal_ones_counts(void **state)
{
    (void)state;
    assert_entries("[{'ts':4,'args':{'data':{'sampleTraceId':5},'data':{}},'dur':1,'tid':9,'ts':3,'args':{'sampleTraceId':6},"
                   "'pid':7,'name':'a','ph':'X'}]",
                   "7:9\nX a 3+1 stack 6\n");
}

/* ---- B and E ---- */

static void begin_and_end_make_a_complete_event(void **state)
{
    (void)state;
    assert_entries("[" EVENT("B", "a", "9", "10", "") "," EVENT("B", "b", "9", "20", "") "," EVENT(
                       "E", "b", "9", "25", "") "," EVENT("E", "a", "9", "40", "") "]",
                   "7:9\n"
                   "X a 10+30\n"
                   "X b 20+5\n");
}

/* The worked example E22. */
#define TWO_THREADS                                                                                                            \
    "[" EVENT("B", "FunctionCall", "9", "1000", "") "," EVENT("B", "Other", "10", "1005", "") "," EVENT(                       \
        "E", "FunctionCall", "9", "1060", "") "," EVENT("E", "Other", "10", "1070", "") "]"

static void ends_belong_to_begins_of_their_thread(void **state)
{
    (void)state;
    assert_entries(TWO_THREADS, "7:9\n"
                                "X FunctionCall 1000+60\n"
                                "7:10\n"
                                "X Other 1005+65\n");
    assert_entries("[" EVENT("B", "a", "9", "10", "") "," EVENT("E", "a", "10", "40", "") "]", "7:9\nX a 10+0\n");
}

static void ends_are_paired_in_the_order_of_time(void **state)
{
    (void)state;
    assert_entries("[" EVENT("E", "a", "9", "40", "") "," EVENT("E", "b", "9", "30", "") "," EVENT(
                       "B", "b", "9", "20", "") "," EVENT("B", "a", "9", "10", "") "]",
                   "7:9\n"
                   "X a 10+30\n"
                   "X b 20+10\n");
}

static void an_end_belongs_to_the_last_begin_of_its_name(void **state)
{
    (void)state;
    assert_entries(
        "[" EVENT("B", "a", "9", "10", "") "," EVENT("B", "b", "9", "20", "") "," EVENT("B", "a", "9", "21", "") "," EVENT(
            "E", "a", "9", "25", "") "," EVENT("E", "a", "9", "40", "") "," EVENT("E", "b", "9", "50", "") "]",
        "7:9\n"
        "X a 10+30\n"
        "X b 20+30\n"
        "X a 21+4\n");
}

static void an_end_without_a_name_ends_the_last_of_its_thread(void **state)
{
    (void)state;
    assert_entries("[" EVENT("B", "a", "9", "10", "") "," EVENT(
                       "B", "b", "9", "20", "") ",{'ph':'E','pid':7,'tid':9,'ts':25}," EVENT("E", "a", "9", "40", "") "]",
                   "7:9\n"
                   "X a 10+30\n"
                   "X b 20+5\n");
}

static void an_end_without_a_thread_ends_nothing(void **state)
{
    (void)state;
    assert_entries("[" EVENT("B", "a", "9", "10", "") ",{'ph':'E','name':'a','ts':25}]", "7:9\nX a 10+0\n");
}

/* ---- by the rules of 0.0.65 ---- */

static void assert_published(const char *json, const char *expected)
{
    assert_entries_by(json, TRACE_RULES_0_0_65, expected);
}

static void published_ends_pop_the_last_begin_of_all_threads_and_must_fit_it(void **state)
{
    (void)state;
    assert_published(TWO_THREADS, "7:9\n"
                                  "X FunctionCall 1000+0\n"
                                  "7:10\n"
                                  "X Other 1005+0\n");
}

static void a_published_end_on_another_thread_fits_if_names_do(void **state)
{
    (void)state;
    assert_published("[" EVENT("B", "a", "9", "10", "") "," EVENT("E", "a", "10", "40", "") "]", "7:9\nX a 10+30\n");
}

static void a_published_end_of_another_category_does_not_fit(void **state)
{
    (void)state;
    assert_published("[" EVENT("B", "a", "9", "10", ",'cat':'x'") "," EVENT("E", "a", "9", "40", ",'cat':'y'") "]",
                     "7:9\nX a x 10+0\n");
}

static void a_published_end_without_a_name_pops_and_fits_nothing(void **state)
{
    (void)state;
    assert_published("[" EVENT("B", "a", "9", "10", "") "," EVENT(
                         "B", "b", "9", "20", "") ",{'ph':'E','pid':7,'tid':9,'ts':25}," EVENT("E", "a", "9", "40", "") "]",
                     "7:9\n"
                     "X a 10+30\n"
                     "X b 20+0\n");
}

static void what_is_begun_or_ended_alone_is_harmless(void **state)
{
    (void)state;
    assert_entries("[" EVENT("E", "a", "9", "5", "") "," EVENT("B", "a", "9", "10", "") "]", "7:9\nX a 10+0\n");
}

/* ---- order ---- */

static void entries_are_sorted_by_start_then_longest_first_then_as_in_the_file(void **state)
{
    (void)state;
    assert_entries(
        "[" EVENT("X", "late", "9", "30", ",'dur':1") "," EVENT("X", "short", "9", "10", ",'dur':5") "," EVENT(
            "I", "first", "9", "10", "") "," EVENT("I", "second", "9", "10",
                                                   "") "," EVENT("X", "long", "9", "10",
                                                                 ",'dur':15") "," EVENT("X", "early", "9", "5", ",'dur':1") "]",
        "7:9\n"
        "X early 5+1\n"
        "X long 10+15\n"
        "X short 10+5\n"
        "I first 10\n"
        "I second 10\n"
        "X late 30+1\n");
}

/* Many events in random order against the same rule, tried on all pairs of neighbours. The row in the file is in the trace id.
 */
static void sorting_keeps_equal_entries_in_the_order_of_the_file(void **state)
{
    (void)state;
    struct text_buffer json = {0};
    unsigned seed = 7;
    for (unsigned i = 1; i <= 5000; i++) {
        char event[200];
        snprintf(event, sizeof event, "%c{'ph':'X','name':'a','pid':7,'tid':9,'ts':%d,'dur':%d,'args':{'sampleTraceId':%u}}",
                 i == 1 ? '[' : ',', rand_r(&seed) % 100, rand_r(&seed) % 3, i);
        text_add(&json, slice_of(event));
    }
    text_add_char(&json, ']');
    text_add_char(&json, '\0');
    struct trace trace;
    assert_reads(&trace, json.bytes.items);
    text_free(&json);
    const struct trace_event *events = trace.threads.items[0].events.items;
    assert_int_equal(trace.threads.items[0].events.count, 5000);
    for (size_t i = 1; i < 5000; i++) {
        const struct trace_event *a = &events[i - 1], *b = &events[i];
        assert_true(a->ts < b->ts || (a->ts == b->ts && a->dur > b->dur) ||
                    (a->ts == b->ts && a->dur == b->dur && a->sample_trace_id < b->sample_trace_id));
    }
    trace_free(&trace);
}

/* ---- names, stacks, arguments ---- */

static void threads_and_processes_have_the_names_they_are_told(void **state)
{
    (void)state;
    const char *json =
        "[" EVENT("X", "a", "9", "1", "") ","
                                          "{'ph':'M','name':'thread_name','pid':7,'tid':9,'args':{'name':'CrRendererMain'}},"
                                          "{'ph':'M','name':'process_name','pid':7,'args':{'name':'Renderer'}},"
                                          "{'ph':'X','name':'thread_name','pid':7,'tid':9,'ts':2,'args':{'name':'no'}}]";
    struct trace trace;
    assert_entries(json, "7:9 CrRendererMain\n"
                         "X a 1+0\n"
                         "X thread_name 2+0\n");
    assert_reads(&trace, json);
    assert_int_equal(trace.processes.count, 1);
    assert_string_equal(string_table_get(&trace.strings, trace.processes.items[0].name).text, "Renderer");
    trace_free(&trace);
}

static void a_stack_is_named_in_begin_data_or_else_in_the_arguments_or_else_in_data(void **state)
{
    (void)state;
    assert_entries(
        "[" EVENT("I", "a", "9", "1", ",'args':{'data':{'sampleTraceId':3},'sampleTraceId':2,'beginData':{'sampleTraceId':1}}") "," EVENT(
            "I", "b", "9", "2",
            ",'args':{'data':{'sampleTraceId':3},'sampleTraceId':2}") "," EVENT("I", "c", "9", "3",
                                                                                ",'args':{'data':{'sampleTraceId':"
                                                                                "8912345678901234}}") "]",
        "7:9\n"
        "I a 1 stack 1\n"
        "I b 2 stack 2\n"
        "I c 3 stack 8912345678901234\n");
}

static void begin_data_without_a_stack_hides_that_of_data(void **state)
{
    (void)state;
    /* The worked examples E34 and E35. */
    assert_entries("[" EVENT("I", "a", "9", "1", ",'args':{'beginData':{},'data':{'sampleTraceId':3}}") "," EVENT(
                       "I", "b", "9", "2", ",'args':{'data':{'sampleTraceId':0}}") "]",
                   "7:9\n"
                   "I a 1\n"
                   "I b 2\n");
}

static void arguments_are_kept_as_text_where_they_are_wanted(void **state)
{
    (void)state;
    struct trace trace;
    struct error error = {0};
    const char *json = "[" EVENT("X", "a", "9", "1", ",'args':{'data': {'x':[1, 2]},'sampleTraceId':4}") "," EVENT(
        "X", "b", "9", "2", ",'args':{}") "," EVENT("X", "c", "9", "3", "") "]";
    assert_int_equal(read_trace(&trace, json, &(struct trace_read_options){.arguments = true}, &error), 0);
    const struct trace_event *events = trace.threads.items[0].events.items;
    assert_int_equal(trace.arguments.count, 1);
    assert_int_equal(events[0].arguments, 0);
    assert_string_equal(trace.arguments.items[0].text, "{\"data\": {\"x\":[1, 2]},\"sampleTraceId\":4}");
    assert_true(events[0].sample_trace_id == 4);
    assert_int_equal(events[1].arguments, INDEX_NONE);
    assert_int_equal(events[2].arguments, INDEX_NONE);
    trace_free(&trace);
}

static void arguments_are_not_kept_otherwise(void **state)
{
    (void)state;
    struct trace trace;
    assert_reads(&trace, "[" EVENT("X", "a", "9", "1", ",'args':{'x':1}") "]");
    assert_int_equal(trace.arguments.count, 0);
    assert_int_equal(trace.threads.items[0].events.items[0].arguments, INDEX_NONE);
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_and_instant_events_are_entries),
        cmocka_unit_test(other_phases_are_no_entries),
        cmocka_unit_test(a_complete_event_without_duration_has_none),
        cmocka_unit_test(keys_come_in_any_order_and_the_last_of_equal_ones_counts),
        cmocka_unit_test(begin_and_end_make_a_complete_event),
        cmocka_unit_test(ends_belong_to_begins_of_their_thread),
        cmocka_unit_test(ends_are_paired_in_the_order_of_time),
        cmocka_unit_test(an_end_belongs_to_the_last_begin_of_its_name),
        cmocka_unit_test(an_end_without_a_name_ends_the_last_of_its_thread),
        cmocka_unit_test(an_end_without_a_thread_ends_nothing),
        cmocka_unit_test(published_ends_pop_the_last_begin_of_all_threads_and_must_fit_it),
        cmocka_unit_test(a_published_end_on_another_thread_fits_if_names_do),
        cmocka_unit_test(a_published_end_of_another_category_does_not_fit),
        cmocka_unit_test(a_published_end_without_a_name_pops_and_fits_nothing),
        cmocka_unit_test(what_is_begun_or_ended_alone_is_harmless),
        cmocka_unit_test(entries_are_sorted_by_start_then_longest_first_then_as_in_the_file),
        cmocka_unit_test(sorting_keeps_equal_entries_in_the_order_of_the_file),
        cmocka_unit_test(threads_and_processes_have_the_names_they_are_told),
        cmocka_unit_test(a_stack_is_named_in_begin_data_or_else_in_the_arguments_or_else_in_data),
        cmocka_unit_test(begin_data_without_a_stack_hides_that_of_data),
        cmocka_unit_test(arguments_are_kept_as_text_where_they_are_wanted),
        cmocka_unit_test(arguments_are_not_kept_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
