#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/import_text.h"

#include "import/folded.h"

static void a_count_of_n_makes_n_samples_a_millisecond_apart(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(folded_import, SLICE("main;parse 2\nmain 1\n"), &profile);
    assert_samples(&profile, 0, "0 main;parse\n1 main;parse\n2 main\n");
    assert_true(profile.meta.interval == 1);
    profile_free(&profile);
}

static void equal_stacks_are_kept_once(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(folded_import, SLICE("a;b 1\na;c 1\na;b 1\na;b;a 1\n"), &profile);
    assert_int_equal(stack_count(&profile.stacks), 4);
    assert_int_equal(frame_count(&profile.frames), 3);
    assert_samples(&profile, 0, "0 a;b\n1 a;c\n2 a;b\n3 a;b;a\n");
    profile_free(&profile);
}

static void the_last_line_may_lack_its_newline(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(folded_import, SLICE("a 1\nb 1"), &profile);
    assert_samples(&profile, 0, "0 a\n1 b\n");
    profile_free(&profile);
}

static void lines_may_end_as_on_windows(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(folded_import, SLICE("a;b 1\r\nb 1\r\n"), &profile);
    assert_samples(&profile, 0, "0 a;b\n1 b\n");
    profile_free(&profile);
}

static void bytes_that_are_not_utf_8_become_replacement_characters(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(folded_import, SLICE("a\xff;\xc3\xa9;b\xc3 1\n"), &profile);
    assert_samples(&profile, 0, "0 a\xef\xbf\xbd;\xc3\xa9;b\xef\xbf\xbd\n");
    profile_free(&profile);
}

static void counts_up_to_the_limit_are_samples(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(folded_import, SLICE("a;b 9999999\nc 1\n"), &profile);
    const struct sample_table *samples = &profile.threads.items[0].samples;
    assert_int_equal(sample_count(samples), FOLDED_MAX_SAMPLES);
    assert_false(sample_table_has(&samples->weight));
    /* Packed: a few bytes for every 256 samples. */
    assert_true(profile_bytes(&profile) < FOLDED_MAX_SAMPLES / 2);
    profile_free(&profile);
}

static void counts_beyond_the_limit_are_weights_on_the_same_time_line(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(folded_import, SLICE("a;b 10000000\nc 1\na 1000000000000\n"), &profile);
    assert_samples(&profile, 0, "0 x10000000 a;b\n10000000 x1 c\n10000001 x1000000000000 a\n");
    assert_int_equal(profile.threads.items[0].samples.weight_type, WEIGHT_SAMPLES);
    assert_true(profile.meta.profiling_start_time == 0);
    assert_true(profile.meta.profiling_end_time == 1000010000001.0);
    profile_free(&profile);
}

static void counts_that_cannot_be_added_up_are_refused(void **state)
{
    (void)state;
    assert_refused(folded_import, SLICE("a 1\nb 99999999999999999999999\n"), "line 2: the count is larger than");
    assert_refused(folded_import, SLICE("a 9007199254740992\nb 1\n"), "line 2: the counts add up to more than");
}

static void a_line_without_a_count_is_refused_by_its_number(void **state)
{
    (void)state;
    assert_refused(folded_import, SLICE("a;b\nc\n"), "line 1 is not a stack and a count");
    assert_refused(folded_import, SLICE("a;b 1\n\nc;d\ne 1\n"), "line 3 is not a stack and a count");
    assert_refused(folded_import, SLICE("a;b 1\na;b 12px\n"), "line 2 is not a stack and a count");
    assert_refused(folded_import, SLICE("a;b 1\n 12\n"), "line 2 is not a stack and a count");
    assert_refused(folded_import, SLICE("a;b 1\na;b 1.2.3\n"), "line 2 is not a stack and a count");
    assert_refused(folded_import, SLICE("\n"), "no line is a stack and a count");
    assert_refused(folded_import, SLICE("a;b 12 15\na;c 1 2\na 3 0\n"), "all lines have two counts");
    assert_refused(folded_import, SLICE(""), "no line is a stack and a count");
}

static void blank_lines_are_passed_over(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(folded_import, SLICE("\na;b 1\n \t\r\nc 1 \n\n"), &profile);
    assert_samples(&profile, 0, "0 a;b\n1 c\n");
    profile_free(&profile);
}

static void a_byte_order_mark_is_passed_over(void **state)
{
    (void)state;
    struct profile profile;
    assert_true(folded_recognise(SLICE("\xef\xbb\xbf"
                                       "a;b 1\na 1\n")));
    assert_imports(folded_import,
                   SLICE("\xef\xbb\xbf"
                         "a;b 1\na 1\n"),
                   &profile);
    assert_samples(&profile, 0, "0 a;b\n1 a\n");
    profile_free(&profile);
}

static void fractions_are_weights(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(folded_import, SLICE("a;b 0.25\nc 2\nd 1.5\n"), &profile);
    assert_samples(&profile, 0, "0 x0.25 a;b\n0.25 x2 c\n2.25 x1.5 d\n");
    profile_free(&profile);
    assert_imports(folded_import, SLICE("a;b 2.0\nc 1.\n"), &profile);
    assert_samples(&profile, 0, "0 a;b\n1 a;b\n2 c\n");
    profile_free(&profile);
}

static void counts_of_zero_alone_make_a_profile_without_samples(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(folded_import, SLICE("a;b 0\n"), &profile);
    assert_samples(&profile, 0, "");
    assert_int_equal(func_count(&profile.funcs), 0);
    profile_free(&profile);
}

static void all_lines_in_view_must_look_like_it(void **state)
{
    (void)state;
    assert_true(folded_recognise(SLICE("a;b 1\n")));
    assert_true(folded_recognise(SLICE("[unknown];main 1.5\r\n\nb 1\nc;what is not in vie")));
    assert_false(folded_recognise(SLICE("a;b 1")));
    assert_false(folded_recognise(SLICE("a;b\nc 1\n")));
    assert_false(folded_recognise(SLICE("c 1\na;b\n")));
    assert_false(folded_recognise(SLICE("c 1\na;\0;b 2\n")));
    assert_false(folded_recognise(SLICE("<svg width=\"100 200\">\n")));
    assert_false(folded_recognise(SLICE("{\"a\": 1}\n")));
    assert_false(folded_recognise(SLICE("")));
}

static void a_first_line_that_is_too_long_to_see_its_end_is_folded(void **state)
{
    (void)state;
    char text[8000];
    memset(text, 'a', sizeof text);
    assert_false(folded_recognise((struct slice){text, sizeof text}));
    for (size_t i = 9; i < sizeof text; i += 10)
        text[i] = ';';
    assert_true(folded_recognise((struct slice){text, sizeof text}));
}

static void a_stack_may_be_very_deep(void **state)
{
    (void)state;
    enum { DEPTH = 300000 };
    char *text = memory_array(DEPTH, 2);
    assert_non_null(text);
    for (size_t i = 0; i < DEPTH; i++) {
        text[2 * i] = 'f';
        text[2 * i + 1] = ';';
    }
    text[2 * DEPTH - 2] = ' ';
    text[2 * DEPTH - 1] = '1';
    struct profile profile;
    assert_imports(folded_import, (struct slice){text, 2 * DEPTH}, &profile);
    assert_int_equal(stack_count(&profile.stacks), DEPTH);
    profile_free(&profile);
    memory_release(text);
}

static void a_file_cut_off_anywhere_is_read_or_refused(void **state)
{
    (void)state;
    struct slice text = read_test_data(TEST_DATA "/walk.folded");
    assert_truncations_are_clean(folded_import, text, 2000);
    memory_release((char *)text.text);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct slice text = read_test_data(TEST_DATA "/walk.folded");
    assert_import_survives_failing_allocations(folded_import, text);
    memory_release((char *)text.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_count_of_n_makes_n_samples_a_millisecond_apart),
        cmocka_unit_test(equal_stacks_are_kept_once),
        cmocka_unit_test(the_last_line_may_lack_its_newline),
        cmocka_unit_test(lines_may_end_as_on_windows),
        cmocka_unit_test(bytes_that_are_not_utf_8_become_replacement_characters),
        cmocka_unit_test(counts_up_to_the_limit_are_samples),
        cmocka_unit_test(counts_beyond_the_limit_are_weights_on_the_same_time_line),
        cmocka_unit_test(counts_that_cannot_be_added_up_are_refused),
        cmocka_unit_test(a_line_without_a_count_is_refused_by_its_number),
        cmocka_unit_test(blank_lines_are_passed_over),
        cmocka_unit_test(a_byte_order_mark_is_passed_over),
        cmocka_unit_test(fractions_are_weights),
        cmocka_unit_test(counts_of_zero_alone_make_a_profile_without_samples),
        cmocka_unit_test(all_lines_in_view_must_look_like_it),
        cmocka_unit_test(a_first_line_that_is_too_long_to_see_its_end_is_folded),
        cmocka_unit_test(a_stack_may_be_very_deep),
        cmocka_unit_test(a_file_cut_off_anywhere_is_read_or_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
