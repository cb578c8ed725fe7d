/* Chrome traces as profiles. Traces are written with single quotes here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/import_text.h"

#include "import/importer.h"
#include "import/trace_events.h"
#include "profile/quality.h"

#define AT "'pid':7,'tid':9,"
#define PROFILE "{'ph':'P','name':'Profile','id':'0x1'," AT "'ts':1000000,'args':{'data':{'startTime':1}}}"
#define ROOT "{'id':1,'callFrame':{'functionName':'(root)','scriptId':0,'codeType':'other'}}"
#define F                                                                                                                      \
    "{'id':2,'parent':1,'callFrame':{'functionName':'f','scriptId':4,'url':'http://e.com/"                                     \
    "a.js','lineNumber':9,'columnNumber':4}}"
#define G "{'id':3,'parent':2,'callFrame':{'functionName':'','scriptId':4,'url':'http://e.com/a.js','lineNumber':19}}"
#define CHUNK(nodes, samples, rest)                                                                                            \
    "{'ph':'P','name':'ProfileChunk','id':'0x1','pid':7,'tid':33,'ts':1000001,'args':{'data':{'cpuProfile':{'nodes':[" nodes   \
    "],'samples':[" samples "]}," rest "}}}"

static struct slice quoted(const char *text)
{
    static char buffer[1 << 14];
    size_t length = strlen(text);
    assert_true(length < sizeof buffer);
    for (size_t i = 0; i <= length; i++)
        buffer[i] = text[i] == '\'' ? '"' : text[i];
    return (struct slice){buffer, length};
}

static void read_trace(const char *json, struct profile *profile)
{
    assert_imports(trace_events_import, quoted(json), profile);
}

/* The raw markers of a thread, one a line: phase, start and end, category, name and payload. */
static void assert_markers(const struct profile *profile, size_t thread, const char *expected)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    assert_non_null(sink);
    const struct marker_table *markers = &profile->threads.items[thread].markers;
    for (size_t i = 0; i < marker_count(markers); i++) {
        struct raw_marker marker = marker_table_get(markers, marker_at(i));
        char text[256];
        snprintf(text, sizeof text, "%c %g %g %s %s ", "IXBE"[marker.phase], marker.start, marker.end,
                 profile_text(profile, profile->categories.rows.items[marker.category.i].name).text,
                 profile_text(profile, marker.name).text);
        byte_sink_write(sink, slice_of(text), &error);
        struct json_writer *w = json_writer_open(sink, 0, &error);
        assert_non_null(w);
        if (marker.data)
            value_to_json(marker.data, &profile->strings, w);
        else
            json_write_null(w);
        assert_int_equal(json_writer_close(w), 0);
        byte_sink_write(sink, SLICE("\n"), &error);
    }
    byte_sink_write(sink, (struct slice){"", 1}, &error);
    char text[4096];
    snprintf(text, sizeof text, "%s", byte_sink_memory_bytes(sink).text);
    for (char *at = text; *at; at++)
        *at = *at == '"' ? '\'' : *at;
    assert_string_equal(text, expected);
    byte_sink_close(sink, false, &error);
}

/* ---- samples ---- */

static void samples_of_chunks_are_those_of_the_thread_of_their_profile(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[" PROFILE
               "," CHUNK(ROOT "," F, "2,2", "'timeDeltas':[0,2500]") "," CHUNK(G, "3,1", "'timeDeltas':[1000,10000]") "]",
               &profile);
    assert_int_equal(profile.threads.count, 1);
    assert_samples(&profile, 0,
                   "1000 x2.5 (root);f\n1002.5 x1 (root);f\n1003.5 x10 (root);f;(anonymous)\n1013.5 x4.5 (root)\n");
    assert_string_equal(profile_text(&profile, profile.threads.items[0].tid).text, "7:9");
    profile_free(&profile);
}

#define CLOSE "[" PROFILE "," CHUNK(ROOT "," F, "2,1,1,2,2", "'timeDeltas':[0,250,125,125,500]") "]"

static void each_sample_stands_for_the_time_until_the_next(void **state)
{
    (void)state;
    struct profile profile;
    read_trace(CLOSE, &profile);
    assert_samples(&profile, 0,
                   "1000 x0.25 (root);f\n1000.25 x0.125 (root)\n1000.375 x0.125 (root)\n1000.5 x0.5 (root);f\n"
                   "1001 x0.25 (root);f\n");
    assert_int_equal(profile.threads.items[0].samples.weight_type, WEIGHT_TRACING_MS);
    assert_true(profile.meta.interval == 0.25);
    profile_free(&profile);
}

static void thinned_samples_are_half_a_millisecond_apart_and_count_once(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(trace_events_import_thin, quoted(CLOSE), &profile);
    assert_samples(&profile, 0, "1000 (root);f\n1000.5 (root);f\n1001 (root);f\n");
    assert_true(profile.meta.interval == 0.5);
    profile_free(&profile);
}

static void functions_are_where_the_firefox_profiler_puts_them(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[" PROFILE "," CHUNK(ROOT "," F, "2", "'timeDeltas':[0]") "]", &profile);
    struct func root = func_table_get(&profile.funcs, func_at(0)), f = func_table_get(&profile.funcs, func_at(1));
    assert_false(root.is_js || root.relevant_for_js);
    assert_true(f.is_js);
    assert_int_equal(f.line, 10);
    assert_int_equal(f.column, 5);
    assert_string_equal(profile_text(&profile, profile.sources.rows.items[f.source.i].filename).text, "http://e.com/a.js");
    assert_string_equal(profile_text(&profile, profile.resources.rows.items[f.resource.i].name).text, "http://e.com");
    struct frame frame = frame_table_get(&profile.frames, frame_at(1));
    assert_string_equal(profile_text(&profile, profile.categories.rows.items[frame.category.i].name).text, "JavaScript");
    profile_free(&profile);
}

static void lines_of_samples_are_those_of_their_frames(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[" PROFILE
               "," CHUNK(ROOT "," F, "2,2,2,2", "'timeDeltas':[0,1000,1000,1000],'lines':[0,12,12,10],'columns':[0,3,3,5]") "]",
               &profile);
    static const uint32_t expected[][2] = {{10, 5}, {12, 3}, {12, 3}, {10, 5}};
    for (size_t i = 0; i < 4; i++) {
        uint32_t stack = column_get_index(&profile.threads.items[0].samples.stack, i);
        struct frame frame = frame_table_get(&profile.frames, stack_frame(&profile.stacks, stack_at(stack)));
        assert_int_equal(frame.line, expected[i][0]);
        assert_int_equal(frame.column, expected[i][1]);
    }
    assert_int_equal(stack_count(&profile.stacks), 3);
    assert_samples(&profile, 0, "1000 x1 (root);f\n1001 x1 (root);f\n1002 x1 (root);f\n1003 x1 (root);f\n");
    profile_free(&profile);
}

static void samples_that_go_back_are_sorted(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[" PROFILE "," CHUNK(ROOT "," F "," G, "1,2,3", "'timeDeltas':[0,2000,-1000]") "]", &profile);
    assert_samples(&profile, 0, "1000 x1 (root)\n1001 x1 (root);f;(anonymous)\n1002 x1 (root);f\n");
    profile_free(&profile);
}

static void a_sample_of_an_unknown_node_has_no_stack(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[" PROFILE "," CHUNK(ROOT, "1,77", "'timeDeltas':[0,1000]") "]", &profile);
    assert_int_equal(sample_count(&profile.threads.items[0].samples), 2);
    assert_int_equal(column_get_index(&profile.threads.items[0].samples.stack, 1), INDEX_NONE);
    profile_free(&profile);
}

static void a_profile_in_one_event_is_read_too(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[{'ph':'X','name':'CpuProfile'," AT
               "'ts':0,'dur':9,'args':{'data':{'cpuProfile':{'startTime':1000,'endTime':9000,"
               "'nodes':[{'id':1,'callFrame':{'functionName':'(root)'},'children':[2]},"
               "{'id':2,'callFrame':{'functionName':'f','url':'a.js'}}],'samples':[2],'timeDeltas':[500]}}}}]",
               &profile);
    assert_samples(&profile, 0, "1.5 x1 (root);f\n");
    assert_markers(&profile, 0, "");
    profile_free(&profile);
}

static void nodes_that_are_their_own_ancestors_are_refused(void **state)
{
    (void)state;
    assert_refused(trace_events_import,
                   quoted("[" PROFILE "," CHUNK("{'id':1,'parent':2,'callFrame':{}},{'id':2,'parent':1,'callFrame':{}}", "1",
                                                "'timeDeltas':[0]") "]"),
                   "is its own ancestor");
}

/* ---- threads ---- */

static void threads_have_names_and_the_order_that_the_trace_wants(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("{'traceEvents':["
               "{'ph':'I','name':'a','pid':1,'tid':2,'ts':1},{'ph':'I','name':'a','pid':1,'tid':1,'ts':1},"
               "{'ph':'I','name':'a','pid':3,'tid':3,'ts':1},"
               "{'ph':'M','name':'thread_name','pid':1,'tid':1,'args':{'name':'CrRendererMain'}},"
               "{'ph':'M','name':'thread_sort_index','pid':1,'tid':1,'args':{'sort_index':-5}},"
               "{'ph':'M','name':'process_name','pid':1,'args':{'name':'Renderer'}},"
               "{'ph':'M','name':'process_labels','pid':1,'args':{'labels':'A page'}},"
               "{'ph':'M','name':'process_sort_index','pid':3,'args':{'sort_index':-1}},"
               "{'ph':'M','name':'thread_name','pid':1,'tid':5,'args':{'name':'without events'}}]}",
               &profile);
    static const char *const expected[][4] = {
        {"Chrome Thread", "", "3", "3:3"},
        {"CrRendererMain", "Renderer (A page)", "1", "1:1"},
        {"Chrome Thread", "Renderer (A page)", "1", "1:2"},
    };
    assert_int_equal(profile.threads.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct thread *thread = &profile.threads.items[i];
        assert_string_equal(profile_text(&profile, thread->name).text, expected[i][0]);
        assert_string_equal(profile_text(&profile, thread->process_name).text, expected[i][1]);
        assert_string_equal(profile_text(&profile, thread->pid).text, expected[i][2]);
        assert_string_equal(profile_text(&profile, thread->tid).text, expected[i][3]);
        assert_int_equal(thread->is_main_thread, i == 1);
    }
    profile_free(&profile);
}

/* ---- markers ---- */

static void complete_and_instant_events_are_markers(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[{'ph':'X','name':'Layout','cat':'blink'," AT "'ts':1000,'dur':500},"
               "{'ph':'I','name':'Click'," AT "'ts':2000,'s':'t'},{'ph':'i','name':'Old'," AT "'ts':3000},"
               "{'ph':'R','name':'Mark'," AT "'ts':4000}]",
               &profile);
    assert_markers(&profile, 0,
                   "X 1 1.5 blink Layout null\nI 2 nan Other Click null\nI 3 nan Other Old null\nI 4 nan Other Mark null\n");
    profile_free(&profile);
}

static void arguments_become_a_flat_payload_with_the_name_as_its_type(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[{'ph':'I','name':'E'," AT "'ts':1000,'args':{'data':{'type':'click','n':1,'deep':{'a':1}},"
               "'beginData':{'frame':'F1','list':[1,2]},'n':7,'cause':'x','none':null}}]",
               &profile);
    assert_markers(&profile, 0,
                   "I 1 nan Other E {'type':'E','type2':'click','n':1,'deep':{'a':1},'beginData.frame':'F1',"
                   "'beginData.list':[1,2],'cause2':'x','none':null}\n");
    profile_free(&profile);
}

static const struct marker_schema *schema_of(const struct profile *profile, const char *name)
{
    const struct marker_schema *schema =
        marker_schema_find(&profile->schemas, string_table_find(&profile->strings, slice_of(name)));
    assert_non_null(schema);
    return schema;
}

static enum field_format format_of(const struct profile *profile, const struct marker_schema *schema, const char *key)
{
    const struct schema_field *field = marker_schema_field(schema, string_table_find(&profile->strings, slice_of(key)));
    assert_non_null(field);
    return field->format;
}

static void every_name_has_a_schema_with_the_fields_that_occur(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[{'ph':'I','name':'E'," AT "'ts':1,'args':{'i':1,'d':1,'s':'x','url':'u','mixed':1,'list':[1],'odd':{}}},"
               "{'ph':'I','name':'E'," AT "'ts':2,'args':{'d':1.5,'mixed':'x','more':true,'objects':[{}]}}]",
               &profile);
    const struct marker_schema *schema = schema_of(&profile, "E");
    assert_int_equal(schema->fields.count, 7);
    assert_int_equal(format_of(&profile, schema, "i"), FORMAT_INTEGER);
    assert_int_equal(format_of(&profile, schema, "d"), FORMAT_DECIMAL);
    assert_int_equal(format_of(&profile, schema, "s"), FORMAT_STRING);
    assert_int_equal(format_of(&profile, schema, "url"), FORMAT_URL);
    assert_int_equal(format_of(&profile, schema, "mixed"), FORMAT_STRING);
    assert_int_equal(format_of(&profile, schema, "list"), FORMAT_LIST);
    assert_int_equal(format_of(&profile, schema, "more"), FORMAT_STRING);
    profile_free(&profile);
}

static void events_are_labelled_by_what_says_most(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[{'ph':'I','name':'EventDispatch'," AT "'ts':1,'args':{'data':{'type':'click'}}},"
               "{'ph':'I','name':'Source'," AT "'ts':1,'args':{'detail':'a.c'}},"
               "{'ph':'I','name':'Other'," AT "'ts':1,'args':{'x':'y'}}]",
               &profile);
    assert_string_equal(profile_text(&profile, schema_of(&profile, "EventDispatch")->table_label).text, "{marker.data.type2}");
    assert_string_equal(profile_text(&profile, schema_of(&profile, "Source")->table_label).text, "{marker.data.detail}");
    assert_false(string_exists(schema_of(&profile, "Other")->table_label));
    profile_free(&profile);
}

static void types_that_profiles_know_are_not_taken(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[{'ph':'I','name':'Network'," AT "'ts':1000,'args':{'id':1}}]", &profile);
    assert_markers(&profile, 0, "I 1 nan Other Network {'type':'Network event','id':1}\n");
    profile_free(&profile);
}

static void begins_and_ends_are_joined_by_thread(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[{'ph':'B','name':'a','cat':'c'," AT
               "'ts':1000,'args':{'x':1,'y':1}},{'ph':'B','name':'b','pid':7,'tid':10,'ts':1500},"
               "{'ph':'B','name':'c'," AT "'ts':2000},{'ph':'E'," AT "'ts':3000},"
               "{'ph':'E'," AT "'ts':4000,'args':{'y':2}},{'ph':'E','name':'b','pid':7,'tid':10,'ts':5000}]",
               &profile);
    assert_markers(&profile, 0, "X 2 3 Other c null\nX 1 4 c a {'type':'a','y':2,'x':1}\n");
    assert_markers(&profile, 1, "X 1.5 5 Other b null\n");
    profile_free(&profile);
}

static void asynchronous_events_are_joined_by_id_on_the_thread_of_their_begin(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[{'ph':'b','name':'a','cat':'c','id':'0x1'," AT "'ts':1000},{'ph':'b','name':'a','cat':'c','id':'0x2'," AT
               "'ts':2000},"
               "{'ph':'n','name':'a','cat':'c','id':'0x1'," AT "'ts':2500},"
               "{'ph':'e','name':'a','cat':'c','id':'0x1','pid':7,'tid':10,'ts':3000},"
               "{'ph':'e','name':'a','cat':'c','id':'0x2'," AT "'ts':4000}]",
               &profile);
    assert_markers(&profile, 0,
                   "I 2.5 nan c a {'type':'a','asyncId':'0x1'}\nX 1 3 c a {'type':'a','asyncId':'0x1'}\nX 2 4 c a "
                   "{'type':'a','asyncId':'0x2'}\n");
    profile_free(&profile);
}

static void ids_are_those_of_a_process_unless_they_are_global(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[{'ph':'b','name':'a','id2':{'local':'1'},'pid':1,'tid':1,'ts':1000},"
               "{'ph':'b','name':'a','id2':{'global':'1'},'pid':1,'tid':1,'ts':2000},"
               "{'ph':'e','name':'a','id2':{'global':'1'},'pid':2,'tid':2,'ts':3000},"
               "{'ph':'e','name':'a','id2':{'local':'1'},'pid':2,'tid':2,'ts':4000}]",
               &profile);
    assert_markers(&profile, 0, "X 2 3 Other a {'type':'a','asyncId':'1'}\nB 1 nan Other a {'type':'a','asyncId':'1'}\n");
    assert_markers(&profile, 1, "E nan 4 Other a {'type':'a','asyncId':'1'}\n");
    profile_free(&profile);
}

static void ends_alone_stand_before_begins_alone(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[{'ph':'S','name':'a','id':1," AT "'ts':1000},{'ph':'F','name':'a','id':2," AT "'ts':2000}]", &profile);
    assert_markers(&profile, 0, "E nan 2 Other a {'type':'a','asyncId':'2'}\nB 1 nan Other a {'type':'a','asyncId':'1'}\n");
    profile_free(&profile);
}

/* ---- counters ---- */

static void counters_have_the_changes_between_values(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[{'ph':'I','name':'x','pid':7,'tid':8,'ts':1},"
               "{'ph':'C','name':'heap'," AT "'ts':2000,'args':{'used':12,'text':'x'}},"
               "{'ph':'C','name':'heap'," AT "'ts':1000,'args':{'used':10,'free':1}},"
               "{'ph':'C','name':'fps'," AT "'ts':1000,'args':{'value':60}}]",
               &profile);
    static const char *const names[] = {"heap used", "heap free", "fps"};
    assert_int_equal(profile.threads.count, 1);
    assert_int_equal(profile.counters.rows.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(profile_text(&profile, profile.counters.rows.items[i].name).text, names[i]);
    const struct counter *used = &profile.counters.rows.items[0];
    assert_int_equal(used->main_thread.i, 0);
    assert_true(column_get_number(&used->time, 0) == 1 && column_get_number(&used->count, 0) == 10);
    assert_true(column_get_number(&used->time, 1) == 2 && column_get_number(&used->count, 1) == 2);
    profile_free(&profile);
}

/* ---- whole files ---- */

static void a_trace_that_ends_in_the_middle_is_read_and_says_so(void **state)
{
    (void)state;
    struct profile profile;
    read_trace("[{'ph':'I','name':'a'," AT "'ts':1000},\n{'ph':'I','na", &profile);
    assert_markers(&profile, 0, "I 1 nan Other a null\n");
    assert_true(string_exists(string_table_find(&profile.strings, SLICE("the trace ends in the middle, as after a crash"))));
    profile_free(&profile);
}

static void what_has_no_events_is_refused(void **state)
{
    (void)state;
    assert_refused(trace_events_import, quoted("[]"), "no trace events");
    assert_refused(trace_events_import, quoted("{'traceEvents':[1,'x',null]}"), "no trace events");
}

static void a_real_trace_has_its_samples_and_all_its_events(void **state)
{
    (void)state;
    struct profile profile;
    struct error error = {0};
    profile_init(&profile);
    assert_int_equal(import_file(TEST_DATA "/trace/chrome_small.json.gz", NULL, &profile, &error), 0);
    size_t samples = 0, markers = 0;
    for (size_t i = 0; i < profile.threads.count; i++) {
        samples += sample_count(&profile.threads.items[i].samples);
        markers += marker_count(&profile.threads.items[i].markers);
    }
    assert_int_equal(samples, 15151);
    /* X 36,381, I 3,393, pairs of b and e 1,400, n 44, R 22, B without E 20 */
    assert_int_equal(markers, 36381 + 3393 + 1400 + 44 + 22 + 20);
    assert_int_equal(profile.threads.count, 28);
    profile_free(&profile);
}

#define SMALL                                                                                                                  \
    "[" PROFILE                                                                                                                \
    "," CHUNK(ROOT "," F "," G, "2,3,1",                                                                                       \
              "'timeDeltas':[0,250,100],'lines':[0,21,0]") ","                                                                 \
                                                           "{'ph':'M','name':'thread_name'," AT                                \
                                                           "'args':{'name':'CrRendererMain'}},"                                \
                                                           "{'ph':'X','name':'Layout','cat':'blink'," AT                       \
                                                           "'ts':1000,'dur':500,'args':{'data':{'url':'a','n':{'x':1}}}},"     \
                                                           "{'ph':'B','name':'b'," AT                                          \
                                                           "'ts':1000,'args':{'x':1}},{'ph':'E'," AT                           \
                                                           "'ts':2000,'args':{'x':2}},"                                        \
                                                           "{'ph':'b','name':'a','id':'1'," AT                                 \
                                                           "'ts':1000},{'ph':'e','name':'a','id':'1'," AT "'ts':2000},"        \
                                                           "{'ph':'b','name':'a','id':'2'," AT                                 \
                                                           "'ts':1000},{'ph':'C','name':'heap'," AT                            \
                                                           "'ts':2000,'args':{'used':12}},5]"

static void cut_off_anywhere_it_is_an_error_or_a_profile_in_order(void **state)
{
    (void)state;
    assert_truncations_are_clean(trace_events_import, quoted(SMALL), 4096);
}

static void an_empty_heap_is_a_clean_error(void **state)
{
    (void)state;
    assert_import_survives_failing_allocations(trace_events_import, quoted(SMALL));
}

static void events_are_samples_where_there_are_none(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(trace_events_import,
                   SLICE("[{\"ph\":\"X\",\"name\":\"build\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":10000},"
                         "{\"ph\":\"B\",\"name\":\"load\",\"pid\":1,\"tid\":1,\"ts\":2000},"
                         "{\"ph\":\"E\",\"name\":\"load\",\"pid\":1,\"tid\":1,\"ts\":5000},"
                         "{\"ph\":\"X\",\"name\":\"overhangs\",\"pid\":1,\"tid\":1,\"ts\":6000,\"dur\":9000},"
                         "{\"ph\":\"X\",\"name\":\"test\",\"pid\":1,\"tid\":1,\"ts\":20000,\"dur\":1500},"
                         "{\"ph\":\"I\",\"name\":\"moment\",\"pid\":1,\"tid\":1,\"ts\":30000}]"),
                   &profile);
    assert_samples(&profile, 0, "0 x2 build\n2 x3 build;load\n5 x5 build\n10 x10\n20 x1.5 test\n");
    assert_int_equal(profile.threads.items[0].samples.weight_type, WEIGHT_TRACING_MS);
    assert_true(slice_is(quality_of(&profile).samples_of, "events"));
    profile_free(&profile);
}

static void events_are_no_samples_where_a_thread_has_some(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(trace_events_import,
                   SLICE("[{\"ph\":\"X\",\"name\":\"build\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":10000},"
                         "{\"ph\":\"P\",\"name\":\"Profile\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":1000},"
                         "{\"ph\":\"P\",\"name\":\"ProfileChunk\",\"id\":1,\"pid\":1,\"args\":{\"data\":{\"timeDeltas\":[0],"
                         "\"cpuProfile\":{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"f\"}}],\"samples\":[1]}}}}]"),
                   &profile);
    size_t samples = 0;
    for (size_t i = 0; i < profile.threads.count; i++)
        samples += sample_count(&profile.threads.items[i].samples);
    assert_int_equal(samples, 1);
    assert_int_equal(quality_of(&profile).samples_of.length, 0);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_chunks_are_those_of_the_thread_of_their_profile),
        cmocka_unit_test(each_sample_stands_for_the_time_until_the_next),
        cmocka_unit_test(thinned_samples_are_half_a_millisecond_apart_and_count_once),
        cmocka_unit_test(functions_are_where_the_firefox_profiler_puts_them),
        cmocka_unit_test(lines_of_samples_are_those_of_their_frames),
        cmocka_unit_test(samples_that_go_back_are_sorted),
        cmocka_unit_test(a_sample_of_an_unknown_node_has_no_stack),
        cmocka_unit_test(a_profile_in_one_event_is_read_too),
        cmocka_unit_test(nodes_that_are_their_own_ancestors_are_refused),
        cmocka_unit_test(threads_have_names_and_the_order_that_the_trace_wants),
        cmocka_unit_test(complete_and_instant_events_are_markers),
        cmocka_unit_test(arguments_become_a_flat_payload_with_the_name_as_its_type),
        cmocka_unit_test(every_name_has_a_schema_with_the_fields_that_occur),
        cmocka_unit_test(events_are_labelled_by_what_says_most),
        cmocka_unit_test(types_that_profiles_know_are_not_taken),
        cmocka_unit_test(begins_and_ends_are_joined_by_thread),
        cmocka_unit_test(asynchronous_events_are_joined_by_id_on_the_thread_of_their_begin),
        cmocka_unit_test(ids_are_those_of_a_process_unless_they_are_global),
        cmocka_unit_test(ends_alone_stand_before_begins_alone),
        cmocka_unit_test(counters_have_the_changes_between_values),
        cmocka_unit_test(a_trace_that_ends_in_the_middle_is_read_and_says_so),
        cmocka_unit_test(what_has_no_events_is_refused),
        cmocka_unit_test(a_real_trace_has_its_samples_and_all_its_events),
        cmocka_unit_test(cut_off_anywhere_it_is_an_error_or_a_profile_in_order),
        cmocka_unit_test(an_empty_heap_is_a_clean_error),
        cmocka_unit_test(events_are_samples_where_there_are_none),
        cmocka_unit_test(events_are_no_samples_where_a_thread_has_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
