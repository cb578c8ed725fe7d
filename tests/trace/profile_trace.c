#include "trace/profile_trace.h"
#include "support/failing_alloc.h"
#include "support/text_profile.h"
#include "trace/entry_names.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

struct marker_drawn {
    const char *name;
    double start, end; /* ms; end NaN = a moment */
};

static void add_marker(struct profile *profile, const struct marker_drawn *drawn)
{
    struct raw_marker marker = {
        .name = string_table_add(&profile->strings, slice_of(drawn->name)),
        .start = drawn->start,
        .end = drawn->end,
        .phase = isnan(drawn->end) ? MARKER_INSTANT : MARKER_INTERVAL,
        .category = category_at(0),
        .cause_stack = stack_none(),
        .cause_time = NAN,
        .cause_tid = STRING_NONE,
        .thread_id = STRING_NONE,
    };
    marker_table_append(&profile->threads.items[0].markers, &marker);
}

static void make_profile(struct profile *profile, const char *samples, const struct marker_drawn *markers)
{
    struct error error = {0};
    text_profile_open(profile);
    text_profile_add_thread(profile, samples);
    for (; markers && markers->name; markers++)
        add_marker(profile, markers);
    assert_int_equal(profile_finish(profile, &error), 0);
}

static char drawing[4000];

static void draw(const char *format, ...)
{
    size_t used = strlen(drawing);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(drawing + used, sizeof drawing - used, format, arguments);
    va_end(arguments);
}

/* All entries in their order: NAME START+DURATION SELF DEPTH, markers in brackets. */
static void draw_entries(const struct trace *trace, const struct thread_calls *calls)
{
    drawing[0] = '\0';
    for (size_t i = 0; i < calls->entries.count; i++) {
        struct call_entry entry = calls->entries.items[i];
        if (entry.is_call) {
            const struct call *call = &calls->calls.items[entry.row];
            struct slice name = call_display_name(trace, call_function(calls, entry.row));
            draw("%.*s %g+%g s%g d%d\n", (int)name.length, name.text, call->ts, call->dur, call->self, call->depth);
        } else {
            const struct trace_event *event = &calls->thread->events.items[entry.row];
            struct slice name = string_table_get(&trace->strings, event->name);
            draw("[%.*s] %g+%g s%g d%d\n", (int)name.length, name.text, event->ts, event->dur,
                 calls->event_selfs.items[entry.row], calls->event_depths.items[entry.row]);
        }
    }
}

enum { STACKS = 100, SAMPLES = 400 };

/* The stacks of a profile and of the samples of its first thread, as they are. */
struct plain_stacks {
    uint32_t prefix[STACKS], func[STACKS], category[STACKS], of_samples[SAMPLES];
    struct sampled_stacks stacks;
    struct sampled_thread thread;
};

static void read_stacks(struct plain_stacks *plain, const struct profile *profile)
{
    const struct sample_table *samples = &profile->threads.items[0].samples;
    size_t count = stack_count(&profile->stacks);
    assert_in_range(count, 0, STACKS);
    assert_in_range(sample_count(samples), 0, SAMPLES);
    stack_table_read_prefixes(&profile->stacks, plain->prefix);
    for (size_t i = 0; i < count; i++) {
        struct frame_index frame = stack_frame(&profile->stacks, stack_at(i));
        plain->func[i] = frame_func(&profile->frames, frame).i;
        plain->category[i] = column_get_index(&profile->frames.category, frame.i);
    }
    column_read_u32(&samples->stack, 0, sample_count(samples), plain->of_samples);
    plain->stacks = (struct sampled_stacks){count, plain->prefix, plain->func, plain->category};
    plain->thread = (struct sampled_thread){thread_at(0), plain->of_samples};
}

static int build_of(const struct profile *profile, const struct plain_stacks *plain, double zero, struct trace *trace,
                    struct trace_calls *calls, struct error *error)
{
    int status = trace_from_profile(trace, profile, &plain->stacks, &plain->thread, 1, zero, error);
    return status == 0 ? profile_calls_build(calls, trace, error) : status;
}

static int build(const struct profile *profile, double zero, struct trace *trace, struct trace_calls *calls,
                 struct error *error)
{
    struct plain_stacks plain;
    read_stacks(&plain, profile);
    return build_of(profile, &plain, zero, trace, calls, error);
}

static void assert_entries(const char *samples, const struct marker_drawn *markers, const char *expected)
{
    struct profile profile;
    struct trace trace = {0};
    struct trace_calls calls = {0};
    struct error error = {0};
    make_profile(&profile, samples, markers);
    assert_int_equal(build(&profile, 0, &trace, &calls, &error), 0);
    assert_int_equal(calls.threads.count, 1);
    draw_entries(&trace, &calls.threads.items[0]);
    assert_string_equal(drawing, expected);
    trace_calls_free(&calls);
    trace_free(&trace);
    profile_free(&profile);
}

static void a_call_lasts_from_the_first_sample_that_has_it_to_the_first_that_has_not(void **state)
{
    (void)state;
    assert_entries("1  2  3  4\n"
                   "A  A  A  A\n"
                   "   B  B\n",
                   NULL,
                   "A 1000+4000 s2000 d0\n"
                   "B 2000+2000 s2000 d1\n");
}

static void a_call_is_one_whatever_the_place_in_its_function(void **state)
{
    (void)state;
    assert_entries("1          2          3\n"
                   "A[line:1]  A[line:2]  A[line:2]\n"
                   "B[line:5]  B[line:6]  C\n",
                   NULL,
                   "A 1000+3000 s0 d0\n"
                   "B 1000+2000 s2000 d1\n"
                   "C 3000+1000 s1000 d1\n");
}

static void a_sample_without_a_stack_ends_what_ran(void **state)
{
    (void)state;
    assert_entries("1  2  3\n"
                   "A     A\n",
                   NULL,
                   "A 1000+1000 s1000 d0\n"
                   "A 3000+1000 s1000 d0\n");
}

static void a_call_ends_with_the_marker_that_it_began_in(void **state)
{
    (void)state;
    static const struct marker_drawn markers[] = {{"frame", 1.5, 3.25}, {0}};
    assert_entries("1  2  3  4\n"
                   "A  A  A  A\n"
                   "   B  B\n",
                   markers,
                   "A 1000+4000 s2250 d0\n"
                   "[frame] 1500+1750 s500 d1\n"
                   "B 2000+1250 s1250 d2\n");
}

static void calls_that_began_before_a_marker_do_not_end_with_it(void **state)
{
    (void)state;
    static const struct marker_drawn markers[] = {{"outer", 0.5, 4.75}, {"inner", 2.5, 3.5}, {0}};
    assert_entries("1  2  3  4  5\n"
                   "A  A  A  A  Z\n"
                   "   B  B  C\n"
                   "      D\n",
                   markers,
                   "[outer] 500+4250 s500 d0\n"
                   "A 1000+3750 s1000 d1\n"
                   "B 2000+2000 s1000 d2\n"
                   "[inner] 2500+1000 s500 d3\n"
                   "D 3000+500 s500 d4\n"
                   "C 4000+750 s750 d2\n"
                   "Z 5000+1000 s1000 d0\n");
}

static void markers_that_overlap_calls_or_each_other_take_no_part(void **state)
{
    (void)state;
    static const struct marker_drawn markers[] = {
        {"ends within B", 1.5, 3.25}, {"begins within B", 3.5, 6.5}, {"fits", 5.1, 5.5}, {"crosses that", 5.2, 5.7}, {0}};
    assert_entries("1  2  3  4  5  6\n"
                   "A  A  A  A  A  A\n"
                   "   B  B  B\n",
                   markers,
                   "A 1000+6000 s2600 d0\n"
                   "B 2000+3000 s3000 d1\n"
                   "[fits] 5100+400 s400 d1\n");
}

static void moments_are_entries_without_time(void **state)
{
    (void)state;
    static const struct marker_drawn markers[] = {{"click", 1.5, NAN}, {0}};
    assert_entries("1  2\n"
                   "A  A\n",
                   markers,
                   "A 1000+2000 s2000 d0\n"
                   "[click] 1500+0 s0 d1\n");
}

static void a_thread_with_markers_only_has_no_calls(void **state)
{
    (void)state;
    static const struct marker_drawn markers[] = {{"load", 1, 2}, {0}};
    assert_entries("1\n", markers, "[load] 1000+1000 s1000 d0\n");
}

static void times_count_from_the_start(void **state)
{
    (void)state;
    struct profile profile;
    struct trace trace = {0};
    struct trace_calls calls = {0};
    struct error error = {0};
    make_profile(&profile, "100  101\nA    A\n", NULL);
    assert_int_equal(build(&profile, 100, &trace, &calls, &error), 0);
    draw_entries(&trace, &calls.threads.items[0]);
    assert_string_equal(drawing, "A 0+2000 s2000 d0\n");
    trace_calls_free(&calls);
    trace_free(&trace);
    profile_free(&profile);
}

static void a_sample_that_was_left_out_ends_what_ran(void **state)
{
    (void)state;
    struct profile profile;
    struct plain_stacks plain;
    struct trace trace = {0};
    struct trace_calls calls = {0};
    struct error error = {0};
    make_profile(&profile, "1  2  3\nA  A  A\n", NULL);
    read_stacks(&plain, &profile);
    plain.of_samples[1] = INDEX_NONE;
    assert_int_equal(build_of(&profile, &plain, 0, &trace, &calls, &error), 0);
    draw_entries(&trace, &calls.threads.items[0]);
    assert_string_equal(drawing, "A 1000+1000 s1000 d0\n"
                                 "A 3000+1000 s1000 d0\n");
    trace_calls_free(&calls);
    trace_free(&trace);
    profile_free(&profile);
}

static void all_functions_of_a_resource_have_its_name(void **state)
{
    (void)state;
    struct profile profile;
    struct plain_stacks plain;
    struct trace trace = {0};
    struct trace_calls calls = {0};
    struct error error = {0};
    make_profile(&profile,
                 "1            2            3\n"
                 "A            A            A\n"
                 "B[lib:libc]  C[lib:libc]\n",
                 NULL);
    read_stacks(&plain, &profile);
    for (size_t i = 0; i < plain.stacks.count; i++) {
        struct resource_index resource = func_resource(&profile.funcs, func_at(plain.func[i]));
        if (resource_exists(resource))
            plain.func[i] = (uint32_t)profile_func_count(&profile) + resource.i;
    }
    assert_int_equal(build_of(&profile, &plain, 0, &trace, &calls, &error), 0);
    draw_entries(&trace, &calls.threads.items[0]);
    assert_string_equal(drawing, "A 1000+3000 s1000 d0\n"
                                 "libc 1000+2000 s2000 d1\n");
    const struct trace_function *function = call_function(&calls.threads.items[0], 1);
    assert_true(slice_is(string_table_get(&trace.strings, function->url), "libc"));
    trace_calls_free(&calls);
    trace_free(&trace);
    profile_free(&profile);
}

static int build_and_free(void *data, struct error *error)
{
    struct trace trace = {0};
    struct trace_calls calls = {0};
    int status = build(data, 0, &trace, &calls, error);
    trace_calls_free(&calls);
    trace_free(&trace);
    return status;
}

static void too_little_memory_is_an_error(void **state)
{
    (void)state;
    static const struct marker_drawn markers[] = {{"outer", 0.5, 4.75}, {"inner", 2.5, 3.5}, {0}};
    struct profile profile;
    make_profile(&profile, "1  2  3\nA  A  A\n   B\n", markers);
    assert_true(assert_survives_failing_allocations(build_and_free, &profile) > 10);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_lasts_from_the_first_sample_that_has_it_to_the_first_that_has_not),
        cmocka_unit_test(a_call_is_one_whatever_the_place_in_its_function),
        cmocka_unit_test(a_sample_without_a_stack_ends_what_ran),
        cmocka_unit_test(a_call_ends_with_the_marker_that_it_began_in),
        cmocka_unit_test(calls_that_began_before_a_marker_do_not_end_with_it),
        cmocka_unit_test(markers_that_overlap_calls_or_each_other_take_no_part),
        cmocka_unit_test(moments_are_entries_without_time),
        cmocka_unit_test(a_thread_with_markers_only_has_no_calls),
        cmocka_unit_test(times_count_from_the_start),
        cmocka_unit_test(a_sample_that_was_left_out_ends_what_ran),
        cmocka_unit_test(all_functions_of_a_resource_have_its_name),
        cmocka_unit_test(too_little_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
