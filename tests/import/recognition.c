/* Formats are told apart by what is in the file, not by its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/import_text.h"

#include "import/importer.h"

#include <errno.h>

static void assert_product(struct slice text, const char *product)
{
    struct profile profile;
    assert_imports(import_profile, text, &profile);
    assert_string_equal(profile_text(&profile, profile.meta.product).text, product);
    profile_free(&profile);
}

static void assert_not_read(struct slice text, int code, const char *message)
{
    struct error error;
    struct profile profile;
    assert_int_equal(import_text(import_profile, text, 0, &profile, &error), code);
    if (!strstr(error.message, message))
        fail_msg("`%s` is not in `%s`", message, error.message);
    profile_free(&profile);
}

static void folded_stacks_may_start_with_a_bracket(void **state)
{
    (void)state;
    assert_product(SLICE("main;a 1\n"), "Flamegraph");
    assert_product(SLICE("[unknown];main 3\n"), "Flamegraph");
    assert_product(SLICE("[kernel] 1\n[0] 2\n"), "Flamegraph");
}

static void folded_stacks_need_a_newline(void **state)
{
    (void)state;
    assert_not_read(SLICE("a;b 1"), -EBADMSG, "not a profile");
}

static void perf_script_comes_with_and_without_header(void **state)
{
    (void)state;
    assert_product(SLICE("a 1 1.0: cycles:\n\t1 f (x)\n\n"), "perf");
    assert_product(SLICE("# ========\n#\na 1 1.0: cycles:\n\t1 f (x)\n\n"), "perf");
    assert_product(SLICE("    app  7  1.0:  250000 cycles:u:   5581 leaf+0x1f (/bin/app)\n"), "perf");
}

static void cpu_profiles_may_have_their_keys_in_any_order(void **state)
{
    (void)state;
    assert_product(SLICE("{\"nodes\":[],\"startTime\":0,\"samples\":[],\"timeDeltas\":[]}"), "Chrome Trace");
    assert_product(SLICE(" \n{\"title\":\"x\",\"samples\":[],\"timeDeltas\":[],\"startTime\":0,\"nodes\":[]}\n"),
                   "Chrome Trace");
}

static void chrome_traces_are_arrays_or_objects(void **state)
{
    (void)state;
    assert_product(SLICE("[{\"name\":\"a\",\"ph\":\"I\",\"pid\":1,\"tid\":1,\"ts\":1}]"), "Chrome Trace");
    assert_product(SLICE("{\"displayTimeUnit\":\"ms\",\"traceEvents\":["
                         "{\"name\":\"a\",\"ph\":\"I\",\"pid\":1,\"tid\":1,\"ts\":1}]}"),
                   "Chrome Trace");
}

static void anything_else_is_no_profile(void **state)
{
    (void)state;
    assert_not_read(SLICE(""), -EBADMSG, "empty");
    assert_not_read(SLICE("hello\n"), -EBADMSG, "not a profile");
    assert_not_read(SLICE("\x7f"
                          "ELF\x02\x01\x01"),
                    -EBADMSG, "not a profile");
    assert_not_read(SLICE("{\"a\":1}"), -EBADMSG, "not a profile");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folded_stacks_may_start_with_a_bracket),
        cmocka_unit_test(folded_stacks_need_a_newline),
        cmocka_unit_test(perf_script_comes_with_and_without_header),
        cmocka_unit_test(cpu_profiles_may_have_their_keys_in_any_order),
        cmocka_unit_test(chrome_traces_are_arrays_or_objects),
        cmocka_unit_test(anything_else_is_no_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
