/* Which processes are kept, and what their addresses are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace_text.h"

#include "trace/absolute_url.h"

#define WORK(pid) "{'name':'a','ph':'X','pid':" pid ",'tid':9,'ts':1}"
#define BROWSER(frames)                                                                                                        \
    "{'name':'TracingStartedInBrowser','ph':'I','pid':1,'tid':1,'ts':1,'args':{'data':{'frames':[" frames "]}}}"
#define FRAME(frame, url, pid) "{'frame':'" frame "','url':'" url "','processId':" pid "}"
#define COMMIT(frame, url, pid)                                                                                                \
    "{'name':'CommitLoad','ph':'X','pid':" pid ",'tid':9,'ts':2,'args':{'data':{'frame':'" frame "','url':'" url "'}}}"
#define COMMITTED(frame, url, pid)                                                                                             \
    "{'name':'FrameCommittedInBrowser','ph':'I','pid':1,'tid':1,'ts':2,'args':{'data':" FRAME(frame, url, pid) "}}"

static void all_processes_of_a_trace_that_is_not_of_a_browser_are_kept(void **state)
{
    (void)state;
    assert_kept("[" WORK("7") "," WORK("8") "]", TRACE_RULES_NEWEST, "7 -\n8 -\n");
}

static void of_a_browser_those_with_an_address_are_kept(void **state)
{
    (void)state;
    /* The worked example E38 is process 8. */
    assert_kept("[" BROWSER(FRAME("A", "http://x/", "7")) "," WORK("7") "," WORK("8") "]", TRACE_RULES_NEWEST, "7 http://x/\n");
}

static void any_of_four_events_tells_that_it_is_a_browser(void **state)
{
    (void)state;
    assert_kept("[{'name':'TracingStartedInPage','ph':'I','pid':7,'tid':9,'ts':1}]", TRACE_RULES_NEWEST, "");
    assert_kept("[{'name':'TracingSessionIdForWorker','ph':'I','pid':7,'tid':9,'ts':1}]", TRACE_RULES_NEWEST, "");
    assert_kept("[" WORK("7") "," BROWSER("") "]", TRACE_RULES_NEWEST, "");
    assert_kept("[{'name':'CpuProfile','ph':'X','pid':7,'tid':9,'ts':1,'args':{'data':{'cpuProfile':{'nodes':[]}}}}]",
                TRACE_RULES_NEWEST, "");
}

static void addresses_come_from_commits_too(void **state)
{
    (void)state;
    assert_kept("[" BROWSER("") "," COMMIT("A", "http://x/", "7") "," COMMITTED("B", "http://y/", "8") "]", TRACE_RULES_NEWEST,
                "7 http://x/\n"
                "8 http://y/\n");
}

static void the_first_address_stays_but_blank_ones_give_way(void **state)
{
    (void)state;
    assert_kept(
        "[" BROWSER(FRAME("A", "about:blank", "7")) "," COMMIT("A", "http://x/", "7") "," COMMIT("A", "http://y/", "7") "]",
        TRACE_RULES_NEWEST, "7 http://x/\n");
    assert_kept("[" BROWSER(FRAME("A", "about:blank", "7")) "]", TRACE_RULES_NEWEST, "7 about:blank\n");
}

static void frames_count_in_the_order_in_which_they_first_occur(void **state)
{
    (void)state;
    assert_kept(
        "[" BROWSER(FRAME("A", "http://a/", "8")) "," COMMIT("B", "http://b/", "7") "," COMMIT("A", "http://c/", "7") "]",
        TRACE_RULES_NEWEST,
        "7 http://c/\n"
        "8 http://a/\n");
}

static void a_text_that_is_no_address_takes_a_blank_one_away(void **state)
{
    (void)state;
    assert_kept("[" BROWSER(FRAME("A", "about:blank", "7")) "," COMMIT("A", "nowhere", "7") "]", TRACE_RULES_NEWEST, "");
}

static void in_cpu_mode_all_are_kept_if_none_has_an_address(void **state)
{
    (void)state;
    const char *json = "{'metadata':{'dataOrigin':'CPUProfile'},'traceEvents':["
                       "{'name':'CpuProfile','ph':'X','pid':7,'tid':9,'ts':1,'args':{'data':{'cpuProfile':{'nodes':[]}}}}]}";
    assert_kept(json, TRACE_RULES_NEWEST, "7 -\n");
    assert_entries(json, "");
}

#define WORKLET                                                                                                                \
    "{'name':'AuctionWorkletRunningInProcess','ph':'I','pid':1,'tid':1,'ts':1,'args':{'data':{'pid':7,'host':'bid.example'}}}"
#define THREAD(name) "{'name':'thread_name','ph':'M','pid':7,'tid':3,'args':{'name':'" name "'}}"

static void a_process_that_bids_is_kept_by_the_published_rules_alone(void **state)
{
    (void)state;
    const char *json =
        "[" BROWSER("") "," WORKLET "," THREAD("auction_worklet.CrUtilityMain") "," THREAD("AuctionV8HelperThread") "]";
    assert_kept(json, TRACE_RULES_0_0_65, "7 bid.example\n");
    assert_kept(json, TRACE_RULES_NEWEST, "");
}

static void a_process_that_bids_needs_both_of_its_threads(void **state)
{
    (void)state;
    assert_kept("[" BROWSER("") "," WORKLET "," THREAD("AuctionV8HelperThread") "]", TRACE_RULES_0_0_65, "");
}

static void addresses_are_told_from_other_texts(void **state)
{
    (void)state;
    static const char *const good[] = {
        "http://example.com",
        "https://a.b:8080/x?y#z",
        "about:blank",
        "data:text/html,x",
        "file:///tmp/x.html",
        "HTTP:example.com",
        "chrome-extension://abc/",
        "http://user:word@host/",
        "http://[::1]:80/",
        " http://x/ ",
        "blob:https://x/1",
    };
    static const char *const bad[] = {
        "",
        "example.com",
        "/path",
        "//host/path",
        "http://",
        "https:///",
        "http://a b/",
        "http://x:99999/",
        "http://x:y/",
        "1http://x/",
        "http://:80/",
        "http://[::1/",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!url_is_absolute(slice_of(good[i])))
            fail_msg("%s is an address", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (url_is_absolute(slice_of(bad[i])))
            fail_msg("%s is no address", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_processes_of_a_trace_that_is_not_of_a_browser_are_kept),
        cmocka_unit_test(of_a_browser_those_with_an_address_are_kept),
        cmocka_unit_test(any_of_four_events_tells_that_it_is_a_browser),
        cmocka_unit_test(addresses_come_from_commits_too),
        cmocka_unit_test(the_first_address_stays_but_blank_ones_give_way),
        cmocka_unit_test(frames_count_in_the_order_in_which_they_first_occur),
        cmocka_unit_test(a_text_that_is_no_address_takes_a_blank_one_away),
        cmocka_unit_test(in_cpu_mode_all_are_kept_if_none_has_an_address),
        cmocka_unit_test(a_process_that_bids_is_kept_by_the_published_rules_alone),
        cmocka_unit_test(a_process_that_bids_needs_both_of_its_threads),
        cmocka_unit_test(addresses_are_told_from_other_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
