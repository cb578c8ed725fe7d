#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/time_span.h"

static void add_sample(struct thread *thread, double time)
{
    column_append(&thread->samples.stack, COLUMN_ABSENT);
    column_append_number(&thread->samples.time, time);
}

static void add_marker(struct thread *thread, enum marker_phase phase, double start, double end)
{
    struct raw_marker marker = {
        .name = string_at(0),
        .start = start,
        .end = end,
        .phase = phase,
        .category = category_none(),
        .cause_stack = stack_none(),
        .cause_time = NAN,
        .cause_tid = STRING_NONE,
        .thread_id = STRING_NONE,
    };
    marker_table_append(&thread->markers, &marker);
}

/* As Sonde's own recordings have them: 2 ms of CPU time until 3, a wait until 10, a millisecond of CPU time until 12. */
static void add_weighted_rows(struct thread *thread)
{
    static const double rows[][3] = {{3, 2, 2e6}, {10, 7, 0}, {12, 1, 1e6}};
    for (size_t i = 0; i < 3; i++) {
        add_sample(thread, rows[i][0]);
        column_append_number(&thread->samples.weight, rows[i][1]);
        column_append_number(&thread->samples.cpu_delta, rows[i][2]);
    }
    thread->samples.weight_type = WEIGHT_TRACING_MS;
}

static void rows_of_a_recording_stand_for_the_time_before_them(void **state)
{
    (void)state;
    struct profile profile;
    double starts[3];
    profile_init(&profile);
    struct thread *thread = profile_add_thread(&profile);
    assert_non_null(thread);
    add_weighted_rows(thread);
    assert_true(sample_table_weights_precede(&thread->samples));
    sample_table_read_starts(&thread->samples, starts);
    assert_true(starts[0] == 1 && starts[1] == 3 && starts[2] == 11);
    assert_float_equal(profile_time_span(&profile).start, 1, 0);
    assert_float_equal(profile_time_span(&profile).end, 12, 0);
    profile_free(&profile);
}

static void other_weights_say_nothing_of_when_rows_began(void **state)
{
    (void)state;
    struct profile profile;
    double starts[4];
    profile_init(&profile);
    struct thread *thread = profile_add_thread(&profile);
    assert_non_null(thread);
    add_weighted_rows(thread);
    add_sample(thread, 20);
    column_append_number(&thread->samples.weight, 5);
    column_append_number(&thread->samples.cpu_delta, 3e6);
    assert_false(sample_table_weights_precede(&thread->samples));
    sample_table_read_starts(&thread->samples, starts);
    assert_true(starts[0] == 3 && starts[3] == 20);
    assert_float_equal(profile_time_span(&profile).start, 3, 0);
    profile_free(&profile);
}

static void a_profile_without_any_time_has_no_span(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    assert_non_null(profile_add_thread(&profile));
    assert_true(isnan(profile_time_span(&profile).start));
    assert_true(isnan(profile_time_span(&profile).end));
    profile_free(&profile);
}

static void without_samples_it_is_that_of_threads_that_have_ended(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    struct thread *ended = profile_add_thread(&profile);
    assert_non_null(ended);
    ended->register_time = 3;
    ended->unregister_time = 7;
    struct thread *running = profile_add_thread(&profile);
    assert_non_null(running);
    running->register_time = 1;
    assert_float_equal(profile_time_span(&profile).start, 3, 0);
    assert_float_equal(profile_time_span(&profile).end, 7, 0);

    add_sample(running, 5);
    assert_float_equal(profile_time_span(&profile).start, 5, 0);
    assert_float_equal(profile_time_span(&profile).end, 5, 0);
    profile_free(&profile);
}

static void it_reaches_over_samples_markers_and_counters(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    struct thread *thread = profile_add_thread(&profile);
    assert_non_null(thread);
    thread->samples.time_is_deltas = true;
    add_sample(thread, 10);
    add_sample(thread, 5);
    assert_float_equal(profile_time_span(&profile).start, 10, 0);
    assert_float_equal(profile_time_span(&profile).end, 15, 0);

    add_marker(thread, MARKER_INTERVAL, 8, 40);
    assert_float_equal(profile_time_span(&profile).start, 8, 0);
    assert_float_equal(profile_time_span(&profile).end, 40, 0);

    struct counter *counter = counter_list_add(&profile.counters, &profile.arena);
    assert_non_null(counter);
    column_append_number(&counter->time, 7);
    assert_float_equal(profile_time_span(&profile).start, 7, 0);
    profile_free(&profile);
}

static void marker_times_that_the_phase_does_not_use_do_not_count(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    struct thread *thread = profile_add_thread(&profile);
    assert_non_null(thread);
    add_marker(thread, MARKER_INSTANT, 20, 1000);
    add_marker(thread, MARKER_START, 22, 1000);
    add_marker(thread, MARKER_END, 0, 25);
    assert_float_equal(profile_time_span(&profile).start, 20, 0);
    assert_float_equal(profile_time_span(&profile).end, 25, 0);
    profile_free(&profile);
}

static void the_root_span_ends_an_interval_after_the_last_sample(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    profile.meta.interval = 2;
    struct thread *thread = profile_add_thread(&profile);
    assert_non_null(thread);
    thread->samples.time_is_deltas = true;
    for (size_t i = 0; i < 3 * COLUMN_BLOCK_ROWS; i++)
        add_sample(thread, 10);
    add_marker(thread, MARKER_INTERVAL, 1, 1e6);
    struct time_span span = profile_root_span(&profile);
    assert_float_equal(span.start, 10, 0);
    assert_float_equal(span.end, 10 * 3 * COLUMN_BLOCK_ROWS + 2, 0);

    column_append_number(&thread->native_allocations.time, 5);
    column_append_number(&thread->native_allocations.time, 9e3);
    span = thread_root_span(thread, 2);
    assert_float_equal(span.start, 5, 0);
    assert_float_equal(span.end, 9002, 0);
    profile_free(&profile);
}

static void the_root_span_is_that_of_the_markers_where_there_are_no_samples(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    profile.meta.interval = 1;
    struct thread *thread = profile_add_thread(&profile);
    assert_non_null(thread);
    add_marker(thread, MARKER_INTERVAL, 8, 4);
    add_marker(thread, MARKER_START, 6, 1000);
    add_marker(thread, MARKER_END, 0, 25);
    struct time_span span = profile_root_span(&profile);
    assert_float_equal(span.start, 4, 0);
    assert_float_equal(span.end, 26, 0);
    profile_free(&profile);
}

static void the_root_span_is_what_meta_says_if_it_does(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    struct thread *thread = profile_add_thread(&profile);
    assert_non_null(thread);
    add_sample(thread, 1);
    profile.meta.profiling_start_time = 0;
    profile.meta.profiling_end_time = 0;
    assert_float_equal(profile_root_span(&profile).start, 1, 0);
    profile.meta.profiling_end_time = 50;
    assert_float_equal(profile_root_span(&profile).start, 0, 0);
    assert_float_equal(profile_root_span(&profile).end, 50, 0);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_without_any_time_has_no_span),
        cmocka_unit_test(rows_of_a_recording_stand_for_the_time_before_them),
        cmocka_unit_test(other_weights_say_nothing_of_when_rows_began),
        cmocka_unit_test(without_samples_it_is_that_of_threads_that_have_ended),
        cmocka_unit_test(it_reaches_over_samples_markers_and_counters),
        cmocka_unit_test(marker_times_that_the_phase_does_not_use_do_not_count),
        cmocka_unit_test(the_root_span_ends_an_interval_after_the_last_sample),
        cmocka_unit_test(the_root_span_is_that_of_the_markers_where_there_are_no_samples),
        cmocka_unit_test(the_root_span_is_what_meta_says_if_it_does),
    };
    return cmocka_run_group_tests_name("profile/time_span", tests, NULL, NULL);
}
