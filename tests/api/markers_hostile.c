/* Markers of profiles that nobody would make: replies stay small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ask_text.h"

#include "support/text_profile.h"

#include <math.h>
#include <stdio.h>

static struct profile profile;
static struct thread *thread;
static struct api *api;

static void open_profile(void)
{
    text_profile_open(&profile);
    thread = text_profile_add_thread(&profile, "0  100\nA  A\n");
}

static void add(struct string_index name, double start, double end)
{
    struct raw_marker raw = {
        .name = name,
        .start = start,
        .end = end,
        .phase = MARKER_INTERVAL,
        .cause_stack = {INDEX_NONE},
        .cause_time = NAN,
        .cause_tid = STRING_NONE,
        .thread_id = STRING_NONE,
    };
    marker_table_append(&thread->markers, &raw);
}

static void finish(void)
{
    struct error error = {0};
    assert_int_equal(profile_finish(&profile, &error), 0);
    api = api_open(&profile, 1, &error);
    assert_non_null(api);
}

static int close_profile(void **state)
{
    (void)state;
    api_close(api);
    profile_free(&profile);
    return 0;
}

static struct string_index name_of(const char *name)
{
    return string_table_add(&profile.strings, slice_of(name));
}

static void all_at_one_instant_are_one_mark(void **state)
{
    (void)state;
    open_profile();
    for (int i = 0; i < 300000; i++)
        add(name_of("a"), 50, 50);
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_rows'}]}", "'row':[1],'rows':[1],'count':[300000]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_chart','until':9999,'width':16384}]}", "'row':[1],'thread':[0],");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_lanes','threads':[0],'width':16384}]}", "'flags':[8]");
}

static void all_at_once_have_a_row_each(void **state)
{
    (void)state;
    open_profile();
    for (int i = 0; i < 300000; i++)
        add(name_of("a"), 50, 51 + i);
    finish();
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_rows'}]}", "'row':[1],'rows':[300000],'count':[300000]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_chart','from':299999,'until':300009,'width':10}]}",
                     "'row':[299999,300000]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_table','sorted_by':['-duration'],'after':2}]}",
                     "'marker':[299999,299998]");
}

static void of_too_many_names_the_first_are_given(void **state)
{
    (void)state;
    open_profile();
    char name[] = "000000";
    for (int i = 0; i < 20000; i++) {
        for (int digit = 5, rest = i; digit >= 0; digit--, rest /= 10)
            name[digit] = (char)('0' + rest % 10);
        add(name_of(name), i % 100, i % 100 + 1);
    }
    finish();
    char *text = ask_text(api, "{'v':1,'asks':[{'ask':'marker_rows'}]}");
    assert_non_null(strstr(text, "\"rows\":20001,"));
    assert_non_null(strstr(text, "\"more\":true"));
    assert_null(strstr(text, "\"010000\""));
    free(text);
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_rows','from':15001}]}", "'more':false");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_stats','row':19999,'after':5}]}", "'count':20000,'first':19999");
}

static void long_names_are_cut(void **state)
{
    (void)state;
    open_profile();
    size_t length = 10 << 20;
    char *long_name = malloc(length);
    assert_non_null(long_name);
    memset(long_name, 'x', length);
    struct string_index name = string_table_add(&profile.strings, (struct slice){long_name, length});
    free(long_name);
    for (int i = 0; i < 100; i++)
        add(name, i, i + 1);
    finish();
    static const char *const asks[] = {
        "{'v':1,'asks':[{'ask':'marker_rows'},{'ask':'marker_chart','until':9,'width':9999},"
        "{'ask':'marker_table','after':100},{'ask':'marker_stats','after':9},"
        "{'ask':'marker_lanes','threads':[0],'width':100}]}",
        "{'v':1,'asks':[{'ask':'marker','thread':0,'marker':3}]}",
    };
    for (size_t i = 0; i < 2; i++) {
        char *text = ask_text(api, asks[i]);
        assert_null(strstr(text, "\"error\""));
        assert_in_range(strlen(text), 1000, 2 << 20);
        free(text);
    }
    assert_reply_has(api, asks[1], "'cut':true");
}

static void times_that_are_none_do_no_harm(void **state)
{
    (void)state;
    open_profile();
    static const double times[] = {(double)NAN, (double)INFINITY, (double)-INFINITY, 1e300, -1e300, 5, 3};
    size_t count = sizeof times / sizeof *times;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            add(name_of("a"), times[i], times[k]);
    finish();
    static const char *const asks[] = {
        "{'v':1,'asks':[{'ask':'marker_rows'},{'ask':'marker_table','after':100,'sorted_by':['duration']},"
        "{'ask':'marker_stats','after':9}]}",
        "{'v':1,'asks':[{'ask':'marker_chart','until':99,'width':50,'range':[0,10]}]}",
        "{'v':1,'asks':[{'ask':'marker_chart','until':99,'width':50}]}",
        "{'v':1,'asks':[{'ask':'marker_lanes','threads':[0],'width':50}]}",
        "{'v':1,'state':{'range':[0,10]},'asks':[{'ask':'marker_lanes','threads':[0],'width':50}]}",
    };
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++)
        free(ask_text(api, asks[i]));
    for (int i = 0; i < 49; i++) {
        char request[100];
        snprintf(request, sizeof request, "{'v':1,'asks':[{'ask':'marker','thread':0,'marker':%d}]}", i);
        free(ask_text(api, request));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(all_at_one_instant_are_one_mark, close_profile),
        cmocka_unit_test_teardown(all_at_once_have_a_row_each, close_profile),
        cmocka_unit_test_teardown(of_too_many_names_the_first_are_given, close_profile),
        cmocka_unit_test_teardown(long_names_are_cut, close_profile),
        cmocka_unit_test_teardown(times_that_are_none_do_no_harm, close_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
