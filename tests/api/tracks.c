/* The graphs of the timeline: what samples fill, and how they stand to what is selected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

static void close_api(void)
{
    api_close(api);
    profile_free(&profile);
}

static void a_sample_fills_the_time_around_it(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "0  1  2  3\nA  A  A  A\n");
    finish();
    /* From half an interval before the first to half of one after the last; the range ends a whole one after it. */
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'tracks','width':8,'threads':[0]}]}",
                     "'range':[0,4],'width':8,'columns':{'track':[0],'category':[0],'state':[1],");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'tracks','width':8,'threads':[0]}]}",
                     "'totals':[255,255,255,255,255,255,255,0]");
    /* Columns that are partly covered, in proportion. */
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'tracks','width':2,'threads':[0]}]}", "'totals':[255,191]");
    close_api();
}

static void gaps_are_empty_and_ranges_cut(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "0  1  2  3\nA     A  A\n");
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'tracks','width':4,'threads':[0]}]}", "'totals':[128,128,255,128]");
    assert_reply_has(api, "{'v':1,'state':{'range':[2,4]},'asks':[{'ask':'tracks','width':2,'threads':[0]}]}",
                     "'totals':[255,128]");
    /* The preview range is the panels' alone. */
    assert_reply_has(api, "{'v':1,'state':{'preview':[2,4]},'asks':[{'ask':'tracks','width':4,'threads':[0]}]}",
                     "'totals':[128,128,255,128]");
    close_api();
}

static void cpu_shares_are_about_the_time_before_their_sample(void **state)
{
    (void)state;
    text_profile_open(&profile);
    struct thread *thread = text_profile_add_thread(&profile, "0  1  2  3\nA  A  A  A\n");
    profile.meta.cpu_unit = CPU_MICROSECONDS;
    static const double deltas[] = {0, 200, 1000, 600};
    for (size_t i = 0; i < 4; i++)
        column_append_number(&thread->samples.cpu_delta, deltas[i]);
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'tracks','width':4,'threads':[0]}]}", "'totals':[51,255,153,0]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'sample_at','thread':0,'at':2.9}]}",
                     "'sample':3,'time':3,'cpu':60,'over':1,'path':[0]");
    close_api();
}

static void samples_stand_before_in_after_or_outside_of_the_selection(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "A  A  A  D\nB  C\n");
    finish();
    /* In the order of the tree: A, A;B, A;C, D. */
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'tracks','width':4,'threads':[0],'path':[0,1]}]}", "'state':[0,1,2]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'tracks','width':4,'threads':[0],'path':[0]}]}", "'state':[1,2]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'tracks','width':4,'threads':[0]}]}", "'state':[1]");
    assert_reply_has(api, "{'v':1,'state':{'search':'B'},'asks':[{'ask':'tracks','width':4,'threads':[0]}]}", "'state':[1,3]");
    assert_reply_has(api, "{'v':1,'state':{'inverted':true},'asks':[{'ask':'tracks','width':4,'threads':[0],'path':[2]}]}",
                     "'state':[0,1,2]");
    assert_reply_has(api, "{'v':1,'state':{'search':'B'},'asks':[{'ask':'sample_at','thread':0,'at':3}]}", "'path':null");
    assert_reply_has(api, "{'v':1,'state':{'inverted':true},'asks':[{'ask':'sample_at','thread':0,'at':1}]}", "'path':[2,0]");
    close_api();
}

static void the_hills_say_which_sample_is_where(void **state)
{
    (void)state;
    text_profile_open(&profile);
    /* Many in one column: those of A lie under those of B, however they follow each other. */
    text_profile_add_thread(&profile, "0  1  2  3  4  5  6  7\nA  B  A  B  A  B  A  B\nC     D     D     C\n");
    finish();
    static const struct {
        const char *share, *path;
    } places[] = {{"0.02", "[0,1]"}, {"0.2", "[0,3]"}, {"0.3", "[2]"}, {"0.4", "[2]"}};
    char request[200], path[40];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(request, sizeof request, "{'v':1,'asks':[{'ask':'sample_at','thread':0,'at':4,'width':4,'share':%s}]}",
                 places[i].share);
        snprintf(path, sizeof path, "'path':%s", places[i].path);
        assert_reply_has(api, request, path);
    }
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'sample_at','thread':0,'at':4,'width':4,'share':0.99}]}", "'sample':null}");
    /* Selected ones lie above those before them, and below those after them. */
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'sample_at','thread':0,'at':4,'width':4,'share':0.02,'path':[0,3]}]}",
                     "'path':[0,1]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'sample_at','thread':0,'at':4,'width':4,'share':0.02,'path':[0,1]}]}",
                     "'path':[0,1]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'sample_at','thread':0,'at':4,'width':4,'share':0.4,'path':[0]}]}",
                     "'path':[2]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'sample_at','thread':0,'at':4,'share':0.02}]}", "needs the width");
    close_api();
}

static void smoothing_moves_no_more_than_seven_columns(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "0  10  20\n   A   \n");
    profile.meta.interval = 1;
    finish();
    /* 10 of 21 columns, smoothed by seven on each side: of the middle one all that is around it is full. */
    char *text = ask_text(api, "{'v':1,'asks':[{'ask':'tracks','width':21,'threads':[0]}]}");
    assert_non_null(strstr(text, "\"totals\":[0,0,0,0,0,255,255,255,255,255,255,255,255,255,255,0,0,0,0,0,0]"));
    const char *heights = strstr(text, "\"heights\":[");
    assert_non_null(heights);
    unsigned long sum = 0;
    char *at = (char *)heights + strlen("\"heights\":[");
    for (int i = 0; i < 21; i++, at++)
        sum += strtoul(at, &at, 10);
    assert_in_range(sum, 2450, 2570);
    free(text);
    close_api();
}

static void counters_have_their_least_and_most(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "0  1  2  3\nA  A  A  A\n");
    struct counter *counter = counter_list_add(&profile.counters, &profile.arena);
    assert_non_null(counter);
    counter->category = string_table_add(&profile.strings, SLICE("Memory"));
    counter->name = counter->description = counter->category;
    static const double times[] = {0, 0.5, 1, 3}, counts[] = {10, -4, 7, 1};
    for (size_t i = 0; i < 4; i++) {
        column_append_number(&counter->time, times[i]);
        column_append_number(&counter->count, counts[i]);
    }
    counter->main_thread = thread_at(0);
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'tracks','width':4,'counters':[0]}]}",
                     "'accumulated':[1],'least':[6,13,null,14],'most':[10,13,null,14]");
    close_api();
}

static void a_thread_without_samples_is_empty(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "0  1\nA  A\n");
    assert_non_null(profile_add_thread(&profile));
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'tracks','width':2,'threads':[1]}]}", "'heights':[],'totals':[0,0]");
    close_api();
}

static void the_strip_has_a_bar_for_each_sample(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "0  2  4  6            8\nA  A     I[cat:Idle]  D\nB  C\n");
    profile.meta.interval = 1;
    finish();
    assert_reply_has(api, "{'v':1,'state':{'range':[-1,9]},'asks':[{'ask':'tracks','width':10,'threads':[0],'strip':true}]}",
                     "'strip':[1,1,1,1,0,0,3,3,1,1]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'tracks','width':9,'threads':[0],'strip':true,'path':[0,1]}]}",
                     "'strip':[2,1,1,0,0,3,3,1,1]");
    assert_reply_has(api, "{'v':1,'state':{'search':'B'},'asks':[{'ask':'tracks','width':9,'threads':[0],'strip':true}]}",
                     "'strip':[1,0,0,0,0,0,0,0,0]");
    close_api();
}

/* CPU until 2, then a wait for something, a wait for a CPU, and one that nobody saw. */
static void waits_are_those_of_rows_of_our_own(void **state)
{
    (void)state;
    text_profile_open(&profile);
    category_list_add(&profile.categories, &profile.strings, SLICE("Waiting for CPU"), SLICE("yellow"));
    struct thread *thread =
        text_profile_add_thread(&profile, "2  5                6                                         8\n"
                                          "A  A                A                                         (waiting)[cat:Idle]\n"
                                          "   poll[cat:Idle]   (waiting for a CPU)[cat:Waiting for CPU]\n");
    profile.meta.cpu_unit = CPU_NANOSECONDS;
    thread->samples.weight_type = WEIGHT_TRACING_MS;
    static const double weights[] = {2, 3, 1, 2};
    for (size_t i = 0; i < 4; i++) {
        column_append_number(&thread->samples.weight, weights[i]);
        column_append_number(&thread->samples.cpu_delta, i == 0 ? weights[i] * 1e6 : 0);
    }
    finish();
    const char *request = "{'v':1,'state':{'range':[0,8]},'asks':[{'ask':'tracks','width':8,'threads':[0],'waits':true}]}";
    assert_reply_has(api, request, "'waits':[1,1,3,3,3,2,4,4],");
    assert_reply_has(api, request, "'texts':['poll']");
    close_api();
}

static void processes_are_the_sums_of_their_threads(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "0  1  2  3\nA  A  A  A\n");
    text_profile_add_thread(&profile, "0  1  2  3\nA  A         \n");
    for (size_t i = 0; i < 2; i++)
        profile.threads.items[i].pid = string_table_add(&profile.strings, SLICE("7"));
    finish();
    const char *request = "{'v':1,'asks':[{'ask':'tracks','width':4,'threads':[1],'sum_processes':true}]}";
    assert_reply_has(api, request, "'cpus':2,'cpus_known':false,");
    assert_reply_has(api, request, "'process':[0],'process_track':[0],'process_category':[0],'process_state':[1],");
    assert_reply_has(api, request, "'process_totals':[255,191,128,64],");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'tracks','width':4,'sum_processes':true}]}", "'process':[],");
    close_api();
}

static void samples_of_a_category_are_divided_by_library(void **state)
{
    (void)state;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "0           1           2           3\nA[lib:one]  A[lib:one]  B[lib:two]  C\n");
    finish();
    const char *whole = "{'v':1,'asks':[{'ask':'tracks','width':4,'threads':[0]}]}";
    const char *divided = "{'v':1,'asks':[{'ask':'tracks','width':4,'threads':[0],'by_library':[0,1]}]}";
    assert_reply_has(api, whole, "'track':[0],");
    assert_reply_has(api, divided, "'track':[0,0,0],");
    assert_reply_has(api, divided, "'texts':['one','two'],");
    assert_reply_has(api, divided, "'totals':[255,255,255,128],");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'tracks','width':4,'by_library':[99]}]}", "unavailable",
                           "asks[0].by_library: there is no category 99");
    close_api();
}

static void what_is_not_there_is_refused(void **state)
{
    (void)state;
    text_profile(&profile, "A\n");
    struct error error = {0};
    api = api_open(&profile, 1, &error);
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'tracks','width':4,'threads':[1]}]}", "unavailable",
                           "asks[0].threads: there is no thread 1");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'tracks','width':16385}]}", "invalid",
                           "asks[0].width: a whole number from 1 to 16384 is wanted");
    assert_request_refused(api, "{'v':1,'state':{'range':[5,5]},'asks':[{'ask':'tracks','width':4}]}", "unavailable",
                           "asks[0]: the range is empty, there is nothing to be drawn");
    close_api();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_fills_the_time_around_it),
        cmocka_unit_test(gaps_are_empty_and_ranges_cut),
        cmocka_unit_test(cpu_shares_are_about_the_time_before_their_sample),
        cmocka_unit_test(samples_stand_before_in_after_or_outside_of_the_selection),
        cmocka_unit_test(the_hills_say_which_sample_is_where),
        cmocka_unit_test(smoothing_moves_no_more_than_seven_columns),
        cmocka_unit_test(counters_have_their_least_and_most),
        cmocka_unit_test(a_thread_without_samples_is_empty),
        cmocka_unit_test(the_strip_has_a_bar_for_each_sample),
        cmocka_unit_test(waits_are_those_of_rows_of_our_own),
        cmocka_unit_test(processes_are_the_sums_of_their_threads),
        cmocka_unit_test(samples_of_a_category_are_divided_by_library),
        cmocka_unit_test(what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
