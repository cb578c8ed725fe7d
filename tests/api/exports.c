/* What is exported, in each format, and that names do no harm in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ask_text.h"

#include "support/failing_alloc.h"
#include "support/random_profile.h"
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

/* Gives the function a name that text profiles cannot draw. */
static void open_with_name(const char *name)
{
    struct error error = {0};
    text_profile_open(&profile);
    text_profile_add_thread(&profile, "name\n");
    struct string_index string = string_table_add(&profile.strings, slice_of(name));
    column_free(&profile.funcs.name);
    column_append_index(&profile.funcs.name, string.i);
    assert_int_equal(profile_finish(&profile, &error), 0);
    api = api_open(&profile, 1, &error);
    assert_non_null(api);
}

/* To be given to free(). Single quotes of the request are double ones. A refusal is its reply. */
static char *export(const char *request, const char **type)
{
    struct error error = {0};
    struct text_buffer refusal = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    char *quoted = strdup(request);
    for (char *at = quoted; *at; at++)
        if (*at == '\'')
            *at = '"';
    int status = api_export(api, slice_of(quoted), sink, type, &refusal, &error);
    struct slice written = byte_sink_memory_bytes(sink);
    if (status == -22) {
        assert_int_equal(written.length, 0);
        written = text_slice(&refusal);
    } else if (status != 0) {
        fail_msg("%s", error.message);
    }
    char *text = strndup(written.length > 0 ? written.text : "", written.length);
    byte_sink_close(sink, false, &error);
    text_free(&refusal);
    free(quoted);
    return text;
}

static void assert_export(const char *ask, const char *type, const char *expected)
{
    char request[500];
    const char *found_type = NULL;
    snprintf(request, sizeof request, "{'v':1,'asks':[{'ask':'export',%s}]}", ask);
    char *text = export(request, &found_type);
    assert_string_equal(text, expected);
    assert_string_equal(found_type, type);
    free(text);
}

static void assert_has(const char *request, const char *piece)
{
    const char *type;
    char *text = export(request, &type);
    if (!strstr(text, piece))
        fail_msg("has not %s\nbut is %s", piece, text);
    free(text);
}

static const char *const samples = "A[lib:one]  A[lib:one]  Djs[file:d.js]\nB           C\n";

static void functions_and_rows_are_tables(void **state)
{
    (void)state;
    open_api(samples);
    assert_export("'format':'csv','of':'functions','sort':'total'", "text/csv; charset=utf-8",
                  "func,name,library,file,total,self\r\n"
                  "0,\"A\",\"one\",\"\",2,0\r\n"
                  "1,\"B\",\"\",\"\",1,1\r\n"
                  "2,\"C\",\"\",\"\",1,1\r\n"
                  "3,\"Djs\",\"\",\"d.js\",1,1\r\n");
    assert_export("'format':'csv'", "text/csv; charset=utf-8",
                  "depth,func,name,library,file,category,total,self\r\n"
                  "0,0,\"A\",\"one\",\"\",\"Other\",2,0\r\n"
                  "1,1,\"B\",\"\",\"\",\"Other\",1,1\r\n"
                  "1,2,\"C\",\"\",\"\",\"Other\",1,1\r\n"
                  "0,3,\"Djs\",\"\",\"d.js\",\"JavaScript\",1,1\r\n");
    assert_export("'format':'json','of':'functions'", "application/json",
                  "{\"of\":\"functions\",\"weight_type\":\"samples\",\"root_total\":3,\"rows\":["
                  "{\"func\":1,\"name\":\"B\",\"library\":null,\"file\":null,\"total\":1,\"self\":1},"
                  "{\"func\":2,\"name\":\"C\",\"library\":null,\"file\":null,\"total\":1,\"self\":1},"
                  "{\"func\":3,\"name\":\"Djs\",\"library\":null,\"file\":\"d.js\",\"total\":1,\"self\":1},"
                  "{\"func\":0,\"name\":\"A\",\"library\":\"one\",\"file\":null,\"total\":2,\"self\":0}]}");
    assert_has("{'v':1,'state':{'inverted':true},'asks':[{'ask':'export','format':'json'}]}", "{\"of\":\"inverted tree\",");
    close_api();
}

static void stacks_are_folded(void **state)
{
    (void)state;
    open_api(samples);
    assert_export("'format':'folded'", "text/plain; charset=utf-8", "A;B 1\nA;C 1\nDjs 1\n");
    close_api();
}

static void a_text_is_what_the_terminal_shows(void **state)
{
    (void)state;
    open_api(samples);
    assert_export("'format':'text'", "text/plain; charset=utf-8",
                  "total    3 samples\n\n"
                  "  total  samples  self  function\n"
                  "  66.7%        2     0  ├─ A  one\n"
                  "  33.3%        1     1  │  ├─ B\n"
                  "  33.3%        1     1  │  └─ C\n"
                  "  33.3%        1     1  └─ Djs  d.js\n");
    close_api();
}

static void the_state_says_what_is_exported(void **state)
{
    (void)state;
    open_api(samples);
    assert_has("{'v':1,'state':{'search':'-b, -d'},'asks':[{'ask':'export','format':'folded'}]}", "A;C 1\n");
    assert_has("{'v':1,'state':{'transforms':['merge-function:f-0']},'asks':[{'ask':'export','format':'folded'}]}",
               "B 1\nC 1\nDjs 1\n");
    close_api();
}

static void a_flame_graph_has_a_box_for_each_node(void **state)
{
    (void)state;
    const char *type;
    open_api(samples);
    char *text = export("{'v':1,'asks':[{'ask':'export','format':'svg'}]}", &type);
    char *again = export("{'v':1,'asks':[{'ask':'export','format':'svg'}]}", &type);
    assert_string_equal(text, again);
    assert_string_equal(type, "image/svg+xml");
    assert_non_null(strstr(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "));
    assert_non_null(strstr(text, "<g><title>A (one)\n2 samples, 66.67%</title>"
                                 "<rect x=\"0.00\" y=\"56\" width=\"799.50\" height=\"15\" fill=\"#d8d8d9\"/>"
                                 "<svg x=\"0.00\" y=\"56\" width=\"797.00\" height=\"15\">"
                                 "<text x=\"3\" y=\"11\">A</text></svg></g>\n"));
    assert_non_null(strstr(text, "<rect x=\"400.00\" y=\"40\""));
    assert_non_null(strstr(text, "fill=\"#fff094\"/>"));
    free(text);
    free(again);
    close_api();
}

static void names_do_no_harm(void **state)
{
    (void)state;
    open_with_name("<script>&\"';\n\x1b[1m\xff\xc2\x9b");
    assert_has("{'v':1,'asks':[{'ask':'export','format':'svg'}]}", ">&lt;script&gt;&amp;&quot;';  [1m\xef\xbf\xbd </text>");
    assert_has("{'v':1,'asks':[{'ask':'export','format':'folded'}]}", "<script>&\"':  [1m\xef\xbf\xbd  1\n");
    assert_has("{'v':1,'asks':[{'ask':'export','format':'csv','of':'functions'}]}", "0,\"<script>&\"\"';  [1m\xef\xbf\xbd \",");
    close_api();
    open_with_name("=HYPERLINK(\"x\")");
    assert_has("{'v':1,'asks':[{'ask':'export','format':'csv','of':'functions'}]}", "0,\"'=HYPERLINK(\"\"x\"\")\",");
    close_api();
    open_with_name("\xe2\x82");
    assert_has("{'v':1,'asks':[{'ask':'export','format':'svg'}]}", ">\xef\xbf\xbd\xef\xbf\xbd</text>");
    close_api();
}

static void wrong_requests_write_nothing(void **state)
{
    (void)state;
    open_api(samples);
    assert_has("{'v':1,'asks':[{'ask':'export'}]}", "asks[0].format: \\\"export\\\" needs it");
    assert_has("{'v':1,'asks':[{'ask':'export','format':'pdf'}]}", "is wanted");
    assert_has("{'v':1,'asks':[{'ask':'export','format':'svg','of':'functions'}]}", "this format is only for the tree");
    assert_has("{'v':1,'asks':[{'ask':'rows','of':'markers'}]}", "\\\"tree\\\" or \\\"functions\\\" is wanted");
    assert_has("{'v':1,'asks':[{'ask':'rows'}]}", "one \\\"export\\\" is wanted here");
    assert_has("{'v':1,'asks':[]}", "one \\\"export\\\" is wanted here");
    assert_has("{'v':1,'state':{'threads':[7]},'asks':[{'ask':'export','format':'svg'}]}", "\"error\"");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'export','format':'svg'}]}", "invalid",
                           "asks[0].ask: an export has an address of its own");
    close_api();
}

static int write_and_throw_away(void *data, struct error *error)
{
    const char *type;
    struct text_buffer refusal = {0};
    struct byte_sink *sink = byte_sink_memory(error);
    if (!sink)
        return error->code;
    int status = api_export(api, slice_of(data), sink, &type, &refusal, error);
    text_free(&refusal);
    struct error ignored = {0};
    byte_sink_close(sink, false, &ignored);
    return status;
}

static void too_little_memory_is_an_error(void **state)
{
    (void)state;
    static const char *const asks[] = {"\"svg\"",  "\"folded\"", "\"csv\"",
                                       "\"json\"", "\"text\"",   "\"csv\",\"of\":\"markers\""};
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        char request[200];
        snprintf(request, sizeof request, "{\"v\":1,\"asks\":[{\"ask\":\"export\",\"format\":%s}]}", asks[i]);
        open_api(samples);
        assert_true(assert_survives_failing_allocations(write_and_throw_away, request) > 5);
        close_api();
    }
}

static size_t count_of(const char *text, const char *piece)
{
    size_t count = 0;
    for (; (text = strstr(text, piece)); text++)
        count++;
    return count;
}

static void markers_are_searched(void **state)
{
    (void)state;
    struct error error = {0};
    struct random random = {7};
    const char *type;
    random_profile(&profile, &random, RANDOM_WEIGHTS_ANY);
    api = api_open(&profile, 1, &error);
    assert_non_null(api);
    char *all = export("{'v':1,'state':{'threads':[0]},'asks':[{'ask':'export','format':'json','of':'markers'}]}", &type);
    char *some = export("{'v':1,'state':{'threads':[0],'marker_search':'name:Marker 1'},"
                        "'asks':[{'ask':'export','format':'json','of':'markers'}]}",
                        &type);
    assert_true(count_of(all, "\"duration\"") > count_of(some, "\"duration\""));
    assert_int_equal(count_of(some, "\"name\":\"Marker 1\""), count_of(some, "\"duration\""));
    assert_int_equal(count_of(all, "\"name\":\"Marker 1\""), count_of(some, "\"duration\""));
    free(all);
    free(some);
    close_api();
}

static void markers_are_a_table(void **state)
{
    (void)state;
    open_api(samples);
    assert_export("'format':'csv','of':'markers'", "text/csv; charset=utf-8",
                  "thread,thread_name,name,category,start,end,duration,details\r\n");
    assert_export("'format':'json','of':'markers'", "application/json", "{\"of\":\"markers\",\"rows\":[]}");
    close_api();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_and_rows_are_tables),
        cmocka_unit_test(stacks_are_folded),
        cmocka_unit_test(a_text_is_what_the_terminal_shows),
        cmocka_unit_test(the_state_says_what_is_exported),
        cmocka_unit_test(a_flame_graph_has_a_box_for_each_node),
        cmocka_unit_test(names_do_no_harm),
        cmocka_unit_test(markers_are_a_table),
        cmocka_unit_test(markers_are_searched),
        cmocka_unit_test(wrong_requests_write_nothing),
        cmocka_unit_test(too_little_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
