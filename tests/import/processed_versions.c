/* The same profile in every version of the processed format. tests/data/processed/make_versions.py wrote the fixture. */
#include "import/processed.h"

#include "common/memory.h"
#include "support/json_document.h"
#include "support/profile_dump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { OLDEST = 50, NEWEST = 75, VERSIONS = NEWEST - OLDEST + 1 };

static char *documents[VERSIONS];

static int load_fixture(void **state)
{
    (void)state;
    struct json_document fixture;
    json_document_open(&fixture, TEST_DATA "/processed/versions.json");
    uint32_t count;
    const uint8_t *at = json_items(json_root(&fixture), &count);
    assert_int_equal(count, VERSIONS);
    for (uint32_t i = 0; i < count; i++, at = value_skip(at))
        documents[i] = json_dump(&fixture, at, 0);
    json_document_close(&fixture);
    return 0;
}

static int free_fixture(void **state)
{
    (void)state;
    for (size_t i = 0; i < VERSIONS; i++)
        memory_release(documents[i]);
    return 0;
}

static void read_version(int version, struct profile *profile)
{
    struct error error = {0};
    struct byte_source *source = byte_source_memory(slice_of(documents[version - OLDEST]), 0, false, &error);
    struct json_reader *r = json_reader_open(source, &error);
    profile_init(profile);
    if (import_processed(r, profile, &error))
        fail_msg("version %d: %s", version, error.message);
    json_reader_close(r);
    byte_source_close(source);
}

static void every_version_reads_as_the_same_profile(void **state)
{
    (void)state;
    struct profile newest, profile;
    read_version(NEWEST, &newest);
    char *expected = profile_dump(&newest, DUMP_NO_IMPLEMENTATION | DUMP_NO_DISPLAY);
    for (int version = OLDEST; version <= NEWEST; version++) {
        read_version(version, &profile);
        char *actual = profile_dump(&profile, DUMP_NO_IMPLEMENTATION | DUMP_NO_DISPLAY);
        if (strcmp(actual, expected) != 0)
            print_error("version %d:\n", version);
        assert_same_dump(actual, expected);
        memory_release(actual);
        profile_free(&profile);
    }
    memory_release(expected);
    profile_free(&newest);
}

static void expect_text(const struct profile *profile, struct string_index string, const char *expected)
{
    struct slice text = profile_text(profile, string);
    assert_int_equal(text.length, strlen(expected));
    assert_memory_equal(text.text, expected, text.length);
}

static void implementations_become_subcategories_and_stay_readable(void **state)
{
    (void)state;
    struct profile profile;
    read_version(53, &profile);
    const struct category *js = &profile.categories.rows.items[1];
    assert_int_equal(js->subcategories.count, 3);
    expect_text(&profile, js->subcategories.items[1], "JIT (baseline)");
    expect_text(&profile, js->subcategories.items[2], "JIT (ion)");
    struct frame frame = frame_table_get(&profile.frames, frame_at(3));
    assert_int_equal(frame.category.i, 1);
    assert_int_equal(frame.subcategory, 2);
    expect_text(&profile, frame.implementation, "ion");
    profile_free(&profile);
}

static void funcs_of_threads_are_merged_in_the_order_of_the_file(void **state)
{
    (void)state;
    static const char *const names[] = {"main", "label", "run", "leaf", "other"};
    struct profile profile;
    read_version(50, &profile);
    assert_int_equal(func_count(&profile.funcs), 5);
    for (size_t i = 0; i < 5; i++)
        expect_text(&profile, func_name(&profile.funcs, func_at(i)), names[i]);
    assert_int_equal(frame_count(&profile.frames), 8);
    assert_int_equal(frame_func(&profile.frames, frame_at(7)).i, 2);
    assert_int_equal(stack_count(&profile.stacks), 9);
    assert_int_equal(stack_prefix(&profile.stacks, stack_at(8)).i, 7);
    assert_int_equal(column_get(&profile.threads.items[1].samples.stack, 0), 8);
    profile_free(&profile);
}

static void libraries_move_from_resources_to_frames(void **state)
{
    (void)state;
    struct profile profile;
    read_version(69, &profile);
    assert_int_equal(frame_table_get(&profile.frames, frame_at(0)).lib.i, 0);
    assert_false(lib_exists(frame_table_get(&profile.frames, frame_at(1)).lib));
    assert_int_equal(frame_table_get(&profile.frames, frame_at(4)).lib.i, 1);
    profile_free(&profile);
}

static void flags_say_which_cells_count(void **state)
{
    (void)state;
    struct profile profile;
    read_version(75, &profile);
    struct frame label = frame_table_get(&profile.frames, frame_at(1));
    assert_true(label.address == COLUMN_ABSENT);
    assert_false(category_exists(label.category));
    assert_int_equal(label.line, INDEX_NONE);
    assert_int_equal(frame_table_get(&profile.frames, frame_at(4)).inline_depth, 1);
    struct func func = func_table_get(&profile.funcs, func_at(1));
    assert_true(func.relevant_for_js);
    assert_false(func.is_js);
    assert_false(resource_exists(func.resource));
    assert_false(source_exists(func.source));
    assert_true(native_symbol_get(&profile.native_symbols, native_symbol_at(1)).size == COLUMN_ABSENT);
    profile_free(&profile);
}

static void a_counter_keeps_its_colour(void **state)
{
    (void)state;
    struct profile profile;
    read_version(61, &profile);
    const struct counter *counter = &profile.counters.rows.items[0];
    const uint8_t *color = value_find(counter->display.bytes.items, string_table_find(&profile.strings, SLICE("color")));
    assert_non_null(color);
    expect_text(&profile, value_read(color).string, "red");
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_reads_as_the_same_profile),
        cmocka_unit_test(implementations_become_subcategories_and_stay_readable),
        cmocka_unit_test(funcs_of_threads_are_merged_in_the_order_of_the_file),
        cmocka_unit_test(libraries_move_from_resources_to_frames),
        cmocka_unit_test(flags_say_which_cells_count),
        cmocka_unit_test(a_counter_keeps_its_colour),
    };
    return cmocka_run_group_tests(tests, load_fixture, free_fixture);
}
