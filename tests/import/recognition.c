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
#include <stdio.h>

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
                    -ENOTSUP, "programs are not read: `sonde record` runs and records one");
    assert_not_read(SLICE("{\"a\":1}"), -EBADMSG, "not a profile");
}

/* tests/data/foreign/README.md says what made each. */
static void what_other_tools_write_is_named_with_a_way_to_read_it(void **state)
{
    (void)state;
    static const struct {
        const char *path, *message;
    } files[] = {
        {"go.trace", "execution traces of Go are not read: `go tool trace` shows it"},
        {"perf.data", "perf.data files are not read: convert it on the machine that recorded it: perf script"},
        {"java.jfr", "(JFR) are not read: convert it with what comes with async-profiler: jfrconv -o collapsed"},
        {"callgrind.out", "callgrind profiles are not read"},
        {"massif.out", "massif profiles are not read: ms_print"},
        {"dhat.json", "DHAT profiles are not read"},
        {"cprofile.pstats", "profiles of Python's cProfile are not read: convert it: flameprof"},
        {"pyspy.speedscope.json", "speedscope files are not read: have the profiler that wrote it write folded stacks"},
        {"node.heapprofile", "heap profiles of V8 (.heapprofile) are not read"},
        {"node.heapsnapshot", "heap snapshots of V8 are not read"},
        {"chromium.pftrace", "Perfetto traces are not read: convert it with Perfetto's traceconv"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[300];
        snprintf(path, sizeof path, TEST_DATA "/foreign/%s", files[i].path);
        struct slice text = read_test_data(path);
        assert_not_read(text, -ENOTSUP, files[i].message);
        memory_release((char *)text.text);
    }
}

static void old_cpu_profiles_are_told_from_heap_profiles(void **state)
{
    (void)state;
    assert_product(SLICE("{\"head\":{\"functionName\":\"(root)\",\"hitCount\":0,\"id\":1,\"children\":[]},"
                         "\"startTime\":0,\"endTime\":1,\"samples\":[1],\"timestamps\":[0]}"),
                   "Chrome Trace");
}

static void pictures_archives_and_logs_are_no_profiles(void **state)
{
    (void)state;
    assert_not_read(SLICE("<svg width=\"100 200\">\n<g> 12\n"), -EBADMSG, "not a profile");
    assert_not_read(SLICE("x.json\0\0\0000644 0000000 12\n34\n"), -EBADMSG, "not a profile");
    assert_not_read(SLICE("Jan 12 10:00:01 host app: took 12\nJan 13 10:00:02 host app: took long\n"), -EBADMSG,
                    "not a profile");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folded_stacks_may_start_with_a_bracket),
        cmocka_unit_test(folded_stacks_need_a_newline),
        cmocka_unit_test(perf_script_comes_with_and_without_header),
        cmocka_unit_test(cpu_profiles_may_have_their_keys_in_any_order),
        cmocka_unit_test(chrome_traces_are_arrays_or_objects),
        cmocka_unit_test(what_other_tools_write_is_named_with_a_way_to_read_it),
        cmocka_unit_test(old_cpu_profiles_are_told_from_heap_profiles),
        cmocka_unit_test(pictures_archives_and_logs_are_no_profiles),
        cmocka_unit_test(anything_else_is_no_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
