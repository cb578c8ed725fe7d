/* Traces that mean harm, or come to a machine without memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace_text.h"

#include "support/failing_alloc.h"

#include <stdio.h>

/* An array of `count` times the event, with its number from 0 on in place of each #. */
static struct text_buffer many(const char *event, unsigned count)
{
    struct text_buffer json = {0};
    for (unsigned i = 0; i < count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%u", i);
        text_add_char(&json, i == 0 ? '[' : ',');
        for (const char *p = event; *p != '\0'; p++)
            text_add(&json, *p == '#' ? slice_of(number) : (struct slice){p, 1});
    }
    text_add(&json, SLICE("]\0"));
    assert_false(json.failed);
    return json;
}

static void a_million_open_events_are_a_million_entries(void **state)
{
    (void)state;
    struct text_buffer json = many("{'ph':'B','name':'a','pid':7,'tid':9,'ts':#}", 1000000);
    struct trace trace;
    assert_reads(&trace, json.bytes.items);
    text_free(&json);
    assert_int_equal(trace.threads.items[0].events.count, 1000000);
    trace_free(&trace);
}

static void as_many_threads_as_events_are_found_again(void **state)
{
    (void)state;
    struct text_buffer json =
        many("{'ph':'I','name':'a','pid':7,'tid':#,'ts':1},{'ph':'I','name':'b','pid':7,'tid':#,'ts':1}", 50000);
    struct trace trace;
    assert_reads(&trace, json.bytes.items);
    text_free(&json);
    assert_int_equal(trace.threads.count, 50000);
    assert_int_equal(trace.processes.count, 1);
    trace_free(&trace);
}

static void as_many_profiles_as_events_are_found_again(void **state)
{
    (void)state;
    struct text_buffer json =
        many("{'ph':'P','name':'Profile','pid':7,'tid':#,'ts':1,'id':#},"
             "{'ph':'P','name':'ProfileChunk','pid':7,'id':#,'args':{'data':{'cpuProfile':{'nodes':[{}]}}}}",
             20000);
    struct trace trace;
    assert_reads(&trace, json.bytes.items);
    text_free(&json);
    assert_int_equal(trace.profiles.count, 20000);
    trace_free(&trace);
}

static void times_beyond_the_whole_numbers_are_times(void **state)
{
    (void)state;
    assert_entries("[{'ph':'X','name':'a','pid':7,'tid':9,'ts':1e300,'dur':1e308},"
                   "{'ph':'X','name':'b','pid':7,'tid':9,'ts':36028797018963968,'dur':-5}]",
                   "7:9\n"
                   "X b 36028797018963970+-5\n"
                   "X a 1e+300+1e+308\n");
}

static void numbers_beyond_all_doubles_are_refused(void **state)
{
    (void)state;
    assert_trace_refused("[{'ts':1e999}]", "number out of range at byte 7");
}

static void numbers_of_processes_beyond_the_whole_numbers_are_odd(void **state)
{
    (void)state;
    struct trace trace;
    assert_reads(&trace,
                 "[{'ph':'X','name':'a','pid':1e17,'tid':9,'ts':1},{'ph':'M','name':'thread_name','pid':7,'tid':1e300},"
                 "{'ph':'P','name':'Profile','pid':1e300,'tid':9,'ts':1},"
                 "{'ph':'I','name':'CommitLoad','pid':7,'tid':9,'ts':1,'args':{'data':{'frame':'A','processId':1e300}}}]");
    assert_int_equal(trace.odd_events, 3);
    assert_int_equal(trace.threads.count, 1);
    trace_free(&trace);
}

static void nesting_without_end_is_refused(void **state)
{
    (void)state;
    struct text_buffer json = {0};
    text_add(&json, SLICE("[{'args':"));
    for (int i = 0; i < 100000; i++)
        text_add_char(&json, '[');
    text_add_char(&json, '\0');
    assert_trace_refused(json.bytes.items, "nested deeper than 512 at byte 519");
    text_free(&json);
}

/* ---- memory ---- */

static const char everything[] =
    "{'traceEvents':["
    "{'ph':'M','name':'thread_name','pid':7,'tid':9,'args':{'name':'CrRendererMain'}},"
    "{'ph':'M','name':'process_name','pid':7,'tid':9,'args':{'name':'Renderer'}},"
    "{'ph':'I','name':'TracingStartedInBrowser','pid':1,'tid':1,'ts':1,'args':{'data':{'frames':[{'frame':'A','url':'http://x/"
    "','processId':7}]}}},"
    "{'ph':'I','name':'CommitLoad','pid':7,'tid':9,'ts':1,'args':{'data':{'frame':'B','url':'http://y/'}}},"
    "{'ph':'I','name':'AuctionWorkletDoneWithProcess','pid':1,'tid':1,'ts':1,'args':{'data':{'pid':8,'host':'h'}}},"
    "{'ph':'P','name':'Profile','pid':7,'tid':9,'ts':1,'id':'0x1'},"
    "{'ph':'P','name':'ProfileChunk','pid':7,'tid':33,'id':'0x1','args':{'data':{'lines':[1],'columns':[2],'timeDeltas':[3],"
    "'cpuProfile':{'nodes':[{'id':1,'callFrame':{'functionName':'f','scriptId':4,'url':'u'},'children':[2]}],'samples':[1],"
    "'trace_ids':{'7':1}}}}},"
    "{'ph':'X','name':'CpuProfile','pid':7,'tid':9,'ts':1,'id':2,'args':{'data':{'cpuProfile':{'nodes':[{'id':1}]}}}},"
    "{'ph':'X','name':'b','pid':7,'tid':9,'ts':5,'dur':1,'args':{'a':1}},"
    "{'ph':'B','name':'a\\n','pid':7,'tid':9,'ts':3},{'ph':'E','name':'a\\n','pid':7,'tid':9,'ts':4}]}";

static int read_text(void *data, struct error *error)
{
    struct trace trace = {0};
    struct byte_source *source = byte_source_memory(text_slice(data), 0, false, error);
    if (source)
        trace_read(&trace, source, &(struct trace_read_options){.rules = TRACE_RULES_0_0_65, .arguments = true}, error);
    byte_source_close(source);
    trace_free(&trace);
    return error->code;
}

static void a_trace_needs_memory_everywhere_and_says_so(void **state)
{
    (void)state;
    struct text_buffer text = json_text(everything);
    assert_true(assert_survives_failing_allocations(read_text, &text) > 30);
    text_free(&text);
}

static void a_cpu_profile_needs_memory_and_says_so(void **state)
{
    (void)state;
    struct text_buffer text = json_text("{'nodes':[{'id':1,'children':[2]},{'id':2,'callFrame':{'functionName':'\\u0041'}}],"
                                        "'samples':[1],'timeDeltas':[1],'lines':[1],'columns':[1]}");
    assert_true(assert_survives_failing_allocations(read_text, &text) > 10);
    text_free(&text);
}

/* A text cut off anywhere is a trace from its first event on, and an error with a message before. */
static void a_trace_may_be_cut_anywhere(void **state)
{
    (void)state;
    struct text_buffer text = json_text(everything);
    size_t begin = sizeof "{'traceEvents':[" - 1;
    for (size_t length = 0; length < text.bytes.count; length++) {
        struct error error = {0};
        struct trace trace = {0};
        struct byte_source *source = byte_source_memory(slice_until(text_slice(&text), length), 1 + length % 5, false, &error);
        assert_non_null(source);
        int result = trace_read(&trace, source, &(struct trace_read_options){0}, &error);
        byte_source_close(source);
        assert_int_equal(result == 0, length >= begin);
        assert_int_equal(trace.cut, length >= begin);
        assert_int_equal(error.message[0] == '\0', length >= begin);
        trace_free(&trace);
    }
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_open_events_are_a_million_entries),
        cmocka_unit_test(as_many_threads_as_events_are_found_again),
        cmocka_unit_test(as_many_profiles_as_events_are_found_again),
        cmocka_unit_test(times_beyond_the_whole_numbers_are_times),
        cmocka_unit_test(numbers_beyond_all_doubles_are_refused),
        cmocka_unit_test(numbers_of_processes_beyond_the_whole_numbers_are_odd),
        cmocka_unit_test(nesting_without_end_is_refused),
        cmocka_unit_test(a_trace_needs_memory_everywhere_and_says_so),
        cmocka_unit_test(a_cpu_profile_needs_memory_and_says_so),
        cmocka_unit_test(a_trace_may_be_cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
