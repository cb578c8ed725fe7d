/* Waits and ready time in drawn sessions: what was seen from outside, beside the process or in its own file. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "drawn.h"
#include "import/session.h"
#include "support/session_draw.h"
#include "support/session_profile.h"

#define NO_END "\"the recording has no end: the program was killed, or still runs\""

static const char *leaf_category(const struct profile *profile, size_t thread, size_t row)
{
    struct stack_index stack = stack_at(column_get_index(&profile->threads.items[thread].samples.stack, row));
    struct category_index category = frame_table_get(&profile->frames, stack_frame(&profile->stacks, stack)).category;
    return category_exists(category) ? text_of(profile, profile->categories.rows.items[category.i].name) : "-";
}

static void waits_are_idle_and_samples_in_the_same_function_are_not(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN APP_MODULE "sample 1 1ms 0x1100 0x1200\n"
                                    "look 101 5ms waiting cpu=1ms runs=1 0x1100 0x1200\n"
                                    "look 101 9ms waiting cpu=1ms runs=1 0x1100 0x1200\n",
                    &profile);
    assert_rows(&profile, 0, "1 0xff;0x200 1ms cpu\n5 0xff;0x200 4ms\n9 0xff;0x200 4ms\n");
    assert_string_equal(leaf_category(&profile, 0, 0), "-");
    assert_string_equal(leaf_category(&profile, 0, 1), "Idle");
    assert_int_equal(func_count(&profile.funcs), 2);
    assert_int_equal(frame_count(&profile.frames), 3);
    profile_free(&profile);
}

static void a_wait_that_ends_in_a_label_is_idle_too(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN APP_MODULE "look 101 5ms waiting 0x1100 0x1200 label:a\nlook 101 6ms waiting label:b\n", &profile);
    assert_rows(&profile, 0, "5 0xff;0x200;a 5ms\n6 b 1ms\n");
    assert_string_equal(leaf_category(&profile, 0, 0), "Idle");
    assert_string_equal(leaf_category(&profile, 0, 1), "Idle");
    profile_free(&profile);
}

static void ready_time_has_a_frame_and_a_category_of_its_own(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "sample 1 1ms label:a\nlook 101 5ms running cpu=2ms ready=3ms runs=4\n", &profile);
    assert_rows(&profile, 0, "1 a 2ms cpu\n5 a;(waiting for a CPU) 3ms\n");
    assert_string_equal(leaf_category(&profile, 0, 1), "Waiting for CPU");
    profile_free(&profile);
}

static void cpu_time_without_samples_has_a_frame_that_says_so(void **state)
{
    (void)state;
    struct profile profile;
    session_profile("category 0 Other colour=grey subcategories=Other\n"
                    "category 1 Kernel colour=orange subcategories=Other\n" MAIN "thread 2 Unseen tid=102 sampled\n"
                    "sample 1 1ms label:a event\nlook 101 20ms running cpu=20ms\n"
                    "look 102 20ms running cpu=5ms\n",
                    &profile);
    assert_rows(&profile, 0, "1 a 1ms cpu\n20 (kernel) 19ms cpu\n");
    assert_rows(&profile, 1,
                "20 (not sampled) 5ms cpu\n"
                "20 (waiting) 15ms\n");
    assert_string_equal(leaf_category(&profile, 0, 1), "Kernel");
    assert_string_equal(leaf_category(&profile, 1, 0), "Other");
    assert_meta(&profile, "sonde/quality/notes",
                "[" NO_END
                ",\"76.0 % of the CPU time was used in the kernel: page faults, or system calls that were not seen\","
                "\"20.0 % of the CPU time was not sampled: 100 % of that is of 1 thread that met no sample, in 5.00 ms\"]");
    profile_free(&profile);
}

static void page_faults_have_a_frame_below_the_code_that_faulted(void **state)
{
    (void)state;
    struct profile profile;
    session_profile("category 0 Other colour=grey subcategories=Other\n"
                    "category 1 Kernel colour=orange subcategories=Other\n" MAIN APP_MODULE
                    "sample 1 4ms 0x1100 0x1200\nsample 1 8ms 0x1100 0x1200 fault\n"
                    "look 101 8ms running cpu=8ms\n",
                    &profile);
    assert_rows(&profile, 0, "4 0xff;0x200 4ms cpu\n8 0xff;0x200;(page fault) 4ms cpu\n");
    assert_string_equal(leaf_category(&profile, 0, 1), "Kernel");
    profile_free(&profile);
}

static void waits_without_stacks_are_noted_where_they_matter(void **state)
{
    (void)state;
    struct profile profile;
    static const char note[] =
        "[" NO_END ",\"100.0 % of the waiting time (0.2 s) has no stacks: these waits were not observed\"]";
    /* Long, and a good part of the thread's time. */
    session_profile(MAIN "sample 1 1ms label:a event\nlook 101 201ms running cpu=1ms runs=2\n", &profile);
    assert_meta(&profile, "sonde/quality/notes", note);
    profile_free(&profile);
    /* Short. */
    session_profile(MAIN "sample 1 1ms label:a event\nlook 101 91ms running cpu=1ms runs=2\n", &profile);
    assert_meta(&profile, "sonde/quality/notes", "[" NO_END "]");
    profile_free(&profile);
    /* Long, but short beside what was computed. */
    session_profile(MAIN "sample 1 5000ms label:a event\nlook 101 5200ms running cpu=5000ms runs=2\n", &profile);
    assert_meta(&profile, "sonde/quality/notes",
                "[" NO_END
                ",\"100.0 % of the CPU time was used in the kernel: page faults, or system calls that were not seen\"]");
    profile_free(&profile);
}

static void a_look_is_at_who_had_the_thread_id_at_the_time(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "thread 2 One tid=102 sampled\nthread-end 2 time=10ms\n"
                         "thread 3 Two tid=102 sampled time=20ms\n"
                         "look 102 5ms waiting runs=1 label:a label:b\n"
                         "look 102 15ms waiting runs=1 label:a label:nobody\n"
                         "look 102 25ms waiting runs=1 label:a label:c\n",
                    &profile);
    assert_rows(&profile, 1, "5 a;b 5ms\n");
    assert_rows(&profile, 2, "25 a;c 5ms\n");
    profile_free(&profile);
}

static void looks_at_threads_that_are_not_sampled_are_left_out(void **state)
{
    (void)state;
    struct profile profile;
    session_profile(MAIN "thread 2 Filtered tid=102\nlook 102 5ms waiting runs=1 label:a\n", &profile);
    assert_int_equal(profile.threads.count, 1);
    profile_free(&profile);
}

static void read_folder(const char *folder, struct profile *profile)
{
    struct error error = {0};
    profile_init(profile);
    if (session_import(folder, NULL, profile, &error) != 0)
        fail_msg("%s", error.message);
}

static void draw_process(const char *folder, int pid, const char *text)
{
    struct chunk_manager_options options = {
        .folder = folder, .pid = pid, .limit_bytes = 1 << 20, .start_monotonic_ns = 1, .interval_ns = 1000000};
    struct session_draw *draw = session_draw_open_with(&options);
    session_draw_text(draw, text);
    session_draw_header(draw)->end_ns = 20000000;
    session_draw_close(draw);
}

static void the_looks_beside_a_process_are_about_it_alone(void **state)
{
    (void)state;
    char folder[64];
    struct profile profile;
    session_folder_make(folder);
    draw_process(folder, 10, "thread 1 Main tid=10 main sampled\nsample 1 1ms label:a\n");
    draw_process(folder, 11, "thread 1 Main tid=11 main sampled\nsample 1 1ms label:a\n");
    session_draw_looks(folder, "owner 10-0\nlook 10 5ms waiting cpu=1ms runs=1 label:w\n"
                               "owner 11-0\nlook 11 6ms waiting cpu=1ms runs=1 label:v\nlook 10 7ms waiting label:nobody\n"
                               "owner 10-0\nlook 10 8ms waiting cpu=1ms runs=1 label:w\n");
    read_folder(folder, &profile);
    assert_int_equal(profile.threads.count, 2);
    assert_rows(&profile, 0, "1 a 1ms cpu\n5 w 4ms\n8 w 3ms\n20 w 12ms\n");
    assert_rows(&profile, 1, "1 a 1ms cpu\n6 v 5ms\n20 v 14ms\n");
    profile_free(&profile);
    session_folder_remove(folder);
}

/* Begun after so much CPU time, as its file says, with 3.25 ms when it was registered. */
static void draw_begun(const char *folder, enum session_state state, uint64_t begin_cpu_ns, const char *times)
{
    struct chunk_manager_options options = {.folder = folder,
                                            .pid = 10,
                                            .limit_bytes = 1 << 20,
                                            .start_monotonic_ns = 1,
                                            .interval_ns = 1000000,
                                            .begin_cpu_ns = begin_cpu_ns};
    struct session_draw *draw = session_draw_open_with(&options);
    session_draw_text(draw, times);
    session_draw_header(draw)->state = state;
    session_draw_header(draw)->end_ns = 9000000;
    session_draw_close(draw);
}

static void what_a_process_used_before_it_was_recorded_is_its_own_or_the_profilers(void **state)
{
    (void)state;
    static const char first[] = "thread 1 Main tid=10 main sampled cpu=3.25ms\nsample 1 4ms label:a\n"
                                "thread-end 1 time=4ms cpu=4ms\n";
    static const char second[] = "thread 1 Main tid=10 main sampled time=5ms cpu=6ms\nsample 1 8ms label:b\n"
                                 "thread-end 1 time=8ms cpu=8ms\n";
    static const struct {
        uint64_t begin_cpu_ns[2]; /* of the process, and of the program that it becomes with 4 ms */
        const char *rows[2];
    } cases[] = {
        {{3000000, 5500000},
         {"0 (program start) 3ms cpu\n0 (profiler start) 0.25ms cpu\n",
          "5 (program start) 1.5ms cpu\n5 (profiler start) 0.5ms cpu\n"}},
        /* All of it, where nothing says how much: in files that do not know, and where it cannot be so. */
        {{0, 0}, {"0 (program start) 3.25ms cpu\n", "5 (program start) 2ms cpu\n"}},
        {{3250000, 3900000}, {"0 (program start) 3.25ms cpu\n", "5 (program start) 2ms cpu\n"}},
        {{UINT64_MAX, UINT64_MAX}, {"0 (program start) 3.25ms cpu\n", "5 (program start) 2ms cpu\n"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char folder[64], expected[2][128];
        struct profile profile;
        session_folder_make(folder);
        draw_begun(folder, SESSION_REPLACED, cases[i].begin_cpu_ns[0], first);
        draw_begun(folder, SESSION_ENDED, cases[i].begin_cpu_ns[1], second);
        session_draw_looks(folder, "");
        read_folder(folder, &profile);
        snprintf(expected[0], sizeof expected[0], "%s4 a 0.75ms cpu\n4 (waiting) 3.25ms\n", cases[i].rows[0]);
        snprintf(expected[1], sizeof expected[1], "%s8 b 2ms cpu\n8 (waiting) 1ms\n", cases[i].rows[1]);
        assert_rows(&profile, 0, expected[0]);
        assert_rows(&profile, 1, expected[1]);
        if (i == 0) {
            assert_string_equal(leaf_category(&profile, 0, 1), "Profiler");
            assert_meta(&profile, "sonde/quality/profilerStartMs", "0.75");
            assert_meta(&profile, "sonde/quality/notes",
                        "[\"9.4 % of the CPU time was used by Sonde itself, to begin recording in each process\"]");
        }
        profile_free(&profile);
        session_folder_remove(folder);
    }
}

static void what_was_seen_after_the_end_of_a_recording_is_in_it(void **state)
{
    (void)state;
    char folder[64];
    struct profile profile;
    session_folder_make(folder);
    draw_process(folder, 10, "thread 1 Main tid=10 main sampled\nsample 1 1ms label:a\n");
    session_draw_looks(folder, "owner 10-0\nlook 10 20ms waiting cpu=1ms runs=1 label:w\n");
    read_folder(folder, &profile);
    assert_true(profile.meta.profiling_end_time == 21);
    profile_free(&profile);
    session_folder_remove(folder);
}

/* In chunks of either kind, before or behind the first sample that needs them. */
static void libraries_counters_and_pauses_seen_from_outside_are_as_those_of_the_process(void **state)
{
    (void)state;
    char folder[64];
    struct profile profile;
    session_folder_make(folder);
    draw_process(folder, 10, "thread 1 Main tid=10 main sampled\nsample 1 1ms 0x1100\n");
    session_draw_looks(folder, "owner 10-0\nmodule 1000 /lib/late.so 0x1000-0x5000 bias=0x1000\n"
                               "counter 1 cpu category=CPU\ncount 1 5 time=1ms\n"
                               "pause 2ms\nresume 4ms\nlook 10 10ms waiting cpu=1ms runs=1 0x1100 0x1200\n");
    read_folder(folder, &profile);
    assert_rows(&profile, 0, "1 0x100 0.8ms cpu\n10 0xff;0x200 7.2ms\n20 0xff;0x200 10ms\n");
    assert_string_equal(text_of(&profile, profile.libs.rows.items[0].path), "/lib/late.so");
    assert_int_equal(profile.counters.rows.count, 1);
    profile_free(&profile);
    session_folder_remove(folder);
}

static void looks_that_cannot_be_read_are_said(void **state)
{
    (void)state;
    char folder[64], path[PATH_MAX];
    struct profile profile;
    session_folder_make(folder);
    draw_process(folder, 10, "thread 1 Main tid=10 main sampled\nsample 1 1ms label:a\n");
    snprintf(path, sizeof path, "%s/looks", folder);
    FILE *out = fopen(path, "w");
    fputs("garbage", out);
    fclose(out);
    read_folder(folder, &profile);
    assert_rows(&profile, 0, "1 a 1ms cpu\n");
    assert_meta(&profile, "sonde/quality/notes", "[\"looks: not a session file\"]");
    profile_free(&profile);
    session_folder_remove(folder);
}

/* ---- clocks ---- */

static void read_with_header(const char *text, enum session_clock clock, uint32_t refused, struct profile *profile)
{
    char folder[64];
    struct session_draw *draw = session_draw_open(session_folder_make(folder));
    session_draw_text(draw, text);
    struct session_file_header *header = session_draw_header(draw);
    header->clock = clock;
    header->clock_refused = refused;
    header->tick_ns = 4000000;
    header->end_ns = 1000000000;
    header->statistics[STATISTIC_SAMPLES_TICK] = 1;
    session_draw_close(draw);
    read_folder(folder, profile);
    session_folder_remove(folder);
}

static void the_clock_is_said_and_why_it_is_no_better_one(void **state)
{
    (void)state;
    struct profile profile;
    read_with_header(MAIN "sample 1 1ms label:a\n", SESSION_CLOCK_TICKS, EACCES, &profile);
    assert_meta(&profile, "sonde/quality/clock", "\"ticks\"");
    assert_meta(&profile, "sonde/quality/clockRefused", "\"EACCES\"");
    assert_meta(&profile, "sonde/quality/tickMs", "4");
    profile_free(&profile);
}

static void a_thread_that_ended_before_its_event_was_opened_was_refused_nothing(void **state)
{
    (void)state;
    struct profile profile;
    read_with_header(MAIN "sample 1 1ms label:a\n", SESSION_CLOCK_TICKS, ESRCH, &profile);
    assert_meta(&profile, "sonde/quality/clock", "\"ticks\"");
    assert_meta(&profile, "sonde/quality/clockRefused", "null");
    profile_free(&profile);
}

static void a_thread_in_step_with_the_ticks_is_noted(void **state)
{
    (void)state;
    static const char in_step[] = MAIN "sample 1 5ms label:a\nlook 101 8ms waiting cpu=2ms runs=2 label:w\n"
                                       "sample 1 9ms label:a\nlook 101 808ms waiting cpu=402ms runs=202 label:w\n";
    static const char out_of_step[] = MAIN "sample 1 5ms label:a\nlook 101 8ms waiting cpu=2ms runs=2 label:w\n"
                                           "sample 1 9ms label:a\nlook 101 808ms waiting cpu=402ms runs=302 label:w\n";
    struct profile profile;
    read_with_header(in_step, SESSION_CLOCK_TICKS, 0, &profile);
    assert_meta(&profile, "sonde/quality/notes",
                "[\"thread Main runs in step with the kernel's ticks (every 4.0 ms): its shares may be wrong\"]");
    profile_free(&profile);
    read_with_header(out_of_step, SESSION_CLOCK_TICKS, 0, &profile);
    assert_meta(&profile, "sonde/quality/notes", "[]");
    profile_free(&profile);
    read_with_header(in_step, SESSION_CLOCK_EVENTS, 0, &profile);
    assert_meta(&profile, "sonde/quality/notes", "[]");
    profile_free(&profile);
}

static void ticks_of_threads_that_had_no_cpu_are_noted(void **state)
{
    (void)state;
    static const char scarce[] = MAIN "sample 1 5ms label:a\nlook 101 8ms waiting cpu=2ms runs=2 label:w\n"
                                      "sample 1 9ms label:a\nlook 101 808ms waiting cpu=402ms ready=100ms runs=302 label:w\n";
    struct profile profile;
    read_with_header(scarce, SESSION_CLOCK_TICKS, 0, &profile);
    assert_meta(
        &profile, "sonde/quality/notes",
        "[\"threads that run and wait had no CPU for 20 % of the time in which they wanted one: the kernel hands CPUs over "
        "in its ticks, which take the samples, so shares may be wrong\"]");
    profile_free(&profile);
    read_with_header(scarce, SESSION_CLOCK_EVENTS, 0, &profile);
    assert_meta(&profile, "sonde/quality/notes", "[]");
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_are_idle_and_samples_in_the_same_function_are_not),
        cmocka_unit_test(a_wait_that_ends_in_a_label_is_idle_too),
        cmocka_unit_test(ready_time_has_a_frame_and_a_category_of_its_own),
        cmocka_unit_test(cpu_time_without_samples_has_a_frame_that_says_so),
        cmocka_unit_test(page_faults_have_a_frame_below_the_code_that_faulted),
        cmocka_unit_test(waits_without_stacks_are_noted_where_they_matter),
        cmocka_unit_test(a_look_is_at_who_had_the_thread_id_at_the_time),
        cmocka_unit_test(looks_at_threads_that_are_not_sampled_are_left_out),
        cmocka_unit_test(the_looks_beside_a_process_are_about_it_alone),
        cmocka_unit_test(what_a_process_used_before_it_was_recorded_is_its_own_or_the_profilers),
        cmocka_unit_test(what_was_seen_after_the_end_of_a_recording_is_in_it),
        cmocka_unit_test(libraries_counters_and_pauses_seen_from_outside_are_as_those_of_the_process),
        cmocka_unit_test(looks_that_cannot_be_read_are_said),
        cmocka_unit_test(the_clock_is_said_and_why_it_is_no_better_one),
        cmocka_unit_test(a_thread_that_ended_before_its_event_was_opened_was_refused_nothing),
        cmocka_unit_test(a_thread_in_step_with_the_ticks_is_noted),
        cmocka_unit_test(ticks_of_threads_that_had_no_cpu_are_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
