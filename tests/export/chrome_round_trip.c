/* A profile that is written as a Chrome trace and read again has the same samples, functions and markers. */
#include "export/exporter.h"

#include "common/memory.h"
#include "import/importer.h"
#include "support/text_profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void round_trip(const struct profile *profile, struct profile *again)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    assert_non_null(sink);
    if (export_chrome_trace(profile, sink, &error))
        fail_msg("%s", error.message);
    struct byte_source *source = byte_source_memory(byte_sink_memory_bytes(sink), 0, false, &error);
    assert_non_null(source);
    profile_init(again);
    if (import_profile(source, again, &error))
        fail_msg("%s", error.message);
    byte_source_close(source);
    byte_sink_close(sink, false, &error);
}

static void read_file(const char *path, struct profile *profile)
{
    struct error error = {0};
    profile_init(profile);
    if (import_file(path, NULL, profile, &error))
        fail_msg("%s: %s", path, error.message);
}

static void assert_same_text(const struct profile *a, struct string_index x, const struct profile *b, struct string_index y)
{
    assert_string_equal(profile_text(a, x).text, profile_text(b, y).text);
}

static void assert_same_func(const struct profile *a, struct func_index x, const struct profile *b, struct func_index y)
{
    struct func f = func_table_get(&a->funcs, x), g = func_table_get(&b->funcs, y);
    assert_same_text(a, f.name, b, g.name);
    assert_int_equal(f.is_js, g.is_js);
    assert_int_equal(f.relevant_for_js, g.relevant_for_js);
    assert_int_equal(f.line, g.line);
    assert_int_equal(f.column, g.column);
    assert_int_equal(source_exists(f.source), source_exists(g.source));
    if (source_exists(f.source))
        assert_same_text(a, a->sources.rows.items[f.source.i].filename, b, b->sources.rows.items[g.source.i].filename);
    bool has_lib = resource_exists(f.resource) && a->resources.rows.items[f.resource.i].type == RESOURCE_LIBRARY;
    if (has_lib) {
        assert_true(resource_exists(g.resource));
        assert_same_text(a, a->resources.rows.items[f.resource.i].name, b, b->resources.rows.items[g.resource.i].name);
    }
}

static void assert_same_stack(const struct profile *a, struct stack_index x, const struct profile *b, struct stack_index y)
{
    if (stack_exists(x) && stack_exists(y)) {
        struct frame f = frame_table_get(&a->frames, stack_frame(&a->stacks, x));
        struct frame g = frame_table_get(&b->frames, stack_frame(&b->stacks, y));
        assert_int_equal(f.line, g.line);
    }
    for (; stack_exists(x) && stack_exists(y); x = stack_prefix(&a->stacks, x), y = stack_prefix(&b->stacks, y))
        assert_same_func(a, frame_func(&a->frames, stack_frame(&a->stacks, x)), b,
                         frame_func(&b->frames, stack_frame(&b->stacks, y)));
    assert_int_equal(stack_exists(x), stack_exists(y));
}

static void assert_same_samples(const struct profile *a, const struct profile *b)
{
    assert_int_equal(a->threads.count, b->threads.count);
    for (size_t t = 0; t < a->threads.count; t++) {
        const struct thread *x = &a->threads.items[t], *y = &b->threads.items[t];
        size_t count = sample_count(&x->samples);
        assert_int_equal(sample_count(&y->samples), count);
        assert_int_equal(sample_table_has(&y->samples.weight), sample_table_has(&x->samples.weight));
        assert_same_text(a, x->name, b, y->name);
        assert_int_equal(marker_count(&x->markers), marker_count(&y->markers));
        double *times = malloc((count + 1) * sizeof *times), *again = malloc((count + 1) * sizeof *again);
        assert_true(times && again);
        sample_table_read_times(&x->samples, times);
        sample_table_read_times(&y->samples, again);
        for (size_t i = 0; i < count; i++) {
            assert_true(fabs(times[i] - again[i]) <= 0.0005 + 1e-9);
            if (sample_table_has(&x->samples.weight))
                assert_true(fabs(column_get_number(&x->samples.weight, i) - column_get_number(&y->samples.weight, i)) <=
                            0.0011);
            assert_same_stack(a, stack_at(column_get_index(&x->samples.stack, i)), b,
                              stack_at(column_get_index(&y->samples.stack, i)));
        }
        free(times);
        free(again);
    }
}

static void assert_comes_back(const char *path)
{
    struct profile profile, again;
    read_file(path, &profile);
    round_trip(&profile, &again);
    assert_same_samples(&profile, &again);
    profile_free(&profile);
    profile_free(&again);
}

static void samples_of_scripts_and_native_code_come_back(void **state)
{
    (void)state;
    struct profile profile, again;
    text_profile_open(&profile);
    static const char samples[] = "0                      1                             3  4\n"
                                  "main[lib:app][line:7]  main[lib:app]                    main[lib:app]\n"
                                  "run[file:a.c][line:9]  Ajs                              label-relevantForJS\n"
                                  "                       B[lib:app][file:b.c][line:3]\n";
    struct thread *thread = text_profile_add_thread(&profile, samples);
    thread->name = string_table_add(&profile.strings, SLICE("main"));
    thread->pid = thread->tid = string_table_add(&profile.strings, SLICE("12"));
    struct error error = {0};
    assert_int_equal(profile_finish(&profile, &error), 0);
    round_trip(&profile, &again);
    assert_same_samples(&profile, &again);
    profile_free(&profile);
    profile_free(&again);
}

/* What a function weighs, as the only one of its stacks; NULL = samples without a stack. */
static double weight_of(const struct profile *profile, const char *name)
{
    const struct sample_table *samples = &profile->threads.items[0].samples;
    double sum = 0;
    for (size_t i = 0; i < sample_count(samples); i++) {
        struct stack_index stack = stack_at(column_get_index(&samples->stack, i));
        struct slice found = SLICE("");
        if (stack_exists(stack))
            found = profile_text(
                profile, func_name(&profile->funcs, frame_func(&profile->frames, stack_frame(&profile->stacks, stack))));
        if (slice_equal(found, slice_of(name ? name : "")))
            sum += column_get_number(&samples->weight, i);
    }
    return sum;
}

/* Two rows of one look, of which both end at 10; one that begins when the one before ends; and one behind a pause. */
static void rows_that_weigh_the_time_before_them_come_back_with_their_weights(void **state)
{
    (void)state;
    struct profile profile, again;
    text_profile_open(&profile);
    struct thread *thread = text_profile_add_thread(&profile, "10  10  12  30\n"
                                                              "A   B   C   D\n");
    static const double weights[] = {4, 3, 2.5, 2}, cpu[] = {4e6, 0, 2.5e6, 0};
    for (size_t i = 0; i < 4; i++) {
        column_append_number(&thread->samples.weight, weights[i]);
        column_append_number(&thread->samples.cpu_delta, cpu[i]);
    }
    thread->samples.weight_type = WEIGHT_TRACING_MS;
    thread->name = string_table_add(&profile.strings, SLICE("main"));
    thread->pid = thread->tid = string_table_add(&profile.strings, SLICE("12"));
    struct error error = {0};
    assert_int_equal(profile_finish(&profile, &error), 0);
    round_trip(&profile, &again);
    const struct sample_table *samples = &again.threads.items[0].samples;
    static const double begins[] = {6, 10, 13, 15.5, 28, 30};
    double times[6];
    assert_int_equal(sample_count(samples), 6);
    sample_table_read_times(samples, times);
    for (size_t i = 0; i < 6; i++)
        assert_true(fabs(times[i] - begins[i]) <= 0.0011);
    assert_true(fabs(weight_of(&again, "A") - 4) <= 0.0011);
    assert_true(fabs(weight_of(&again, "B") - 3) <= 0.0011);
    assert_true(fabs(weight_of(&again, "C") - 2.5) <= 0.0011);
    assert_true(fabs(weight_of(&again, "D") - 2) <= 0.0011);
    assert_true(weight_of(&again, NULL) >= 12.5 - 0.0011);
    profile_free(&profile);
    profile_free(&again);
}

static void a_cpu_profile_comes_back(void **state)
{
    (void)state;
    assert_comes_back(TEST_DATA "/async.cpuprofile");
}

static void a_recording_of_perf_comes_back(void **state)
{
    (void)state;
    assert_comes_back(TEST_DATA "/workers.perf.txt");
}

static void a_chrome_trace_comes_back(void **state)
{
    (void)state;
    assert_comes_back(TEST_DATA "/trace/chrome_small.json.gz");
}

static struct slice exported_again(struct slice text, struct byte_sink **sink)
{
    struct error error = {0};
    struct profile profile;
    profile_init(&profile);
    struct byte_source *source = byte_source_memory(text, 0, false, &error);
    assert_non_null(source);
    if (import_profile(source, &profile, &error))
        fail_msg("%s", error.message);
    byte_source_close(source);
    *sink = byte_sink_memory(&error);
    assert_non_null(*sink);
    if (export_chrome_trace(&profile, *sink, &error))
        fail_msg("%s", error.message);
    profile_free(&profile);
    return byte_sink_memory_bytes(*sink);
}

/* In DevTools an event that is not of its thread alone cuts no calls, but an X does. */
static void events_of_a_trace_stay_of_their_kind(void **state)
{
    (void)state;
    static const char trace[] =
        "[{\"ph\":\"b\",\"cat\":\"c\",\"name\":\"load\",\"pid\":1,\"tid\":2,\"ts\":1000,\"id\":\"0x7\"},"
        "{\"ph\":\"b\",\"cat\":\"c\",\"name\":\"fetch\",\"pid\":1,\"tid\":2,\"ts\":2000,\"id\":\"0x8\"},"
        "{\"ph\":\"X\",\"cat\":\"c\",\"name\":\"call\",\"pid\":1,\"tid\":2,\"ts\":2500,\"dur\":5000},"
        "{\"ph\":\"n\",\"cat\":\"c\",\"name\":\"sent\",\"pid\":1,\"tid\":2,\"ts\":2600,\"id\":\"0x8\"},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"name\":\"fetch\",\"pid\":1,\"tid\":2,\"ts\":4000,\"id\":\"0x8\"},"
        "{\"ph\":\"X\",\"cat\":\"c\",\"name\":\"overlaps\",\"pid\":1,\"tid\":2,\"ts\":5000,\"dur\":5000},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"name\":\"load\",\"pid\":1,\"tid\":2,\"ts\":9000,\"id\":\"0x7\"},"
        "{\"ph\":\"B\",\"cat\":\"c\",\"name\":\"task\",\"pid\":1,\"tid\":2,\"ts\":9500}]";
    static const char *const wanted[] = {
        "\"ph\":\"b\",\"name\":\"load\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":1000,\"id\":\"0x7\"",
        "\"ph\":\"e\",\"name\":\"load\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":9000,\"id\":\"0x7\"",
        "\"ph\":\"b\",\"name\":\"fetch\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":2000,\"id\":\"0x8\"",
        "\"ph\":\"n\",\"name\":\"sent\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":2600,\"id\":\"0x8\"",
        "\"ph\":\"X\",\"name\":\"call\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":2500,\"dur\":5000",
        "\"ph\":\"X\",\"name\":\"overlaps\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":5000,\"dur\":5000",
        "\"ph\":\"B\",\"name\":\"task\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":9500",
    };
    struct byte_sink *once, *twice;
    struct error error = {0};
    struct slice first = exported_again(slice_of(trace), &once), second = exported_again(first, &twice);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!memmem(first.text, first.length, wanted[i], strlen(wanted[i])))
            fail_msg("%s is not in %.*s", wanted[i], (int)first.length, first.text);
    assert_int_equal(first.length, second.length);
    assert_memory_equal(first.text, second.text, first.length);
    byte_sink_close(once, false, &error);
    byte_sink_close(twice, false, &error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_scripts_and_native_code_come_back),
        cmocka_unit_test(rows_that_weigh_the_time_before_them_come_back_with_their_weights),
        cmocka_unit_test(a_cpu_profile_comes_back),
        cmocka_unit_test(a_recording_of_perf_comes_back),
        cmocka_unit_test(a_chrome_trace_comes_back),
        cmocka_unit_test(events_of_a_trace_stay_of_their_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
