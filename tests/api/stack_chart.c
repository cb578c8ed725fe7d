/* Stack charts: calls over time, what becomes of those that are too short to be seen, and the edges of the window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ask_text.h"

#include "support/text_profile.h"

static struct profile profile;
static struct api *api;

static void finish(void)
{
    struct error error = {0};
    assert_int_equal(profile_finish(&profile, &error), 0);
    api = api_open(&profile, 1, &error);
    assert_non_null(api);
}

static void open_api(const char *samples)
{
    text_profile_open(&profile);
    text_profile_add_thread(&profile, samples);
    profile.meta.interval = 1;
    finish();
}

static void close_api(void)
{
    api_close(api);
    profile_free(&profile);
}

static void a_call_is_on_consecutive_samples(void **state)
{
    (void)state;
    open_api("A  A  A  D\nB  B  C\n");
    const char *request = "{'v':1,'asks':[{'ask':'stack_chart','width':8,'until':9}]}";
    assert_reply_has(api, request, "'range':[0,4],'columns':{'threads':[0],'levels':[2],");
    assert_reply_has(api, request, "'node':[0,3,1,2],'func':[0,3,1,2],'depth':[0,0,1,1],");
    assert_reply_has(api, request, "'flags':[16,16,16,16],'left':[0,6,0,4],'width':[6,2,4,2],");
    assert_reply_has(api, request, "'start':[0,3,0,2],'end':[3,4,2,3]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'stack_chart','width':8,'from':1,'until':2}]}", "'func':[1,2],'depth':[1,1],");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'stack_chart','width':8,'from':2,'until':9}]}", "'func':[],");
    close_api();
}

static void samples_have_ticks_where_there_is_place(void **state)
{
    (void)state;
    open_api("0  1  2  3\nA     A  A\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'stack_chart','width':40,'until':9}]}",
                     "'tick':[0,20,30],'tick_track':[0,0,0]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'stack_chart','width':40,'until':9,'start':2,'end':4}]}",
                     "'tick':[0,20],'tick_track':[0,0]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'stack_chart','width':16,'until':9}]}", "'tick':[],'tick_track':[]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'stack_chart','width':40,'until':9,'same_width':true}]}", "'tick':[]");
    close_api();
}

static void a_sample_without_a_stack_ends_all(void **state)
{
    (void)state;
    open_api("0  1  2  3\nA     A  A\nB     B  B\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'stack_chart','width':4,'until':9}]}",
                     "'left':[0,2,0,2],'width':[1,2,1,2],'start':[0,2,0,2],'end':[1,4,1,4]");
    close_api();
    /* So does one that is filtered out. */
    open_api("A  C  A\nB\n");
    assert_reply_has(api, "{'v':1,'state':{'search':'A'},'asks':[{'ask':'stack_chart','width':3,'until':1}]}",
                     "'left':[0,2],'width':[1,1],");
    close_api();
}

static void calls_that_are_cut_by_the_window_say_how_long_they_are(void **state)
{
    (void)state;
    open_api("A  A  A  A  A  A\nB  B  B  C  C  C\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'stack_chart','width':20,'until':9,'start':2,'end':4}]}",
                     "'left':[0,0,10],'width':[20,10,10],'start':[0,0,3],'end':[6,3,6]");
    assert_reply_has(api, "{'v':1,'state':{'preview':[2,4]},'asks':[{'ask':'stack_chart','width':20,'until':9}]}",
                     "'range':[2,4],");
    /* The committed range is all there is. */
    assert_reply_has(api,
                     "{'v':1,'state':{'range':[1,5]},'asks':[{'ask':'stack_chart','width':20,'until':1,'start':2,'end':9}]}",
                     "'left':[0],'width':[20],'start':[1],'end':[5]");
    close_api();
}

static void short_calls_are_one_box_for_each_pixel(void **state)
{
    (void)state;
    open_api("A[cat:DOM]  B[cat:Layout]  B[cat:Layout]  B[cat:Layout]  C[cat:DOM]  D[cat:DOM]  E[cat:DOM]  F[cat:DOM]\n");
    /* Four samples to a pixel: the first is mostly Layout, of which B has most, the second DOM alone. */
    const char *request = "{'v':1,'asks':[{'ask':'stack_chart','width':2,'until':1}]}";
    assert_reply_has(api, request, "'left':[0,1],'width':[1,1],'start':[0,4],'end':[4,8]");
    assert_reply_has(api, request, "'func':[1,2],");
    assert_reply_has(api, request, "'flags':[80,80],");
    request = "{'v':1,'asks':[{'ask':'stack_chart','width':2,'until':1,'highlight':'f'}]}";
    assert_reply_has(api, request, "'flags':[80,112],");
    close_api();
    /* Pixels of one category are one box. */
    open_api("A  B  C  D\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'stack_chart','width':2,'until':1}]}",
                     "'left':[0],'width':[2],'start':[0],'end':[4]");
    close_api();
}

static void stacks_may_be_of_one_width(void **state)
{
    (void)state;
    open_api("0  1  50  51  52\nA  B  B   A   A\n   C\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'stack_chart','width':30,'until':9,'same_width':true}]}", "'changes':[4],");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'stack_chart','width':40,'until':9,'same_width':true}]}",
                     "'left':[0,10,30,10],'width':[10,20,10,10],'start':[0,1,51,1],'end':[1,51,53,50]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'stack_chart','width':40,'until':9,'same_width':true,'start':50,'end':53}]}",
                     "'left':[0,20],'width':[20,20],'start':[1,51],'end':[51,53]");
    close_api();
}

static void rows_of_our_own_stand_for_the_time_before(void **state)
{
    (void)state;
    text_profile_open(&profile);
    struct thread *thread = text_profile_add_thread(&profile, "2  3  9\nA  B  B\n");
    profile.meta.cpu_unit = CPU_NANOSECONDS;
    thread->samples.weight_type = WEIGHT_TRACING_MS;
    static const double weights[] = {2, 1, 6};
    for (size_t i = 0; i < 3; i++) {
        column_append_number(&thread->samples.weight, weights[i]);
        column_append_number(&thread->samples.cpu_delta, i < 2 ? weights[i] * 1e6 : 0);
    }
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'stack_chart','width':10,'until':9,'start':0,'end':10}]}", "'range':[2,10],");
    assert_reply_has(api, "{'v':1,'state':{'range':[0,10]},'asks':[{'ask':'stack_chart','width':10,'until':9}]}",
                     "'left':[0,2],'width':[2,7],'start':[0,2],'end':[2,9]");
    assert_reply_has(api, "{'v':1,'state':{'range':[0,10]},'asks':[{'ask':'stack_chart','width':10,'until':9,'end':5}]}",
                     "'left':[0,4],'width':[4,6],'start':[0,2],'end':[2,9]");
    close_api();
}

static void threads_are_one_below_the_other(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "A  A\nB  B\n");
    text_profile_add_thread(&profile, "A  C\n");
    assert_non_null(profile_add_thread(&profile));
    finish();
    assert_reply_has(api, "{'v':1,'state':{'threads':[0,1,2]},'asks':[{'ask':'stack_chart','width':4,'until':9}]}",
                     "'threads':[0,1,2],'levels':[2,1,0],");
    assert_reply_has(api, "{'v':1,'state':{'threads':[0]},'asks':[{'ask':'stack_chart','width':4,'until':9,'threads':[1,0]}]}",
                     "'track':[0,0,1,1],'node':[0,2,0,1],");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'stack_chart','width':4,'until':9,'threads':[3]}]}", "unavailable",
                           "asks[0].threads: there is no thread 3");
    close_api();
}

static void an_empty_window_is_refused(void **state)
{
    (void)state;
    open_api("A  A\n");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'stack_chart','width':4,'until':9,'start':1,'end':1}]}", "unavailable",
                           "asks[0]: the range is empty, there is nothing to be drawn");
    assert_reply_has(api, "{'v':1,'state':{'range':[-9,9]},'asks':[{'ask':'stack_chart','width':4,'until':9,'start':5}]}",
                     "'levels':[1],'changes':[0],'track':[],");
    close_api();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_on_consecutive_samples),
        cmocka_unit_test(samples_have_ticks_where_there_is_place),
        cmocka_unit_test(a_sample_without_a_stack_ends_all),
        cmocka_unit_test(calls_that_are_cut_by_the_window_say_how_long_they_are),
        cmocka_unit_test(short_calls_are_one_box_for_each_pixel),
        cmocka_unit_test(stacks_may_be_of_one_width),
        cmocka_unit_test(rows_of_our_own_stand_for_the_time_before),
        cmocka_unit_test(threads_are_one_below_the_other),
        cmocka_unit_test(an_empty_window_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
