/* What is read and written again is the same profile, and the version is the oldest that can hold it. */
#include "import/processed.h"
#include "export/exporter.h"

#include "common/memory.h"
#include "support/failing_alloc.h"
#include "support/json_document.h"
#include "support/profile_dump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static int read_source(struct byte_source *source, struct profile *profile, struct error *error)
{
    profile_init(profile);
    struct json_reader *r = source ? json_reader_open(source, error) : NULL;
    if (r)
        import_processed(r, profile, error);
    json_reader_close(r);
    byte_source_close(source);
    return error->code;
}

static void read_text(struct slice text, struct profile *profile)
{
    struct error error = {0};
    if (read_source(byte_source_memory(text, 0, false, &error), profile, &error))
        fail_msg("%s", error.message);
}

static void read_file(const char *path, struct profile *profile)
{
    struct error error = {0};
    if (read_source(byte_source_open(path, NULL, &error), profile, &error))
        fail_msg("%s: %s", path, error.message);
}

static struct byte_sink *written(const struct profile *profile)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    assert_non_null(sink);
    if (export_processed(profile, sink, &error))
        fail_msg("%s", error.message);
    return sink;
}

static void close_sink(struct byte_sink *sink)
{
    struct error error = {0};
    byte_sink_close(sink, false, &error);
}

static int version_written(const struct profile *profile)
{
    struct byte_sink *sink = written(profile);
    struct json_document document;
    json_document_parse(&document, byte_sink_memory_bytes(sink));
    const uint8_t *meta = json_get(&document, json_root(&document), "meta");
    int version = (int)json_u32(json_get(&document, meta, "preprocessedProfileVersion"));
    json_document_close(&document);
    close_sink(sink);
    return version;
}

static void expect_round_trip(const struct profile *profile, unsigned omissions)
{
    struct profile again;
    struct byte_sink *sink = written(profile);
    read_text(byte_sink_memory_bytes(sink), &again);
    assert_same_tables(&again, profile, omissions);
    profile_free(&again);
    close_sink(sink);
}

/* ---- round trips ---- */

static void everything_a_profile_can_have_comes_back(void **state)
{
    (void)state;
    struct profile profile;
    read_file(TEST_DATA "/processed/small.json", &profile);
    expect_round_trip(&profile, DUMP_NO_DISPLAY); /* its counter gets the one it had not */
    profile_free(&profile);
}

/* The displays of its counters are what every reader gives them, so none is written. */
static void a_real_profile_comes_back(void **state)
{
    (void)state;
    struct profile profile;
    read_file(TEST_DATA "/gecko1-processed.json.gz", &profile);
    expect_round_trip(&profile, DUMP_NO_DISPLAY);
    profile_free(&profile);
}

/* How scripts ran is not in versions that have no column for it; the subcategories that stand for it are. */
static void profiles_of_every_version_come_back(void **state)
{
    (void)state;
    struct json_document fixture;
    json_document_open(&fixture, TEST_DATA "/processed/versions.json");
    uint32_t count;
    const uint8_t *at = json_items(json_root(&fixture), &count);
    for (uint32_t i = 0; i < count; i++, at = value_skip(at)) {
        struct profile profile;
        char *text = json_dump(&fixture, at, 0);
        read_text(slice_of(text), &profile);
        expect_round_trip(&profile, DUMP_NO_IMPLEMENTATION | (i == 62 - 50 ? DUMP_NO_DISPLAY : DUMP_ALL));
        profile_free(&profile);
        memory_release(text);
    }
    assert_int_equal(count, 26);
    json_document_close(&fixture);
}

/* Calls `check` for each profile of a file of vectors; how many there were. */
static uint32_t for_each_vector(const char *path, void (*check)(const struct profile *profile))
{
    struct json_document vectors;
    json_document_open(&vectors, path);
    uint32_t count, profiles = 0;
    const uint8_t *at = json_items(json_root(&vectors), &count);
    for (uint32_t i = 0; i < count; i++, at = value_skip(at)) {
        const uint8_t *embedded = json_find(&vectors, at, "profile");
        if (!embedded)
            continue;
        struct profile profile;
        char *text = json_dump(&vectors, embedded, 0);
        read_text(slice_of(text), &profile);
        check(&profile);
        profile_free(&profile);
        memory_release(text);
        profiles++;
    }
    json_document_close(&vectors);
    return profiles;
}

static void check_round_trip(const struct profile *profile)
{
    expect_round_trip(profile, DUMP_ALL);
}

static void profiles_of_call_tree_vectors_come_back(void **state)
{
    (void)state;
    assert_true(for_each_vector(TEST_DATA "/vectors-handmade.json.gz", check_round_trip) > 200);
    assert_true(for_each_vector(TEST_DATA "/vectors-random.json.gz", check_round_trip) > 200);
}

static void only_strings_that_are_used_are_written(void **state)
{
    (void)state;
    struct profile profile;
    read_file(TEST_DATA "/processed/small.json", &profile);
    struct byte_sink *sink = written(&profile);
    struct json_document document;
    json_document_parse(&document, byte_sink_memory_bytes(sink));
    uint32_t count;
    json_items(json_get(&document, json_get(&document, json_root(&document), "shared"), "stringArray"), &count);
    assert_int_equal(count, 7); /* "main" was there twice */
    json_document_close(&document);
    close_sink(sink);
    profile_free(&profile);
}

/* ---- versions ---- */

static const char plain_start[] = "{\"meta\":{\"preprocessedProfileVersion\":70,\"interval\":1,\"startTime\":0,"
                                  "\"symbolicated\":true,\"processType\":0,\"stackwalk\":1,\"debug\":false,\"version\":36,"
                                  "\"markerSchema\":[";
#define LIB(name)                                                                                                              \
    "{\"name\":\"" name "\",\"path\":\"\",\"debugName\":\"\",\"debugPath\":\"\",\"breakpadId\":\"\",\"arch\":\"\"}"
static const char plain_counters[] = "]},\"libs\":[" LIB("a") "," LIB("b") "],\"counters\":[";
static const char plain_shared[] =
    "],\"shared\":{\"stringArray\":[\"main\",\"lib\"],"
    "\"stackTable\":{\"frame\":[0,1],\"prefixOffset\":[0,1],\"length\":2},"
    "\"resourceTable\":{\"name\":[1],\"type\":[1],\"length\":1},"
    "\"funcTable\":{\"name\":[0,1],\"resource\":[0,0],\"length\":2},\"frameTable\":{\"func\":[0,1],\"lib\":";
static const char plain_sources[] = ",\"length\":2},\"sources\":{\"filename\":[0],";
static const char plain_end[] = "\"length\":1}},\"threads\":[]}";

static const char counted_thread[] =
    "{\"name\":\"main\",\"processType\":\"default\",\"pid\":\"1\",\"tid\":1,\"pausedRanges\":[],"
    "\"samples\":{\"stack\":[],\"time\":[],\"length\":0}}";

/* The version of a profile with these schemas, counters, libraries of its two frames, and columns of its source. */
static int version_of(const char *schemas, const char *counters, const char *libs, const char *source)
{
    char text[4000];
    struct profile profile;
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s%s%s", plain_start, schemas, plain_counters, counters, plain_shared, libs,
             plain_sources, source, plain_end);
    /* Counters point at threads. */
    if (counters[0])
        snprintf(text + strlen(text) - 2, 400, "%s]}", counted_thread);
    read_text(slice_of(text), &profile);
    int version = version_written(&profile);
    expect_round_trip(&profile, DUMP_NO_DISPLAY);
    profile_free(&profile);
    return version;
}

#define COUNTER(display)                                                                                                       \
    "{\"name\":\"c\",\"category\":\"Memory\",\"description\":\"\",\"pid\":\"1\",\"mainThreadIndex\":0,\"display\":" display    \
    ",\"samples\":{\"time\":[1],\"count\":[1],\"length\":1}}"

static void the_version_is_the_oldest_that_holds_the_profile(void **state)
{
    (void)state;
    assert_int_equal(version_of("", "", "[0,0]", ""), 60);
    assert_int_equal(version_of("", "", "[-1,-1]", "\"id\":[\"uuid\"],"), 60);
    assert_int_equal(version_of("", "", "[0,0]", "\"startLine\":[2],"), 61);
    assert_int_equal(version_of("", "", "[0,0]", "\"sourceMapURL\":[0],"), 61);
    assert_int_equal(version_of("", COUNTER("{\"unit\":\"x\",\"label\":\"y\"}"), "[0,0]", ""), 62);
    assert_int_equal(version_of("", COUNTER("{\"unit\":\"x\",\"tooltipRows\":[]}"), "[0,0]", ""), 63);
    assert_int_equal(version_of("", "", "[0,0]", "\"content\":[\"text\"],"), 64);
    assert_int_equal(version_of("{\"name\":\"Network\",\"display\":[],\"fields\":[]}", "", "[0,0]", ""), 69);
    assert_int_equal(version_of("{\"name\":\"Network\",\"display\":[\"timeline-network\"],\"fields\":[]}", "", "[0,0]", ""),
                     60);
    assert_int_equal(version_of("", "", "[0,1]", ""), 70);
    assert_int_equal(version_of("", "", "[0,-1]", ""), 70);
}

/* ---- an empty heap ---- */

static int attempt(void *data, struct error *error)
{
    struct byte_sink *sink = byte_sink_memory(error);
    int result = sink ? export_processed(data, sink, error) : error->code;
    struct error ignored = {0};
    byte_sink_close(sink, false, &ignored);
    return result;
}

static void an_empty_heap_is_a_clean_error(void **state)
{
    (void)state;
    struct profile profile;
    read_file(TEST_DATA "/processed/small.json", &profile);
    assert_true(assert_survives_failing_allocations(attempt, &profile) > 3);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_a_profile_can_have_comes_back),
        cmocka_unit_test(a_real_profile_comes_back),
        cmocka_unit_test(profiles_of_every_version_come_back),
        cmocka_unit_test(profiles_of_call_tree_vectors_come_back),
        cmocka_unit_test(only_strings_that_are_used_are_written),
        cmocka_unit_test(the_version_is_the_oldest_that_holds_the_profile),
        cmocka_unit_test(an_empty_heap_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
