#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_entry.h"
#include "session/format.h"

enum { ROUNDS = 300 };
static uint8_t bytes[ENTRY_MAX], again[ENTRY_MAX];

static struct slice slice_of_bytes(const uint8_t *start, size_t length)
{
    return (struct slice){(const char *)start, length};
}

static void entries_of_every_kind_read_back_the_same(void **state)
{
    (void)state;
    for (enum entry_kind kind = ENTRY_PROCESS; kind < ENTRY_KIND_COUNT; kind++)
        for (int round = 0; round < ROUNDS; round++) {
            struct any_entry entry, read;
            random_entry(kind, &entry);
            size_t length = any_entry_write(bytes, sizeof bytes, &entry);
            assert_true(length > 0);
            assert_true(entry_read(slice_of_bytes(bytes, length), &read));
            assert_int_equal(read.kind, kind);
            /* That no field is forgotten on both sides is what tests/session/draw.c shows. */
            assert_int_equal(any_entry_write(again, sizeof again, &read), length);
            assert_memory_equal(bytes, again, length);
        }
}

static void a_marker_reads_back_with_all_it_has(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct any_entry entry, read;
        random_entry(ENTRY_MARKER, &entry);
        assert_true(entry_read(slice_of_bytes(bytes, any_entry_write(bytes, sizeof bytes, &entry)), &read));
        const struct marker_entry *a = &entry.marker, *b = &read.marker;
        assert_int_equal(a->thread, b->thread);
        assert_int_equal(a->type, b->type);
        assert_int_equal(a->phase, b->phase);
        assert_int_equal(a->category, b->category);
        assert_int_equal(a->subcategory, b->subcategory);
        assert_true(a->start == b->start && a->end == b->end);
        assert_true(slice_equal(a->name, b->name));
        assert_int_equal(a->has_stack, b->has_stack);
        assert_int_equal(a->stack_thread, b->stack_thread);
        assert_true(a->stack_time == b->stack_time);
        assert_int_equal(a->stack.count, b->stack.count);
        assert_true(slice_equal(a->stack.bytes, b->stack.bytes));
        assert_true(slice_equal(a->values, b->values));
    }
}

static void an_entry_cut_anywhere_is_none(void **state)
{
    (void)state;
    for (enum entry_kind kind = ENTRY_PROCESS; kind < ENTRY_KIND_COUNT; kind++)
        for (int round = 0; round < 20; round++) {
            struct any_entry entry, read;
            random_entry(kind, &entry);
            /* It ends with what may be missing: values whose length only their type knows. */
            if (kind == ENTRY_MARKER)
                entry.marker.values.length = 0;
            size_t length = any_entry_write(bytes, sizeof bytes, &entry);
            for (size_t cut = 0; cut < length; cut++) {
                /* Behind its end lies nothing, so that the address sanitizer sees a read too far. */
                uint8_t *copy = malloc(cut > 0 ? cut : 1);
                memcpy(copy, bytes, cut);
                assert_false(entry_read(slice_of_bytes(copy, cut), &read));
                free(copy);
            }
        }
}

static void an_entry_with_a_byte_too_many_is_none(void **state)
{
    (void)state;
    for (enum entry_kind kind = ENTRY_PROCESS; kind < ENTRY_KIND_COUNT; kind++) {
        struct any_entry entry, read;
        random_entry(kind, &entry);
        size_t length = any_entry_write(bytes, sizeof bytes, &entry);
        bytes[length] = 0x80;
        /* Whatever stands behind the last text of a marker is its values. */
        assert_int_equal(entry_read(slice_of_bytes(bytes, length + 1), &read), kind == ENTRY_MARKER);
    }
}

static void an_entry_is_written_whole_or_not_at_all(void **state)
{
    (void)state;
    for (enum entry_kind kind = ENTRY_PROCESS; kind < ENTRY_KIND_COUNT; kind++)
        for (int round = 0; round < 5; round++) {
            struct any_entry entry;
            random_entry(kind, &entry);
            size_t length = any_entry_write(bytes, sizeof bytes, &entry), enough = length;
            if (kind == ENTRY_MARKER)
                enough =
                    ENTRY_NUMBERS_MAX + entry.marker.name.length + entry.marker.values.length + entry.marker.stack.bytes.length;
            assert_true(length <= enough);
            for (size_t room = 0; room < enough; room++) {
                uint8_t *small = malloc(room > 0 ? room : 1);
                assert_int_equal(any_entry_write(small, room, &entry), 0);
                free(small);
            }
            assert_int_equal(any_entry_write(again, enough, &entry), length);
            assert_memory_equal(bytes, again, length);
        }
}

static void the_numbers_of_an_entry_fit_the_room_that_is_said_to_be_enough(void **state)
{
    (void)state;
    struct marker_entry marker = {UINT32_MAX,     UINT32_MAX,        MARKER_INTERVAL, UINT32_MAX, UINT32_MAX,
                                  UINT64_MAX / 2, UINT64_MAX,        {NULL, 0},       true,       UINT32_MAX,
                                  UINT64_MAX,     {{NULL, 0}, 1024}, {NULL, 0}};
    assert_in_range(entry_write_marker(bytes, ENTRY_NUMBERS_MAX, &marker), 1, ENTRY_NUMBERS_MAX - 3 * 9);
    struct module_entry module = {UINT32_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, {NULL, 0}, {NULL, 0}};
    assert_in_range(entry_write_module(bytes, ENTRY_NUMBERS_MAX, &module), 1, ENTRY_NUMBERS_MAX - 2 * 9);
    struct configuration_entry configuration = {UINT64_MAX, UINT64_MAX, {NULL, 0}, {NULL, 0},
                                                UINT64_MAX, UINT64_MAX, UINT64_MAX};
    assert_in_range(entry_write_configuration(bytes, ENTRY_NUMBERS_MAX, &configuration), 1, ENTRY_NUMBERS_MAX - 2 * 9);
}

static void numbers_have_these_bytes(void **state)
{
    (void)state;
    static const struct {
        uint64_t number;
        size_t length;
        uint8_t bytes[10];
    } images[] = {
        {0, 1, {0}},
        {0x7f, 1, {0x7f}},
        {0x80, 2, {0x80, 0x01}},
        {0xff, 2, {0xff, 0x01}},
        {0x100, 2, {0x80, 0x02}},
        {UINT16_MAX, 3, {0xff, 0xff, 0x03}},
        {UINT32_MAX, 5, {0xff, 0xff, 0xff, 0xff, 0x0f}},
        {UINT64_MAX, 10, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}},
    };
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
        assert_int_equal(entry_write_time(bytes, sizeof bytes, ENTRY_PAUSE, images[i].number), 1 + images[i].length);
        assert_int_equal(bytes[0], ENTRY_PAUSE);
        assert_memory_equal(bytes + 1, images[i].bytes, images[i].length);
    }
}

static void an_interval_marker_has_these_bytes(void **state)
{
    (void)state;
    struct marker_entry marker = {.thread = 3,
                                  .type = 300,
                                  .phase = MARKER_INTERVAL,
                                  .category = 2,
                                  .subcategory = 1,
                                  .start = 0x180,
                                  .end = 0x182,
                                  .name = SLICE("ab"),
                                  .values = SLICE("\x05")};
    static const uint8_t image[] = {
        ENTRY_MARKER, MARKER_INTERVAL, 3, 0xac, 0x02, 2, 1, 0x80, 1, 0, 0, 0, 0, 0, 0, 2, 2, 'a', 'b', 5};
    assert_int_equal(entry_write_marker(bytes, sizeof bytes, &marker), sizeof image);
    assert_memory_equal(bytes, image, sizeof image);
}

static void an_interval_that_ends_before_it_starts_is_empty(void **state)
{
    (void)state;
    struct any_entry entry = {.kind = ENTRY_MARKER, .marker = {.phase = MARKER_INTERVAL, .start = 10, .end = 9}}, read;
    assert_true(entry_read(slice_of_bytes(bytes, any_entry_write(bytes, sizeof bytes, &entry)), &read));
    assert_int_equal(read.marker.start, 10);
    assert_int_equal(read.marker.end, 10);
}

static void texts_are_kept_whole(void **state)
{
    (void)state;
    static char text[50000];
    memset(text, 'x', sizeof text);
    struct frame_entry label = {.kind = FRAME_LABEL, .text = {text, sizeof text}}, read;
    uint64_t previous = 0;
    struct frames_slice frames = {slice_of_bytes(bytes, frame_write(bytes, sizeof bytes, &label, &previous)), 1};
    struct frame_reader reader;
    frame_reader_init(&reader, &frames);
    assert_true(frame_reader_next(&reader, &read));
    assert_true(slice_equal(read.text, label.text));
}

static void frames_read_back_the_same(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct frame_entry frames[RANDOM_FRAMES], read;
        uint64_t previous = 0;
        struct frames_slice slice = {slice_of_bytes(bytes, 0), RANDOM_FRAMES};
        for (size_t i = 0; i < RANDOM_FRAMES; i++) {
            frames[i] = random_frame();
            slice.bytes.length += frame_write(bytes + slice.bytes.length, sizeof bytes, &frames[i], &previous);
        }
        struct frame_reader reader;
        frame_reader_init(&reader, &slice);
        for (size_t i = 0; i < RANDOM_FRAMES; i++) {
            assert_true(frame_reader_next(&reader, &read));
            assert_int_equal(read.kind, frames[i].kind);
            assert_int_equal(read.relevant_for_js, frames[i].relevant_for_js);
            assert_true(read.address == frames[i].address);
            assert_true(slice_equal(read.text, frames[i].text));
            assert_true(slice_equal(read.file, frames[i].file));
            assert_int_equal(read.line, frames[i].line);
            assert_int_equal(read.column, frames[i].column);
            assert_int_equal(read.category, frames[i].category);
            assert_int_equal(read.subcategory, frames[i].subcategory);
            assert_int_equal(read.position, frames[i].position);
            assert_int_equal(read.runtime, frames[i].runtime);
            assert_int_equal(read.tier, frames[i].tier);
        }
        assert_false(frame_reader_next(&reader, &read));
        assert_int_equal(reader.left, 0);
    }
}

static void a_frame_near_the_one_before_takes_few_bytes(void **state)
{
    (void)state;
    uint64_t previous = 0;
    struct frame_entry frame = {.kind = FRAME_NATIVE, .address = 0x7f1234567890};
    assert_int_equal(frame_write(bytes, sizeof bytes, &frame, &previous), 7);
    frame.address -= 0x1fff;
    assert_int_equal(frame_write(bytes, sizeof bytes, &frame, &previous), 3);
    frame.address += 31;
    assert_int_equal(frame_write(bytes, sizeof bytes, &frame, &previous), 1);
}

static void a_frame_without_room_leaves_the_previous_address(void **state)
{
    (void)state;
    uint64_t previous = 5;
    struct frame_entry frame = {.kind = FRAME_NATIVE, .address = 1 << 20};
    assert_int_equal(frame_write(bytes, 2, &frame, &previous), 0);
    assert_int_equal(previous, 5);
}

static void bytes_that_are_no_frames_end_them_with_some_left(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        uint8_t bytes[4];
        size_t length;
    } wrong[] = {
        {"nothing", {0}, 0},
        {"a frame of no runtime", {7, 0, 1, 0}, 4},
        {"a frame of an unknown runtime", {7, RUNTIME_KIND_COUNT << 4, 1, 0}, 4},
        {"a frame of an unknown tier", {7, 1 << 4 | 15, 1, 0}, 4},
        {"an unknown flag", {0x11}, 1},
        {"half an address", {1, 2, 3}, 3},
        {"a text longer than what is there", {3, 0, 0, 9}, 4},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct frames_slice frames = {slice_of_bytes(wrong[i].bytes, wrong[i].length), 1};
        struct frame_reader reader;
        struct frame_entry frame;
        frame_reader_init(&reader, &frames);
        assert_false(frame_reader_next(&reader, &frame));
        assert_int_equal(reader.left, 1);
    }
}

static void more_than_the_maximum_is_not_written(void **state)
{
    (void)state;
    struct sample_entry sample = {.stack = {.shared = 1000, .frames = {SLICE(""), 25}}};
    struct look_entry look = {.stack = sample.stack};
    assert_int_equal(entry_write_sample(bytes, sizeof bytes, &sample), 0);
    assert_int_equal(entry_write_look(bytes, sizeof bytes, &look), 0);
    sample.stack.shared = UINT32_MAX;
    assert_int_equal(entry_write_sample(bytes, sizeof bytes, &sample), 0);
    static struct marker_type_entry type = {.field_count = MARKER_FIELDS_MAX + 1};
    assert_int_equal(entry_write_marker_type(bytes, sizeof bytes, &type), 0);
}

static void entries_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        uint8_t bytes[16];
        size_t length;
    } wrong[] = {
        {"no entry", {0}, 0},
        {"kind 0", {0, 0}, 2},
        {"an unknown kind", {ENTRY_KIND_COUNT, 0}, 2},
        {"a thread number of 33 bits", {ENTRY_THREAD_END, 0x80, 0x80, 0x80, 0x80, 0x10, 0}, 7},
        {"a thread id of 33 bits", {ENTRY_THREAD, 1, 0x80, 0x80, 0x80, 0x80, 0x20, 0, 0, 0, 0, 0}, 12},
        {"unknown flags of a thread", {ENTRY_THREAD, 1, 0, 4, 0, 0, 0, 0}, 8},
        {"unknown flags of a sample", {ENTRY_SAMPLE, 1, 0, 8, 0, 0}, 6},
        {"a stack of fewer frames than it says", {ENTRY_SAMPLE, 1, 0, 0, 0, 2, 0}, 7},
        {"a stack of more frames than it says", {ENTRY_SAMPLE, 1, 0, 0, 0, 1, 0, 0}, 8},
        {"a stack that shares too much", {ENTRY_SAMPLE, 1, 0, 0, 0x82, 0x10, 0}, 7},
        {"a stack of too many frames", {ENTRY_SAMPLE, 1, 0, 0, 0, 0x81, 0x08}, 7},
        {"an unknown state of a look", {ENTRY_LOOK, 2, 0, LOOK_ENDED + 1, 0, 0, 0, 0, 0}, 9},
        {"a look at a thread id of 33 bits", {ENTRY_LOOK, 0x80, 0x80, 0x80, 0x80, 0x20, 0, 0, 0, 0, 0, 0, 0}, 13},
        {"unknown flags of a marker", {ENTRY_MARKER, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 15},
        {"an interval that ends after time itself",
         {ENTRY_MARKER, MARKER_INTERVAL, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0},
         16},
        {"code of no runtime", {ENTRY_CODE, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0}, 11},
        {"code of an unknown tier", {ENTRY_CODE, 0, 1, 0xff, 1, 1, 0, 0, 0, 0, 0}, 11},
        {"code with half a line", {ENTRY_CODE, 0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 4}, 12},
        {"code with a line before the first", {ENTRY_CODE, 0, 1, 0, 1, 1, 0, 0, 0, 0, 2, 4, 1}, 13},
        {"33 fields", {ENTRY_MARKER_TYPE, 1, 0, 0, 0, 0, 0, 0, 0, 0, 33}, 11},
        {"a field of an unknown kind", {ENTRY_MARKER_TYPE, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, INPUT_COUNT, 0}, 16},
        {"a flag that is neither", {ENTRY_MARKER_TYPE, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0}, 11},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct any_entry entry;
        if (entry_read(slice_of_bytes(wrong[i].bytes, wrong[i].length), &entry))
            fail_msg("%s was taken for an entry", wrong[i].what);
    }
}

static void values_of_markers_read_back_the_same(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct marker_value values[INPUT_COUNT], read;
        size_t length = 0;
        for (size_t i = 0; i < INPUT_COUNT; i++) {
            values[i] = (struct marker_value){.input = (enum marker_input)i, .number = random_number()};
            if (i == INPUT_TEXT)
                values[i].text = random_text();
            if (i == INPUT_DOUBLE)
                values[i].real = (double)(int64_t)random_word() / 7;
            if (i == INPUT_BOOLEAN)
                values[i].boolean = random_bool();
            length += marker_value_write(bytes + length, sizeof bytes - length, &values[i]);
        }
        struct slice rest = slice_of_bytes(bytes, length);
        for (size_t i = 0; i < INPUT_COUNT; i++) {
            assert_true(marker_value_read(&rest, (enum marker_input)i, &read));
            if (i == INPUT_TEXT)
                assert_true(slice_equal(read.text, values[i].text));
            else if (i == INPUT_DOUBLE)
                assert_memory_equal(&read.real, &values[i].real, sizeof read.real);
            else if (i == INPUT_BOOLEAN)
                assert_int_equal(read.boolean, values[i].boolean);
            else
                assert_true(read.number == values[i].number);
        }
        assert_int_equal(rest.length, 0);
        assert_false(marker_value_read(&rest, INPUT_UNSIGNED, &read));
    }
}

static void values_that_are_none_are_refused_and_left_where_they_are(void **state)
{
    (void)state;
    struct marker_value value;
    struct slice text = SLICE("\x05"
                              "abc"),
                 real = SLICE("1234567"), boolean = SLICE("\x02"), empty = SLICE("");
    assert_false(marker_value_read(&text, INPUT_TEXT, &value));
    assert_int_equal(text.length, 4);
    assert_false(marker_value_read(&real, INPUT_DOUBLE, &value));
    assert_false(marker_value_read(&boolean, INPUT_BOOLEAN, &value));
    assert_false(marker_value_read(&boolean, INPUT_COUNT, &value));
    for (enum marker_input input = INPUT_TEXT; input < INPUT_COUNT; input++)
        assert_false(marker_value_read(&empty, input, &value));
    uint8_t small[1];
    value = (struct marker_value){.input = INPUT_DOUBLE, .real = 1};
    assert_int_equal(marker_value_write(small, sizeof small, &value), 0);
}

static void any_bytes_are_an_entry_or_not(void **state)
{
    (void)state;
    unsigned taken = 0;
    for (int round = 0; round < 200000; round++) {
        uint8_t some[40];
        size_t length = 1 + random_word() % (sizeof some - 1);
        for (size_t i = 0; i < length; i++)
            some[i] = (uint8_t)(random_word() % 3 ? random_word() % 4 : random_word());
        some[0] = (uint8_t)(random_word() % (ENTRY_KIND_COUNT + 1));
        struct any_entry entry;
        if (!entry_read(slice_of_bytes(some, length), &entry))
            continue;
        taken++;
        assert_true(any_entry_write(bytes, sizeof bytes, &entry) > 0);
    }
    assert_true(taken > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_of_every_kind_read_back_the_same),
        cmocka_unit_test(a_marker_reads_back_with_all_it_has),
        cmocka_unit_test(an_entry_cut_anywhere_is_none),
        cmocka_unit_test(an_entry_with_a_byte_too_many_is_none),
        cmocka_unit_test(an_entry_is_written_whole_or_not_at_all),
        cmocka_unit_test(the_numbers_of_an_entry_fit_the_room_that_is_said_to_be_enough),
        cmocka_unit_test(numbers_have_these_bytes),
        cmocka_unit_test(an_interval_marker_has_these_bytes),
        cmocka_unit_test(an_interval_that_ends_before_it_starts_is_empty),
        cmocka_unit_test(texts_are_kept_whole),
        cmocka_unit_test(frames_read_back_the_same),
        cmocka_unit_test(a_frame_near_the_one_before_takes_few_bytes),
        cmocka_unit_test(a_frame_without_room_leaves_the_previous_address),
        cmocka_unit_test(bytes_that_are_no_frames_end_them_with_some_left),
        cmocka_unit_test(more_than_the_maximum_is_not_written),
        cmocka_unit_test(entries_that_make_no_sense_are_refused),
        cmocka_unit_test(values_of_markers_read_back_the_same),
        cmocka_unit_test(values_that_are_none_are_refused_and_left_where_they_are),
        cmocka_unit_test(any_bytes_are_an_entry_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
