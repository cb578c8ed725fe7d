#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/import_text.h"

#include "import/importer.h"
#include "import/pprof.h"
#include "import/pprof_file.h"

#include <stdio.h>

/* Messages by hand: a tag is the number of the field times 8, and 2 more where bytes follow. */
#define TYPE_CPU "\x0a\x04\x08\x01\x10\x02" /* sample type `cpu/nanoseconds` */
#define TEXT(length, text) "\x32" length text
#define TEXTS TEXT("\x00", "") TEXT("\x03", "cpu") TEXT("\x0b", "nanoseconds") TEXT("\x01", "f") TEXT("\x01", "g")

/* The texts are 0 "", 1 "cpu", 2 "nanoseconds", 3 "f", 4 "g". */
#define FUNCTION_F "\x2a\x04\x08\x01\x10\x03"
#define FUNCTION_G "\x2a\x04\x08\x02\x10\x04"

static void a_location_with_two_lines_is_a_call_that_was_inlined(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(pprof_import,
                   SLICE(TYPE_CPU "\x12\x08\x0a\x01\x01\x12\x03\xc0\x84\x3d"                 /* 1 ms at location 1 */
                                  "\x22\x0c\x08\x01\x22\x04\x08\x01\x10\x07\x22\x02\x08\x02" /* f, line 7, inlined into g */
                         FUNCTION_F FUNCTION_G TEXTS),
                   &profile);
    assert_samples(&profile, 0, "0 x1 g;f\n");
    assert_int_equal(profile.threads.items[0].samples.weight_type, WEIGHT_TRACING_MS);
    struct frame outer = frame_table_get(&profile.frames, frame_at(0)), inner = frame_table_get(&profile.frames, frame_at(1));
    assert_int_equal(outer.inline_depth, 0);
    assert_int_equal(inner.inline_depth, 1);
    assert_int_equal(outer.line, INDEX_NONE);
    assert_int_equal(inner.line, 7);
    profile_free(&profile);
}

static void numbers_need_not_be_packed(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(pprof_import,
                   SLICE(TYPE_CPU "\x12\x08\x08\x01\x08\x02\x10\xc0\x84\x3d"
                                  "\x22\x06\x08\x01\x22\x02\x08\x01"
                                  "\x22\x06\x08\x02\x22\x02\x08\x02" FUNCTION_F FUNCTION_G TEXTS),
                   &profile);
    assert_samples(&profile, 0, "0 x1 g;f\n");
    profile_free(&profile);
}

/* The address is counted from the start of the module: 0x401005 - 0x401000 + 0x1000. */
static void what_has_no_symbols_is_called_by_its_address_in_the_module(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(pprof_import,
                   SLICE(TYPE_CPU "\x12\x08\x0a\x01\x01\x12\x03\xc0\x84\x3d"
                                  "\x1a\x11\x08\x01\x10\x80\xa0\x80\x02\x18\x80\xc0\x80\x02\x20\x80\x20\x28\x03"
                                  "\x22\x09\x08\x01\x10\x01\x18\x85\xa0\x80\x02" TEXTS),
                   &profile);
    assert_samples(&profile, 0, "0 x1 0x1005\n");
    struct frame frame = frame_table_get(&profile.frames, frame_at(0));
    assert_int_equal(frame.address, 0x1005);
    assert_string_equal(profile_text(&profile, profile.libs.rows.items[frame.lib.i].name).text, "f");
    assert_false(profile.meta.symbolicated);
    profile_free(&profile);
}

static void a_profile_without_samples_has_a_thread_without_any(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(pprof_import, SLICE(TYPE_CPU TEXTS), &profile);
    assert_int_equal(profile.threads.count, 1);
    assert_int_equal(sample_count(&profile.threads.items[0].samples), 0);
    profile_free(&profile);
}

static void what_refers_to_nothing_is_refused(void **state)
{
    (void)state;
    assert_refused(pprof_import, SLICE(TYPE_CPU "\x12\x06\x0a\x01\x09\x12\x01\x01" TEXTS), "a location 9, which is not there");
    assert_refused(pprof_import, SLICE(TYPE_CPU "\x22\x06\x08\x01\x22\x02\x08\x05" TEXTS), "a function 5, which is not there");
    assert_refused(pprof_import, SLICE(TYPE_CPU "\x22\x04\x08\x01\x10\x05" TEXTS), "a mapping 5, which is not there");
    assert_refused(pprof_import, SLICE(TYPE_CPU "\x2a\x04\x08\x01\x10\x33" TEXTS), "function 0 has a text that is not in");
    assert_refused(pprof_import, SLICE("\x0a\x02\x08\x63" TEXTS), "sample type 0 has a text that is not in");
    assert_refused(pprof_import, SLICE(TYPE_CPU "\x12\x02\x12\x00" TEXTS), "not one value for each type");
    assert_refused(pprof_import, SLICE(TEXTS), "no sample types");
    assert_refused(pprof_import, SLICE(TYPE_CPU TEXTS "\x12\x7f"), "is damaged or cut off here");
}

static const char *const files[] = {"work.cpu", "work.heap", "work.rs"};

static struct slice read_file(size_t i)
{
    char path[300];
    snprintf(path, sizeof path, TEST_DATA "/pprof/%s.pb.gz", files[i]);
    return read_test_data(path);
}

static void files_of_go_and_rust_are_recognised(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct slice text = read_file(i);
        struct profile profile;
        assert_true(pprof_recognise(text));
        assert_true(pprof_recognise(slice_until(text, 100)));
        assert_imports(import_profile, text, &profile);
        assert_string_equal(profile_text(&profile, profile.meta.product).text, "pprof");
        profile_free(&profile);
        memory_release((char *)text.text);
    }
}

static void damaged_files_and_empty_heaps_are_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct slice text = read_file(i);
        assert_truncations_are_clean(pprof_import, text, 500);
        if (i == 0)
            assert_import_survives_failing_allocations(pprof_import, text);
        memory_release((char *)text.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_location_with_two_lines_is_a_call_that_was_inlined),
        cmocka_unit_test(numbers_need_not_be_packed),
        cmocka_unit_test(what_has_no_symbols_is_called_by_its_address_in_the_module),
        cmocka_unit_test(a_profile_without_samples_has_a_thread_without_any),
        cmocka_unit_test(what_refers_to_nothing_is_refused),
        cmocka_unit_test(files_of_go_and_rust_are_recognised),
        cmocka_unit_test(damaged_files_and_empty_heaps_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
