#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/profile.h"

/* A profile with one func, one frame, two stacks and a thread with one sample, which each test then spoils. */
static struct thread *small_profile(struct profile *profile)
{
    profile_init(profile);
    struct func func = {
        .name = string_table_add(&profile->strings, SLICE("main")),
        .resource = resource_none(),
        .source = source_none(),
        .line = INDEX_NONE,
        .column = INDEX_NONE,
        .original_location = location_none(),
    };
    struct frame frame = {
        .address = COLUMN_ABSENT,
        .lib = lib_none(),
        .category = category_none(),
        .subcategory = INDEX_NONE,
        .func = func_table_add(&profile->funcs, &func),
        .native_symbol = native_symbol_none(),
        .implementation = STRING_NONE,
        .line = INDEX_NONE,
        .column = INDEX_NONE,
        .original_location = location_none(),
    };
    struct frame_index index = frame_table_append(&profile->frames, &frame);
    struct stack_index root = stack_table_append(&profile->stacks, stack_none(), index);
    stack_table_append(&profile->stacks, root, index);
    struct thread *thread = profile_add_thread(profile);
    column_append_index(&thread->samples.stack, 1);
    column_append_number(&thread->samples.time, 5);
    return thread;
}

static void assert_refused(struct profile *profile, const char *message)
{
    struct error error = {0};
    assert_int_equal(profile_finish(profile, &error), -EINVAL);
    assert_string_equal(error.message, message);
    profile_free(profile);
}

static void a_good_profile_is_accepted(void **state)
{
    (void)state;
    struct profile profile;
    struct error error = {0};
    small_profile(&profile);
    assert_int_equal(profile_finish(&profile, &error), 0);
    assert_int_equal(stack_prefix(&profile.stacks, stack_at(1)).i, 0);
    assert_false(stack_exists(stack_prefix(&profile.stacks, stack_at(0))));
    profile_free(&profile);
}

static void equal_funcs_are_one(void **state)
{
    (void)state;
    struct profile profile;
    small_profile(&profile);
    struct func func = func_table_get(&profile.funcs, func_at(0));
    assert_int_equal(func_table_add(&profile.funcs, &func).i, 0);
    func.line = 7;
    assert_int_equal(func_table_add(&profile.funcs, &func).i, 1);
    func.is_js = true;
    assert_int_equal(func_table_add(&profile.funcs, &func).i, 2);
    profile_free(&profile);
}

static void a_sample_with_an_unknown_stack_is_refused(void **state)
{
    (void)state;
    struct profile profile;
    struct thread *thread = small_profile(&profile);
    column_append_index(&thread->samples.stack, 2);
    column_append_number(&thread->samples.time, 6);
    assert_refused(&profile, "thread 0, sample row 1: stack 2 is not one of 2");
}

static void columns_of_different_lengths_are_refused(void **state)
{
    (void)state;
    struct profile profile;
    struct thread *thread = small_profile(&profile);
    column_append_number(&thread->samples.time, 6);
    assert_refused(&profile, "thread 0, sample column time has 2 rows instead of 1");
}

static void a_stack_before_its_parent_is_refused(void **state)
{
    (void)state;
    struct profile profile;
    small_profile(&profile);
    column_append(&profile.stacks.up, 3);
    column_append_index(&profile.stacks.frame, 0);
    assert_refused(&profile, "stack 2 does not stand after the stack it was called from");
}

static void a_frame_with_an_unknown_func_is_refused(void **state)
{
    (void)state;
    struct profile profile;
    small_profile(&profile);
    struct frame frame = frame_table_get(&profile.frames, frame_at(0));
    frame.func = func_at(1);
    frame_table_append(&profile.frames, &frame);
    assert_refused(&profile, "frame row 1: func 1 is not one of 1");
}

static void running_out_of_memory_is_said(void **state)
{
    (void)state;
    for (unsigned long n = 1; n < 200; n++) {
        struct profile profile;
        struct error error = {0};
        small_profile(&profile);
        memory_fail_after(n);
        int result = profile_finish(&profile, &error);
        memory_fail_after(0);
        profile_free(&profile);
        assert_true(result == 0 || result == -ENOMEM);
        if (result == 0)
            return;
    }
    fail_msg("profile_finish never succeeded");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_profile_is_accepted),
        cmocka_unit_test(equal_funcs_are_one),
        cmocka_unit_test(a_sample_with_an_unknown_stack_is_refused),
        cmocka_unit_test(columns_of_different_lengths_are_refused),
        cmocka_unit_test(a_stack_before_its_parent_is_refused),
        cmocka_unit_test(a_frame_with_an_unknown_func_is_refused),
        cmocka_unit_test(running_out_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
