#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/import_text.h"
#include "support/profile_tables.h"
#include "support/same_profile.h"

#include "import/importer.h"
#include "profile/time_span.h"

#include <errno.h>
#include <math.h>

static void load(struct profile *profile, const char *path)
{
    struct error error = {0};
    profile_init(profile);
    if (import_file(path, NULL, profile, &error))
        fail_msg("%s: %s", path, error.message);
}

static void a_recording_of_firefox_gives_what_the_firefox_profiler_makes_of_it(void **state)
{
    (void)state;
    struct profile gecko, processed;
    load(&gecko, TEST_DATA "/gecko1.json.gz");
    load(&processed, TEST_DATA "/gecko1-processed.json.gz");
    assert_same_profile(&gecko, &processed);
    for (size_t i = 0; i < gecko.threads.count; i++)
        assert_true(same_value(&gecko, gecko.threads.items[i].other.bytes.items, &processed,
                               processed.threads.items[i].other.bytes.items));
    profile_free(&gecko);
    profile_free(&processed);
}

/* ---- vectors ---- */

static struct json_document vectors;

static int open_vectors(void **state)
{
    (void)state;
    json_document_open(&vectors, TEST_DATA "/vectors-import.json.gz");
    return 0;
}

static int close_vectors(void **state)
{
    (void)state;
    json_document_close(&vectors);
    return 0;
}

static const uint8_t *gecko_vector(void)
{
    uint32_t count;
    const uint8_t *vector = json_items(json_root(&vectors), &count);
    for (; count > 0; count--, vector = value_skip(vector))
        if (slice_is(json_text(&vectors, json_get(&vectors, vector, "format")), "gecko"))
            return vector;
    fail_msg("no Gecko vector");
    return NULL;
}

static char *vector_input(void)
{
    return json_dump(&vectors, json_get(&vectors, gecko_vector(), "input"), 0);
}

/* Markers as the vector has them: [name, start, end, phase, data with the cause]. */
static void write_marker(struct json_writer *w, const struct profile *profile, const struct raw_marker *marker)
{
    json_write_begin_array(w);
    json_write_string(w, profile_text(profile, marker->name));
    json_write_number(w, marker->start);
    json_write_number(w, marker->end);
    json_write_integer(w, marker->phase);
    if (!marker->data) {
        json_write_null(w);
    } else {
        struct value data = value_read(marker->data);
        const uint8_t *at = data.rest;
        json_write_begin_object(w);
        for (uint32_t i = 0; i < data.count; i++, at = value_skip(at)) {
            json_write_key_slice(w, profile_text(profile, value_read_key(&at)));
            value_to_json(at, &profile->strings, w);
        }
        if (stack_exists(marker->cause_stack)) {
            json_write_key(w, "cause");
            json_write_begin_object(w);
            json_write_key(w, "tid");
            json_write_raw(w, profile_text(profile, marker->cause_tid));
            json_write_key(w, "time");
            json_write_number(w, marker->cause_time);
            json_write_key(w, "stack");
            json_write_integer(w, marker->cause_stack.i);
            json_write_end_object(w);
        }
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

static void write_markers(struct json_writer *w, const struct profile *profile, size_t thread)
{
    const struct marker_table *markers = &profile->threads.items[thread].markers;
    json_write_begin_array(w);
    for (size_t i = 0; i < marker_count(markers); i++) {
        struct raw_marker marker = marker_table_get(markers, marker_at(i));
        write_marker(w, profile, &marker);
    }
    json_write_end_array(w);
}

/* What `write` writes is the text. */
static void assert_written(const struct profile *profile, size_t row, const char *expected,
                           void (*write)(struct json_writer *w, const struct profile *profile, size_t row))
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    struct json_writer *w = json_writer_open(sink, 0, &error);
    write(w, profile, row);
    assert_int_equal(json_writer_close(w), 0);
    assert_int_equal(byte_sink_write(sink, (struct slice){"", 1}, &error), 0);
    assert_string_equal(byte_sink_memory_bytes(sink).text, expected);
    byte_sink_close(sink, true, &error);
}

static void write_counter(struct json_writer *w, const struct profile *profile, size_t row)
{
    const struct counter *counter = &profile->counters.rows.items[row];
    json_write_begin_object(w);
    json_write_key(w, "name");
    json_write_string(w, profile_text(profile, counter->name));
    json_write_key(w, "pid");
    json_write_string(w, profile_text(profile, counter->pid));
    json_write_key(w, "mainThreadIndex");
    json_write_integer(w, counter->main_thread.i);
    json_write_key(w, "timeDeltas");
    json_write_begin_array(w);
    for (size_t i = 0; i < column_count(&counter->time); i++)
        json_write_number(w, column_get_number(&counter->time, i));
    json_write_end_array(w);
    json_write_key(w, "count");
    json_write_begin_array(w);
    for (size_t i = 0; i < column_count(&counter->count); i++)
        json_write_number(w, column_get_number(&counter->count, i));
    json_write_end_array(w);
    json_write_end_object(w);
}

static void assert_vector(const struct profile *profile)
{
    const uint8_t *expected = json_get(&vectors, gecko_vector(), "expected");
    assert_profile_tables(profile, &vectors, expected);
    uint32_t count;
    const uint8_t *thread = json_items(json_get(&vectors, expected, "threads"), &count);
    for (uint32_t i = 0; i < count; i++, thread = value_skip(thread)) {
        char *markers = json_dump(&vectors, json_get(&vectors, thread, "markers"), 0);
        assert_written(profile, i, markers, write_markers);
        memory_release(markers);
    }
    const uint8_t *counter = json_items(json_get(&vectors, expected, "counters"), &count);
    assert_int_equal(profile->counters.rows.count, count);
    for (uint32_t i = 0; i < count; i++, counter = value_skip(counter)) {
        char *text = json_dump(&vectors, counter, 0);
        assert_written(profile, i, text, write_counter);
        memory_release(text);
    }
}

static void the_vector_gives_its_tables_however_it_is_cut(void **state)
{
    (void)state;
    char *input = vector_input();
    for (size_t piece = 0; piece < 30; piece++) {
        struct profile profile;
        struct error error = {0};
        assert_int_equal(import_text(import_profile, slice_of(input), piece, &profile, &error), 0);
        assert_vector(&profile);
        profile_free(&profile);
    }
    memory_release(input);
}

static void the_vector_cut_off_anywhere_is_a_clean_error(void **state)
{
    (void)state;
    char *input = vector_input();
    assert_truncations_are_clean(import_profile, slice_of(input), SIZE_MAX);
    memory_release(input);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char *input = vector_input();
    assert_import_survives_failing_allocations(import_profile, slice_of(input));
    memory_release(input);
}

/* ---- small profiles ---- */

#define META                                                                                                                   \
    "\"meta\":{\"version\":36,\"interval\":1,\"startTime\":100,\"markerSchema\":[{\"name\":\"Flow\",\"display\":[],"           \
    "\"data\":[{\"key\":\"flow\",\"format\":\"flow-id\"},{\"label\":\"Description\",\"value\":\"What it is.\"}]}]}"
#define LIBS                                                                                                                   \
    "\"libs\":[{\"start\":4096,\"end\":8192,\"offset\":0,\"name\":\"a.so\",\"debugName\":\"a.so\",\"breakpadId\":\"A\"}]"
#define SOURCES                                                                                                                \
    "\"sources\":{\"schema\":{\"id\":0,\"filename\":1,\"startLine\":2,\"startColumn\":3},\"data\":[[\"x\",\"s.js\",3,4]]}"
#define COUNTERS                                                                                                               \
    "\"counters\":[{\"name\":\"malloc\",\"samples\":{\"schema\":{\"time\":0,\"count\":1},\"data\":[[1,5]]}},"                  \
    "{\"name\":\"empty\",\"samples\":{\"schema\":{\"time\":0,\"count\":1},\"data\":[]}}]"
#define SAMPLES "\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"eventDelay\":2},\"data\":[[1,1.5,0],[null,2.5]]}"
#define STACKS "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0],[0,1]]}"
#define FRAMES "\"frameTable\":{\"schema\":{\"location\":0,\"relevantForJS\":1},\"data\":[[0,false],[1,true]]}"
#define STRINGS "\"stringTable\":[\"(root)\",\"f (s.js:1:2)[0]\",\"M\",\"0x1010\"]"
#define NAMES "\"name\":\"GeckoMain\",\"processType\":\"default\",\"pid\":7,\"tid\":\"t\""

#define MARKERS(rows)                                                                                                          \
    "\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\":4,\"data\":5},\"data\":[" rows \
    "]}"
#define THREAD(markers) "{" NAMES "," SAMPLES "," markers "," STACKS "," FRAMES "," STRINGS "}"
#define PROFILE(threads) "{" LIBS "," META "," COUNTERS "," SOURCES ",\"threads\":[" threads "]}"
#define ONE_MARKER(payload) PROFILE(THREAD(MARKERS("[2,5,null,0,0," payload "]")))

static void assert_payload(const char *text, const char *expected)
{
    struct profile profile;
    assert_imports(import_profile, slice_of(text), &profile);
    char markers[1000];
    snprintf(markers, sizeof markers, "[[\"M\",5,null,0,%s]]", expected);
    assert_written(&profile, 0, markers, write_markers);
    profile_free(&profile);
}

static void tables_may_come_in_any_order(void **state)
{
    (void)state;
    static const char *const others[] = {
        "{\"threads\":[" THREAD(MARKERS("")) "]," SOURCES "," COUNTERS "," META "," LIBS "}",
        "{" SOURCES "," META "," LIBS ",\"threads\":[{" STRINGS "," FRAMES "," STACKS "," NAMES "," SAMPLES
        "," MARKERS("") "}]," COUNTERS "}",
        "{" META "," LIBS ",\"processes\":[],\"threads\":[" THREAD(MARKERS("")) "]," SOURCES "," COUNTERS "}",
        "{\"processes\":[]," COUNTERS "," LIBS "," META "," SOURCES ",\"threads\":[{" NAMES ","
        "\"samples\":{\"data\":[[0,1,null,1.5],[0,null,null,2.5]],"
        "\"schema\":{\"eventDelay\":0,\"stack\":1,\"responsiveness\":2,\"time\":3}}," MARKERS(
            "") "," STACKS
                ",\"frameTable\":{\"data\":[[0,0],[0,1,true]],\"schema\":{\"location\":1,\"relevantForJS\":2}}," STRINGS "}]}",
    };
    struct profile expected;
    assert_imports(import_profile, SLICE(PROFILE(THREAD(MARKERS("")))), &expected);
    assert_int_equal(expected.counters.rows.count, 1);
    assert_int_equal(func_count(&expected.funcs), 2);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct profile actual;
        assert_imports(import_profile, slice_of(others[i]), &actual);
        if (i == 3) /* the only one that says how long the delay of the second sample was */
            assert_true(column_get_number(&actual.threads.items[0].samples.event_delay, 1) == 0);
        else
            assert_same_profile(&actual, &expected);
        assert_int_equal(stack_count(&actual.stacks), stack_count(&expected.stacks));
        assert_samples(&actual, 0, "1.5 (root);f\n2.5\n");
        profile_free(&actual);
    }
    profile_free(&expected);
}

static void versions_that_cannot_be_read_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } refused[] = {
        {"{\"meta\":{\"version\":23},\"threads\":[]}", "unsupported version 23 of the Gecko format (24 to 36 can be read)"},
        {"{\"meta\":{\"version\":37},\"threads\":[]}", "unsupported version 37 of the Gecko format (24 to 36 can be read)"},
        {"{" LIBS "," META ",\"threads\":[],\"processes\":[{\"meta\":{\"version\":3}}]}",
         "unsupported version 3 of the Gecko format (24 to 36 can be read)"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct profile profile;
        struct error error = {0};
        assert_int_equal(import_text(import_profile, slice_of(refused[i].text), 0, &profile, &error), -ENOTSUP);
        assert_string_equal(error.message, refused[i].message);
        profile_free(&profile);
    }
}

static void older_versions_have_groups_of_counter_samples_and_uuids(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(import_profile,
                   SLICE("{\"meta\":{\"version\":28,\"startTime\":0}," LIBS ",\"counters\":[{\"name\":\"a\",\"sample_groups\":["
                         "{\"id\":0,\"samples\":{\"schema\":{\"time\":0,\"number\":1,\"count\":2},\"data\":[[1,2,3],[4,5,6]]}},"
                         "{\"id\":1}]},{\"name\":\"b\",\"sample_groups\":[]}],\"threads\":[" THREAD(MARKERS("")) "]}"),
                   &profile);
    assert_int_equal(profile.counters.rows.count, 1);
    assert_written(&profile, 0, "{\"name\":\"a\",\"pid\":\"7\",\"mainThreadIndex\":0,\"timeDeltas\":[1,3],\"count\":[3,6]}",
                   write_counter);
    profile_free(&profile);
    assert_imports(import_profile,
                   SLICE("{\"meta\":{\"version\":33,\"startTime\":0}," LIBS
                         ",\"sources\":{\"schema\":{\"uuid\":0,\"filename\":1},"
                         "\"data\":[[\"u\",\"s.js\"]]},\"threads\":[" THREAD(MARKERS("")) "]}"),
                   &profile);
    assert_int_equal(profile.sources.rows.count, 1);
    assert_true(slice_is(profile_text(&profile, profile.sources.rows.items[0].id), "u"));
    profile_free(&profile);
}

static void payloads_are_brought_to_the_form_of_the_profile(void **state)
{
    (void)state;
    assert_payload(ONE_MARKER("{\"type\":\"Flow\",\"flow\":0,\"other\":0}"),
                   "{\"type\":\"Flow\",\"flow\":\"(root)\",\"other\":0}");
    assert_payload(ONE_MARKER("{\"flow\":2,\"type\":\"Flow\"}"), "{\"flow\":\"M\",\"type\":\"Flow\"}");
    assert_payload(ONE_MARKER("{\"type\":\"Flow\",\"flow\":\"text\"}"), "{\"type\":\"Flow\",\"flow\":\"text\"}");
    assert_payload(ONE_MARKER("{\"type\":\"CompositorScreenshot\",\"url\":0}"),
                   "{\"type\":\"CompositorScreenshot\",\"url\":\"(root)\"}");
    assert_payload(ONE_MARKER("{\"type\":\"IPC\",\"otherPid\":12}"), "{\"type\":\"IPC\",\"otherPid\":\"12\"}");
    assert_payload(ONE_MARKER("{\"type\":\"GCSlice\",\"timings\":{\"times\":{\"a\":1.5,\"b\":\"x\"},\"reason\":\"r\"}}"),
                   "{\"type\":\"GCSlice\",\"timings\":{\"reason\":\"r\",\"phase_times\":{\"a\":1500,\"b\":\"x\"}}}");
    assert_payload(ONE_MARKER("{\"type\":\"GCSlice\",\"timings\":{\"slice\":1}}"),
                   "{\"type\":\"GCSlice\",\"timings\":{\"slice\":1,\"phase_times\":{}}}");
    assert_payload(
        ONE_MARKER("{\"type\":\"GCMajor\",\"timings\":{\"status\":\"completed\",\"mmu_20ms\":58,\"totals\":{\"a\":2}}}"),
        "{\"type\":\"GCMajor\",\"timings\":{\"status\":\"completed\",\"mmu_20ms\":0.58,\"phase_times\":{\"a\":2000}}}");
    assert_payload(ONE_MARKER("{\"type\":\"GCMajor\",\"timings\":{\"status\":\"aborted\",\"x\":1}}"),
                   "{\"type\":\"GCMajor\",\"timings\":{\"status\":\"aborted\"}}");
}

static void of_repeated_keys_the_last_one_counts(void **state)
{
    (void)state;
    assert_payload(ONE_MARKER("{\"a\":1,\"b\":{\"c\":2,\"d\":3,\"c\":[4]},\"a\":\"longer\"}"),
                   "{\"a\":\"longer\",\"b\":{\"c\":[4],\"d\":3}}");
    assert_payload(ONE_MARKER("{\"stack\":{\"samples\":{\"data\":[[null]]}},\"stack\":5}"), "{\"stack\":5}");
    assert_refused(import_profile, SLICE(PROFILE("{" NAMES "," NAMES "}")), "occurs twice");
    assert_refused(import_profile, SLICE(ONE_MARKER("{\"type\":\"Flow\",\"flow\":1,\"flow\":2}")), "occurs twice");
}

/* Markers are read with repeated keys allowed, for the sake of their payloads. */
static void markers_are_given_once(void **state)
{
    (void)state;
    assert_refused(import_profile, SLICE(PROFILE(THREAD("\"markers\":{\"data\":[],\"data\":[],\"schema\":{}}"))), "data twice");
    assert_refused(import_profile, SLICE(PROFILE(THREAD("\"markers\":{\"schema\":{},\"data\":[],\"data\":[]}"))), "data twice");
}

static void a_stack_whose_tid_cannot_be_read_is_refused(void **state)
{
    (void)state;
    assert_refused(import_profile, SLICE(ONE_MARKER("{\"stack\":{\"tid\":?}}")), "expected");
}

static void a_stack_without_samples_stays_in_the_payload(void **state)
{
    (void)state;
    assert_payload(ONE_MARKER("{\"stack\":{\"samples\":{\"schema\":{\"stack\":0},\"data\":[]}}}"),
                   "{\"stack\":{\"samples\":{\"schema\":{\"stack\":0},\"data\":[]}}}");
    assert_payload(ONE_MARKER("{\"stack\":{\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[null,3]]}}}"), "{}");
    assert_payload(ONE_MARKER("{\"stack\":{\"tid\":3,\"samples\":{\"schema\":{\"time\":0,\"stack\":1},\"data\":[[3,1]]}}}"),
                   "{\"cause\":{\"tid\":3,\"time\":3,\"stack\":1}}");
}

#define THREAD_WITH_TIMES(rows)                                                                                                \
    "{" NAMES ",\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"eventDelay\":2},\"data\":[" rows                             \
    "]}," MARKERS("") "," STACKS "," FRAMES "," STRINGS "}"

static void assert_times(const char *text, bool ascend, double start, double end)
{
    struct profile profile;
    assert_imports(import_profile, slice_of(text), &profile);
    struct time_span span = profile_time_span(&profile);
    assert_int_equal(profile.threads.items[0].samples.times_ascend, ascend);
    assert_true(span.start == start && span.end == end);
    profile_free(&profile);
}

static void it_is_known_whether_a_time_is_before_the_one_above(void **state)
{
    (void)state;
    assert_times(PROFILE(THREAD_WITH_TIMES("[1,3],[1,5],[1,5],[1,7]")), true, 1, 7); /* the counter begins at 1 */
    assert_times(PROFILE(THREAD_WITH_TIMES("[1,3],[1,9],[1,5]")), false, 1, 9);
    assert_times(PROFILE(THREAD_WITH_TIMES("[1,-3]")), true, -3, 1);
}

static void times_of_child_processes_are_shifted(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(import_profile,
                   SLICE("{" LIBS "," META "," SOURCES ",\"threads\":[" THREAD(
                       MARKERS("")) "],\"processes\":[{"
                                    "\"meta\":{\"version\":36,\"startTime\":110.5,\"shutdownTime\":20}," LIBS "," SOURCES
                                    "," COUNTERS ",\"pausedRanges\":[{\"startTime\":1}],\"threads\":[" THREAD(
                                        MARKERS("[2,5,null,0,0,{\"type\":\"Network\",\"startTime\":1,\"endTime\":\"x\","
                                                "\"connectStart\":2,\"id\":3}]")) "]}]}"),
                   &profile);
    const struct thread *thread = &profile.threads.items[1];
    assert_samples(&profile, 0, "1.5 (root);f\n2.5\n");
    assert_samples(&profile, 1, "12 (root);f\n13\n");
    assert_written(
        &profile, 1,
        "[[\"M\",15.5,null,0,{\"type\":\"Network\",\"startTime\":11.5,\"endTime\":\"x\",\"connectStart\":12.5,\"id\":3}]]",
        write_markers);
    assert_written(&profile, 0, "{\"name\":\"malloc\",\"pid\":\"7\",\"mainThreadIndex\":1,\"timeDeltas\":[11.5],\"count\":[5]}",
                   write_counter);
    assert_true(thread->process_startup_time == 10.5 && thread->process_shutdown_time == 30.5);
    assert_true(thread->register_time == 10.5 && isnan(thread->unregister_time));
    profile_free(&profile);
}

static void allocations_leave_the_markers(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(
        import_profile,
        SLICE(PROFILE(THREAD(MARKERS(
            "[2,9,null,0,0,{\"type\":\"Native allocation\",\"size\":-8,\"memoryAddress\":4096,\"threadId\":3,"
            "\"stack\":{\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[1,9]]}}}],"
            "[2,4,null,0,0,{\"type\":\"JS allocation\",\"className\":\"A\",\"typeName\":\"B\",\"coarseType\":\"C\",\"size\":42,"
            "\"inNursery\":true}],[2,5,6,1,0]")))),
        &profile);
    const struct thread *thread = &profile.threads.items[0];
    const struct allocation_table *js = &thread->js_allocations, *native = &thread->native_allocations;
    assert_int_equal(marker_count(&thread->markers), 1);
    assert_true(js->present && native->present);
    assert_int_equal(allocation_count(js), 1);
    assert_true(column_get_number(&js->time, 0) == 4 && column_get_number(&js->weight, 0) == 42);
    assert_true(column_get(&js->stack, 0) == COLUMN_ABSENT && column_get(&js->in_nursery, 0) == 1);
    assert_true(slice_is(profile_text(&profile, string_at(column_get_index(&js->class_name, 0))), "A"));
    assert_int_equal(allocation_count(native), 1);
    assert_true(allocation_table_is_balanced(native));
    assert_true(column_get_number(&native->weight, 0) == -8 && column_get_number(&native->memory_address, 0) == 4096);
    assert_int_equal(column_get(&native->thread_id, 0), 3);
    assert_int_equal(column_get(&native->stack, 0), 1);
    profile_free(&profile);
}

static void markers_are_sorted_by_their_end_and_stay_in_order_otherwise(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(import_profile,
                   SLICE(PROFILE(THREAD(MARKERS("[2,9,0,2,0],[2,1,7,1,0],[2,7,null,0,0],[2,3,7,1,0],[2,null,2,3,0]")))),
                   &profile);
    assert_written(&profile, 0,
                   "[[\"M\",null,2,3,null],[\"M\",1,7,1,null],[\"M\",7,null,0,null],[\"M\",3,7,1,null],[\"M\",9,0,2,null]]",
                   write_markers);
    profile_free(&profile);
}

static void addresses_of_return_are_taken_back_by_one(void **state)
{
    (void)state;
    struct profile profile;
    /* 0x1010 calls 0x1010 and is sampled itself; 3 is used by nobody */
    assert_imports(import_profile,
                   SLICE(PROFILE("{" NAMES ",\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"eventDelay\":2},"
                                 "\"data\":[[1,1],[2,2]]}," MARKERS(
                                     "") ",\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},"
                                         "\"data\":[[null,0],[0,1],[1,1],[1,0]]},\"frameTable\":{\"schema\":{\"location\":0},"
                                         "\"data\":[[0],[3]]}," STRINGS "}")),
                   &profile);
    assert_int_equal(frame_count(&profile.frames), 3);
    assert_int_equal(frame_table_get(&profile.frames, frame_at(1)).address, 15);
    assert_int_equal(frame_table_get(&profile.frames, frame_at(2)).address, 16);
    assert_int_equal(stack_count(&profile.stacks), 4);
    assert_int_equal(stack_frame(&profile.stacks, stack_at(1)).i, 1); /* walked */
    assert_int_equal(stack_frame(&profile.stacks, stack_at(2)).i, 2); /* sampled */
    assert_int_equal(stack_frame(&profile.stacks, stack_at(3)).i, 2);
    assert_int_equal(stack_prefix(&profile.stacks, stack_at(3)).i, 1);
    assert_samples(&profile, 0, "1 (root);0x1010\n2 (root);0x1010;0x1010\n");
    profile_free(&profile);
}

static void indices_that_point_nowhere_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } refused[] = {
        {PROFILE("{" NAMES "," SAMPLES "," STRINGS "}"), "row 0 of the samples points outside"},
        {PROFILE("{" NAMES "," STACKS "," STRINGS "}"), "row 0 of the stack table points outside"},
        {PROFILE("{" NAMES "," FRAMES "}"), "row 0 of the frame table points outside"},
        {PROFILE("{" NAMES ",\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[0,0]]}," FRAMES "," STRINGS "}"),
         "row 0 of the stack table points outside"},
        {PROFILE("{" NAMES ",\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[-1,0]]}}"), "-1 is no index"},
        {PROFILE("{" NAMES ",\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[4294967296,0]]}}"),
         "4294967296 is no index"},
        {PROFILE("{" NAMES ",\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":99}}}"), "column \"frame\" at position 99"},
        {PROFILE("{" NAMES ",\"stackTable\":{\"data\":[]}}"), "a table without a schema"},
        {PROFILE("{" NAMES ",\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[]}}"), "neither eventDelay nor"},
        {PROFILE(THREAD(MARKERS("[99,1,2,1,0]"))), "marker 0 has no name"},
        {PROFILE(THREAD(MARKERS("[2,1,2,4,0]"))), "marker 0 has no name or no phase"},
        {PROFILE(THREAD(MARKERS("[2,1,2,1,0,{\"type\":\"Flow\",\"flow\":4}]"))), "string 4 of 4"},
        {PROFILE(THREAD(MARKERS("[2,1,2,1,0,{\"stack\":{\"samples\":{\"data\":[[9,1]]}}}]"))),
         "row 0 of the markers points outside"},
        {PROFILE(THREAD(MARKERS("[2,1,2,1,0,{\"stack\":{\"samples\":{\"data\":[[0.5,1]]}}}]"))), "0.5 is no index of a stack"},
        {PROFILE(THREAD(MARKERS("[2,1,2,1,99]"))), "category 99 is not one of"},
        {PROFILE("{\"pid\":1}"), "a thread without a name"},
        {"{" META ",\"threads\":[],\"processes\":[{}]}", "a process without `meta`"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_refused(import_profile, slice_of(refused[i].text), refused[i].message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_of_firefox_gives_what_the_firefox_profiler_makes_of_it),
        cmocka_unit_test(the_vector_gives_its_tables_however_it_is_cut),
        cmocka_unit_test(the_vector_cut_off_anywhere_is_a_clean_error),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(tables_may_come_in_any_order),
        cmocka_unit_test(versions_that_cannot_be_read_are_named),
        cmocka_unit_test(older_versions_have_groups_of_counter_samples_and_uuids),
        cmocka_unit_test(payloads_are_brought_to_the_form_of_the_profile),
        cmocka_unit_test(of_repeated_keys_the_last_one_counts),
        cmocka_unit_test(markers_are_given_once),
        cmocka_unit_test(a_stack_whose_tid_cannot_be_read_is_refused),
        cmocka_unit_test(a_stack_without_samples_stays_in_the_payload),
        cmocka_unit_test(it_is_known_whether_a_time_is_before_the_one_above),
        cmocka_unit_test(times_of_child_processes_are_shifted),
        cmocka_unit_test(allocations_leave_the_markers),
        cmocka_unit_test(markers_are_sorted_by_their_end_and_stay_in_order_otherwise),
        cmocka_unit_test(addresses_of_return_are_taken_back_by_one),
        cmocka_unit_test(indices_that_point_nowhere_are_refused),
    };
    return cmocka_run_group_tests(tests, open_vectors, close_vectors);
}
