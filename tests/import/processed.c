/* Processed profiles: what is read of them, and what is refused. */
#include "import/processed.h"

#include "common/memory.h"
#include "support/failing_alloc.h"
#include "support/import_text.h"
#include "support/json_document.h"
#include "support/profile_dump.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static char *small; /* small.json */
static size_t small_length;

/* ---- reading ---- */

static int read_pieces(struct slice text, size_t piece, struct profile *profile, struct error *error)
{
    profile_init(profile);
    struct byte_source *source = byte_source_memory(text, piece, false, error);
    struct json_reader *r = source ? json_reader_open(source, error) : NULL;
    if (r)
        import_processed(r, profile, error);
    json_reader_close(r);
    byte_source_close(source);
    return error->code;
}

static void read_good(struct slice text, struct profile *profile)
{
    struct error error = {0};
    if (read_pieces(text, 0, profile, &error))
        fail_msg("%s", error.message);
}

/* small.json with `what` replaced by `with`, once; to be given to memory_release(). */
static char *edited(const char *what, const char *with)
{
    const char *at = strstr(small, what);
    if (!at)
        fail_msg("small.json has no %s", what);
    size_t before = (size_t)(at - small), after = small_length - before - strlen(what);
    char *text = memory_array(small_length + strlen(with) + 1, 1);
    assert_non_null(text);
    memcpy(text, small, before);
    memcpy(text + before, with, strlen(with));
    memcpy(text + before + strlen(with), at + strlen(what), after + 1);
    return text;
}

static void read_edited(const char *what, const char *with, struct profile *profile)
{
    char *text = edited(what, with);
    read_good(slice_of(text), profile);
    memory_release(text);
}

static void expect_refused(const char *what, const char *with, const char *message)
{
    char *text = edited(what, with);
    struct profile profile;
    struct error error = {0};
    read_pieces(slice_of(text), 0, &profile, &error);
    if (error.code == 0 || !strstr(error.message, message))
        fail_msg("%s -> %s: expected \"%s\", got \"%s\"", what, with, message, error.message);
    profile_free(&profile);
    memory_release(text);
}

static void expect_text(const struct profile *profile, struct string_index string, const char *expected)
{
    struct slice text = profile_text(profile, string);
    assert_true(string_exists(string));
    assert_int_equal(text.length, strlen(expected));
    assert_memory_equal(text.text, expected, text.length);
}

static const uint8_t *find(const struct profile *profile, const uint8_t *object, const char *key)
{
    return value_find(object, string_table_find(&profile->strings, slice_of(key)));
}

static int load_small(void **state)
{
    (void)state;
    struct slice text = read_test_data(TEST_DATA "/processed/small.json");
    small = (char *)text.text;
    small_length = text.length;
    return 0;
}

static int free_small(void **state)
{
    (void)state;
    memory_release(small);
    return 0;
}

/* ---- what is read ---- */

static void equal_strings_of_the_file_are_one_string(void **state)
{
    (void)state;
    struct profile profile;
    read_good(slice_of(small), &profile);
    assert_int_equal(func_count(&profile.funcs), 3);
    assert_int_equal(func_name(&profile.funcs, func_at(0)).i, func_name(&profile.funcs, func_at(2)).i);
    profile_free(&profile);
}

static void numbers_that_are_names_read_as_javascript_prints_them(void **state)
{
    (void)state;
    struct profile profile;
    read_edited("\"tid\":11,", "\"tid\":1e18,", &profile);
    expect_text(&profile, profile.threads.items[0].tid, "1000000000000000000");
    profile_free(&profile);
}

static void meta_has_typed_fields_and_the_rest(void **state)
{
    (void)state;
    struct profile profile;
    read_good(slice_of(small), &profile);
    assert_true(profile.meta.interval == 1 && profile.meta.start_time == 5);
    assert_true(isnan(profile.meta.profiling_start_time));
    assert_true(profile.meta.symbolicated);
    assert_int_equal(profile.meta.cpu_unit, CPU_NANOSECONDS);
    expect_text(&profile, profile.meta.product, "Small");
    assert_non_null(find(&profile, profile.meta.whole.bytes.items, "extra"));
    assert_null(find(&profile, profile.meta.whole.bytes.items, "categories"));
    profile_free(&profile);
}

static void fields_that_are_string_indices_become_strings(void **state)
{
    (void)state;
    struct profile profile;
    read_good(slice_of(small), &profile);
    const struct marker_table *markers = &profile.threads.items[0].markers;
    struct raw_marker first = marker_table_get(markers, marker_at(0)), late = marker_table_get(markers, marker_at(2));
    struct raw_marker screenshot = marker_table_get(markers, marker_at(3));
    expect_text(&profile, value_read(find(&profile, first.data, "name")).string, "by index");
    expect_text(&profile, value_read(find(&profile, late.data, "name")).string, "by index");
    expect_text(&profile, value_read(find(&profile, screenshot.data, "url")).string, "image");
    profile_free(&profile);
}

static void a_number_that_is_no_string_index_stays_a_number(void **state)
{
    (void)state;
    struct profile profile;
    read_edited("\"Unique\",\"name\":5", "\"Unique\",\"name\":500", &profile);
    struct raw_marker marker = marker_table_get(&profile.threads.items[0].markers, marker_at(0));
    struct value value = value_read(find(&profile, marker.data, "name"));
    assert_int_equal(value.kind, VALUE_INTEGER);
    assert_int_equal(value.integer, 500);
    profile_free(&profile);
}

static void the_cause_of_a_marker_has_columns_of_its_own(void **state)
{
    (void)state;
    struct profile profile;
    read_good(slice_of(small), &profile);
    struct raw_marker marker = marker_table_get(&profile.threads.items[0].markers, marker_at(0));
    assert_null(find(&profile, marker.data, "cause"));
    assert_int_equal(marker.cause_stack.i, 1);
    assert_true(marker.cause_time == 0.5);
    expect_text(&profile, marker.cause_tid, "11");
    profile_free(&profile);
}

static void what_is_unknown_is_kept(void **state)
{
    (void)state;
    struct profile profile;
    read_good(slice_of(small), &profile);
    assert_non_null(find(&profile, profile.other.bytes.items, "unknown"));
    assert_non_null(find(&profile, profile.threads.items[0].other.bytes.items, "eTLD+1"));
    const uint8_t *tracer = find(&profile, profile.threads.items[0].other.bytes.items, "jsTracer");
    struct value events = value_read(find(&profile, tracer, "events"));
    expect_text(&profile, value_read(events.rest).string, "run");
    assert_true(profile.pages.bytes.count > 0);
    profile_free(&profile);
}

static void time_wins_over_deltas(void **state)
{
    (void)state;
    struct profile profile;
    read_edited("\"timeDeltas\":[1.5,1,1]", "\"timeDeltas\":[1.5,1,1],\"time\":[7,8,9]", &profile);
    double times[3];
    sample_table_read_times(&profile.threads.items[0].samples, times);
    assert_true(times[0] == 7 && times[1] == 8 && times[2] == 9);
    profile_free(&profile);
}

static void a_longer_column_is_cut_to_the_length(void **state)
{
    (void)state;
    struct profile profile;
    read_edited("\"weight\":[1,2,3]", "\"weight\":[1,2,3,4,5]", &profile);
    assert_int_equal(column_count(&profile.threads.items[0].samples.weight), 3);
    assert_int_equal(sample_count(&profile.threads.items[1].samples), 0);
    assert_int_equal(column_count(&profile.threads.items[1].samples.time), 0);
    profile_free(&profile);
}

static void without_categories_there_are_the_usual_ones(void **state)
{
    (void)state;
    struct profile profile;
    read_good(
        SLICE("{\"meta\":{\"preprocessedProfileVersion\":70},\"libs\":[],\"shared\":{\"stringArray\":[]},\"threads\":[]}"),
        &profile);
    assert_int_equal(profile.categories.rows.count, 8);
    profile_free(&profile);
}

/* The parts of small.json in the order `order`, as a document. */
static char *reordered(const char *const *order, size_t count)
{
    struct json_document document;
    json_document_parse(&document, slice_of(small));
    char *text = memory_array(small_length * 2, 1);
    size_t length = 0;
    assert_non_null(text);
    for (size_t i = 0; i < count; i++) {
        char *part = json_dump(&document, json_get(&document, json_root(&document), order[i]), 0);
        length += (size_t)sprintf(text + length, "%c\"%s\":%s", i == 0 ? '{' : ',', order[i], part);
        memory_release(part);
    }
    strcpy(text + length, "}");
    json_document_close(&document);
    return text;
}

static void the_order_of_keys_does_not_matter(void **state)
{
    (void)state;
    static const char *const orders[][8] = {
        {"meta", "libs", "pages", "counters", "shared", "threads", "profilerOverhead", "unknown"},
        {"threads", "shared", "counters", "libs", "pages", "meta", "profilerOverhead", "unknown"},
        {"meta", "threads", "counters", "shared", "pages", "libs", "profilerOverhead", "unknown"},
        {"counters", "shared", "meta", "threads", "libs", "pages", "profilerOverhead", "unknown"},
    };
    struct profile expected, profile;
    read_good(slice_of(small), &expected);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        char *text = reordered(orders[i], 8);
        read_good(slice_of(text), &profile);
        assert_same_tables(&profile, &expected, DUMP_ALL);
        profile_free(&profile);
        memory_release(text);
    }
    profile_free(&expected);
}

static void the_cut_of_the_input_does_not_matter(void **state)
{
    (void)state;
    struct profile expected, profile;
    read_good(slice_of(small), &expected);
    for (size_t piece = 1; piece < 20; piece += 3) {
        struct error error = {0};
        assert_int_equal(read_pieces(slice_of(small), piece, &profile, &error), 0);
        assert_same_tables(&profile, &expected, DUMP_ALL);
        profile_free(&profile);
    }
    profile_free(&expected);
}

/* ---- what is refused ---- */

static void other_versions_are_refused_by_number(void **state)
{
    (void)state;
    expect_refused("Version\":70", "Version\":49", "unsupported version 49 of the processed format (50 to 75 can be read)");
    expect_refused("Version\":70", "Version\":76", "unsupported version 76 of the processed format (50 to 75 can be read)");
    expect_refused("Version\":70", "Version\":60.5", "unsupported version 60.5");
    expect_refused("preprocessedProfileVersion", "version", "meta has no preprocessedProfileVersion");
}

static void a_shorter_column_is_named(void **state)
{
    (void)state;
    expect_refused("\"stack\":[1,null,2]", "\"stack\":[1,null]", "samples.stack has 2 rows, but the table's length is 3");
    expect_refused("\"func\":[0,1,2]", "\"func\":[0,1]", "frameTable.func has 2 rows, but the table's length is 3");
    expect_refused("\"line\":[7,8,null]", "\"line\":[7]", "frameTable.line has 1 rows");
    expect_refused("\"name\":[4,4,5,4],", "\"name\":[4],", "markers.name has 1 rows, but the table's length is 4");
    expect_refused("\"frame\":[0,1,2],", "", "stackTable has no column frame");
    expect_refused("\"length\":4", "\"length\":4000000000000000", "markers.");
    expect_refused("\"length\":4", "\"length\":-1", "markers.length is negative");
}

static void indices_out_of_range_are_named(void **state)
{
    (void)state;
    expect_refused("\"frame\":[0,1,2]", "\"frame\":[0,1,3]", "stack row 2: frame 3 is not one of 3");
    expect_refused("\"prefixOffset\":[0,1,2]", "\"prefixOffset\":[0,2,2]", "stack 1 does not stand after");
    expect_refused("\"prefixOffset\":[0,1,2]", "\"prefixOffset\":[0,-1,2]", "stack 1 does not stand after");
    expect_refused("\"func\":[0,1,2]", "\"func\":[0,1,3]", "frameTable row 2: func 3 is not one of 3");
    expect_refused("\"func\":[0,1,2]", "\"func\":[0,1,null]", "frameTable row 2 has no func");
    expect_refused("\"lib\":[0,-1,-1]", "\"lib\":[1,-1,-1]", "frame row 0: lib 1 is not one of 1");
    expect_refused("\"category\":[0,1,null]", "\"category\":[0,2,null]", "frameTable row 1: category 2 is not one of 2");
    expect_refused("\"subcategory\":[0,1,null]", "\"subcategory\":[0,2,null]",
                   "frameTable row 1: subcategory 2 is not one of 2");
    expect_refused("\"nativeSymbol\":[0,", "\"nativeSymbol\":[1,", "frameTable row 0: nativeSymbol 1 is not one of 1");
    expect_refused("\"name\":[0,1,6]", "\"name\":[0,1,8]", "funcTable row 2: 8 is not one of 8 strings");
    expect_refused("\"resource\":[0,", "\"resource\":[1,", "funcTable row 0: resource 1 is not one of 1");
    expect_refused("\"source\":[null,0", "\"source\":[null,1", "funcTable row 1: source 1 is not one of 1");
    expect_refused("\"originalLocation\":[null,0", "\"originalLocation\":[null,1", "originalLocation 1 is not one of 1");
    expect_refused("\"source\":[0]", "\"source\":[1]", "sourceLocationTable row 0: source 1 is not one of 1");
    expect_refused("\"libIndex\":[0]", "\"libIndex\":[1]", "native symbol row 0: lib 1 is not one of 1");
    expect_refused("\"stack\":[1,null,2]", "\"stack\":[1,null,3]", "thread 0, sample row 2: stack 3 is not one of 3");
    expect_refused("\"name\":[4,4,5,4]", "\"name\":[4,4,5,8]", "markers row 3: 8 is not one of 8 strings");
    expect_refused("\"phase\":[1,0,0,0]", "\"phase\":[1,0,0,4]", "thread 0, marker row 3: phase 4 is not one of 4");
    expect_refused("\"time\":0.5,\"stack\":1", "\"time\":0.5,\"stack\":3", "thread 0, marker row 0: stack 3 is not one of 3");
    expect_refused("\"stack\":[0,null]", "\"stack\":[9,null]", "native allocation row 0: stack 9 is not one of 3");
    expect_refused("\"mainThreadIndex\":0", "\"mainThreadIndex\":2", "counter 0: main thread 2 is not one of 2");
    expect_refused("\"events\":[1,4]", "\"events\":[1,8]", "jsTracer row 1: 8 is not one of 8 strings");
}

static void shapes_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    expect_refused("\"weightType\":\"samples\"", "\"weightType\":\"apples\"", "unknown weightType");
    expect_refused("\"func\":[0,1,2]", "\"func\":{}", "at byte");
    expect_refused("\"func\":[0,1,2]", "\"func\":[0,1.5,2]", "whole number");
    expect_refused("\"threads\"", "\"fibers\"", "there are no `threads`");
    expect_refused("\"meta\"", "\"mate\"", "there is no `meta`");
    expect_refused("\"timeDeltas\":[1.5,1,1],", "", "neither time nor timeDeltas");
}

static void errors_in_parts_that_are_read_later_say_where_they_are(void **state)
{
    (void)state;
    struct profile profile;
    struct error error = {0};
    read_pieces(SLICE("{\"threads\":[{\"samples\":{\"stack\":[true],\"length\":1}}],\"shared\":{\"stringArray\":[]},"
                      "\"meta\":{\"preprocessedProfileVersion\":70}}"),
                0, &profile, &error);
    assert_true(error.code < 0);
    assert_non_null(strstr(error.message, "of the part that starts at byte 11"));
    profile_free(&profile);
}

/* ---- damaged input ---- */

static void a_cut_at_every_byte_gives_an_error(void **state)
{
    (void)state;
    size_t end = small_length;
    while (small[end - 1] == '\n')
        end--;
    for (size_t length = 0; length < end; length++) {
        struct profile profile;
        struct error error = {0};
        /* A copy of its own, so that reading past the end is seen. */
        char *cut = malloc(length + 1);
        memcpy(cut, small, length);
        assert_true(read_pieces((struct slice){cut, length}, 0, &profile, &error) < 0);
        assert_true(error.message[0] != '\0');
        profile_free(&profile);
        free(cut);
    }
}

/* Any byte replaced by another one: an error or a profile, never anything else. */
static void a_wrong_byte_is_survived(void **state)
{
    (void)state;
    static const char bytes[] = "0-9\"[]{},:.eantf \\";
    char *text = edited("Small", "Small");
    unsigned read = 0;
    for (size_t i = 0; i < small_length; i++) {
        struct profile profile;
        struct error error = {0};
        char byte = text[i];
        text[i] = bytes[i % (sizeof bytes - 1)];
        read += read_pieces(slice_of(text), 0, &profile, &error) == 0;
        profile_free(&profile);
        text[i] = byte;
    }
    assert_in_range(read, 1, small_length - 1);
    memory_release(text);
}

static int attempt(void *data, struct error *error)
{
    struct profile profile;
    int result = read_pieces(slice_of(data), 0, &profile, error);
    profile_free(&profile);
    return result;
}

static void an_empty_heap_is_a_clean_error(void **state)
{
    (void)state;
    static const char *const late[] = {"threads", "shared", "counters", "libs", "pages", "meta", "profilerOverhead", "unknown"};
    assert_true(assert_survives_failing_allocations(attempt, small) > 20);
    char *text = reordered(late, 8);
    assert_true(assert_survives_failing_allocations(attempt, text) > 20);
    memory_release(text);
}

static void an_empty_heap_is_a_clean_error_with_old_versions(void **state)
{
    (void)state;
    struct json_document fixture;
    json_document_open(&fixture, TEST_DATA "/processed/versions.json");
    char *text = json_dump(&fixture, json_item(json_root(&fixture), 0), 0);
    assert_true(assert_survives_failing_allocations(attempt, text) > 20);
    memory_release(text);
    json_document_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_strings_of_the_file_are_one_string),
        cmocka_unit_test(numbers_that_are_names_read_as_javascript_prints_them),
        cmocka_unit_test(meta_has_typed_fields_and_the_rest),
        cmocka_unit_test(fields_that_are_string_indices_become_strings),
        cmocka_unit_test(a_number_that_is_no_string_index_stays_a_number),
        cmocka_unit_test(the_cause_of_a_marker_has_columns_of_its_own),
        cmocka_unit_test(what_is_unknown_is_kept),
        cmocka_unit_test(time_wins_over_deltas),
        cmocka_unit_test(a_longer_column_is_cut_to_the_length),
        cmocka_unit_test(without_categories_there_are_the_usual_ones),
        cmocka_unit_test(the_order_of_keys_does_not_matter),
        cmocka_unit_test(the_cut_of_the_input_does_not_matter),
        cmocka_unit_test(other_versions_are_refused_by_number),
        cmocka_unit_test(a_shorter_column_is_named),
        cmocka_unit_test(indices_out_of_range_are_named),
        cmocka_unit_test(shapes_that_make_no_sense_are_refused),
        cmocka_unit_test(errors_in_parts_that_are_read_later_say_where_they_are),
        cmocka_unit_test(a_cut_at_every_byte_gives_an_error),
        cmocka_unit_test(a_wrong_byte_is_survived),
        cmocka_unit_test(an_empty_heap_is_a_clean_error),
        cmocka_unit_test(an_empty_heap_is_a_clean_error_with_old_versions),
    };
    return cmocka_run_group_tests(tests, load_small, free_small);
}
