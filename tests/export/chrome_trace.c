/* Events of a Chrome trace, as text: what is expected is a line for each event, without what all of them have. */
#include "export/exporter.h"

#include "common/memory.h"
#include "support/failing_alloc.h"
#include "support/json_document.h"
#include "support/text_profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

struct exported {
    struct json_document document;
    char *text; /* of the event shown last */
};

static void export_to(struct exported *exported, const struct profile *profile)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    assert_non_null(sink);
    if (export_chrome_trace(profile, sink, &error))
        fail_msg("%s", error.message);
    json_document_parse(&exported->document, byte_sink_memory_bytes(sink));
    exported->text = NULL;
    byte_sink_close(sink, false, &error);
}

static void exported_free(struct exported *exported)
{
    memory_release(exported->text);
    json_document_close(&exported->document);
}

/* The event number `n` among those called `name`; NULL where there are fewer. */
static const uint8_t *find_event(struct exported *exported, const char *name, uint32_t n)
{
    uint32_t count;
    const uint8_t *at = json_items(json_get(&exported->document, json_root(&exported->document), "traceEvents"), &count);
    for (; count > 0; count--, at = value_skip(at))
        if (slice_equal(json_text(&exported->document, json_get(&exported->document, at, "name")), slice_of(name)) && n-- == 0)
            return at;
    return NULL;
}

static const char *show(struct exported *exported, const uint8_t *value)
{
    memory_release(exported->text);
    exported->text = json_dump(&exported->document, value, 0);
    return exported->text;
}

static const char *event(struct exported *exported, const char *name, uint32_t n)
{
    const uint8_t *found = find_event(exported, name, n);
    return found ? show(exported, found) : "none";
}

/* `args.data` of a Profile or ProfileChunk. */
static const char *data(struct exported *exported, const char *name, uint32_t n)
{
    const uint8_t *found = find_event(exported, name, n);
    assert_non_null(found);
    return show(exported, json_get(&exported->document, json_get(&exported->document, found, "args"), "data"));
}

static struct string_index text(struct profile *profile, const char *text)
{
    struct string_index string = string_table_add(&profile->strings, slice_of(text));
    assert_true(string_exists(string));
    return string;
}

static void name_thread(struct profile *profile, struct thread *thread, const char *name, const char *pid, const char *tid)
{
    thread->name = text(profile, name);
    thread->process_name = text(profile, "app");
    thread->pid = text(profile, pid);
    thread->tid = text(profile, tid);
}

static void finish(struct profile *profile)
{
    struct error error = {0};
    if (profile_finish(profile, &error))
        fail_msg("%s", error.message);
}

/* A profile of one thread, 12 in process 12, that `samples` draw. */
static void draw(struct profile *profile, const char *samples)
{
    text_profile_open(profile);
    name_thread(profile, text_profile_add_thread(profile, samples), "main", "12", "12");
}

/* Of the first stack. */
static void add_sample(struct profile *profile, double time)
{
    struct sample_table *samples = &profile->threads.items[0].samples;
    column_append_index(&samples->stack, 0);
    column_append_number(&samples->time, time);
}

static void add_marker(struct profile *profile, const char *name, double start, double end, const char *payload)
{
    struct marker_table *markers = &profile->threads.items[0].markers;
    struct error error = {0};
    size_t place = markers->payloads.bytes.count;
    if (payload) {
        struct byte_source *source = byte_source_memory(slice_of(payload), 0, false, &error);
        struct json_reader *r = json_reader_open(source, &error);
        value_from_json(r, &profile->strings, &markers->payloads);
        assert_true(json_ok(r));
        json_reader_close(r);
        byte_source_close(source);
    }
    struct raw_marker marker = {
        .name = text(profile, name),
        .start = start,
        .end = end,
        .phase = isnan(end) ? MARKER_INSTANT : MARKER_INTERVAL,
        .category = category_list_find(&profile->categories, &profile->strings, SLICE("Layout")),
        .cause_stack = stack_none(),
        .cause_time = NAN,
        .cause_tid = STRING_NONE,
        .thread_id = STRING_NONE,
        .data = payload ? markers->payloads.bytes.items + place : NULL,
    };
    marker_table_append(markers, &marker);
}

/* ---- processes and threads ---- */

static void processes_and_threads_have_their_names_and_order(void **state)
{
    (void)state;
    struct profile profile;
    struct exported exported;
    text_profile_open(&profile);
    name_thread(&profile, text_profile_add_thread(&profile, "A"), "main", "12", "12");
    name_thread(&profile, text_profile_add_thread(&profile, "A"), "worker", "12", "13");
    finish(&profile);
    export_to(&exported, &profile);
    assert_string_equal(event(&exported, "process_name", 0),
                        "{\"ph\":\"M\",\"name\":\"process_name\",\"cat\":\"__metadata\",\"pid\":12,\"tid\":12,\"ts\":0,"
                        "\"args\":{\"name\":\"app\"}}");
    assert_string_equal(event(&exported, "process_name", 1), "none");
    assert_string_equal(event(&exported, "thread_name", 1),
                        "{\"ph\":\"M\",\"name\":\"thread_name\",\"cat\":\"__metadata\",\"pid\":12,\"tid\":13,\"ts\":0,"
                        "\"args\":{\"name\":\"worker\"}}");
    assert_string_equal(event(&exported, "thread_sort_index", 1),
                        "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"cat\":\"__metadata\",\"pid\":12,\"tid\":13,\"ts\":0,"
                        "\"args\":{\"sort_index\":1}}");
    exported_free(&exported);
    profile_free(&profile);
}

static void expect_ids(struct exported *exported, uint32_t thread, uint32_t pid, uint32_t tid)
{
    const uint8_t *found = find_event(exported, "thread_name", thread);
    assert_non_null(found);
    assert_int_equal(json_u32(json_get(&exported->document, found, "pid")), pid);
    assert_int_equal(json_u32(json_get(&exported->document, found, "tid")), tid);
}

static void ids_that_are_no_numbers_or_not_unique_become_free_numbers(void **state)
{
    (void)state;
    static const char *const ids[][2] = {{"12", "7"}, {"12", "7"}, {"tab", "x"}, {"tab", "8"}, {"5", "5:9"}};
    struct profile profile;
    struct exported exported;
    text_profile_open(&profile);
    for (size_t i = 0; i < 5; i++)
        name_thread(&profile, text_profile_add_thread(&profile, "A"), "t", ids[i][0], ids[i][1]);
    finish(&profile);
    export_to(&exported, &profile);
    expect_ids(&exported, 0, 12, 7);
    expect_ids(&exported, 1, 12, 10);
    expect_ids(&exported, 2, 13, 11);
    expect_ids(&exported, 3, 13, 8);
    expect_ids(&exported, 4, 5, 9);
    exported_free(&exported);
    profile_free(&profile);
}

/* ---- samples ---- */

static void samples_are_nodes_and_the_microseconds_between_them(void **state)
{
    (void)state;
    struct profile profile;
    struct exported exported;
    draw(&profile, "3\nA");
    add_sample(&profile, 4.0004);
    add_sample(&profile, 5.5);
    finish(&profile);
    export_to(&exported, &profile);
    assert_string_equal(event(&exported, "Profile", 0),
                        "{\"ph\":\"P\",\"name\":\"Profile\",\"cat\":\"disabled-by-default-v8.cpu_profiler\",\"pid\":12,"
                        "\"tid\":12,\"ts\":3000,\"id\":\"0x1\",\"args\":{\"data\":{\"startTime\":3000}}}");
    assert_string_equal(
        data(&exported, "ProfileChunk", 0),
        "{\"cpuProfile\":{\"nodes\":["
        "{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"scriptId\":0,\"codeType\":\"other\",\"kind\":\"root\"}},"
        "{\"id\":2,\"parent\":1,\"callFrame\":{\"functionName\":\"A\",\"scriptId\":0,\"url\":\"\","
        "\"lineNumber\":-1,\"columnNumber\":-1,\"codeType\":\"other\",\"kind\":\"native\"}}],"
        "\"samples\":[2,2,2]},\"timeDeltas\":[0,1000,1500]}");
    exported_free(&exported);
    profile_free(&profile);
}

static void stacks_of_the_same_functions_are_one_node(void **state)
{
    (void)state;
    struct profile profile;
    struct exported exported;
    draw(&profile, "A[address:10]    A[address:20]    A\n"
                   "B                B                C\n");
    finish(&profile);
    export_to(&exported, &profile);
    const uint8_t *chunk = find_event(&exported, "ProfileChunk", 0);
    const uint8_t *cpu = json_get(
        &exported.document, json_get(&exported.document, json_get(&exported.document, chunk, "args"), "data"), "cpuProfile");
    assert_string_equal(show(&exported, json_get(&exported.document, cpu, "samples")), "[3,3,4]");
    uint32_t nodes;
    json_items(json_get(&exported.document, cpu, "nodes"), &nodes);
    assert_int_equal(nodes, 4);
    exported_free(&exported);
    profile_free(&profile);
}

static void a_sample_without_a_stack_is_one_of_the_root(void **state)
{
    (void)state;
    struct profile profile;
    struct exported exported;
    draw(&profile, "0    1    2\n"
                   "A         A\n");
    finish(&profile);
    export_to(&exported, &profile);
    assert_non_null(strstr(data(&exported, "ProfileChunk", 0), "\"samples\":[2,1,2]"));
    exported_free(&exported);
    profile_free(&profile);
}

static void a_root_that_is_there_is_not_added_again(void **state)
{
    (void)state;
    struct profile profile;
    struct exported exported;
    draw(&profile, "(root)     (root)\n"
                   "(program)  Ajs\n");
    finish(&profile);
    export_to(&exported, &profile);
    assert_string_equal(
        data(&exported, "ProfileChunk", 0),
        "{\"cpuProfile\":{\"nodes\":["
        "{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"scriptId\":0,\"url\":\"\",\"lineNumber\":-1,"
        "\"columnNumber\":-1,\"codeType\":\"other\",\"kind\":\"native\"}},"
        "{\"id\":2,\"parent\":1,\"callFrame\":{\"functionName\":\"(program)\",\"scriptId\":0,\"url\":\"\",\"lineNumber\":-1,"
        "\"columnNumber\":-1,\"codeType\":\"other\",\"kind\":\"native\"}},"
        "{\"id\":3,\"parent\":1,\"callFrame\":{\"functionName\":\"Ajs\",\"scriptId\":0,\"url\":\"\",\"lineNumber\":-1,"
        "\"columnNumber\":-1,\"codeType\":\"JS\",\"kind\":\"script\"}}],"
        "\"samples\":[2,3]},\"timeDeltas\":[0,1000]}");
    exported_free(&exported);
    profile_free(&profile);
}

static void functions_have_their_file_and_library_and_samples_their_line(void **state)
{
    (void)state;
    struct profile profile;
    struct exported exported;
    draw(&profile, "A[lib:libA][file:a.c][line:7]    B[lib:libB]    A[lib:libA][file:a.c][line:9]\n");
    finish(&profile);
    export_to(&exported, &profile);
    const char *chunk = data(&exported, "ProfileChunk", 0);
    assert_non_null(strstr(chunk,
                           "{\"functionName\":\"A\",\"scriptId\":1,\"url\":\"a.c\",\"lineNumber\":-1,\"columnNumber\":-1,"
                           "\"codeType\":\"other\",\"kind\":\"native\",\"lib\":\"libA\"}"));
    assert_non_null(strstr(chunk, "{\"functionName\":\"B\",\"scriptId\":3,\"url\":\"libB\",\"lineNumber\":-1,"
                                  "\"columnNumber\":-1,\"codeType\":\"other\",\"kind\":\"native\",\"lib\":\"libB\"}"));
    assert_non_null(strstr(chunk, "\"lines\":[7,0,9],\"columns\":[0,0,0]"));
    exported_free(&exported);
    profile_free(&profile);
}

static void nodes_of_threads_have_numbers_of_their_own(void **state)
{
    (void)state;
    struct profile profile;
    struct exported exported;
    text_profile_open(&profile);
    name_thread(&profile, text_profile_add_thread(&profile, "A"), "main", "12", "12");
    name_thread(&profile, text_profile_add_thread(&profile, "A"), "worker", "12", "13");
    finish(&profile);
    export_to(&exported, &profile);
    assert_non_null(strstr(data(&exported, "ProfileChunk", 1), "{\"id\":4,\"parent\":3,"));
    assert_non_null(strstr(data(&exported, "ProfileChunk", 1), "\"samples\":[4]"));
    exported_free(&exported);
    profile_free(&profile);
}

enum { MANY = 10000 };

static void long_threads_are_several_chunks_and_each_has_its_new_nodes_only(void **state)
{
    (void)state;
    struct profile profile;
    struct exported exported;
    draw(&profile, "A");
    for (size_t i = 1; i < MANY; i++)
        add_sample(&profile, (double)i);
    finish(&profile);
    export_to(&exported, &profile);
    assert_non_null(strstr(data(&exported, "ProfileChunk", 0), "nodes"));
    assert_null(strstr(data(&exported, "ProfileChunk", 1), "nodes"));
    size_t total = 0;
    const uint8_t *chunk;
    for (uint32_t n = 0; (chunk = find_event(&exported, "ProfileChunk", n)); n++) {
        uint32_t count;
        json_items(json_get(&exported.document,
                            json_get(&exported.document, json_get(&exported.document, chunk, "args"), "data"), "timeDeltas"),
                   &count);
        total += count;
    }
    assert_int_equal(total, MANY);
    exported_free(&exported);
    profile_free(&profile);
}

static void times_before_0_move_everything(void **state)
{
    (void)state;
    struct profile profile;
    struct exported exported;
    draw(&profile, "A");
    add_marker(&profile, "early", -1.5, NAN, NULL);
    add_marker(&profile, "m", 1, NAN, NULL);
    finish(&profile);
    export_to(&exported, &profile);
    assert_non_null(strstr(event(&exported, "Profile", 0), "\"ts\":2000,"));
    assert_non_null(strstr(event(&exported, "early", 0), "\"ts\":500,"));
    assert_non_null(strstr(event(&exported, "m", 0), "\"ts\":3000,"));
    exported_free(&exported);
    profile_free(&profile);
}

/* ---- markers and counters ---- */

static void moments_are_instant_events_with_their_payload(void **state)
{
    (void)state;
    struct profile profile;
    struct exported exported;
    draw(&profile, "A");
    add_marker(&profile, "click", 1.25, NAN, "{\"type\":\"Text\",\"name\":\"button\"}");
    finish(&profile);
    export_to(&exported, &profile);
    assert_string_equal(event(&exported, "click", 0),
                        "{\"ph\":\"I\",\"name\":\"click\",\"cat\":\"Layout\",\"pid\":12,\"tid\":12,\"ts\":1250,\"s\":\"t\","
                        "\"args\":{\"data\":{\"type\":\"Text\",\"name\":\"button\"}}}");
    exported_free(&exported);
    profile_free(&profile);
}

/* What importing it did. */
static void arguments_of_imported_events_are_as_they_were(void **state)
{
    (void)state;
    struct profile profile;
    struct exported exported;
    draw(&profile, "A");
    add_marker(&profile, "Parse", 1, 2,
               "{\"type\":\"Parse\",\"begin.a\":1,\"type2\":\"x\",\"end.a\":2,\"begin.b\":3,\"data.c\":4}");
    finish(&profile);
    export_to(&exported, &profile);
    assert_non_null(strstr(event(&exported, "Parse", 0), "\"args\":{\"data\":{\"type\":\"x\",\"data.c\":4},"
                                                         "\"begin\":{\"a\":1,\"b\":3},\"end\":{\"a\":2}}"));
    exported_free(&exported);
    profile_free(&profile);
}

static void a_thread_of_samples_alone_has_an_event(void **state)
{
    (void)state;
    struct profile profile;
    struct exported exported;
    draw(&profile, "A");
    finish(&profile);
    export_to(&exported, &profile);
    assert_string_equal(event(&exported, "SampledThread", 0), "{\"ph\":\"I\",\"name\":\"SampledThread\",\"cat\":\"sonde\","
                                                              "\"pid\":12,\"tid\":12,\"ts\":0,\"s\":\"t\"}");
    exported_free(&exported);
    profile_free(&profile);
}

static void intervals_are_complete_events_to_the_nanosecond(void **state)
{
    (void)state;
    struct profile profile;
    struct exported exported;
    draw(&profile, "A");
    add_marker(&profile, "work", 1.000001, 2.5, NULL);
    finish(&profile);
    export_to(&exported, &profile);
    assert_string_equal(event(&exported, "work", 0), "{\"ph\":\"X\",\"name\":\"work\",\"cat\":\"Layout\",\"pid\":12,\"tid\":12,"
                                                     "\"ts\":1000.001,\"dur\":1499.999,\"args\":{}}");
    exported_free(&exported);
    profile_free(&profile);
}

/* Viewers drop events of a thread that overlap. */
static void intervals_that_overlap_are_pairs(void **state)
{
    (void)state;
    struct profile profile;
    struct exported exported;
    draw(&profile, "A");
    add_marker(&profile, "inner", 1, 2, NULL);
    add_marker(&profile, "outer", 1, 4, NULL);
    add_marker(&profile, "crossing", 3, 6, "{\"type\":\"Text\"}");
    add_marker(&profile, "after", 4, 5, NULL);
    finish(&profile);
    export_to(&exported, &profile);
    assert_non_null(strstr(event(&exported, "inner", 0), "\"ph\":\"X\""));
    assert_non_null(strstr(event(&exported, "outer", 0), "\"ph\":\"X\""));
    assert_non_null(strstr(event(&exported, "after", 0), "\"ph\":\"X\""));
    assert_string_equal(event(&exported, "crossing", 0),
                        "{\"ph\":\"b\",\"name\":\"crossing\",\"cat\":\"Layout\",\"pid\":12,\"tid\":12,\"ts\":3000,"
                        "\"id\":\"sonde:1\",\"args\":{\"data\":{\"type\":\"Text\"}}}");
    assert_string_equal(event(&exported, "crossing", 1),
                        "{\"ph\":\"e\",\"name\":\"crossing\",\"cat\":\"Layout\",\"pid\":12,\"tid\":12,\"ts\":6000,"
                        "\"id\":\"sonde:1\"}");
    exported_free(&exported);
    profile_free(&profile);
}

static void add_counter(struct profile *profile, const char *name, const char *category)
{
    struct counter *counter = counter_list_add(&profile->counters, &profile->arena);
    assert_non_null(counter);
    counter->name = text(profile, name);
    counter->category = text(profile, category);
    counter->description = text(profile, "");
    counter->pid = text(profile, "12");
    counter->main_thread = thread_at(0);
    for (size_t i = 0; i < 2; i++) {
        column_append_number(&counter->time, (double)i);
        column_append_number(&counter->count, 10 + (double)i);
    }
}

static void counters_are_sums_or_changes_as_they_are_drawn(void **state)
{
    (void)state;
    struct profile profile;
    struct exported exported;
    draw(&profile, "A");
    add_counter(&profile, "malloc", "Memory");
    add_counter(&profile, "processCPU", "CPU");
    finish(&profile);
    export_to(&exported, &profile);
    assert_string_equal(event(&exported, "malloc", 1), "{\"ph\":\"C\",\"name\":\"malloc\",\"cat\":\"Memory\",\"pid\":12,"
                                                       "\"tid\":12,\"ts\":1000,\"args\":{\"value\":21}}");
    assert_non_null(strstr(event(&exported, "processCPU", 1), "\"args\":{\"value\":11}"));
    exported_free(&exported);
    profile_free(&profile);
}

/* ---- failures ---- */

static int attempt(void *profile, struct error *error)
{
    struct byte_sink *sink = byte_sink_memory(error);
    int result = sink ? export_chrome_trace(profile, sink, error) : error->code;
    struct error ignored = {0};
    byte_sink_close(sink, false, &ignored);
    return result;
}

static void an_empty_heap_is_a_clean_error(void **state)
{
    (void)state;
    struct profile profile;
    draw(&profile, "A  A\nB  C");
    add_marker(&profile, "outer", 1, 4, NULL);
    add_marker(&profile, "crossing", 3, 6, "{\"type\":\"Text\"}");
    add_counter(&profile, "malloc", "Memory");
    finish(&profile);
    assert_true(assert_survives_failing_allocations(attempt, &profile) > 10);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_and_threads_have_their_names_and_order),
        cmocka_unit_test(ids_that_are_no_numbers_or_not_unique_become_free_numbers),
        cmocka_unit_test(samples_are_nodes_and_the_microseconds_between_them),
        cmocka_unit_test(stacks_of_the_same_functions_are_one_node),
        cmocka_unit_test(a_sample_without_a_stack_is_one_of_the_root),
        cmocka_unit_test(a_root_that_is_there_is_not_added_again),
        cmocka_unit_test(functions_have_their_file_and_library_and_samples_their_line),
        cmocka_unit_test(nodes_of_threads_have_numbers_of_their_own),
        cmocka_unit_test(long_threads_are_several_chunks_and_each_has_its_new_nodes_only),
        cmocka_unit_test(times_before_0_move_everything),
        cmocka_unit_test(moments_are_instant_events_with_their_payload),
        cmocka_unit_test(arguments_of_imported_events_are_as_they_were),
        cmocka_unit_test(a_thread_of_samples_alone_has_an_event),
        cmocka_unit_test(intervals_are_complete_events_to_the_nanosecond),
        cmocka_unit_test(intervals_that_overlap_are_pairs),
        cmocka_unit_test(counters_are_sums_or_changes_as_they_are_drawn),
        cmocka_unit_test(an_empty_heap_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
