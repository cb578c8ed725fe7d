#include "export/exporter.h"

#include "common/memory.h"
#include "support/failing_alloc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- profiles by hand: a stack is a list of funcs, outermost first ---- */

static struct func_index add_func(struct profile *profile, const char *name)
{
    struct func func = {
        .name = string_table_add(&profile->strings, slice_of(name)),
        .resource = resource_none(),
        .source = source_none(),
        .line = INDEX_NONE,
        .column = INDEX_NONE,
        .original_location = location_none(),
    };
    return func_table_append(&profile->funcs, &func);
}

static struct stack_index add_stack(struct profile *profile, struct stack_index prefix, struct func_index func)
{
    struct frame frame = {
        .address = COLUMN_ABSENT,
        .lib = lib_none(),
        .category = category_none(),
        .subcategory = INDEX_NONE,
        .func = func,
        .native_symbol = native_symbol_none(),
        .implementation = STRING_NONE,
        .line = INDEX_NONE,
        .column = INDEX_NONE,
        .original_location = location_none(),
    };
    return stack_table_append(&profile->stacks, prefix, frame_table_append(&profile->frames, &frame));
}

static void add_sample(struct thread *thread, struct stack_index stack, double weight)
{
    column_append_index(&thread->samples.stack, stack.i);
    column_append_number(&thread->samples.time, (double)sample_count(&thread->samples));
    if (!isnan(weight))
        column_append_number(&thread->samples.weight, weight);
}

static void expect_folded(struct profile *profile, size_t first_thread, size_t thread_count, const char *expected)
{
    struct error error = {0};
    struct thread_index threads[4];
    for (size_t i = 0; i < thread_count; i++)
        threads[i] = thread_at(first_thread + i);
    assert_int_equal(profile_finish(profile, &error), 0);
    struct byte_sink *sink = byte_sink_memory(&error);
    assert_int_equal(export_folded(profile, threads, thread_count, NULL, sink, &error), 0);
    struct slice bytes = byte_sink_memory_bytes(sink);
    char *text = memory_array(bytes.length + 1, 1);
    if (bytes.length > 0)
        memcpy(text, bytes.text, bytes.length);
    text[bytes.length] = '\0';
    assert_string_equal(text, expected);
    memory_release(text);
    byte_sink_close(sink, false, &error);
}

/* a;b and a;c, where b is a script, in two threads. */
static void make_two_threads(struct profile *profile)
{
    profile_init(profile);
    struct stack_index a = add_stack(profile, stack_none(), add_func(profile, "a"));
    struct stack_index b = add_stack(profile, a, add_func(profile, "b"));
    struct stack_index c = add_stack(profile, a, add_func(profile, "c"));
    struct thread *thread = profile_add_thread(profile);
    add_sample(thread, b, (double)NAN);
    add_sample(thread, stack_none(), (double)NAN);
    add_sample(thread, c, (double)NAN);
    add_sample(thread, b, (double)NAN);
    thread = profile_add_thread(profile);
    add_sample(thread, a, (double)NAN);
    add_sample(thread, c, (double)NAN);
}

static void a_line_for_each_path_in_the_order_of_its_first_sample(void **state)
{
    (void)state;
    struct profile profile;
    make_two_threads(&profile);
    expect_folded(&profile, 0, 1, "a;b 2\na;c 1\n");
    profile_free(&profile);
}

static void threads_are_summed_up(void **state)
{
    (void)state;
    struct profile profile;
    make_two_threads(&profile);
    expect_folded(&profile, 0, 2, "a;b 2\na;c 2\na 1\n");
    profile_free(&profile);
}

static void weights_are_summed_and_rounded(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    struct stack_index a = add_stack(&profile, stack_none(), add_func(&profile, "a"));
    struct stack_index b = add_stack(&profile, a, add_func(&profile, "b"));
    struct stack_index c = add_stack(&profile, a, add_func(&profile, "c"));
    struct thread *thread = profile_add_thread(&profile);
    add_sample(thread, a, 1.25);
    add_sample(thread, a, 2.5);
    add_sample(thread, b, -3);
    add_sample(thread, c, 0.25);
    expect_folded(&profile, 0, 1, "a 4\n");
    profile_free(&profile);
}

static void weights_in_milliseconds_are_written_in_microseconds(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    struct stack_index a = add_stack(&profile, stack_none(), add_func(&profile, "a"));
    struct thread *thread = profile_add_thread(&profile);
    thread->samples.weight_type = WEIGHT_TRACING_MS;
    add_sample(thread, a, 0.25);
    add_sample(thread, a, 0.125);
    expect_folded(&profile, 0, 1, "a 375\n");
    profile_free(&profile);
}

static void equal_names_are_one_path(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    struct stack_index a = add_stack(&profile, stack_none(), add_func(&profile, "a"));
    struct stack_index again = add_stack(&profile, stack_none(), add_func(&profile, "a"));
    struct thread *thread = profile_add_thread(&profile);
    add_sample(thread, a, (double)NAN);
    add_sample(thread, again, (double)NAN);
    expect_folded(&profile, 0, 1, "a 2\n");
    profile_free(&profile);
}

static void separators_in_names_are_replaced(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    struct stack_index a = add_stack(&profile, stack_none(), add_func(&profile, "a;b\nc"));
    struct stack_index b = add_stack(&profile, a, add_func(&profile, "f(int)"));
    add_sample(profile_add_thread(&profile), b, (double)NAN);
    expect_folded(&profile, 0, 1, "a:b c;f(int) 1\n");
    profile_free(&profile);
}

static void no_samples_no_lines(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    profile_add_thread(&profile);
    expect_folded(&profile, 0, 1, "");
    profile_free(&profile);
}

static int attempt(void *data, struct error *error)
{
    struct thread_index threads[] = {thread_at(0), thread_at(1)};
    struct byte_sink *sink = byte_sink_memory(error);
    int result = sink ? export_folded(data, threads, 2, NULL, sink, error) : error->code;
    struct error ignored = {0};
    byte_sink_close(sink, false, &ignored);
    return result;
}

static void an_empty_heap_is_a_clean_error(void **state)
{
    (void)state;
    struct profile profile;
    struct error error = {0};
    make_two_threads(&profile);
    assert_int_equal(profile_finish(&profile, &error), 0);
    assert_true(assert_survives_failing_allocations(attempt, &profile) > 3);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_for_each_path_in_the_order_of_its_first_sample),
        cmocka_unit_test(threads_are_summed_up),
        cmocka_unit_test(weights_are_summed_and_rounded),
        cmocka_unit_test(weights_in_milliseconds_are_written_in_microseconds),
        cmocka_unit_test(equal_names_are_one_path),
        cmocka_unit_test(separators_in_names_are_replaced),
        cmocka_unit_test(no_samples_no_lines),
        cmocka_unit_test(an_empty_heap_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
