/* Of a profile that is cut what remains is what was asked for, and nothing of the rest. */
#include "export/cut.h"

#include "common/memory.h"
#include "support/text_profile.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char first_thread[] = "0                1                2                3\n"
                                   "main[lib:app]    main[lib:app]    main[lib:app]    main[lib:app]\n"
                                   "start[lib:app]   draw[lib:gui]    draw[lib:gui]    end[lib:app]\n";
static const char second_thread[] = "0                 1\n"
                                    "work[lib:app]     work[lib:app]\n"
                                    "pack[lib:libz]    pack[lib:libz]\n";

enum { MAIN, START, DRAW, END, WORK, PACK, FUNCS }; /* as they come */

static void open_profile(struct profile *profile)
{
    struct error error = {0};
    text_profile_open(profile);
    text_profile_add_thread(profile, first_thread);
    text_profile_add_thread(profile, second_thread);
    assert_int_equal(profile_finish(profile, &error), 0);
    assert_int_equal(profile_func_count(profile), FUNCS);
}

static bool has_func(const struct profile *profile, const char *name)
{
    for (size_t i = 0; i < profile_func_count(profile); i++)
        if (slice_equal(profile_text(profile, func_name(&profile->funcs, func_at(i))), slice_of(name)))
            return true;
    return false;
}

static bool has_lib(const struct profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->libs.rows.count; i++)
        if (slice_equal(profile_text(profile, profile->libs.rows.items[i].name), slice_of(name)))
            return true;
    return false;
}

static void cut(struct profile *profile, const struct profile_cut *how, struct func_changes *changes)
{
    struct error error = {0};
    assert_int_equal(profile_cut(profile, how, changes, &error), 0);
    /* Whatever refers to a row refers to one that is there. */
    assert_int_equal(profile_finish(profile, &error), 0);
}

static void a_thread_goes_with_all_that_only_it_had(void **state)
{
    (void)state;
    struct profile profile;
    struct func_changes changes = {0};
    struct thread_index second = thread_at(1);
    open_profile(&profile);
    cut(&profile, &(struct profile_cut){.threads = &second, .thread_count = 1, .start = NAN, .end = NAN}, &changes);
    assert_int_equal(profile.threads.count, 1);
    assert_int_equal(sample_count(&profile.threads.items[0].samples), 2);
    assert_int_equal(profile_func_count(&profile), 2);
    assert_int_equal(stack_count(&profile.stacks), 2);
    assert_true(has_func(&profile, "work") && has_func(&profile, "pack"));
    assert_true(has_lib(&profile, "app") && has_lib(&profile, "libz") && !has_lib(&profile, "gui"));
    func_changes_free(&changes);
    profile_free(&profile);
}

static void a_range_is_half_open(void **state)
{
    (void)state;
    struct profile profile;
    struct func_changes changes = {0};
    const struct thread_index both[] = {thread_at(0), thread_at(1)};
    open_profile(&profile);
    cut(&profile, &(struct profile_cut){.threads = both, .thread_count = 2, .start = 1, .end = 3}, &changes);
    assert_int_equal(sample_count(&profile.threads.items[0].samples), 2);
    assert_int_equal(sample_count(&profile.threads.items[1].samples), 1);
    assert_float_equal(column_get_number(&profile.threads.items[0].samples.time, 0), 1, 0);
    assert_false(has_func(&profile, "start") || has_func(&profile, "end"));
    func_changes_free(&changes);
    profile_free(&profile);
}

static void a_function_that_is_named_stays_and_changes_say_where(void **state)
{
    (void)state;
    struct profile profile;
    struct func_changes changes = {0};
    struct thread_index second = thread_at(1);
    struct profile_cut how = {.threads = &second, .thread_count = 1, .start = NAN, .end = NAN};
    open_profile(&profile);
    assert_true(vec_push(&how.roots.funcs, DRAW));
    cut(&profile, &how, &changes);
    uint32_t func = DRAW;
    struct func_sequence after = func_changes_of(&changes, &func);
    assert_int_equal(after.count, 1);
    assert_true(slice_is(profile_text(&profile, func_name(&profile.funcs, func_at(after.funcs[0]))), "draw"));
    assert_int_equal(profile_func_count(&profile), 3);
    vec_free(&how.roots.funcs);
    func_changes_free(&changes);
    profile_free(&profile);
}

static void nothing_at_all_may_remain(void **state)
{
    (void)state;
    struct profile profile;
    struct func_changes changes = {0};
    const struct thread_index first = thread_at(0);
    open_profile(&profile);
    cut(&profile, &(struct profile_cut){.threads = &first, .thread_count = 1, .start = 50, .end = NAN}, &changes);
    assert_int_equal(sample_count(&profile.threads.items[0].samples), 0);
    assert_int_equal(stack_count(&profile.stacks), 0);
    assert_int_equal(profile_func_count(&profile), 0);
    func_changes_free(&changes);
    profile_free(&profile);
}

static int attempt(unsigned long failing, struct error *error)
{
    struct profile profile;
    struct func_changes changes = {0};
    const struct thread_index first = thread_at(0);
    const struct profile_cut how = {.threads = &first, .thread_count = 1, .start = 1, .end = 3};
    open_profile(&profile);
    memory_fail_after(failing);
    int failed = profile_cut(&profile, &how, &changes, error);
    memory_fail_after(0);
    func_changes_free(&changes);
    profile_free(&profile);
    return failed;
}

static void a_failing_allocation_is_a_clean_error(void **state)
{
    (void)state;
    unsigned long n = 0;
    int failed = -1;
    while (failed != 0) {
        struct error error = {0};
        failed = attempt(++n, &error);
        assert_true(failed == 0 || failed == -ENOMEM);
        assert_int_equal(failed, error.code);
    }
    assert_true(n > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_goes_with_all_that_only_it_had),
        cmocka_unit_test(a_range_is_half_open),
        cmocka_unit_test(a_function_that_is_named_stays_and_changes_say_where),
        cmocka_unit_test(nothing_at_all_may_remain),
        cmocka_unit_test(a_failing_allocation_is_a_clean_error),
    };
    return cmocka_run_group_tests_name("export/cut", tests, NULL, NULL);
}
