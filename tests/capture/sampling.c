/* What samples and looks say of a program, held against what the program knows of itself: the clocks of the same run.
 *
 * Each scene is recorded twice: by itself, with a background thread in it, and by `sonde record`, from outside. Called with the
 * name of a scene this is the recorded program. */
#include "rows.h"
#include "scenes.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/session_draw.h"

/* --- recording it -------------------------------------------------------------------------------------------------------- */

static char self[PATH_MAX], *facts;
static char folder[64];
static struct rows *rows;

static size_t fact_count(const char *name, uint64_t *sum)
{
    size_t length = strlen(name), found = 0;
    for (const char *line = facts; *line; line = strchr(line, '\n') + 1) {
        if (strncmp(line, name, length) == 0 && line[length] == ' ') {
            *sum += strtoull(line + length, NULL, 10);
            found++;
        }
    }
    return found;
}

/* The value of a fact; the sum, if there are several. */
static uint64_t fact(const char *name)
{
    uint64_t sum = 0;
    if (fact_count(name, &sum) == 0)
        fail_msg("the program did not say \"%s\"", name);
    return sum;
}

static void become_recorded_by_itself(const char *scene)
{
    setenv("LD_PRELOAD", PRELOAD, 1);
    setenv("SONDE_STARTUP", "1", 1);
    setenv("SONDE_SESSION", folder, 1);
    execl(self, self, scene, (char *)NULL);
}

static void become_recorder(const char *scene)
{
    char profile[80];
    snprintf(profile, sizeof profile, "%s/profile.json", folder);
    execl(SONDE, SONDE, "record", "--save-only", "--no-symbols", "--session", folder, "-o", profile, "--", self, scene,
          (char *)NULL);
}

static bool is_from_outside;

static void run(const char *scene)
{
    enum { ROOM = 65536 };
    int from[2];
    size_t used = 0;
    facts = calloc(1, ROOM);
    session_folder_make(folder);
    assert_int_equal(pipe(from), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(from[1], STDOUT_FILENO);
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(126);
        alarm(120);
        (is_from_outside ? become_recorder : become_recorded_by_itself)(scene);
        _exit(127);
    }
    close(from[1]);
    for (ssize_t got; (got = read(from[0], facts + used, ROOM - 1 - used)) > 0;)
        used += (size_t)got;
    close(from[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void record(const char *scene)
{
    run(scene);
    rows = rows_read(folder, (int)fact("pid"));
}

static int forget(void **state)
{
    (void)state;
    if (rows)
        rows_free(rows);
    rows = NULL;
    session_folder_remove(folder);
    free(facts);
    facts = NULL;
    return 0;
}

static struct rows_thread *the_thread(void)
{
    struct rows_thread *thread = rows_thread_by_tid(rows, (int)fact("tid"));
    assert_non_null(thread);
    return thread;
}

static uint64_t statistic(enum session_statistic which)
{
    return rows->header.statistics[which];
}

static void assert_within(uint64_t value, uint64_t expected, double share)
{
    double difference = (double)value - (double)expected;
    if (difference < 0)
        difference = -difference;
    if (difference > share * (double)expected)
        fail_msg("%llu is not within %.0f %% of %llu", (unsigned long long)value, share * 100, (unsigned long long)expected);
}

/* CPU time of the thread's rows in a function, 0 = all. */
static uint64_t cpu_in(const struct rows_thread *thread, uint64_t function)
{
    return rows_weight(rows, thread, ROW_CPU, function);
}

/* What interrupts the thread does so once a period of its CPU time: an event, or a tick of the kernel. */
static void assert_as_many_samples_as_periods(const struct rows_thread *thread, uint64_t cpu_ns)
{
    uint64_t period = rows->header.tick_ns > rows->header.interval_ns ? rows->header.tick_ns : rows->header.interval_ns;
    if (statistic(STATISTIC_SAMPLES_EVENT) > 0)
        period = rows->header.interval_ns;
    print_message("%zu samples of %llu ms, %llu us apart\n", thread->observed.samples.count,
                  (unsigned long long)cpu_ns / 1000000, (unsigned long long)period / 1000);
    assert_within(thread->observed.samples.count * period, cpu_ns, 0.5);
}

/* --- CPU time --------------------------------------------------------------------------------------------------------- */

static void assert_shares_of_work(const char *scene)
{
    record(scene);
    struct rows_thread *thread = the_thread();
    assert_int_equal(statistic(STATISTIC_SAMPLES_LOST), 0);
    assert_as_many_samples_as_periods(thread, fact("cpu"));
    assert_within(thread->rows.sums.cpu_ns, fact("cpu"), 0.03);
    uint64_t some = cpu_in(thread, fact("burn_some")), more = cpu_in(thread, fact("burn_more")), all = cpu_in(thread, 0);
    double expected = 100.0 * (double)fact("some") / (double)(fact("some") + fact("more"));
    double found = 100.0 * (double)some / (double)(some + more);
    print_message("%.1f %% of %.1f %%\n", found, expected);
    /* At least 200 samples: five standard deviations. */
    assert_true(found > expected - 17 && found < expected + 17);
    assert_true(some + more > all / 10 * 7); /* clocks are read, too */
}

static void cpu_times_add_up_and_fall_to_the_functions_that_used_them(void **state)
{
    (void)state;
    assert_shares_of_work("share");
}

static void a_thread_that_blocks_all_signals_is_sampled(void **state)
{
    (void)state;
    assert_shares_of_work("deaf");
}

static void work_after_a_wait_is_not_booked_on_the_wait(void **state)
{
    (void)state;
    record("bursts");
    struct rows_thread *thread = the_thread();
    assert_as_many_samples_as_periods(thread, fact("more"));
    assert_true(cpu_in(thread, fact("burn_more")) > cpu_in(thread, 0) / 10 * 7);
    assert_within(thread->rows.sums.cpu_ns, fact("more"), 0.3);
}

#if defined(__x86_64__)
static void ticks_in_page_faults_are_known_as_such(void **state)
{
    (void)state;
    record("faults");
    struct rows_thread *thread = the_thread();
    size_t in_fault = 0;
    for (size_t i = 0; i < thread->observed.samples.count; i++)
        in_fault += thread->observed.samples.items[i].in_fault;
    assert_true(in_fault > 0);
}
#endif

static void time_in_the_kernel_is_sampled_there(void **state)
{
    (void)state;
    record("kernel");
    struct rows_thread *thread = the_thread();
    size_t in_call = 0;
    for (size_t i = 0; i < thread->observed.samples.count; i++)
        in_call += thread->observed.samples.items[i].in_call;
    assert_true(in_call > 0);
    assert_true(thread->rows.sums.cpu_ns >= fact("read") / 10 * 9);
}

static void threads_that_end_soon_are_sampled_in_proportion(void **state)
{
    (void)state;
    record("short-threads");
    uint64_t all = 0;
    size_t samples = 0, threads = 0;
    for (size_t i = 0; i < rows->thread_count; i++) {
        if (rows->threads[i].main)
            continue;
        threads++;
        all += rows->threads[i].rows.sums.cpu_ns;
        samples += rows->threads[i].observed.samples.count;
    }
    print_message("%zu samples of %zu threads\n", samples, threads);
    assert_int_equal(threads, 200);
    assert_within(all, fact("more"), 0.3);
    assert_true(samples > 10);
}

/* --- stacks ----------------------------------------------------------------------------------------------------------- */

static void stacks_are_complete(void **state)
{
    (void)state;
    record("share");
    struct rows_thread *thread = the_thread();
    size_t truncated = 0;
    for (size_t i = 0; i < thread->observed.samples.count; i++)
        truncated += thread->observed.samples.items[i].truncated;
    assert_true(thread->observed.samples.count > 0);
    assert_int_equal(truncated, 0);
}

static void deep_recursion_is_cut_and_counted(void **state)
{
    (void)state;
    record("recursion");
    struct rows_thread *thread = the_thread();
    size_t deep = 0;
    for (size_t i = 0; i < thread->observed.samples.count; i++) {
        const struct rows_stack *stack = &rows->stacks.items[thread->observed.samples.items[i].stack];
        if (stack->count != STACK_FRAMES_MAX || !stack->truncated || !stack_has_function(stack, fact("burn_more")))
            continue;
        deep++;
        for (size_t j = 0; j < 1000; j++)
            assert_true(stack->frames[j].address - fact("recurse") < FUNCTION_BYTES);
    }
    assert_true(deep > 0);
    assert_true(statistic(STATISTIC_STACKS_CUT) >= deep);
    assert_true(statistic(STATISTIC_STACKS_TRUNCATED) >= statistic(STATISTIC_STACKS_CUT));
}

static void check_runtime_frames(const struct rows_stack *stack, size_t *runtime)
{
    for (size_t i = 1; i < stack->count; i++) {
        if (stack->frames[i].kind != FRAME_RUNTIME || !slice_is(stack->frames[i].text, "inner"))
            continue;
        ++*runtime;
        assert_true(slice_is(stack->frames[i - 1].text, "outer"));
        assert_true(slice_is(stack->frames[i].file, "a.js"));
        assert_int_equal(stack->frames[i].line, 7);
        /* They stand between the caller of the runtime and what it called. */
        assert_true(i + 1 < stack->count && stack->frames[i + 1].kind == FRAME_NATIVE);
    }
}

static void labels_runtime_frames_and_event_delays_are_in_the_samples(void **state)
{
    (void)state;
    record("labels");
    struct rows_thread *thread = the_thread();
    size_t running = 0, sleeping = 0, runtime = 0, delays = 0;
    for (size_t i = 0; i < thread->observed.samples.count; i++) {
        const struct observed_sample *sample = &thread->observed.samples.items[i];
        const struct rows_stack *stack = &rows->stacks.items[sample->stack];
        running += stack_has_label(stack, "running") && stack_has_label(stack, "outside") &&
                   stack_has_function(stack, fact("burn_more"));
        assert_false(stack_has_label(stack, "running") && stack_has_label(stack, "sleeping"));
        delays += sample->has_event_delay && sample->event_delay_ns == 12345;
        check_runtime_frames(stack, &runtime);
    }
    for (size_t i = 0; i < thread->rows.rows.count; i++) {
        const struct thread_row *row = &thread->rows.rows.items[i];
        sleeping += row->kind == ROW_WAIT && stack_has_label(row_stack(rows, row), "sleeping") &&
                    stack_has_label(row_stack(rows, row), "outside");
    }
    assert_true(running > 0);
    assert_true(sleeping > 0);
    assert_true(runtime > 0);
    assert_true(delays > 0);
}

static void code_on_other_stacks_is_unwound(void **state)
{
    (void)state;
    record("coroutine");
    struct rows_thread *thread = the_thread();
    assert_true(cpu_in(thread, fact("on_other_stack")) > cpu_in(thread, 0) / 2);
}

static void handlers_on_alternate_stacks_are_unwound_to_what_they_interrupted(void **state)
{
    (void)state;
    record("alternate-stack");
    struct rows_thread *thread = the_thread();
    assert_true(cpu_in(thread, fact("on_usr1")) > cpu_in(thread, 0) / 2);
    assert_true(cpu_in(thread, fact("on_other_stack")) > cpu_in(thread, 0) / 2);
}

static void code_that_was_loaded_later_is_unwound(void **state)
{
    (void)state;
    record("loaded");
    struct rows_thread *thread = the_thread();
    assert_true(cpu_in(thread, fact("late_call")) > cpu_in(thread, 0) / 2);
}

/* --- waits ------------------------------------------------------------------------------------------------------------ */

static void waits_are_seen_where_they_are(void **state)
{
    (void)state;
    static const char *const names[] = {"read", "nanosleep", "poll", "futex"};
    record("waits");
    struct rows_thread *thread = the_thread();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s_ns", names[i]);
        uint64_t seen = rows_weight(rows, thread, ROW_WAIT, fact(names[i])), was = fact(name);
        print_message("%s: %llu of %llu ms\n", names[i], (unsigned long long)seen / 1000000, (unsigned long long)was / 1000000);
        /* On a busy machine part of it is waiting for a CPU, and looks may come late. */
        assert_true(seen > was / 4 && seen < was * 2);
    }
}

static void no_call_is_interrupted(void **state)
{
    (void)state;
    run("interrupted");
    assert_int_equal(fact("interrupted"), 0);
}

/* --- other processes -------------------------------------------------------------------------------------------------- */

static uint64_t main_cpu_in(const char *function)
{
    for (size_t i = 0; i < rows->thread_count; i++)
        if (rows->threads[i].main)
            return cpu_in(&rows->threads[i], fact(function));
    fail_msg("there is no main thread");
    return 0;
}

static void a_forked_child_is_sampled_by_a_clock_of_its_own(void **state)
{
    (void)state;
    run("fork");
    rows = rows_read(folder, (int)fact("pid"));
    assert_within(main_cpu_in("burn_some"), fact("parent"), 0.5);
    assert_int_equal(main_cpu_in("burn_more"), 0);
    rows_free(rows);
    rows = rows_read(folder, (int)fact("child_pid"));
    assert_within(main_cpu_in("burn_more"), fact("child"), 0.5);
    assert_int_equal(main_cpu_in("burn_some"), 0);
}

static void programs_that_replace_themselves_while_they_are_sampled_do_not_die_of_it(void **state)
{
    (void)state;
    run("exec");
    assert_true(fact("exec") > 0);
}

int main(int count, char **words)
{
    if (count == 2 && scene_play(words[1]))
        return 0;
    if (!realpath("/proc/self/exe", self))
        return 98;
    setenv("XDG_CACHE_HOME", "/nonexistent", 1);
#define TEST(name) cmocka_unit_test_teardown(name, forget)
    const struct CMUnitTest tests[] = {
        TEST(cpu_times_add_up_and_fall_to_the_functions_that_used_them),
        TEST(a_thread_that_blocks_all_signals_is_sampled),
        TEST(work_after_a_wait_is_not_booked_on_the_wait),
        TEST(time_in_the_kernel_is_sampled_there),
#if defined(__x86_64__)
        TEST(ticks_in_page_faults_are_known_as_such),
#endif
        TEST(threads_that_end_soon_are_sampled_in_proportion),
        TEST(stacks_are_complete),
        TEST(deep_recursion_is_cut_and_counted),
        TEST(labels_runtime_frames_and_event_delays_are_in_the_samples),
        TEST(code_on_other_stacks_is_unwound),
        TEST(handlers_on_alternate_stacks_are_unwound_to_what_they_interrupted),
        TEST(code_that_was_loaded_later_is_unwound),
        TEST(waits_are_seen_where_they_are),
        TEST(no_call_is_interrupted),
        TEST(a_forked_child_is_sampled_by_a_clock_of_its_own),
        TEST(programs_that_replace_themselves_while_they_are_sampled_do_not_die_of_it),
    };
    int failed = cmocka_run_group_tests_name("by itself", tests, NULL, NULL);
    is_from_outside = true;
    return failed + cmocka_run_group_tests_name("by sonde record", tests, NULL, NULL);
}
