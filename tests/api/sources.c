/* source and instructions: what the api asks others for, and what it makes of their answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ask_text.h"

#include "support/text_profile.h"

#include <errno.h>
#include <math.h>

static struct profile profile;
static struct api *api;

/* Whoever has files: wishes of each kind so far, and what is found. */
static struct {
    unsigned sources, codes;
    int result;
    char path[100];
    size_t places;
    struct code_wish code;
    struct found_source source;
    struct found_code listing;
} owner;

static int find_source(void *context, const struct source_wish *wish, const struct found_source **found)
{
    (void)context;
    owner.sources++;
    owner.places = wish->place_count;
    text_copy(owner.path, sizeof owner.path, wish->path.text);
    *found = &owner.source;
    return owner.result;
}

static int find_code(void *context, const struct code_wish *wish, const struct found_code **found)
{
    (void)context;
    owner.codes++;
    owner.code = *wish;
    *found = &owner.listing;
    return owner.result;
}

static const struct api_sources sources = {NULL, find_source, find_code};

static void open_api(const char *samples)
{
    struct error error = {0};
    memset(&owner, 0, sizeof owner);
    owner.source.modified = NAN;
    text_profile(&profile, samples);
    api = api_open(&profile, 1, &error);
    assert_non_null(api);
    api_use_sources(api, &sources);
}

static void close_api(void)
{
    api_close(api);
    profile_free(&profile);
}

static const char draw[] =
    "A[lib:libA][file:a.c][line:3][address:20][sym:A:10:20]  A[lib:libA][file:a.c][line:3][address:20][sym:A:10:20]\n"
    "B[lib:libA][file:b.c][line:7][address:30][sym:B:28:20]  C\n";

static void a_source_is_asked_for_with_code_that_comes_from_it(void **state)
{
    (void)state;
    open_api(draw);
    owner.source =
        (struct found_source){.origin = "disk", .text = SLICE("one\ntwo\n"), .found = SLICE("/x/a.c"), .modified = NAN};
    assert_reply_has(
        api, "{'v':1,'asks':[{'ask':'source','func':0}]}",
        "'file':'a.c','text':'one\\ntwo\\n','first_line':1,'cut':false,'origin':'disk','found':'/x/a.c','newer':false,"
        "'checksum':'unknown','tried':[],'hottest':3,'weight_type':'samples','root_total':2,"
        "'columns':{'line':[3],'total':[2],'self':[0]}");
    assert_string_equal(owner.path, "a.c");
    assert_int_equal(owner.places, 1);
    close_api();
}

static void the_hottest_line_is_that_of_the_node_that_was_opened(void **state)
{
    (void)state;
    open_api("A[file:a.c][line:3]  A[file:a.c][line:3]  D\n"
             "                                          A[file:a.c][line:9]\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'source','file':'a.c','path':[1,0]}]}", "'hottest':9,");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'source','file':'a.c'}]}", "'hottest':3,");
    close_api();
}

static void call_sites_are_lines_of_callers_the_heaviest_first(void **state)
{
    (void)state;
    open_api("A[file:a.c][line:3]  A[file:a.c][line:5]  A[file:a.c][line:5]  D  B\n"
             "B                    B                    B                    B\n"
             "                     B\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'call_sites','path':[0,1]}]}",
                     "'root_total':5,'count':2,'columns':{'func':[0,0],");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'call_sites','path':[0,1]}]}", "'line':[5,3],'total':[2,1]}");
    /* Wherever it is: nobody called one of them, and B that calls itself counts where it was called first. */
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'call_sites','func':1}]}", "'count':3,'columns':{'func':[0,0,2],");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'call_sites','func':1}]}", "'line':[5,3,null],'total':[2,1,1]}");
    /* From the leaf: the caller of the B that ends a stack, where A called it. */
    assert_reply_has(api, "{'v':1,'state':{'inverted':true},'asks':[{'ask':'call_sites','path':[1]}]}",
                     "'count':4,'columns':{'func':[0,0,1,2],");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'call_sites','path':[0]}]}", "'count':0,'columns':{'func':[],");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'call_sites'}]}", "invalid",
                           "asks[0].func: either a func or a path is wanted");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'call_sites','func':9}]}", "unavailable",
                           "asks[0].func: there is no function 9");
    close_api();
}

static void what_was_tried_in_vain_is_said(void **state)
{
    (void)state;
    static const struct tried_place tried[] = {{{"libA", 4}, {"it is not here", 14}}};
    open_api(draw);
    owner.source.tried = tried;
    owner.source.tried_count = 1;
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'source','func':0}]}",
                     "'text':null,'first_line':1,'cut':false,'origin':null,'found':null,'newer':false,'checksum':'unknown',"
                     "'tried':[{'where':'libA','why':'it is not here'}]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'source','func':2}]}",
                     "'file':null,'text':null,'first_line':1,'cut':false,'origin':null,'found':null,'newer':false,"
                     "'checksum':'unknown','tried':[{'where':'the profile','why':'it names no file for this function'}]");
    assert_int_equal(owner.sources, 1);
    close_api();
}

static void a_file_that_changed_after_the_recording_is_newer(void **state)
{
    (void)state;
    open_api(draw);
    profile.meta.start_time = 1000;
    owner.source = (struct found_source){.origin = "disk", .modified = 1001};
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'source','func':0}]}", "'newer':true");
    owner.source.modified = 999;
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'source','func':0}]}", "'newer':false");
    close_api();
}

static void samples_are_at_the_instruction_that_covers_their_address(void **state)
{
    (void)state;
    static const struct found_instruction rows[] = {
        {.address = 0x10, .size = 8, .text = {"push", 4}, .line = 3, .file = {"a.c", 3}},
        {.address = 0x18, .size = 9, .text = {"call", 4}, .line = 4, .file = {"a.c", 3}, .has_target = true, .target = 0x30},
        {.address = 0x21, .size = 1, .text = {"ret", 3}, .function = {"mix", 3}},
    };
    open_api(draw);
    owner.listing = (struct found_code){.arch = "x86_64", .rows = rows, .count = 3};
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'instructions','func':0,'syntax':'att'}]}",
                     "'without_symbol':0,'symbols':[{'name':'A','library':'libA','address':16,'size':32,'total':2,'self':0}],"
                     "'symbol':0,'arch':'x86_64','cut':false,'failed':null,'weight_type':'samples','root_total':2,"
                     "'texts':['push','call','ret'],'files':['a.c'],'functions':['mix'],'hottest':1,"
                     "'columns':{'address':[16,24,33],'size':[8,9,1],'total':[0,2,0],'self':[0,0,0],'line':[3,4,null],"
                     "'file':[0,0,null],'function':[null,null,0],'target':[null,48,null]}");
    assert_int_equal(owner.code.start, 0x10);
    assert_int_equal(owner.code.size, 0x20);
    assert_true(owner.code.att && !owner.code.until_end);
    close_api();
}

static void code_that_cannot_be_read_says_why(void **state)
{
    (void)state;
    open_api(draw);
    owner.listing.failure = SLICE("libA was rebuilt");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'instructions','func':0}]}",
                     "'symbol':0,'arch':null,'cut':false,'failed':'libA was rebuilt'");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'instructions','func':0,'symbol':1}]}", "unavailable",
                           "asks[0].symbol: the code is in no more than 1 symbols");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'instructions','func':99}]}", "unavailable",
                           "asks[0].func: there is no function 99");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'source','func':1,'file':'a.c'}]}", "invalid",
                           "asks[0].func: either a func or a file is wanted");
    close_api();
}

static void a_request_is_put_off_as_a_whole_after_all_its_wishes(void **state)
{
    (void)state;
    struct text_buffer reply = {0};
    open_api(draw);
    text_add(&reply, SLICE("before"));
    owner.result = -EAGAIN;
    struct slice request = SLICE("{\"v\":1,\"asks\":[{\"ask\":\"source\",\"func\":0},{\"ask\":\"open\"},"
                                 "{\"ask\":\"instructions\",\"func\":1}]}");
    assert_int_equal(api_ask(api, request, API_JSON, &reply), -EAGAIN);
    assert_int_equal(owner.sources, 1);
    assert_int_equal(owner.codes, 1);
    assert_true(slice_is(text_slice(&reply), "before"));
    text_free(&reply);
    close_api();
}

static void modules_say_how_well_they_are_known(void **state)
{
    (void)state;
    open_api("A[lib:libA][address:20]  A[lib:libA][address:20]  D\n"
             "0x1f[lib:libB]           C\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'modules'}]}",
                     "'samples':3,'named':0.6666666666666666,'pending':0,'modules':[{'name':'libA','path':'/path/to/"
                     "libA','debug_id':'SOMETHING_FAKE',"
                     "'build_id':null,'samples':2,'share':0.6666666666666666,'state':'names-only','detail':''},{'name':'libB'");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'modules'}]}", "'samples':1,'share':0.3333333333333333,'state':'not-asked'");
    close_api();
}

static void without_anybody_who_has_files_that_is_said(void **state)
{
    (void)state;
    open_api(draw);
    api_use_sources(api, NULL);
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'source','func':0}]}",
                     "'tried':[{'where':'files','why':'they cannot be read from here'}]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'instructions','func':0}]}", "'failed':'modules cannot be read from here'");
    close_api();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_is_asked_for_with_code_that_comes_from_it),
        cmocka_unit_test(the_hottest_line_is_that_of_the_node_that_was_opened),
        cmocka_unit_test(call_sites_are_lines_of_callers_the_heaviest_first),
        cmocka_unit_test(what_was_tried_in_vain_is_said),
        cmocka_unit_test(a_file_that_changed_after_the_recording_is_newer),
        cmocka_unit_test(samples_are_at_the_instruction_that_covers_their_address),
        cmocka_unit_test(code_that_cannot_be_read_says_why),
        cmocka_unit_test(a_request_is_put_off_as_a_whole_after_all_its_wishes),
        cmocka_unit_test(modules_say_how_well_they_are_known),
        cmocka_unit_test(without_anybody_who_has_files_that_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
