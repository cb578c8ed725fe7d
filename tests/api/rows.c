/* Windows of rows, the columns they have, and the texts that come with them. */
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

static void a_window_is_around_its_anchor(void **state)
{
    (void)state;
    open_api("A  A  A  D\nB  B  C\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','open':['*'],'row':2,'before':1,'after':1}]}",
                     "'count':4,'first':1,'anchor':2,'exact':true,'above':[0],'columns':{'func':[1,2],");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','open':['*'],'row':2,'before':9,'after':9}]}",
                     "'count':4,'first':0,'anchor':2,'exact':true,'above':[],'columns':{'func':[0,1,2,3],");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','open':['*'],'row':99,'after':9}]}",
                     "'count':4,'first':3,'anchor':3,'exact':false");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','open':['*'],'anchor':[0,2],'after':9}]}",
                     "'first':2,'anchor':2,'exact':true,'above':[0],");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','open':[],'anchor':[0,2],'after':9}]}",
                     "'first':0,'anchor':0,'exact':false,'above':[],");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','open':[],'anchor':[9],'after':9}]}",
                     "'first':0,'anchor':null,'exact':false,'above':[],");
    close_api();
}

static void siblings_have_the_order_that_is_asked_for(void **state)
{
    (void)state;
    open_api("B[lib:z]  B[lib:z]  B[lib:z]  C[lib:y]  C[lib:y]  A[lib:x]\n"
             "D         D\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','after':9}]}", "'func':[0,2,3]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','after':9,'siblings':'name'}]}", "'func':[3,0,2]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','after':9,'siblings':'library'}]}", "'func':[3,2,0]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','after':9,'siblings':'self'}]}", "'func':[2,0,3]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','after':9,'siblings':'size'}]}", "asks[0].siblings");
    /* Matches come in the order of the rows. */
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'find','text':'/[ABC]/','siblings':'name'}]}", "'index':0,'path':[3]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'find','text':'/[ABC]/','siblings':'name','anchor':[0]}]}",
                     "'index':2,'path':[2]");
    close_api();
}

static void rows_say_what_they_are_made_of(void **state)
{
    (void)state;
    open_api("A  A    A    Ajs  E\n"
             "B  Cjs  Cjs       B\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','after':1,'mix':true,'function':true}]}",
                     "'function_total':[3],'mix_row':[0,0],'mix_category':[3,0],'mix_total':[2,1]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','after':9,'open':['*'],'function':true}]}", "'func':[0,2,1,3,4,1],");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','after':9,'open':['*'],'function':true}]}",
                     "'function_total':[3,2,2,1,1,2]");
    /* Rows that are not in the window take nothing away. */
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','row':1,'after':2,'open':['*'],'mix':true}]}",
                     "'mix_row':[0,1],'mix_category':[3,0],'mix_total':[2,1]");
    assert_reply_has(api, "{'v':1,'state':{'inverted':true},'asks':[{'ask':'rows','after':9,'mix':true}]}", "'mix_row':[]");
    close_api();
}

static void rows_say_what_the_tree_knows(void **state)
{
    (void)state;
    open_api("A[lib:libA]             Ajs[file:a.js]\n"
             "B[inl:1][sym:A:10:20]\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','open':['*'],'after':9}]}", "'total':[1,1,1],'self':[0,1,1]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','open':['*'],'after':9}]}", "'flags':[3,20,0]");
    close_api();
}

static void rows_are_found_by_function_and_category(void **state)
{
    (void)state;
    open_api("A  A  Cjs\nB  C\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'find','text':'/^[bc]/'}]}", "'count':3,'index':0,'path':[0,1]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'find','text':'-a, b'}]}", "'count':1,'index':0,'path':[0,1]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'find','text':'cat:javascript'}]}", "'count':1,'index':0,'path':[3]");
    assert_reply_has(api, "{'v':1,'state':{'inverted':true},'asks':[{'ask':'find','text':'cat:java'}]}", "'count':1,");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'find','of':'functions','text':'cat:java'}]}", "'count':0,'index':null");
    close_api();
}

static void functions_are_rows_too(void **state)
{
    (void)state;
    open_api("A  A  A\nB  A  C\nA     C\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','of':'functions','after':9}]}",
                     "'func':[0,2,1],'flags':[16,16,16],'total':[3,1,1],'self':[2,1,0]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','of':'functions','sort':'total','after':9,'anchor':[1]}]}",
                     "'first':1,'anchor':1,'exact':true,'columns':{'func':[1,2],");
    close_api();
}

static void functions_come_in_alphabetical_order(void **state)
{
    (void)state;
    open_api("b[lib:x]  b[lib:x]  C[lib:w]  A[lib:y]\n");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','of':'functions','sort':'name','after':9}]}", "'func':[2,0,1]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','of':'functions','sort':'library','after':9}]}", "'func':[1,0,2]");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'groups','by':'library','sort':'name','after':9}]}", "'names':['w','x','y']");
    close_api();
}

static void groups_stand_for_functions(void **state)
{
    (void)state;
    open_api("A[lib:libA]  A[lib:libA]  A[lib:libA]\n"
             "B[lib:libB]  C[lib:libA]  D\n");
    assert_reply_has(
        api, "{'v':1,'asks':[{'ask':'groups','by':'library','after':9}]}",
        "'root_total':3,'count':3,'names':['libA','libB','(no library)'],'columns':{'total':[3,1,1],'self':[1,1,1]}");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'groups','by':'library','sort':'total','after':1}]}",
                     "'count':3,'names':['libA'],'columns':{'total':[3],'self':[1]}");
    /* A state has both answers: its own is not the one of groups. */
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'groups','by':'library'},{'ask':'rows','after':1}]}", "'func':[0],");
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'groups'}]}", "invalid", "asks[0].by: \"groups\" needs it");
    close_api();
}

static void texts_are_sent_once_and_not_to_those_who_have_them(void **state)
{
    (void)state;
    open_api("A  A\nA  B\n");
    char *text = ask_text(api, "{'v':1,'asks':[{'ask':'rows','open':['*'],'after':9}]}");
    struct json_document reply;
    json_document_parse(&reply, slice_of(text));
    const uint8_t *ids = json_get(&reply, json_get(&reply, json_root(&reply), "strings"), "ids");
    uint32_t count;
    json_items(ids, &count);
    assert_int_equal(count, 2);
    uint32_t known = json_u32(json_item(ids, 0));
    char request[200];
    snprintf(request, sizeof request, "{'v':1,'have':[%u],'asks':[{'ask':'rows','open':['*'],'after':9}]}", known);
    assert_reply_has(api, request, "'texts':['B'],'cut':[]");
    json_document_close(&reply);
    free(text);
    close_api();
}

static void long_texts_are_cut_between_characters(void **state)
{
    (void)state;
    char samples[1400] = "";
    for (int i = 0; i < 401; i++)
        strcat(samples, "€");
    open_api(samples);
    char *text = ask_text(api, "{'v':1,'asks':[{'ask':'rows','after':9}]}");
    assert_non_null(strstr(text, "€\"],\"cut\":["));
    assert_null(strstr(text, "\"cut\":[]"));
    free(text);
    close_api();
}

static void binary_columns_are_aligned_behind_the_head(void **state)
{
    (void)state;
    open_api("A  A  A  D\nB  B  C\n");
    struct text_buffer reply = {0};
    text_add(&reply, SLICE("before "));
    assert_int_equal(api_ask(api, SLICE("{\"v\":1,\"asks\":[{\"ask\":\"rows\",\"after\":9}]}"), API_BINARY, &reply), 0);
    uint32_t length;
    memcpy(&length, reply.bytes.items + 7, sizeof length);
    assert_int_equal((4 + length) % 8, 0);
    struct json_document head;
    json_document_parse(&head, (struct slice){reply.bytes.items + 11, length});
    const uint8_t *part = json_item(json_get(&head, json_root(&head), "parts"), 0);
    const uint8_t *total = json_get(&head, json_get(&head, part, "columns"), "total");
    assert_true(slice_is(json_text(&head, json_get(&head, total, "type")), "f64"));
    assert_int_equal(json_u32(json_get(&head, total, "count")), 2);
    uint32_t offset = json_u32(json_get(&head, total, "offset"));
    assert_int_equal(offset % 8, 0);
    double totals[2];
    memcpy(totals, reply.bytes.items + 11 + length + offset, sizeof totals);
    assert_true(totals[0] == 3 && totals[1] == 1);
    json_document_close(&head);
    text_free(&reply);
    close_api();
}

static void a_profile_without_threads_has_no_rows(void **state)
{
    (void)state;
    struct error error = {0};
    text_profile_open(&profile);
    assert_int_equal(profile_finish(&profile, &error), 0);
    api = api_open(&profile, 1, &error);
    assert_non_null(api);
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'open'}]}",
                     "'first':{'panel':'marker_chart','threads':[],'path':[],'open':[]}");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'rows','after':9}]}", "'count':0,'first':0,'anchor':null");
    close_api();
}

static void old_answers_give_way(void **state)
{
    (void)state;
    open_api("A  A  A  D\nB  B  C\n");
    for (int i = 0; i < 40; i++) {
        char request[200];
        snprintf(request, sizeof request, "{'v':1,'state':{'range':[null,%d.5]},'asks':[{'ask':'rows','after':9}]}", i % 20);
        assert_reply_has(api, request, i % 20 < 3 ? "'count':1" : "'count':2");
    }
    close_api();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_is_around_its_anchor),
        cmocka_unit_test(siblings_have_the_order_that_is_asked_for),
        cmocka_unit_test(rows_say_what_they_are_made_of),
        cmocka_unit_test(rows_say_what_the_tree_knows),
        cmocka_unit_test(rows_are_found_by_function_and_category),
        cmocka_unit_test(functions_are_rows_too),
        cmocka_unit_test(functions_come_in_alphabetical_order),
        cmocka_unit_test(groups_stand_for_functions),
        cmocka_unit_test(texts_are_sent_once_and_not_to_those_who_have_them),
        cmocka_unit_test(long_texts_are_cut_between_characters),
        cmocka_unit_test(binary_columns_are_aligned_behind_the_head),
        cmocka_unit_test(a_profile_without_threads_has_no_rows),
        cmocka_unit_test(old_answers_give_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
