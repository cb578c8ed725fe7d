/* A profile that is written as pprof and read again has the same stacks with the same sums. */
#include "export/exporter.h"

#include "common/memory.h"
#include "import/importer.h"
#include "support/failing_alloc.h"
#include "support/import_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Samples of the thread on each stack. */
static int count_samples(void *data, struct thread_index thread, size_t type, double *values, struct error *error)
{
    const struct profile *profile = data;
    const struct sample_table *samples = &profile->threads.items[thread.i].samples;
    (void)type;
    (void)error;
    memset(values, 0, stack_count(&profile->stacks) * sizeof *values);
    for (size_t i = 0; i < sample_count(samples); i++)
        if (column_get_index(&samples->stack, i) != INDEX_NONE)
            values[column_get_index(&samples->stack, i)]++;
    return 0;
}

static int export_samples(const struct profile *profile, struct byte_sink *sink, struct error *error)
{
    static const struct pprof_type_name samples = {"samples", "count"};
    const struct pprof_counts counts = {&samples, 1, 0, count_samples, (void *)profile};
    return export_pprof(profile, &counts, sink, error);
}

static void import_text_of(struct slice text, struct profile *profile)
{
    struct error error = {0};
    struct byte_source *source = byte_source_memory(text, 0, true, &error);
    assert_non_null(source);
    profile_init(profile);
    if (import_profile(source, profile, &error))
        fail_msg("%s", error.message);
    byte_source_close(source);
}

static void round_trip(const struct profile *profile, struct profile *again)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    assert_non_null(sink);
    if (export_samples(profile, sink, &error))
        fail_msg("%s", error.message);
    import_text_of(byte_sink_memory_bytes(sink), again);
    byte_sink_close(sink, false, &error);
}

static void each_stack_of_a_thread_is_a_sample(void **state)
{
    (void)state;
    struct profile profile, again;
    import_text_of(SLICE("main;b;c 2\nmain;b 1\nmain;b;c 3\n"), &profile);
    round_trip(&profile, &again);
    assert_samples(&again, 0, "0 x1 main;b\n1 x5 main;b;c\n");
    profile_free(&profile);
    profile_free(&again);
}

static void threads_are_labels(void **state)
{
    (void)state;
    struct profile profile, again;
    import_text_of(SLICE("ant 7/8 1.0: cycles:\n\t1 f (x)\n\nbee 7/9 1.0: cycles:\n\t1 f (x)\n\t2 g (x)\n\n"), &profile);
    round_trip(&profile, &again);
    assert_int_equal(again.threads.count, 2);
    const struct thread *bee = &again.threads.items[1];
    assert_string_equal(profile_text(&again, bee->name).text, "bee");
    assert_string_equal(profile_text(&again, bee->tid).text, "9");
    assert_string_equal(profile_text(&again, bee->pid).text, "7");
    assert_samples(&again, 1, "0 x1 g;f\n");
    profile_free(&profile);
    profile_free(&again);
}

/* pprof heads what it shows by the first module. */
static void the_first_module_is_a_program(void **state)
{
    (void)state;
    struct slice text = read_test_data(TEST_DATA "/cli/app.json");
    struct profile profile, again;
    import_text_of(text, &profile);
    struct lib *libs = profile.libs.rows.items, app = libs[0];
    libs[0] = libs[1];
    libs[1] = app;
    /* The first process has its name from a module; another one has; none has. */
    for (size_t unnamed = 0; unnamed <= profile.threads.count; unnamed++) {
        for (size_t i = 0; i < unnamed; i++)
            profile.threads.items[i].process_name = profile.threads.items[i].name;
        assert_string_equal(profile_text(&profile, libs[0].name).text, "libc.so.6");
        round_trip(&profile, &again);
        assert_string_equal(profile_text(&again, again.libs.rows.items[0].name).text, "app");
        profile_free(&again);
    }
    profile_free(&profile);
    memory_release((char *)text.text);
}

static void an_empty_profile_is_one(void **state)
{
    (void)state;
    struct error error = {0};
    struct profile profile, again;
    profile_init(&profile);
    assert_int_equal(profile_finish(&profile, &error), 0);
    round_trip(&profile, &again);
    assert_int_equal(stack_count(&again.stacks), 0);
    profile_free(&profile);
    profile_free(&again);
}

/* Frames keep their module, address, line and what was inlined into them. */
static void go_comes_back_as_it_was(void **state)
{
    (void)state;
    struct profile profile, again;
    struct slice text = read_test_data(TEST_DATA "/pprof/work.cpu.pb.gz");
    import_text_of(text, &profile);
    round_trip(&profile, &again);
    assert_int_equal(stack_count(&again.stacks), stack_count(&profile.stacks));
    assert_int_equal(frame_count(&again.frames), frame_count(&profile.frames));
    size_t inlined = 0;
    int64_t sums[2] = {0};
    for (size_t i = 0; i < frame_count(&profile.frames); i++) {
        struct frame a = frame_table_get(&profile.frames, frame_at(i)), b = frame_table_get(&again.frames, frame_at(i));
        inlined += b.inline_depth > 0;
        sums[0] += a.address * 1000 + a.line + a.inline_depth;
        sums[1] += b.address * 1000 + b.line + b.inline_depth;
    }
    assert_true(inlined > 0);
    assert_int_equal(sums[0], sums[1]);
    profile_free(&profile);
    profile_free(&again);
    memory_release((char *)text.text);
}

static int export_to_memory(void *data, struct error *error)
{
    struct byte_sink *sink = byte_sink_memory(error);
    if (!sink)
        return error->code;
    int failed = export_samples(data, sink, error);
    byte_sink_close(sink, false, &(struct error){0});
    return failed;
}

static void empty_heaps_are_errors(void **state)
{
    (void)state;
    struct profile profile;
    import_text_of(SLICE("main;b;c 2\nmain;b 1\n"), &profile);
    assert_true(assert_survives_failing_allocations(export_to_memory, &profile) > 10);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_stack_of_a_thread_is_a_sample),
        cmocka_unit_test(threads_are_labels),
        cmocka_unit_test(the_first_module_is_a_program),
        cmocka_unit_test(an_empty_profile_is_one),
        cmocka_unit_test(go_comes_back_as_it_was),
        cmocka_unit_test(empty_heaps_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
