/* Which code was at an address, or had a number, at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rows/code_index.h"

static void add(struct code_index *index, uint64_t start, uint64_t size, const char *name, uint64_t time)
{
    struct code_entry entry = {
        .time = time, .runtime = RUNTIME_V8, .start = start, .size = size, .name = slice_of(name), .file = SLICE("")};
    assert_true(code_index_add(index, &entry));
}

static void move(struct code_index *index, uint64_t from, uint64_t to, uint64_t time)
{
    assert_true(code_index_move(index, &(struct code_moved_entry){time, from, to}));
}

static const char *name_at(const struct code_index *index, uint64_t address, uint64_t time)
{
    uint32_t row = code_index_at(index, address, time);
    return row == INDEX_NONE ? "nothing" : string_table_get(&index->strings, index->rows.items[row].name).text;
}

static void code_is_there_until_other_code_takes_its_place(void **state)
{
    (void)state;
    struct code_index index = {0};
    add(&index, 0x1000, 0x100, "first", 10);
    add(&index, 0x1080, 0x100, "second", 20);
    assert_true(code_index_finish(&index));
    assert_string_equal(name_at(&index, 0x1090, 9), "nothing");
    assert_string_equal(name_at(&index, 0x1090, 19), "first");
    assert_string_equal(name_at(&index, 0x1090, 20), "second");
    assert_string_equal(name_at(&index, 0x1010, 99), "first");
    code_index_free(&index);
}

static void code_that_was_there_before_it_was_told_of_counts_from_the_code_before(void **state)
{
    (void)state;
    struct code_index index = {0};
    struct code_entry there = {.time = 20,
                               .runtime = RUNTIME_V8,
                               .was_there = true,
                               .start = 0x1000,
                               .size = 16,
                               .name = SLICE("there"),
                               .file = SLICE("")};
    add(&index, 0x1000, 8, "before", 10);
    assert_true(code_index_add(&index, &there));
    assert_true(code_index_finish(&index));
    assert_string_equal(name_at(&index, 0x1004, 5), "nothing");
    assert_string_equal(name_at(&index, 0x1004, 15), "before");
    assert_string_equal(name_at(&index, 0x100c, 5), "there");
    code_index_free(&index);
}

static void code_that_moved_is_at_its_new_place_from_then_on(void **state)
{
    (void)state;
    struct code_index index = {0};
    move(&index, 0x3000, 0x4000, 30);
    add(&index, 0x1000, 0x100, "walker", 10);
    move(&index, 0x1000, 0x3000, 20);
    add(&index, 0x1000, 0x100, "successor", 25);
    move(&index, 0x1000, 0x5000, 40);
    move(&index, 0x9000, 0x9900, 50);
    assert_true(code_index_finish(&index));
    assert_string_equal(name_at(&index, 0x3010, 19), "nothing");
    assert_string_equal(name_at(&index, 0x3010, 20), "walker");
    assert_string_equal(name_at(&index, 0x4010, 30), "walker");
    assert_string_equal(name_at(&index, 0x1010, 24), "walker");
    assert_string_equal(name_at(&index, 0x1010, 25), "successor");
    assert_string_equal(name_at(&index, 0x5010, 40), "successor");
    assert_string_equal(name_at(&index, 0x9910, 99), "nothing");
    code_index_free(&index);
}

static void frames_by_number_find_functions_of_their_runtime(void **state)
{
    (void)state;
    struct code_index index = {0};
    struct code_entry entry = {
        .time = 10, .runtime = RUNTIME_HOTSPOT, .start = 7, .name = SLICE("Main.run"), .file = SLICE("Main.java")};
    assert_true(code_index_add(&index, &entry));
    add(&index, 0x1000, 0x100, "bytecode", 10);
    assert_true(code_index_finish(&index));
    struct frame_entry frame = {.kind = FRAME_NUMBERED, .runtime = RUNTIME_HOTSPOT, .address = 7, .position = 12};
    struct code_place place = code_index_frame(&index, &frame, 10);
    assert_int_equal(place.row, 0);
    assert_int_equal(place.offset, 12);
    frame = (struct frame_entry){.kind = FRAME_NUMBERED, .runtime = RUNTIME_V8, .address = 0x1020, .position = 3};
    place = code_index_frame(&index, &frame, 10);
    assert_int_equal(place.row, 1);
    assert_int_equal(place.offset, 0x23);
    frame.address = 7;
    assert_int_equal(code_index_frame(&index, &frame, 10).row, INDEX_NONE);
    code_index_free(&index);
}

static void the_line_is_the_one_that_begins_at_or_before_the_offset(void **state)
{
    (void)state;
    struct code_index index = {0};
    uint8_t bytes[100];
    size_t used = 0;
    struct code_line previous = {0};
    const struct code_line lines[] = {{4, 10}, {8, 7}, {100, 30}};
    for (size_t i = 0; i < 3; i++)
        used += code_line_write(bytes + used, sizeof bytes - used, lines[i], &previous);
    add(&index, 0x1000, 0x100, "without lines", 10);
    struct code_entry entry = {.time = 10,
                               .runtime = RUNTIME_V8,
                               .start = 0x2000,
                               .size = 0x100,
                               .name = SLICE("with lines"),
                               .file = SLICE(""),
                               .lines = {(char *)bytes, used}};
    assert_true(code_index_add(&index, &entry));
    assert_true(code_index_finish(&index));
    assert_int_equal(code_index_line(&index, 0, 8), 0);
    assert_int_equal(code_index_line(&index, 1, 3), 0);
    assert_int_equal(code_index_line(&index, 1, 4), 10);
    assert_int_equal(code_index_line(&index, 1, 99), 7);
    assert_int_equal(code_index_line(&index, 1, 5000), 30);
    assert_int_equal(code_line_write(bytes, sizeof bytes, (struct code_line){99, 1}, &previous), 0);
    code_index_free(&index);
}

static void what_comes_after_the_end_is_left_out(void **state)
{
    (void)state;
    struct code_index index = {0};
    assert_true(code_index_finish(&index));
    add(&index, 0x1000, 0x100, "late", 10);
    move(&index, 0x1000, 0x2000, 20);
    assert_string_equal(name_at(&index, 0x1010, 10), "nothing");
    code_index_free(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_is_there_until_other_code_takes_its_place),
        cmocka_unit_test(code_that_was_there_before_it_was_told_of_counts_from_the_code_before),
        cmocka_unit_test(code_that_moved_is_at_its_new_place_from_then_on),
        cmocka_unit_test(frames_by_number_find_functions_of_their_runtime),
        cmocka_unit_test(the_line_is_the_one_that_begins_at_or_before_the_offset),
        cmocka_unit_test(what_comes_after_the_end_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
