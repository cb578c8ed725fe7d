/* Code of language runtimes in drawn sessions: which function a frame is of, its line, and how it ran. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "drawn.h"
#include "support/session_profile.h"

#define SCRIPT "code v8 0x9000-0x9100 work file=file:///app/a.js line=3 column=10 tier=optimised lines=0:3,16:4 time=1ms\n"

static struct frame frame_of_sample(const struct profile *profile, size_t sample)
{
    struct stack_index stack = stack_at(column_get_index(&profile->threads.items[0].samples.stack, sample));
    return frame_table_get(&profile->frames, stack_frame(&profile->stacks, stack));
}

static void assert_category(const struct profile *profile, const struct frame *frame, const char *name, const char *sub)
{
    const struct category *category = &profile->categories.rows.items[frame->category.i];
    assert_string_equal(text_of(profile, category->name), name);
    assert_string_equal(text_of(profile, category->subcategories.items[frame->subcategory]), sub);
}

static void code_has_its_name_place_line_and_tier(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN SCRIPT "sample 1 2ms 0x9010\n", &profile);
    struct frame frame = frame_of_sample(&profile, 0);
    struct func func = func_table_get(&profile.funcs, frame.func);
    assert_string_equal(text_of(&profile, func.name), "work");
    assert_true(func.is_js);
    assert_string_equal(text_of(&profile, profile.sources.rows.items[func.source.i].filename), "file:///app/a.js");
    assert_int_equal(func.line, 3);
    assert_int_equal(func.column, 10);
    assert_int_equal(frame.line, 4);
    assert_category(&profile, &frame, "JavaScript", "Optimised");
    profile_free(&profile);
}

static void callers_are_at_the_byte_before_the_return_address(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN SCRIPT "code v8 0x9100-0x9200 next time=1ms\n"
                                "sample 1 2ms 0x9100 0x9110\n",
                    &profile);
    assert_rows(&profile, 0, "2 work;next 1ms cpu\n");
    profile_free(&profile);
}

static void a_function_is_one_in_all_tiers_and_places(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN SCRIPT
                    "code v8 0xa000-0xa100 work file=file:///app/a.js line=3 column=10 tier=interpreter there time=1ms\n"
                    "code-moved 0x9000 0xb000 time=3ms\n"
                    "sample 1 2ms 0x9010\n"
                    "sample 1 3ms v8:0xa020\n"
                    "sample 1 4ms 0xb010\n",
                    &profile);
    struct frame first = frame_of_sample(&profile, 0), second = frame_of_sample(&profile, 1),
                 third = frame_of_sample(&profile, 2);
    assert_int_equal(first.func.i, second.func.i);
    assert_int_equal(first.func.i, third.func.i);
    assert_category(&profile, &second, "JavaScript", "Interpreter");
    assert_category(&profile, &third, "JavaScript", "Optimised");
    assert_int_equal(third.line, 4);
    profile_free(&profile);
}

static void numbered_frames_may_say_how_they_ran(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "code hotspot 0x7 Main.run file=Main.java line=1 lines=0:5,10:6 time=0\n"
                         "sample 1 2ms hotspot:0x7+12~inlined\n",
                    &profile);
    struct frame frame = frame_of_sample(&profile, 0);
    assert_int_equal(frame.line, 6);
    assert_category(&profile, &frame, "Java", "Inlined");
    assert_rows(&profile, 0, "2 Main.run 1ms cpu\n");
    profile_free(&profile);
}

static void code_of_the_runtime_itself_is_no_function_of_the_program(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "code v8 0x9000-0x9100 ArrayMap tier=builtin time=0\n"
                         "sample 1 2ms 0x9010\n",
                    &profile);
    struct frame frame = frame_of_sample(&profile, 0);
    assert_false(func_table_get(&profile.funcs, frame.func).is_js);
    assert_category(&profile, &frame, "JavaScript", "Builtin");
    profile_free(&profile);
}

static void native_frames_beside_a_runtime_are_native(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN APP_MODULE SCRIPT "sample 1 2ms 0x9010 0x1100\n", &profile);
    struct frame frame = frame_of_sample(&profile, 0);
    assert_category(&profile, &frame, "Native", "Other");
    profile_free(&profile);
}

static void frames_that_nobody_told_of_are_numbers(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN SCRIPT "sample 1 2ms v8:0x123 0x8000\n"
                                "sample 1 3ms hotspot:0x9010\n",
                    &profile);
    assert_rows(&profile, 0, "2 0x123;0x8000 1ms cpu\n3 0x9010 1ms cpu\n");
    profile_free(&profile);
}

static void functions_without_a_name_are_anonymous(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "code v8 0x9000-0x9100 \"\" file=/a.js line=1 column=2 time=0\n"
                         "sample 1 2ms 0x9010\n",
                    &profile);
    assert_rows(&profile, 0, "2 (anonymous) 1ms cpu\n");
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_has_its_name_place_line_and_tier),
        cmocka_unit_test(callers_are_at_the_byte_before_the_return_address),
        cmocka_unit_test(a_function_is_one_in_all_tiers_and_places),
        cmocka_unit_test(numbered_frames_may_say_how_they_ran),
        cmocka_unit_test(code_of_the_runtime_itself_is_no_function_of_the_program),
        cmocka_unit_test(native_frames_beside_a_runtime_are_native),
        cmocka_unit_test(frames_that_nobody_told_of_are_numbers),
        cmocka_unit_test(functions_without_a_name_are_anonymous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
