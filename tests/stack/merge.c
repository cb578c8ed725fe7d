/* Stacks drawn as words, oldest first, each with its address: n90 is a native frame, l80:a a label with the text a, p80:a one
 * of category Profiler, r70:f a frame of a runtime, r70-60:f one whose activation reaches down to 60. What comes out is drawn
 * as n90, a, f. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stack/merge.h"

static struct raw_stack raw;
static struct frame_entry frames[STACK_FRAMES_MAX];

static struct raw_text put_text(const char *text)
{
    struct raw_text put = {raw.text_used, (uint32_t)strlen(text)};
    memcpy(raw.text + raw.text_used, text, put.length);
    raw.text_used += put.length;
    return put;
}

static void draw_word(char *word)
{
    char *name = strchr(word, ':');
    if (name)
        *name++ = '\0';
    char *rest;
    uint64_t address = strtoull(word + 1, &rest, 10);
    if (word[0] == 'n') {
        raw.native[raw.native_count++] = (struct unwind_frame){.pc = 1000 + address, .sp = address & INT64_MAX};
    } else if (word[0] == 'r') {
        raw.runtime[raw.runtime_count++] =
            (struct raw_runtime_frame){.stack_address = address,
                                       .stack_end = *rest == '-' ? strtoull(rest + 1, NULL, 10) : 0,
                                       .function = put_text(name),
                                       .file = put_text("f.js"),
                                       .line = 7,
                                       .javascript = true};
    } else {
        sonde_category category = word[0] == 'p' ? SONDE_CATEGORY_PROFILER : SONDE_CATEGORY_IO | 3 << 16;
        raw.labels[raw.label_count++] =
            (struct raw_label){.stack_address = address, .text = put_text(name), .category = category};
    }
}

static void draw(const char *drawing)
{
    char words[512], *rest = words;
    assert_true(strlen(drawing) < sizeof words);
    strcpy(words, drawing);
    memset(&raw, 0, offsetof(struct raw_stack, native));
    for (char *word; (word = strsep(&rest, " "));)
        if (*word)
            draw_word(word);
    /* Native and runtime frames are found youngest first. */
    for (uint32_t i = 0; i < raw.native_count / 2; i++) {
        struct unwind_frame swap = raw.native[i];
        raw.native[i] = raw.native[raw.native_count - 1 - i];
        raw.native[raw.native_count - 1 - i] = swap;
    }
    for (uint32_t i = 0; i < raw.runtime_count / 2; i++) {
        struct raw_runtime_frame swap = raw.runtime[i];
        raw.runtime[i] = raw.runtime[raw.runtime_count - 1 - i];
        raw.runtime[raw.runtime_count - 1 - i] = swap;
    }
}

static void expect(bool synchronous, const char *expected)
{
    char text[512] = "";
    bool cut;
    size_t count = merge_stack(&raw, synchronous, frames, &cut), used = 0;
    for (size_t i = 0; i < count; i++) {
        used += (size_t)(frames[i].kind == FRAME_NATIVE
                             ? snprintf(text + used, sizeof text - used, "%sn%d", i ? " " : "", (int)frames[i].address - 1000)
                             : snprintf(text + used, sizeof text - used, "%s%.*s", i ? " " : "", (int)frames[i].text.length,
                                        frames[i].text.text));
    }
    assert_string_equal(text, expected);
    assert_false(cut);
}

static void merges_to(const char *drawing, const char *expected)
{
    draw(drawing);
    expect(false, expected);
}

static void nothing_gives_nothing(void **state)
{
    (void)state;
    merges_to("", "");
}

static void native_frames_alone_stay_in_order(void **state)
{
    (void)state;
    merges_to("n90 n70 n50", "n90 n70 n50");
}

static void a_label_stands_before_the_function_that_has_it(void **state)
{
    (void)state;
    merges_to("n90 n70 n50 l80:a l60:b", "n90 a n70 b n50");
}

static void labels_older_and_younger_than_all_native_frames_are_kept(void **state)
{
    (void)state;
    merges_to("l99:old n90 n70 l10:young", "old n90 n70 young");
}

static void a_native_frame_at_the_address_of_a_label_is_dropped(void **state)
{
    (void)state;
    merges_to("n90 n70 n50 l70:a", "n90 a n50");
}

static void a_native_frame_at_the_address_of_a_runtime_frame_is_dropped(void **state)
{
    (void)state;
    merges_to("n90 n70 n50 r70:f", "n90 f n50");
}

static void a_caller_of_a_native_frame_that_is_not_shown_stands_in_its_call(void **state)
{
    (void)state;
    draw("n90 n80 r70:f n70");
    raw.native[0].exact = 1;
    expect(false, "n90 n79 f");
    draw("n90 n80 n70 r70:f l60:label");
    expect(false, "n90 n79 f label");
    /* What a signal interrupted stands at its pc. */
    draw("n90 n80 n70 r70:f");
    raw.native[1].exact = 1;
    expect(false, "n90 n80 f");
    /* One that is shown below it is the youngest, as always. */
    draw("n90 n80 n70 r70:f n60");
    expect(false, "n90 n80 f n60");
}

static void all_three_kinds_are_ordered_by_address(void **state)
{
    (void)state;
    merges_to("n100 l90:a n80 r70:A r60:B r50:C n40", "n100 a n80 A B C n40");
}

static void a_label_must_be_strictly_older_than_a_runtime_frame_to_come_first(void **state)
{
    (void)state;
    merges_to("l80:a r80:f", "f a");
    merges_to("l81:a r80:f", "a f");
}

static void native_frames_of_a_runtimes_activation_are_not_shown(void **state)
{
    (void)state;
    merges_to("n100 r90-60:f n80 n70 n60 n50", "n100 f n50");
}

static void the_activation_of_an_older_runtime_frame_ends_where_the_next_begins(void **state)
{
    (void)state;
    merges_to("r90-70:f n80 r60:g n50", "f g n50");
    merges_to("r90:f n80 r60-40:g n50 n30", "f n80 g n30");
}

static void a_native_frame_without_an_address_stays_behind_its_caller(void **state)
{
    (void)state;
    merges_to("n90 n0 l80:a n70", "n90 n0 a n70");
}

static void labels_without_an_address_come_last(void **state)
{
    (void)state;
    merges_to("n90 l0:a l0:b n70", "n90 n70 a b");
}

static void a_stack_of_ones_own_ends_before_the_profiler(void **state)
{
    (void)state;
    draw("n90 l80:a n70 p60:profiler n50 l40:b n30");
    expect(true, "n90 a n70");
    expect(false, "n90 a n70 profiler n50 b n30");
}

static void categories_are_taken_apart(void **state)
{
    (void)state;
    bool cut;
    draw("l80:a r70:f");
    assert_int_equal(merge_stack(&raw, false, frames, &cut), 2);
    assert_int_equal(frames[0].kind, FRAME_LABEL);
    assert_int_equal(frames[0].category, SONDE_CATEGORY_IO);
    assert_int_equal(frames[0].subcategory, 3);
    assert_false(frames[0].relevant_for_js);
    assert_int_equal(frames[1].kind, FRAME_RUNTIME);
    assert_true(slice_is(frames[1].file, "f.js"));
    assert_int_equal(frames[1].line, 7);
    assert_true(frames[1].relevant_for_js);
}

/* Readers take all but the youngest address for return addresses, and look at the byte before. */
static void what_a_signal_interrupted_is_written_as_if_it_had_called(void **state)
{
    (void)state;
    bool cut;
    draw("n90 n70 n50");
    raw.native[1].exact = raw.native[0].exact = true;
    merge_stack(&raw, false, frames, &cut);
    assert_int_equal(frames[1].address, 1000 + 70 + 1);
    assert_int_equal(frames[2].address, 1000 + 50);
}

static void a_frame_by_number_takes_the_place_of_its_native_frame(void **state)
{
    (void)state;
    bool cut;
    memset(&raw, 0, offsetof(struct raw_stack, native));
    raw.native_count = 2;
    raw.native[0] = (struct unwind_frame){.pc = 0x1000, .sp = 100};
    raw.native[1] = (struct unwind_frame){.pc = 0x2000, .sp = 200};
    raw.runtime_count = 1;
    raw.runtime[0] = (struct raw_runtime_frame){
        .stack_address = 200, .runtime = RUNTIME_V8, .tier = TIER_INTERPRETER, .number = 0x5001, .position = 7};
    assert_int_equal(merge_stack(&raw, false, frames, &cut), 2);
    assert_int_equal(frames[0].kind, FRAME_NUMBERED);
    assert_int_equal(frames[0].address, 0x5001);
    assert_int_equal(frames[0].position, 7);
    assert_int_equal(frames[0].runtime, RUNTIME_V8);
    assert_int_equal(frames[0].tier, TIER_INTERPRETER);
    assert_int_equal(frames[1].address, 0x1000);
}

static void the_oldest_frames_are_cut_where_there_are_too_many(void **state)
{
    (void)state;
    bool cut;
    memset(&raw, 0, offsetof(struct raw_stack, native));
    raw.native_count = STACK_FRAMES_MAX;
    for (uint32_t i = 0; i < STACK_FRAMES_MAX; i++)
        raw.native[i] = (struct unwind_frame){.pc = i + 1, .sp = 8 * i + 8};
    raw.label_count = 2;
    raw.labels[0] = (struct raw_label){.stack_address = 8 * STACK_FRAMES_MAX + 1};
    raw.labels[1] = (struct raw_label){.stack_address = 9};
    assert_int_equal(merge_stack(&raw, false, frames, &cut), STACK_FRAMES_MAX);
    assert_true(cut);
    /* Label 0 and the oldest native frame are gone. */
    assert_int_equal(frames[0].kind, FRAME_NATIVE);
    assert_int_equal(frames[0].address, STACK_FRAMES_MAX - 1);
    assert_int_equal(frames[STACK_FRAMES_MAX - 1].address, 1);
    assert_int_equal(frames[STACK_FRAMES_MAX - 2].kind, FRAME_LABEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_gives_nothing),
        cmocka_unit_test(native_frames_alone_stay_in_order),
        cmocka_unit_test(a_label_stands_before_the_function_that_has_it),
        cmocka_unit_test(labels_older_and_younger_than_all_native_frames_are_kept),
        cmocka_unit_test(a_native_frame_at_the_address_of_a_label_is_dropped),
        cmocka_unit_test(a_native_frame_at_the_address_of_a_runtime_frame_is_dropped),
        cmocka_unit_test(a_caller_of_a_native_frame_that_is_not_shown_stands_in_its_call),
        cmocka_unit_test(all_three_kinds_are_ordered_by_address),
        cmocka_unit_test(a_label_must_be_strictly_older_than_a_runtime_frame_to_come_first),
        cmocka_unit_test(native_frames_of_a_runtimes_activation_are_not_shown),
        cmocka_unit_test(the_activation_of_an_older_runtime_frame_ends_where_the_next_begins),
        cmocka_unit_test(a_native_frame_without_an_address_stays_behind_its_caller),
        cmocka_unit_test(labels_without_an_address_come_last),
        cmocka_unit_test(a_stack_of_ones_own_ends_before_the_profiler),
        cmocka_unit_test(categories_are_taken_apart),
        cmocka_unit_test(what_a_signal_interrupted_is_written_as_if_it_had_called),
        cmocka_unit_test(a_frame_by_number_takes_the_place_of_its_native_frame),
        cmocka_unit_test(the_oldest_frames_are_cut_where_there_are_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
