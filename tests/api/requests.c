/* Requests that are wrong: each is refused with one message that names the field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ask_text.h"

#include "support/text_profile.h"

#include <stdio.h>

static struct profile profile;
static struct api *api;

static int set_up(void **state)
{
    (void)state;
    struct error error = {0};
    text_profile(&profile, "A  A  D\nB  C  E\n");
    api = api_open(&profile, 7, &error);
    return api ? 0 : -1;
}

static int take_down(void **state)
{
    (void)state;
    api_close(api);
    profile_free(&profile);
    return 0;
}

static void wrong_types_and_unknown_fields_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *request, *message;
    } wrong[] = {
        {"[]", ": a request is an object"},
        {"{'asks':[]}", "v: it is missing"},
        {"{'v':1}", "asks: it is missing"},
        {"{'v':2,'asks':[]}", "v: only version 1 is spoken here"},
        {"{'v':'1','asks':[]}", "v: a whole number from 0 to 4294967295 is wanted"},
        {"{'v':1,'asks':{}}", "asks: an array is wanted"},
        {"{'v':1,'asks':[3]}", "asks[0]: an object is wanted"},
        {"{'v':1,'asks':[{}]}", "asks[0].ask: it is missing"},
        {"{'v':1,'asks':[{'ask':'open'},{'ask':'rows','rowz':1}]}", "asks[1].rowz: no ask has such a field"},
        {"{'v':1,'asks':[{'row':1,'ask':'open'}]}", "asks[0].row: \"open\" has no such field"},
        {"{'v':1,'asks':[{'ask':'toggle'}]}", "asks[0].path: \"toggle\" needs it"},
        {"{'v':1,'asks':[{'ask':'rows','after':1.5}]}", "asks[0].after: a whole number from 0 to 10000 is wanted"},
        {"{'v':1,'asks':[{'ask':'rows','after':10001}]}", "asks[0].after: a whole number from 0 to 10000 is wanted"},
        {"{'v':1,'asks':[{'ask':'rows','after':6000,'before':6000}]}",
         "asks[0].after: no more than 10000 rows are given at once"},
        {"{'v':1,'asks':[{'ask':'rows','row':1,'anchor':[1]}]}", "asks[0].row: there is an anchor, too"},
        {"{'v':1,'asks':[{'ask':'rows','anchor':[-1]}]}", "asks[0].anchor: a whole number from 0 to 4294967294 is wanted"},
        {"{'v':1,'asks':[{'ask':'rows','open':[1,-2]}]}", "asks[0].open: it leads above the roots"},
        {"{'v':1,'asks':[{'ask':'rows','open':['-']}]}", "asks[0].open: \"-\" needs a row to be closed"},
        {"{'v':1,'asks':[{'ask':'rows','open':['x']}]}", "asks[0].open: \"*\" or \"-\" is wanted"},
        {"{'v':1,'asks':[{'ask':'rows','of':'rows'}]}", "asks[0].of: \"tree\", \"functions\" or \"markers\" is wanted"},
        {"{'v':1,'asks':[],'state':{'thread':1}}", "state.thread: a state has no such field"},
        {"{'v':1,'asks':[],'state':{'threads':0}}", "state.threads: an array of threads is wanted"},
        {"{'v':1,'asks':[],'state':{'range':[1]}}", "state.range: [start, end] in ms is wanted"},
        {"{'v':1,'asks':[],'state':{'range':[1,2,3]}}", "state.range: [start, end] in ms is wanted"},
        {"{'v':1,'asks':[],'state':{'range':[2,1]}}", "state.range: the start is after the end"},
        {"{'v':1,'asks':[],'state':{'range':[1e300,null]}}", "state.range: a time in ms is wanted, no more than 1e15"},
        {"{'v':1,'asks':[],'state':{'search':3}}", "state.search: a text is wanted"},
        {"{'v':1,'asks':[],'state':{'search':'a, /b(/'}}",
         "state.search: '/b(/': byte 3 of the expression: something to match is missing here"},
        {"{'v':1,'asks':[{'ask':'find','text':'/a**/'}]}",
         "asks[0].text: '/a**/': byte 3 of the expression: this repeats what is repeated already"},
        {"{'v':1,'asks':[],'state':{'inverted':1}}", "state.inverted: true or false is wanted"},
        {"{'v':1,'asks':[],'lane':'a lane with a name that is very long'}", "lane: a text of at most 32 bytes is wanted"},
        {"{'v':1,'asks':[],'seq':-1}", "seq: a whole number from 0 to 9007199254740992 is wanted"},
        {"{'v':1,'asks':[],'have':3}", "have: an array of ids is wanted"},
        {"{'v':1,'asks':[],'more':3}", "more: a request has no such field"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_request_refused(api, wrong[i].request, "invalid", wrong[i].message);
}

static void what_is_no_json_is_said_with_its_place(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "{",
        "{'v':1,'asks':[NaN]}",
        "{'v':1e999,'asks':[]}",
        "{'v':1,'v':1,'asks':[]}",
        "{'v':1,'asks':[]} x",
        "{'v':1,'asks':[{'ask':'rows','row':00}]}",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *text = ask_text(api, wrong[i]);
        assert_non_null(strstr(text, "\"code\":\"invalid\",\"field\":"));
        free(text);
    }
    assert_reply_has(api, "{'v':1,", "'field':null,'message':'the request is not JSON: ");
}

static void nesting_and_length_are_limited(void **state)
{
    (void)state;
    char *deep = malloc(5000001);
    memset(deep, '[', 5000000);
    deep[5000000] = '\0';
    assert_request_refused(api, deep, "invalid", "a request is at most 4194304 bytes long, this one is 5000000");
    deep[4000000] = '\0';
    char *text = ask_text(api, deep);
    assert_non_null(strstr(text, "\"error\":"));
    free(text);
    /* As deep as 4 MB get, where a request may nest. */
    memcpy(deep, "{\"v\":1,\"asks\":[{\"ask\":", 22);
    text = ask_text(api, deep);
    assert_non_null(strstr(text, "\"error\":"));
    free(text);
    free(deep);
}

static void no_more_than_32_asks_are_answered(void **state)
{
    (void)state;
    char request[2000] = "{'v':1,'asks':[";
    for (int i = 0; i < 33; i++)
        strcat(request, i == 0 ? "{'ask':'rows'}" : ",{'ask':'rows'}");
    strcat(request, "]}");
    assert_request_refused(api, request, "invalid", "asks: no more than 32 asks are answered at once");
}

static void what_the_profile_does_not_have_is_unavailable(void **state)
{
    (void)state;
    assert_request_refused(api, "{'v':1,'asks':[],'state':{'threads':[1]}}", "unavailable",
                           "state.threads: there is no thread 1");
    assert_request_refused(api, "{'v':1,'asks':[],'state':{'threads':[0,0]}}", "invalid",
                           "state.threads: thread 0 is there twice");
    assert_request_refused(api, "{'v':1,'asks':[],'state':{'transforms':['merge-function:f-0','merge-function:f-99']}}",
                           "unavailable", "state.transforms[1]: no function is called 'f-99'");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'rows'}],'state':{'strategy':'cpu'}}", "unavailable",
                           "state.strategy: strategy cpu: the profile holds no such data for this thread");
}

static void another_generation_is_stale(void **state)
{
    (void)state;
    assert_request_refused(api, "{'v':1,'asks':[],'state':{'generation':6}}", "stale",
                           "state.generation: this is generation 7");
    assert_reply_has(api, "{'v':1,'asks':[],'state':{'generation':7}}", "{'v':1,'generation':7,'parts':[]");
}

static void seq_and_lane_come_back_also_with_an_error(void **state)
{
    (void)state;
    assert_reply_has(api, "{'seq':12,'lane':'tree','v':1,'asks':[]}", "'seq':12,'lane':'tree','parts':[]");
    assert_reply_has(api, "{'seq':12,'lane':'tree','v':1,'asks':0}", "'seq':12,'lane':'tree','error':{");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_types_and_unknown_fields_are_named),
        cmocka_unit_test(what_is_no_json_is_said_with_its_place),
        cmocka_unit_test(nesting_and_length_are_limited),
        cmocka_unit_test(no_more_than_32_asks_are_answered),
        cmocka_unit_test(what_the_profile_does_not_have_is_unavailable),
        cmocka_unit_test(another_generation_is_stale),
        cmocka_unit_test(seq_and_lane_come_back_also_with_an_error),
    };
    return cmocka_run_group_tests(tests, set_up, take_down);
}
