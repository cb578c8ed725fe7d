/* Native code in drawn sessions: addresses, libraries, and frames of a runtime. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "drawn.h"
#include "support/session_profile.h"

static struct frame frame_of_sample(const struct profile *profile, size_t sample)
{
    struct stack_index stack = stack_at(column_get_index(&profile->threads.items[0].samples.stack, sample));
    return frame_table_get(&profile->frames, stack_frame(&profile->stacks, stack));
}

static void native_frames_are_named_by_their_address_in_the_library_and_callers_by_the_call(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN APP_MODULE "sample 1 1ms 0x1100 0x1200 0x9000\n"
                                    "sample 1 2ms 0x1100 0x1200\n",
                    &profile);
    assert_rows(&profile, 0, "1 0xff;0x1ff;0x9000 1ms cpu\n2 0xff;0x200 1ms cpu\n");
    struct frame outside = frame_of_sample(&profile, 0), youngest = frame_of_sample(&profile, 1);
    assert_false(lib_exists(outside.lib));
    assert_true(outside.address == COLUMN_ABSENT);
    assert_int_equal(youngest.lib.i, 0);
    assert_int_equal(youngest.address, 0x200);
    assert_false(profile.meta.symbolicated);
    profile_free(&profile);
}

static void libraries_have_the_ids_of_their_build(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN APP_MODULE "module 2 /lib/unused.so 0x7000-0x8000 bias=0x7000\n"
                                    "sample 1 1ms 0x1100\n",
                    &profile);
    assert_int_equal(profile.libs.rows.count, 1);
    const struct lib *lib = &profile.libs.rows.items[0];
    assert_string_equal(text_of(&profile, lib->name), "app");
    assert_string_equal(text_of(&profile, lib->path), "/opt/bin/app");
    assert_string_equal(text_of(&profile, lib->breakpad_id), "0403020106050807090A0B0C0D0E0F100");
    assert_string_equal(text_of(&profile, lib->code_id), "0102030405060708090a0b0c0d0e0f1011121314");
    profile_free(&profile);
}

static void a_library_told_of_by_two_names_is_one(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "module 1 /lib/libz.so.1 0x1000-0x5000 bias=0x1000 build-id=01020304 time=0\n"
                         "module 16777217 /lib/libz.so.1.2 0x1000-0x5000 bias=0x1000 build-id=01020304 time=3ms\n"
                         "module 3 /lib/other.so 0x6000-0x7000 bias=0x6000 build-id=01020305\n"
                         "module 4 /lib/old 0x7000-0x8000 bias=0x7000\n"
                         "module 5 /lib/older 0x8000-0x9000 bias=0x8000\n"
                         "module-end 1 time=3ms\n"
                         "sample 1 1ms 0x1100 0x1200\n"
                         "sample 1 4ms 0x1100 0x1200\n"
                         "sample 1 5ms 0x6100 0x7100 0x8100\n",
                    &profile);
    assert_int_equal(profile.libs.rows.count, 4);
    assert_string_equal(text_of(&profile, profile.libs.rows.items[0].name), "libz.so.1");
    assert_int_equal(func_count(&profile.funcs), 5);
    assert_int_equal(frame_count(&profile.frames), 5);
    profile_free(&profile);
}

static void an_address_belongs_to_the_library_that_was_there_at_the_time(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "module 1 /lib/old.so 0x1000-0x3000 bias=0x1000 time=0\n"
                         "module-end 1 time=2ms\n"
                         "module 2 /lib/new.so 0x2000-0x4000 bias=0x2000 time=3ms\n"
                         "sample 1 1ms 0x2100\n"
                         "sample 1 4ms 0x2110 0x2100\n",
                    &profile);
    assert_rows(&profile, 0, "1 0x1100 1ms cpu\n4 0x10f;0x100 1ms cpu\n");
    profile_free(&profile);
}

static void a_call_at_the_very_end_of_a_library_is_in_it(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN APP_MODULE "sample 1 1ms 0x5000 0x1010\n", &profile);
    assert_rows(&profile, 0, "1 0x3fff;0x10 1ms cpu\n");
    profile_free(&profile);
}

static void the_youngest_native_frame_is_at_the_pc_also_below_a_label(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN APP_MODULE "sample 1 1ms 0x1100 label:a 0x1200 label:b\n", &profile);
    assert_rows(&profile, 0, "1 0xff;a;0x200;b 1ms cpu\n");
    profile_free(&profile);
}

static void each_address_of_a_library_has_a_func_of_its_own(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN APP_MODULE "module 2 /opt/old/app 0x7000-0x8000 bias=0x7000 build-id=77\n"
                                    "sample 1 1ms 0x1200 0x1180 0x7180 0x1180 0x1300\n",
                    &profile);
    assert_rows(&profile, 0, "1 0x1ff;0x17f;0x17f;0x17f;0x300 1ms cpu\n");
    assert_int_equal(func_count(&profile.funcs), 4);
    assert_int_equal(native_symbol_count(&profile.native_symbols), 0);
    assert_false(profile.meta.symbolicated);
    profile_free(&profile);
}

static void addresses_of_a_program_with_a_place_of_its_own_are_relative_to_that_place(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "module 1 /opt/bin/fixed 0x400040-0x405000 bias=0\n"
                         "sample 1 1ms 0x401200\n",
                    &profile);
    assert_int_equal(frame_of_sample(&profile, 0).address, 0x1200);
    profile_free(&profile);
}

static void frames_of_a_runtime_have_source_line_and_category(void **state)
{
    (void)state;
    struct profile profile;
    session_profile("category 0 Other colour=grey subcategories=Other\n"
                    "category 1 Script colour=yellow subcategories=Other,Fast\n" MAIN
                    "sample 1 1ms js:run@/src/a.py:10:2@1/1\n",
                    &profile);
    struct frame frame = frame_of_sample(&profile, 0);
    struct func func = func_table_get(&profile.funcs, frame.func);
    assert_true(func.is_js);
    assert_string_equal(text_of(&profile, profile.sources.rows.items[func.source.i].filename), "/src/a.py");
    assert_int_equal(frame.line, 10);
    assert_int_equal(frame.column, 2);
    assert_int_equal(frame.category.i, 1);
    assert_int_equal(frame.subcategory, 1);
    assert_meta(&profile, "usesOnlyOneStackType", "false");
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(native_frames_are_named_by_their_address_in_the_library_and_callers_by_the_call),
        cmocka_unit_test(libraries_have_the_ids_of_their_build),
        cmocka_unit_test(a_library_told_of_by_two_names_is_one),
        cmocka_unit_test(an_address_belongs_to_the_library_that_was_there_at_the_time),
        cmocka_unit_test(a_call_at_the_very_end_of_a_library_is_in_it),
        cmocka_unit_test(the_youngest_native_frame_is_at_the_pc_also_below_a_label),
        cmocka_unit_test(each_address_of_a_library_has_a_func_of_its_own),
        cmocka_unit_test(addresses_of_a_program_with_a_place_of_its_own_are_relative_to_that_place),
        cmocka_unit_test(frames_of_a_runtime_have_source_line_and_category),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
