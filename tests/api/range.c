/* What there is in a range: the time of threads, counters, markers by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ask_text.h"

#include "support/text_profile.h"

#include <math.h>

static struct profile profile;
static struct api *api;

static void finish(void)
{
    struct error error = {0};
    assert_int_equal(profile_finish(&profile, &error), 0);
    api = api_open(&profile, 1, &error);
    assert_non_null(api);
}

static void close_api(void)
{
    api_close(api);
    profile_free(&profile);
}

static void add_marker(struct thread *thread, const char *name, double start, double end)
{
    struct raw_marker marker = {
        .name = string_table_add(&profile.strings, slice_of(name)),
        .start = start,
        .end = end,
        .phase = isnan(end) ? MARKER_INSTANT : MARKER_INTERVAL,
        .category = category_at(0),
        .cause_stack = stack_none(),
        .cause_time = NAN,
        .cause_tid = STRING_NONE,
        .thread_id = STRING_NONE,
    };
    marker_table_append(&thread->markers, &marker);
}

static void threads_have_samples_and_cpu_time(void **state)
{
    (void)state;
    text_profile_open(&profile);
    struct thread *thread = text_profile_add_thread(&profile, "0  1  2  3\nA  A  A  A\n");
    profile.meta.cpu_unit = CPU_MICROSECONDS;
    static const double deltas[] = {0, 500, 1000, 250};
    for (size_t i = 0; i < 4; i++)
        column_append_number(&thread->samples.cpu_delta, deltas[i]);
    text_profile_add_thread(&profile, "0  1\nA  A\n");
    finish();
    assert_reply_has(api, "{'v':1,'state':{'range':[1,3]},'asks':[{'ask':'range','threads':[0,1]}]}",
                     "'range':[1,3],'marker_count':0,'markers':[],'columns':{'thread':[0,1],'samples':[2,1],'cpu':[1.5,null],"
                     "'cpu_share':[0.75,null],'waiting':[null,null],'ready':[null,null],");
    /* With a preview range, unless it says otherwise. */
    const char *request = "{'v':1,'state':{'threads':[0],'preview':[2,3]},'asks':[{'ask':'range'}]}";
    assert_reply_has(api, request, "'range':[2,3],");
    assert_reply_has(api, request, "'cpu':[1],");
    assert_reply_has(api, "{'v':1,'state':{'threads':[0],'preview':[2,3]},'asks':[{'ask':'range','preview':false}]}",
                     "'samples':[4],'cpu':[1.75],");
    close_api();
}

static void rows_of_our_own_tell_waits_from_readiness(void **state)
{
    (void)state;
    text_profile_open(&profile);
    category_list_add(&profile.categories, &profile.strings, SLICE("Waiting for CPU"), SLICE("yellow"));
    struct thread *thread = text_profile_add_thread(&profile, "2  5                6\n"
                                                              "A  poll[cat:Idle]   ready[cat:Waiting for CPU]\n");
    profile.meta.cpu_unit = CPU_NANOSECONDS;
    thread->samples.weight_type = WEIGHT_TRACING_MS;
    static const double weights[] = {2, 3, 1};
    for (size_t i = 0; i < 3; i++) {
        column_append_number(&thread->samples.weight, weights[i]);
        column_append_number(&thread->samples.cpu_delta, i == 0 ? weights[i] * 1e6 : 0);
    }
    finish();
    assert_reply_has(api, "{'v':1,'state':{'range':[0,8]},'asks':[{'ask':'range'}]}",
                     "'samples':[3],'cpu':[2],'cpu_share':[0.25],'waiting':[3],'ready':[1],");
    close_api();
}

static void add_counter(const char *category, const double *times, const double *counts, size_t count)
{
    struct counter *counter = counter_list_add(&profile.counters, &profile.arena);
    assert_non_null(counter);
    counter->category = string_table_add(&profile.strings, slice_of(category));
    counter->name = counter->description = counter->category;
    counter->main_thread = thread_at(0);
    for (size_t i = 0; i < count; i++) {
        column_append_number(&counter->time, times[i]);
        column_append_number(&counter->count, counts[i]);
    }
}

static void counters_are_summed_up(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "0  1  2  3\nA  A  A  A\n");
    static const double times[] = {0, 1, 2, 3}, changes[] = {10, -4, 7, 1};
    add_counter("Memory", times, changes, 4);
    add_counter("Bandwidth", times, changes, 4);
    add_counter("Memory", times, changes, 0);
    finish();
    assert_reply_has(api, "{'v':1,'state':{'range':[1,3]},'asks':[{'ask':'range'}]}",
                     "'counter':[0,1,2],'accumulated':[1,0,1],'least':[6,-4000,null],'most':[13,7000,null],"
                     "'mean':[9.5,1500,null],'change':[3,3,null]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'range','counters':[1]}]}", "'counter':[1],");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'range','counters':[3]}]}", "unavailable",
                           "asks[0].counters: there is no counter 3");
    close_api();
}

static void markers_are_counted_by_name(void **state)
{
    (void)state;
    text_profile_open(&profile);
    struct thread *thread = text_profile_add_thread(&profile, "0  1  2  3\nA  A  A  A\n");
    add_marker(thread, "frame", 0, 1.5);
    add_marker(thread, "frame", 1.5, 2.5);
    add_marker(thread, "click", 1.2, NAN);
    add_marker(thread, "load", 0, 0.5);
    finish();
    assert_reply_has(
        api, "{'v':1,'state':{'range':[1,3]},'asks':[{'ask':'range'}]}",
        "'marker_count':3,'markers':[{'name':'frame','count':2,'total':2.5},{'name':'click','count':1,'total':null}]");
    close_api();
}

static void an_empty_range_is_refused(void **state)
{
    (void)state;
    text_profile(&profile, "A\n");
    struct error error = {0};
    api = api_open(&profile, 1, &error);
    assert_request_refused(api, "{'v':1,'state':{'range':[5,5]},'asks':[{'ask':'range'}]}", "unavailable",
                           "asks[0]: the range is empty, there is nothing in it");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'range','threads':[7]}]}", "unavailable",
                           "asks[0].threads: there is no thread 7");
    close_api();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_have_samples_and_cpu_time),
        cmocka_unit_test(rows_of_our_own_tell_waits_from_readiness),
        cmocka_unit_test(counters_are_summed_up),
        cmocka_unit_test(markers_are_counted_by_name),
        cmocka_unit_test(an_empty_range_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
