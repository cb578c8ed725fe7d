/* Asks about markers: which rows they are in, what is drawn of them, how they are sorted and found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ask_text.h"

#include "import/importer.h"
#include "support/text_profile.h"

#include <math.h>
#include <stdio.h>

static struct profile profile;
static struct api *api;

/* Two threads whose samples are from 0 to 100. */
static struct thread *open_profile(void)
{
    text_profile_open(&profile);
    struct thread *thread = text_profile_add_thread(&profile, "0  100\nA  A\n");
    text_profile_add_thread(&profile, "0  100\nA  A\n");
    return thread;
}

static struct category_index category_called(const char *name)
{
    for (size_t i = 0; i < profile.categories.rows.count; i++)
        if (slice_equal(profile_text(&profile, profile.categories.rows.items[i].name), slice_of(name)))
            return (struct category_index){(uint32_t)i};
    return (struct category_index){INDEX_NONE};
}

static void add(size_t thread, const char *name, double start, double end, const char *category)
{
    struct raw_marker raw = {
        .name = string_table_add(&profile.strings, slice_of(name)),
        .start = start,
        .end = end,
        .phase = isnan(end) ? MARKER_INSTANT : MARKER_INTERVAL,
        .category = category_called(category),
        .cause_stack = {INDEX_NONE},
        .cause_time = NAN,
        .cause_tid = STRING_NONE,
        .thread_id = STRING_NONE,
    };
    marker_table_append(&profile.threads.items[thread].markers, &raw);
}

static void finish(void)
{
    struct error error = {0};
    assert_int_equal(profile_finish(&profile, &error), 0);
    api = api_open(&profile, 1, &error);
    assert_non_null(api);
}

static int open_example(void **state)
{
    (void)state;
    struct error error = {0};
    profile_init(&profile);
    assert_int_equal(import_file(TEST_DATA "/example-markers.json", NULL, &profile, &error), 0);
    api = api_open(&profile, 1, &error);
    return api ? 0 : -1;
}

static int close_profile(void **state)
{
    (void)state;
    api_close(api);
    profile_free(&profile);
    return 0;
}

/* ---- rows ---- */

static void test_is_the_first_bucket_and_other_the_last(void **state)
{
    (void)state;
    open_profile();
    static const char *const categories[] = {"Other", "Test", "Layout", "DOM"};
    profile.categories.rows.items[category_called("Idle").i].name = string_table_add(&profile.strings, SLICE("Test"));
    for (size_t i = 0; i < 4; i++)
        add(0, "a", 1, 2, categories[i]);
    finish();
    char *text = ask_text(api, "{'v':1,'asks':[{'ask':'marker_rows'}]}");
    char wanted[200];
    snprintf(wanted, sizeof wanted, "\"buckets\":{\"category\":[%u,%u,%u,%u],\"row\":[0,2,4,6],\"rows\":[2,2,2,2]}",
             category_called("Test").i, category_called("DOM").i, category_called("Layout").i, category_called("Other").i);
    assert_non_null(strstr(text, wanted));
    free(text);
}

static void names_are_sorted_without_regard_to_case(void **state)
{
    (void)state;
    open_profile();
    add(0, "beta", 1, 2, "Other");
    add(0, "Alpha", 1, 2, "Other");
    add(0, "alpha", 1, 2, "Other");
    add(0, "Gamma", 1, 2, "Other");
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_rows'}]}", "'texts':['Alpha','alpha','beta','Gamma']");
}

static void moments_have_a_row_above_their_intervals(void **state)
{
    (void)state;
    open_profile();
    add(0, "a", 1, 5, "Other");
    add(0, "a", 2, NAN, "Other");
    add(0, "a", 2, NAN, "Other");
    add(0, "a", 3, NAN, "Other");
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_rows'}]}", "'row':[1,2],'rows':[1,1],'count':[3,1],'kind':[0,1]");
}

static void intervals_go_to_the_first_row_that_is_free(void **state)
{
    (void)state;
    open_profile();
    add(0, "a", 0, 10, "Other");  /* row 1 */
    add(0, "a", 1, 4, "Other");   /* 2 */
    add(0, "a", 2, 3, "Other");   /* 3 */
    add(0, "a", 4, 5, "Other");   /* 2: it ends as this one starts */
    add(0, "a", 4, 6, "Other");   /* 3 */
    add(0, "a", 10, 11, "Other"); /* 1 */
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_rows'}]}", "'row':[1],'rows':[3],'count':[6],'kind':[1]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_chart','until':9,'width':100,'range':[0,20]}]}",
                     "'row':[1,1,2,2,3,3],'thread':[0,0,0,0,0,0],'marker':[0,5,1,3,2,4]");
}

static void several_threads_have_rows_of_their_own(void **state)
{
    (void)state;
    open_profile();
    add(1, "a", 0, 10, "Other");
    add(0, "a", 1, 4, "Other");
    finish();
    assert_reply_has(api, "{'v':1,'state':{'threads':[0,1]},'asks':[{'ask':'marker_rows'}]}", "'thread':[0,1],'row':[1,2]");
    assert_reply_has(api, "{'v':1,'state':{'threads':[1]},'asks':[{'ask':'marker_rows'}]}", "'thread':[1],'row':[1]");
}

static void only_names_with_rows_in_the_window_are_given(void **state)
{
    (void)state;
    open_profile();
    add(0, "a", 1, 3, "Other");
    add(0, "a", 2, 3, "Other");
    add(0, "b", 1, 3, "Other");
    add(0, "c", 1, 3, "Other");
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_rows','from':2,'until':4}]}", "'row':[1,3],'rows':[2,1]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_rows','from':5}]}", "'row':[],'rows':[]");
}

static void of_a_folded_category_only_the_head_is_there(void **state)
{
    (void)state;
    open_profile();
    add(0, "a", 1, 5, "DOM");
    add(0, "b", 1, 5, "Layout");
    add(0, "c", 2, 5, "Layout");
    add(0, "d", 3, 5, "Other");
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_rows','folded':['Layout','no category']}]}", "'markers':4,'rows':5,");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_rows','folded':['Layout']}]}", "'row':[0,2,3],'rows':[2,1,2]},");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_rows','folded':['Layout']}]}", "'texts':['a','d']");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_chart','until':9,'width':100,'folded':['Layout']}]}",
                     "'row':[1,4],'thread':[0,0],'marker':[0,3]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_chart','until':9,'width':100,'folded':['Other','DOM','Layout']}]}",
                     "'row':[],'thread':[],'marker':[]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_chart','until':9,'width':100}]}", "'marker':[0,1,2,3]");
}

static void pinned_names_are_above_all_others(void **state)
{
    (void)state;
    open_profile();
    add(0, "a", 1, 5, "DOM");
    add(0, "z", 1, 5, "Layout");
    add(0, "z", 2, NAN, "DOM");
    add(0, "y", 3, 5, "Other");
    finish();
    static const char pinned[] = "{'v':1,'asks':[{'ask':'marker_rows','pinned':['z','y','x'],'folded':['DOM','Layout']}]}";
    assert_reply_has(api, pinned, "'rows':5,'pinned':true,");
    assert_reply_has(api, pinned, "'row':[0,4],'rows':[4,1]},");
    assert_reply_has(api, pinned, "'row':[1,2,3],'rows':[1,1,1],'count':[1,1,1],'kind':[1,0,1]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_chart','until':9,'width':100,'pinned':['z']}]}",
                     "'row':[1,2,4,6],'thread':[0,0,0,0],'marker':[2,1,0,3]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_rows','pinned':['z']}]}", "'rows':7,'pinned':true,");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'marker_rows','pinned':'z'}]}", "invalid",
                           "asks[0].pinned: an array of texts is wanted");
}

/* ---- marks ---- */

static void a_pixel_has_one_mark(void **state)
{
    (void)state;
    open_profile();
    for (int i = 0; i < 1000; i++)
        add(0, "a", 50 + i / 1e4, 50 + i / 1e4 + 1e-5, "Other");
    add(0, "a", 60, 70, "Other");
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_chart','until':9,'width':100,'range':[0,100]}]}",
                     "'marker':[0,1000],'left':[50,60],'width':[1,10],'category':[0,0],'flags':[8,0]");
}

static void what_goes_beyond_the_range_is_cut_and_says_so(void **state)
{
    (void)state;
    open_profile();
    add(0, "a", 10, 20, "Other");
    add(0, "b", 1, 15, "Other");
    add(0, "c", 15, 90, "Other");
    add(0, "d", 1, 90, "Other");
    add(0, "e", 1, 9, "Other");
    finish();
    assert_reply_has(api, "{'v':1,'state':{'preview':[10,20]},'asks':[{'ask':'marker_chart','until':9,'width':10}]}",
                     "'left':[0,0,5,0],'width':[10,5,5,10],'category':[0,0,0,0],'flags':[0,2,4,6]");
}

static void moments_at_the_end_of_the_range_are_on_the_last_pixel(void **state)
{
    (void)state;
    open_profile();
    add(0, "a", 20, NAN, "Other");
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_chart','until':9,'width':10,'range':[10,20]}]}",
                     "'left':[9],'width':[1],'category':[0],'flags':[1]");
}

static void lanes_have_a_level_for_what_starts_within_another(void **state)
{
    (void)state;
    open_profile();
    add(0, "inner", 10, 20, "Other");
    add(0, "outer", 10, 50, "Other");
    add(0, "moment", 12, NAN, "Other");
    add(0, "too deep", 15, 16, "Other");
    add(0, "again", 15, 18, "Other");
    add(0, "after", 50, 60, "Other");
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_lanes','width':100,'threads':[0]}]}",
                     "'track':[0,0,0,0,0],'level':[0,1,2,2,0]");
    /* Neither the search nor the preview range matters. */
    assert_reply_has(api,
                     "{'v':1,'state':{'marker_search':'x','preview':[1,2]},"
                     "'asks':[{'ask':'marker_lanes','width':100,'threads':[1,0]}]}",
                     "'track':[1,1,1,1,1],'level':[0,1,2,2,0]");
}

/* ---- the table ---- */

static void equal_markers_stay_in_the_order_of_their_start(void **state)
{
    (void)state;
    open_profile();
    static const double starts[] = {1, 2, 3, 4, 5, 6};
    for (size_t i = 0; i < 6; i++)
        add(0, i % 2 ? "b" : "a", starts[i], starts[i] + (i < 3 ? 2 : 1), "Other");
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_table','after':9,'sorted_by':['name']}]}", "'marker':[0,2,4,1,3,5]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_table','after':9,'sorted_by':['-name']}]}", "'marker':[1,3,5,0,2,4]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_table','after':9,'sorted_by':['duration','-name']}]}",
                     "'marker':[3,5,4,1,0,2]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_table','after':9,'sorted_by':['name','-start']}]}",
                     "'marker':[4,2,0,5,3,1]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_table','after':9,'sorted_by':['-start']}]}", "'marker':[5,4,3,2,1,0]");
}

static void moments_are_shorter_than_intervals(void **state)
{
    (void)state;
    open_profile();
    add(0, "a", 1, 1, "Other");
    add(0, "a", 2, NAN, "Other");
    add(0, "a", 3, 4, "Other");
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_table','after':9,'sorted_by':['duration']}]}",
                     "'marker':[1,0,2],'start':[2,1,3],'duration':[null,0,1],'flags':[1,0,0]");
}

static void markers_of_one_type_have_its_fields(void **state)
{
    (void)state;
    static const char of_one[] =
        "{'v':1,'state':{'marker_search':'name:allocation'},'asks':[{'ask':'marker_table','fields':true,'after':9}]}";
    assert_reply_has(api, of_one, "'fields':[{'key':'size','label':'Size','format':'bytes'},");
    assert_reply_has(api, of_one, "'field0':[1,6],'field1':[2,7],'field2':[3,null]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_table','fields':true,'after':9}]}", "'fields':[],");
}

static void a_window_is_around_its_marker(void **state)
{
    (void)state;
    open_profile();
    for (int i = 0; i < 9; i++)
        add(0, "a", i, i + 1, "Other");
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_table','anchor':[0,4],'before':1,'after':2}]}",
                     "'count':9,'first':3,'anchor':4,'exact':true,'labels':[],'columns':{'thread':[0,0,0],'marker':[3,4,5]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_table','anchor':[1,4],'after':1}]}",
                     "'count':9,'first':0,'anchor':null,'exact':false");
    assert_reply_has(api, "{'v':1,'state':{'preview':[6.5,7.5]},'asks':[{'ask':'marker_table','after':9}]}",
                     "'count':2,'first':0,'anchor':0,'exact':true,'labels':[],'columns':{'thread':[0,0],'marker':[6,7]");
}

/* ---- search ---- */

static void terms_find_and_take_away(void **state)
{
    (void)state;
    static const struct {
        const char *search, *markers;
    } cases[] = {
        {"", "'marker':[0,0,1,1,2,3,4,5]"},
        {"frame", "'marker':[0,4]"},
        {"FLIP, frame", "'marker':[0,2,4]"},
        {"sky", "'marker':[1]"},
        {"file:sun", "'marker':[3]"},
        {"name:sun", "'marker':[]"},
        {"cat:memory", "'marker':[0,1,1,3]"},
        {"type:alloc", "'marker':[1,3]"},
        {"-cat:memory", "'marker':[0,2,4,5]"},
        {"cat:memory,-file:sky", "'marker':[0,1,3]"},
        {"nothing", "'marker':[]"},
        {" , ", "'marker':[0,0,1,1,2,3,4,5]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char request[300];
        snprintf(request, sizeof request,
                 "{'v':1,'state':{'threads':[0,1],'marker_search':'%s'},'asks':[{'ask':'marker_table','after':20}]}",
                 cases[i].search);
        assert_reply_has(api, request, cases[i].markers);
    }
}

/* ---- statistics ---- */

static void a_field_is_summed_up_with_its_format(void **state)
{
    (void)state;
    char *text = ask_text(api, "{'v':1,'asks':[{'ask':'marker_rows'}]}");
    const char *at = strstr(text, "\"name\":[");
    assert_non_null(at);
    /* flip, Frame, Allocation, Upload */
    unsigned ids[3];
    assert_int_equal(sscanf(at, "\"name\":[%u,%u,%u", &ids[0], &ids[1], &ids[2]), 3);
    char request[200];
    snprintf(request, sizeof request, "{'v':1,'asks':[{'ask':'marker_stats','name':%u,'field':'size'}]}", ids[2]);
    assert_reply_has(api, request, "'markers':2,'format':'bytes','count':1,'first':0");
    assert_reply_has(api, request, "'count':[2],'measured':[2],'total':[20512],'mean':[10256],'median':[512],'p95':[20000]");
    snprintf(request, sizeof request, "{'v':1,'asks':[{'ask':'marker_stats','name':%u,'field':'file'}]}", ids[2]);
    assert_reply_has(api, request, "'format':null,'count':1,'first':0");
    assert_reply_has(api, request, "'count':[2],'measured':[0],'total':[null]");
    free(text);
}

/* ---- what is wrong ---- */

static void what_cannot_be_answered_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *ask, *code, *message;
    } cases[] = {
        {"'ask':'marker','thread':9,'marker':0", "unavailable", "asks[0].thread: there is no thread 9"},
        {"'ask':'marker','thread':0,'marker':99", "unavailable", "asks[0].marker: the thread has no marker 99"},
        {"'ask':'marker','thread':0", "invalid", "asks[0].marker: \"marker\" needs it"},
        {"'ask':'marker_chart','until':4", "invalid", "asks[0].width: \"marker_chart\" needs it"},
        {"'ask':'marker_chart','until':10001,'width':4", "unavailable",
         "asks[0].until: no more than 10000 rows are drawn at once"},
        {"'ask':'marker_chart','until':1,'width':4,'range':[3,3]", "unavailable",
         "asks[0]: the range is empty, there is nothing to be drawn"},
        {"'ask':'marker_chart','until':1,'width':4,'range':[3]", "invalid", "asks[0].range: [start, end] in ms is wanted"},
        {"'ask':'marker_table','sorted_by':['name','-name']", "invalid", "asks[0].sorted_by: a column is there twice"},
        {"'ask':'marker_table','sorted_by':'name'", "invalid", "asks[0].sorted_by: an array of columns is wanted"},
        {"'ask':'marker_table','anchor':[1]", "invalid", "asks[0].anchor: a thread and a marker of it are wanted"},
        {"'ask':'marker_stats','field':'size'", "invalid", "asks[0].field: it needs the name of the markers"},
        {"'ask':'marker_lanes','width':4,'threads':[7]", "unavailable", "asks[0].threads: there is no thread 7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char request[200];
        snprintf(request, sizeof request, "{'v':1,'asks':[{%s}]}", cases[i].ask);
        assert_request_refused(api, request, cases[i].code, cases[i].message);
    }
    assert_request_refused(api, "{'v':1,'asks':[],'state':{'marker_search':3}}", "invalid",
                           "state.marker_search: a text is wanted");
}

#define OWN(test) cmocka_unit_test_teardown(test, close_profile)
#define OF_EXAMPLE(test) cmocka_unit_test_setup_teardown(test, open_example, close_profile)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OWN(test_is_the_first_bucket_and_other_the_last),
        OWN(names_are_sorted_without_regard_to_case),
        OWN(moments_have_a_row_above_their_intervals),
        OWN(intervals_go_to_the_first_row_that_is_free),
        OWN(several_threads_have_rows_of_their_own),
        OWN(only_names_with_rows_in_the_window_are_given),
        OWN(of_a_folded_category_only_the_head_is_there),
        OWN(pinned_names_are_above_all_others),
        OWN(a_pixel_has_one_mark),
        OWN(what_goes_beyond_the_range_is_cut_and_says_so),
        OWN(moments_at_the_end_of_the_range_are_on_the_last_pixel),
        OWN(lanes_have_a_level_for_what_starts_within_another),
        OWN(equal_markers_stay_in_the_order_of_their_start),
        OWN(moments_are_shorter_than_intervals),
        OWN(a_window_is_around_its_marker),
        OF_EXAMPLE(terms_find_and_take_away),
        OF_EXAMPLE(a_field_is_summed_up_with_its_format),
        OF_EXAMPLE(markers_of_one_type_have_its_fields),
        OF_EXAMPLE(what_cannot_be_answered_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
