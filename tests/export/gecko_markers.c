/* Markers and their schemas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/gecko_document.h"
#include "support/session_draw.h"

#include <limits.h>
#include <stdio.h>

#define MAIN                                                                                                                   \
    "category 0 Other colour=grey subcategories=Other\n"                                                                       \
    "category 1 Layout colour=purple subcategories=Other,Reflow\n"                                                             \
    "thread 1 Main tid=101 main sampled\n"

static void draw(struct gecko_document *document, const char *text)
{
    gecko_document_draw(document, text, NULL);
}

static void every_phase_has_the_times_it_has_and_null_for_the_others(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "marker 1 a instant=1ms\n"
                         "marker 1 b interval=1500us-2ms category=1/1\n"
                         "marker 1 c start=3ms category=99\n"
                         "marker 1 c end=4000001\n");
    assert_gecko(&document, "threads/0/markers/schema",
                 "{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\":4,\"data\":5}");
    assert_gecko(&document, "threads/0/markers/data", "[[1,1,null,0,0],[2,1.5,2,1,1],[3,3,null,2,0],[3,null,4.000001,3,0]]");
    assert_gecko(&document, "threads/0/stringTable", "[\"(root)\",\"a\",\"b\",\"c\"]");
    assert_gecko(&document, "meta/markerSchema", "[]");
    gecko_document_close(&document);
}

static void a_typed_marker_has_its_fields_in_a_payload(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "type 7 Request\n"
                         "field url input=text format=url\n"
                         "field status input=unsigned format=integer\n"
                         "field change input=signed format=bytes\n"
                         "field ratio input=double format=percentage\n"
                         "field cached input=boolean format=string\n"
                         "marker 1 r instant=1ms type=7 url=http://a/ status=200 change=-5 ratio=0.25 cached=true\n");
    assert_gecko(&document, "threads/0/markers/data/0/5",
                 "{\"type\":\"Request\",\"url\":\"http://a/\",\"status\":200,\"change\":-5,\"ratio\":0.25,\"cached\":true}");
    gecko_document_close(&document);
}

static void times_in_payloads_are_in_the_unit_of_their_format(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "type 1 Times\n"
                         "field a input=time format=time\n"
                         "field b input=time format=duration\n"
                         "field c input=time format=seconds\n"
                         "field d input=time format=milliseconds\n"
                         "field e input=time format=microseconds\n"
                         "field f input=time format=nanoseconds\n"
                         "marker 1 t instant=1ms type=1 a=1500000 b=1500000 c=1500000 d=1500000 e=1500500 f=1500500\n");
    assert_gecko(&document, "threads/0/markers/data/0/5",
                 "{\"type\":\"Times\",\"a\":1.5,\"b\":1.5,\"c\":1.5,\"d\":1.5,\"e\":1500.5,\"f\":1500500}");
    gecko_document_close(&document);
}

static void unique_strings_and_flows_are_indices_of_strings(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "type 1 Job\n"
                         "field what input=text format=unique-string\n"
                         "field id input=flow format=flow-id\n"
                         "field last input=flow format=terminating-flow-id\n"
                         "marker 1 job instant=1ms type=1 what=job id=0xabc last=0xffffffffffffffff\n");
    assert_gecko(&document, "threads/0/markers/data/0/5", "{\"type\":\"Job\",\"what\":1,\"id\":2,\"last\":3}");
    assert_gecko(&document, "threads/0/stringTable", "[\"(root)\",\"job\",\"0000000000000abc\",\"ffffffffffffffff\"]");
    gecko_document_close(&document);
}

static void the_text_of_text_markers_is_an_index_whatever_the_session_says(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "type 1 Text\n"
                         "field name input=text format=string label=Details\n"
                         "marker 1 load instant=1ms type=1 name=config.toml\n");
    assert_gecko(&document, "threads/0/markers/data/0/5", "{\"type\":\"Text\",\"name\":2}");
    assert_gecko(&document, "threads/0/stringTable", "[\"(root)\",\"load\",\"config.toml\"]");
    assert_gecko(&document, "meta/markerSchema/0/data",
                 "[{\"key\":\"name\",\"label\":\"Details\",\"format\":\"unique-string\"}]");
    gecko_document_close(&document);
}

static void a_field_without_a_format_gets_that_of_its_input(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "type 1 T\n"
                         "field a input=text\n"
                         "field b input=signed\n"
                         "field c input=unsigned format=unique-string\n"
                         "field d input=double\n"
                         "field e input=time\n"
                         "field f input=flow\n"
                         "marker 1 t instant=1ms type=1 a=x b=1 c=2 d=3 e=4ms f=0\n");
    assert_gecko(&document, "threads/0/markers/data/0/5",
                 "{\"type\":\"T\",\"a\":\"x\",\"b\":1,\"c\":2,\"d\":3,\"e\":4,\"f\":2}");
    assert_gecko(&document, "meta/markerSchema/0/data",
                 "[{\"key\":\"a\",\"format\":\"string\"},{\"key\":\"b\",\"format\":\"integer\"},"
                 "{\"key\":\"c\",\"format\":\"integer\"},{\"key\":\"d\",\"format\":\"decimal\"},"
                 "{\"key\":\"e\",\"format\":\"time\"},{\"key\":\"f\",\"format\":\"flow-id\"}]");
    gecko_document_close(&document);
}

static void a_schema_has_all_that_its_type_says(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "type 1 Full description=\"What it is\" chart=C tooltip=T table=L colour=c stack-based "
                         "display=marker-chart,timeline-overview\n"
                         "field c input=text format=string label=Colour hidden\n"
                         "type 2 Unused\n"
                         "marker 1 m instant=1ms type=1 c=red\n");
    assert_gecko(&document, "meta/markerSchema",
                 "[{\"name\":\"Full\",\"chartLabel\":\"C\",\"tooltipLabel\":\"T\",\"tableLabel\":\"L\",\"isStackBased\":true,"
                 "\"colorField\":\"c\",\"display\":[\"marker-chart\",\"timeline-overview\"],\"data\":["
                 "{\"key\":\"c\",\"label\":\"Colour\",\"format\":\"string\",\"hidden\":true},"
                 "{\"label\":\"Description\",\"value\":\"What it is\"}]}]");
    gecko_document_close(&document);
}

static void types_of_one_name_share_a_schema_only_if_they_are_alike(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "type 1 Same\n"
                         "field a input=text format=string\n"
                         "type 2 Same\n"
                         "field a input=text format=string\n"
                         "type 3 Same\n"
                         "field a input=text format=unique-string\n"
                         "marker 1 m instant=1ms type=1 a=x\n"
                         "marker 1 m instant=1ms type=2 a=x\n"
                         "marker 1 m instant=1ms type=3 a=x\n");
    assert_gecko(&document, "meta/markerSchema/0/name", "\"Same\"");
    assert_gecko(&document, "meta/markerSchema/1/name", "\"Same 3\"");
    assert_gecko_absent(&document, "meta/markerSchema/2");
    assert_gecko(&document, "threads/0/markers/data/1/5", "{\"type\":\"Same\",\"a\":\"x\"}");
    assert_gecko(&document, "threads/0/markers/data/2/5", "{\"type\":\"Same 3\",\"a\":2}");
    gecko_document_close(&document);
}

static void a_key_that_payloads_have_already_is_left_out(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "type 1 Odd\n"
                         "field type input=text\n"
                         "field a input=unsigned\n"
                         "field a input=unsigned\n"
                         "marker 1 m instant=1ms type=1 type=x a=1\n");
    assert_gecko(&document, "meta/markerSchema/0/data", "[{\"key\":\"a\",\"format\":\"integer\"}]");
    gecko_document_close(&document);
}

static void a_stack_is_a_profile_of_one_sample(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "thread 2 Worker tid=102 sampled\n"
                         "type 1 Alloc\n"
                         "field size input=signed format=bytes\n"
                         "marker 1 m instant=2ms type=1 size=-8 stack=0x10,label:free stack-time=1ms stack-thread=2\n");
    assert_gecko(&document, "threads/0/markers/data/0/5",
                 "{\"stack\":{\"processType\":\"default\",\"name\":\"\",\"registerTime\":null,\"unregisterTime\":null,"
                 "\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"eventDelay\":2,\"argumentValues\":3,\"threadCPUDelta\":4},"
                 "\"data\":[[2,1]]},"
                 "\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\":4,\"data\":5},"
                 "\"data\":[]},\"pid\":4711,\"tid\":102},\"type\":\"Alloc\",\"size\":-8}");
    gecko_document_close(&document);
}

static void a_stack_without_a_type_has_a_payload_all_the_same(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "marker 1 m instant=2ms stack=0x10 stack-time=1ms\n");
    assert_gecko(&document, "threads/0/markers/data/0/5/type", "\"NoPayloadUserData\"");
    assert_gecko(&document, "threads/0/markers/data/0/5/stack/samples/data", "[[1,1]]");
    assert_gecko(&document, "threads/0/markers/data/0/5/stack/tid", "101");
    assert_gecko(&document, "meta/markerSchema",
                 "[{\"name\":\"NoPayloadUserData\",\"display\":[\"marker-chart\",\"marker-table\"],\"data\":[]}]");
    gecko_document_close(&document);
}

static void markers_of_unregistered_threads_stand_in_the_main_thread(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, "thread 1 Worker tid=101 sampled\n"
                    "marker 0 lonely instant=1ms\n"
                    "marker 9 unknown instant=1ms\n");
    assert_gecko(&document, "threads/0/name", "\"GeckoMain\"");
    assert_gecko(&document, "threads/0/markers/data", "[[1,1,null,0,0]]");
    assert_gecko(&document, "profilingLog/4711/reading/entriesLeftOut", "1");
    gecko_document_close(&document);
}

static void a_thread_that_only_marks_is_shown(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "thread 2 marks tid=102 time=1ms\n"
                         "thread-end 2 time=2ms\n"
                         "marker 2 m instant=1ms\n");
    assert_gecko(&document, "threads/1/name", "\"marks\"");
    assert_gecko(&document, "threads/1/markers/data", "[[1,1,null,0,0]]");
    gecko_document_close(&document);
}

static void markers_that_ended_before_since_are_left_out(void **state)
{
    (void)state;
    struct gecko_document document;
    gecko_document_draw(&document,
                        MAIN "marker 1 a instant=1ms\n"
                             "marker 1 b interval=1ms-2ms\n"
                             "marker 1 c interval=1ms-3ms\n"
                             "marker 1 d end=2ms\n"
                             "marker 1 e instant=3ms\n",
                        &(struct gecko_options){.since_ns = 2500000});
    assert_gecko(&document, "threads/0/markers/data", "[[1,1,3,1,0],[2,3,null,0,0]]");
    assert_gecko(&document, "threads/0/stringTable", "[\"(root)\",\"c\",\"e\"]");
    gecko_document_close(&document);
}

static void an_interval_that_is_open_at_since_keeps_its_start(void **state)
{
    (void)state;
    struct gecko_document document;
    gecko_document_draw(&document,
                        MAIN "marker 1 never-ended start=1ms\n"
                             "marker 1 ended start=1ms\n"
                             "marker 1 ended-before start=1ms\n"
                             "marker 1 ended-before end=2ms\n"
                             "marker 1 later start=3ms\n"
                             "marker 1 ended end=4ms\n"
                             "marker 1 later end=4ms\n",
                        &(struct gecko_options){.since_ns = 2500000});
    assert_gecko(&document, "threads/0/markers/data",
                 "[[1,1,null,2,0],[2,1,null,2,0],[4,3,null,2,0],[2,null,4,3,0],[4,null,4,3,0]]");
    assert_gecko(&document, "threads/0/stringTable", "[\"(root)\",\"never-ended\",\"ended\",\"ended-before\",\"later\"]");
    gecko_document_close(&document);
}

static void an_end_before_since_takes_the_newest_start_of_its_name(void **state)
{
    (void)state;
    struct gecko_document document;
    gecko_document_draw(&document,
                        MAIN "type 1 Job\nfield what input=text format=string\n"
                             "marker 1 job start=1000us type=1 what=outer\n"
                             "marker 1 job start=1100us type=1 what=inner stack=label:a stack-time=1100us\n"
                             "marker 1 job end=1200us\n"
                             "marker 1 job start=1300us type=1 what=next\n"
                             "marker 1 job end=1400us\n"
                             "marker 1 other end=1500us\n"
                             "marker 1 job end=3ms\n",
                        &(struct gecko_options){.since_ns = 2500000});
    assert_gecko(&document, "threads/0/markers/data", "[[1,1,null,2,0,{\"type\":\"Job\",\"what\":\"outer\"}],[1,null,3,3,0]]");
    gecko_document_close(&document);
}

static void a_thread_whose_intervals_all_ended_before_since_is_not_shown(void **state)
{
    (void)state;
    struct gecko_document document;
    gecko_document_draw(&document,
                        MAIN "thread 2 worker tid=102\nmarker 2 job start=1ms\nmarker 2 job end=2ms\n"
                             "thread 3 other tid=103\nmarker 3 job start=1ms\n",
                        &(struct gecko_options){.since_ns = 2500000});
    assert_gecko(&document, "threads/1/name", "\"other\"");
    assert_gecko_absent(&document, "threads/2");
    gecko_document_close(&document);
}

static void texts_of_any_bytes_and_length_are_json(void **state)
{
    (void)state;
    struct gecko_document document;
    char folder[64], path[PATH_MAX];
    static char text[40000];
    memset(text, 'x', sizeof text);
    memcpy(text, "\xff\"\\\n", 4);
    session_folder_make(folder);
    struct session_draw *draw = session_draw_open(folder);
    session_draw_text(draw, MAIN "type 1 Text\nfield name input=text format=unique-string\n");
    uint8_t values[sizeof text + 16];
    struct marker_value value = {.input = INPUT_TEXT, .text = {text, sizeof text}};
    size_t length = marker_value_write(values, sizeof values, &value);
    session_draw_entry(
        draw, &(struct any_entry){
                  .kind = ENTRY_MARKER,
                  .marker = {.thread = 1, .type = 1, .name = SLICE("a\tname"), .values = {(const char *)values, length}}});
    snprintf(path, sizeof path, "%s", session_draw_path(draw));
    session_draw_close(draw);
    gecko_document_open(&document, path, NULL);
    session_folder_remove(folder);
    struct slice written = json_text(&document.json, gecko_at(&document, "threads/0/stringTable/2"));
    assert_int_equal(written.length, sizeof text + 2);
    assert_memory_equal(written.text, "\xef\xbf\xbd\"\\\nxxx", 9);
    assert_gecko(&document, "threads/0/stringTable/1", "\"a\\tname\"");
    gecko_document_close(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_phase_has_the_times_it_has_and_null_for_the_others),
        cmocka_unit_test(a_typed_marker_has_its_fields_in_a_payload),
        cmocka_unit_test(times_in_payloads_are_in_the_unit_of_their_format),
        cmocka_unit_test(unique_strings_and_flows_are_indices_of_strings),
        cmocka_unit_test(the_text_of_text_markers_is_an_index_whatever_the_session_says),
        cmocka_unit_test(a_field_without_a_format_gets_that_of_its_input),
        cmocka_unit_test(a_schema_has_all_that_its_type_says),
        cmocka_unit_test(types_of_one_name_share_a_schema_only_if_they_are_alike),
        cmocka_unit_test(a_key_that_payloads_have_already_is_left_out),
        cmocka_unit_test(a_stack_is_a_profile_of_one_sample),
        cmocka_unit_test(a_stack_without_a_type_has_a_payload_all_the_same),
        cmocka_unit_test(markers_of_unregistered_threads_stand_in_the_main_thread),
        cmocka_unit_test(a_thread_that_only_marks_is_shown),
        cmocka_unit_test(markers_that_ended_before_since_are_left_out),
        cmocka_unit_test(an_interval_that_is_open_at_since_keeps_its_start),
        cmocka_unit_test(an_end_before_since_takes_the_newest_start_of_its_name),
        cmocka_unit_test(a_thread_whose_intervals_all_ended_before_since_is_not_shown),
        cmocka_unit_test(texts_of_any_bytes_and_length_are_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
