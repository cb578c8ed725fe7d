/* Flame graphs: the order of boxes, what is highlighted, and both sides of a function. */
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

static void open_api(const char *samples)
{
    struct error error = {0};
    text_profile(&profile, samples);
    api = api_open(&profile, 1, &error);
    assert_non_null(api);
}

static void close_api(void)
{
    api_close(api);
    profile_free(&profile);
}

static void siblings_are_ordered_as_is_asked(void **state)
{
    (void)state;
    open_api("M  M  M  M  M  M\nC  A  A  A  B  B\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'flame','width':600,'until':2,'from':1}]}", "'func':[2,3,1]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'flame','width':600,'until':2,'from':1,'order':'name'}]}", "'func':[2,3,1]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'flame','width':600,'until':2,'from':1,'order':'weight'}]}", "'func':[2,3,1]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'flame','width':600,'until':2,'from':1,'order':'time'}]}", "'func':[1,2,3]");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'flame','width':600,'until':2,'order':'size'}]}", "invalid",
                           "asks[0].order: \"name\", \"weight\" or \"time\" is wanted");
    close_api();
}

static void time_is_that_of_the_range(void **state)
{
    (void)state;
    open_api("M  M  M  M  M  M\nC  A  A  C  C  B\nD\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'flame','width':600,'until':2,'from':1,'order':'time'}]}", "'func':[1,3,4]");
    assert_reply_has(api,
                     "{'v':1,'state':{'range':[1,6]},'asks':[{'ask':'flame','width':600,'until':2,'from':1,'order':'time'}]}",
                     "'func':[3,1,4]");
    close_api();
}

static void inverted_trees_are_ordered_too(void **state)
{
    (void)state;
    open_api("Z  A  B  B  B\nC  C  C  D  D\n");
    assert_reply_has(api,
                     "{'v':1,'state':{'inverted':true},'asks':[{'ask':'flame','width':500,'until':2,'from':1,'order':'time'}]}",
                     "'func':[0,2,3,3]");
    /* Nodes that are there already. */
    assert_reply_has(api,
                     "{'v':1,'state':{'inverted':true},'asks':[{'ask':'flame','width':500,'until':2,'from':1,'order':'name'}]}",
                     "'func':[2,3,0,3]");
    assert_reply_has(api,
                     "{'v':1,'state':{'inverted':true},'asks':[{'ask':'flame','width':500,'until':2,'from':1,'order':'time'}]}",
                     "'func':[0,2,3,3]");
    close_api();
}

static void what_matches_is_marked_and_weighed(void **state)
{
    (void)state;
    open_api("Main  Main  Main  Main\nDraw  Draw  Load\nLoad\n");
    const char *request = "{'v':1,'asks':[{'ask':'flame','width':4,'until':9,'highlight':'LOAD'}]}";
    assert_reply_has(api, request, "'matched':2,");
    assert_reply_has(api, request, "'func':[0,1,2,2],");
    assert_reply_has(api, request, "'flags':[17,17,48,48],");
    request = "{'v':1,'state':{'inverted':true},'asks':[{'ask':'flame','width':4,'until':1,'highlight':'draw, load'}]}";
    assert_reply_has(api, request, "'matched':3,");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','open':['*'],'after':9,'highlight':'draw'}]}", "'flags':[19,51,16,16]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','of':'functions','after':9,'highlight':'draw'}]}",
                     "'flags':[16,16,48]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'toggle','path':[0],'after':9,'highlight':'nothing'}]}", "'flags':[19,17,16]");
    close_api();
}

static void a_butterfly_has_callers_and_callees(void **state)
{
    (void)state;
    open_api("A  A  B  C\nF  F  F  C\nX  Y\n");
    const char *request = "{'v':1,'asks':[{'ask':'butterfly','func':1,'width':300}]}";
    assert_reply_has(api, request, "'func':1,'weight_type':'samples','root_total':4,'total':3,'self':1,'callers':");
    assert_reply_has(api, request, "'func':[1,0,4],'depth':[0,1,1],");
    assert_reply_has(api, request, "'left':[0,0,200],'width':[300,200,100],");
    assert_reply_has(api, request, "'callees':{'levels':2,'columns':{'node':[0,1,2],'func':[1,2,3],'depth':[0,1,1],");
    assert_reply_has(api, request, "'left':[0,0,100],'width':[300,100,100],");
    close_api();
}

static void recursion_counts_once(void **state)
{
    (void)state;
    open_api("A  F\nF\nB\nF\nC\n");
    const char *request = "{'v':1,'asks':[{'ask':'butterfly','func':1,'width':200,'order':'weight'}]}";
    assert_reply_has(api, request, "'total':2,'self':1,'callers':{'columns':{'node':[0,1],'func':[1,0],'depth':[0,1],");
    assert_reply_has(api, request, "'callees':{'levels':4,'columns':{'node':[0,1,2,3],'func':[1,2,1,3],'depth':[0,1,2,3],");
    close_api();
}

static void a_butterfly_is_as_deep_as_is_asked(void **state)
{
    (void)state;
    open_api("A  A  B\nF  F  F\nX  Y\n");
    const char *request =
        "{'v':1,'asks':[{'ask':'butterfly','func':1,'width':300,'callers_until':1,'callees_until':0,'order':'time'}]}";
    assert_reply_has(api, request, "'callers':{'columns':{'node':[0],");
    assert_reply_has(api, request, "'callees':{'levels':2,'columns':{'node':[],");
    close_api();
}

static void functions_without_samples_have_no_boxes(void **state)
{
    (void)state;
    open_api("A  A\nF\n");
    assert_reply_has(api, "{'v':1,'state':{'range':[1,2]},'asks':[{'ask':'butterfly','func':1,'width':9,'order':'time'}]}",
                     "'total':0,'self':0,'callers':{'columns':{'node':[],");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'butterfly','func':99,'width':9}]}", "unavailable",
                           "asks[0].func: there is no function 99");
    close_api();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(siblings_are_ordered_as_is_asked),    cmocka_unit_test(time_is_that_of_the_range),
        cmocka_unit_test(inverted_trees_are_ordered_too),      cmocka_unit_test(what_matches_is_marked_and_weighed),
        cmocka_unit_test(a_butterfly_has_callers_and_callees), cmocka_unit_test(recursion_counts_once),
        cmocka_unit_test(a_butterfly_is_as_deep_as_is_asked),  cmocka_unit_test(functions_without_samples_have_no_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
