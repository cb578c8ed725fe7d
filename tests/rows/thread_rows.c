/* Timelines of one thread, drawn one line an observation, and the rows that they become:
 *
 *     begin 0 cpu=0              a THREAD entry
 *     tick 4ms A                 a sample by the kernel's ticks, on stack A (`call`: in a system call, `fault`: in a page
 * fault) event 4ms A                … by an event tick 99ms R call ticks=24  … at the end of a call in which there were 24
 * ticks tick 4ms A skipped=3       … before which three ticks in user code were no samples, because events look there look 10ms
 * W cpu=4ms ready=1ms runs=2       found waiting on stack W; `-` found running; `?` waiting, stack unknown look 10ms W cpu=4ms
 * period=0.7ms           … and from now on events come after 0.7 ms of CPU time look 10ms W cpu=4ms kernel=1ms             …
 * and by the kernel's own count so much of the CPU time was the kernel's end 20ms cpu=5ms           a THREAD_END entry pause
 * 5ms, resume 6ms */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rows/thread_rows.h"
#include "support/draw_line.h"

struct timeline {
    struct observed observed;
    struct pauses pauses;
    struct rows_recording recording;
    struct thread_rows rows;
};

static uint32_t stack_of(const char *word)
{
    return word[0] == '?' || word[0] == '-' ? OBSERVED_NO_STACK : (uint32_t)(word[0] - 'A');
}

static void draw_line(struct timeline *timeline, struct line *line)
{
    struct observed *observed = &timeline->observed;
    const char *what = line_word(line);
    uint64_t time = word_number(line, line_word(line)), cpu = line_number(line, "cpu");
    bool tick = strcmp(what, "tick") == 0, event = strcmp(what, "event") == 0;
    if (strcmp(what, "begin") == 0) {
        assert_true(observed_begin(observed, time, cpu));
    } else if (tick || event) {
        struct sample_entry sample = {.time = time, .clock = event ? SAMPLE_BY_EVENT : SAMPLE_BY_TICK};
        sample.in_call = line_flag(line, "call");
        sample.in_fault = line_flag(line, "fault");
        sample.skipped = (uint32_t)line_number(line, "skipped");
        sample.ticks = (uint32_t)line_number(line, "ticks");
        sample.stack.truncated = line_flag(line, "truncated");
        assert_true(observed_sample(observed, &sample, stack_of(line_word(line))));
    } else if (strcmp(what, "look") == 0) {
        const char *stack = line_word(line);
        struct look_entry look = {.time = time, .cpu_ns = cpu, .ready_ns = line_number(line, "ready")};
        look.runs = line_number(line, "runs");
        look.waits = line_number(line, "waits");
        look.kernel_ns = line_number(line, "kernel");
        look.period_ns = line_number(line, "period");
        look.state = line_flag(line, "ended") ? LOOK_ENDED : stack[0] == '-' ? LOOK_RUNNING : LOOK_WAITING;
        assert_true(observed_look(observed, &look, stack_of(stack)));
    } else if (strcmp(what, "end") == 0) {
        observed_end(observed, &(struct thread_end_entry){0, time, cpu, line_number(line, "kernel")});
    } else {
        assert_true(pauses_add(&timeline->pauses, what[0] == 'p' ? ENTRY_PAUSE : ENTRY_RESUME, time));
    }
}

static void draw(struct timeline *timeline, const char *text)
{
    static struct line line;
    char *copy = strdup(text), *rest = NULL;
    for (char *each = strtok_r(copy, "\n", &rest); each; each = strtok_r(NULL, "\n", &rest)) {
        line.text = each;
        line_cut(&line, each);
        draw_line(timeline, &line);
    }
    free(copy);
}

static char *rows_text(const struct thread_rows *rows)
{
    static const char *kinds[] = {"cpu", "wait", "ready", "kernel", "not-sampled", "start", "own"};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    for (size_t i = 0; i < rows->rows.count; i++) {
        const struct thread_row *row = &rows->rows.items[i];
        fprintf(out, "%gms %s %c %g\n", (double)row->time / 1e6, kinds[row->kind],
                row->stack == OBSERVED_NO_STACK ? '-' : (char)('A' + row->stack), (double)row->weight_ns / 1e6);
    }
    fclose(out);
    return text;
}

/* The invariant: rows add up to the clocks, and come in order of time. */
static void check_sums(const struct thread_rows *rows)
{
    uint64_t cpu = 0, waiting = 0, ready = 0, last = 0;
    for (size_t i = 0; i < rows->rows.count; i++) {
        const struct thread_row *row = &rows->rows.items[i];
        *(row->kind == ROW_WAIT ? &waiting : row->kind == ROW_READY ? &ready : &cpu) += row->weight_ns;
        assert_true(row->time >= last);
        last = row->time;
    }
    assert_int_equal(cpu, rows->sums.cpu_ns);
    assert_int_equal(waiting, rows->sums.waiting_ns);
    assert_int_equal(ready, rows->sums.ready_ns);
}

static void make(struct timeline *timeline, const char *text)
{
    draw(timeline, text);
    timeline->recording.pauses = &timeline->pauses;
    if (timeline->recording.interval_ns == 0)
        timeline->recording.interval_ns = 1000000;
    assert_true(thread_rows_make(&timeline->observed, &timeline->recording, &timeline->rows));
    check_sums(&timeline->rows);
}

static void timeline_free(struct timeline *timeline)
{
    observed_free(&timeline->observed);
    pauses_free(&timeline->pauses);
    thread_rows_free(&timeline->rows);
}

static struct thread_sums check_with(struct rows_recording recording, const char *text, const char *expected)
{
    struct timeline timeline = {.recording = recording};
    make(&timeline, text);
    char *actual = rows_text(&timeline.rows);
    if (strcmp(actual, expected) != 0)
        fail_msg("is\n%sbut should be\n%s", actual, expected);
    free(actual);
    struct thread_sums sums = timeline.rows.sums;
    timeline_free(&timeline);
    return sums;
}

static struct thread_sums check(const char *text, const char *expected)
{
    return check_with((struct rows_recording){0}, text, expected);
}

/* --- the end of a process --------------------------------------------------------------------------------------------- */

static void who_waits_when_its_process_is_killed_waited_until_then(void **state)
{
    (void)state;
    struct rows_recording killed = {.end_ns = 3000000000};
    struct thread_sums sums = check_with(killed,
                                         "begin 0\n"
                                         "look 100ms W cpu=0 runs=1\n",
                                         "100ms wait W 100\n"
                                         "3000ms wait W 2900\n");
    assert_int_equal(sums.waiting_ns, 3000000000);
    /* One that ran since then, or that has ended, did not. */
    sums = check_with(killed,
                      "begin 0\n"
                      "look 100ms W cpu=0 runs=1\n"
                      "tick 200ms A\n",
                      "100ms wait W 100\n"
                      "200ms cpu A 1\n");
    assert_int_equal(sums.waiting_ns, 100000000);
    check_with(killed,
               "begin 0\n"
               "look 100ms W cpu=0 runs=1\n"
               "end 150ms cpu=1ms\n",
               "100ms wait W 100\n"
               "150ms wait W 49\n"
               "150ms not-sampled - 1\n");
}

/* --- CPU time ------------------------------------------------------------------------------------------------------ */

static void samples_by_ticks_share_the_cpu_time_of_their_window_evenly(void **state)
{
    (void)state;
    check("begin 0\n"
          "tick 4ms A\n"
          "tick 8ms B\n"
          "look 10ms - cpu=10ms\n"
          "tick 12ms C\n"
          "look 16ms - cpu=16ms\n",
          "4ms cpu A 5\n"
          "8ms cpu B 5\n"
          "12ms cpu C 6\n");
}

static void cpu_time_without_a_sample_is_carried_on_to_the_next_one(void **state)
{
    (void)state;
    check("begin 0\n"
          "look 10ms - cpu=2ms\n"
          "look 20ms - cpu=4ms\n"
          "tick 22ms A\n"
          "look 30ms W cpu=5ms runs=9\n",
          "22ms cpu A 5\n"
          "30ms wait W 25\n");
}

static void what_is_left_at_the_end_goes_to_the_last_sample_if_it_is_little(void **state)
{
    (void)state;
    check("begin 0\n"
          "tick 1ms A\n"
          "look 1ms - cpu=1ms\n"
          "end 3ms cpu=2.5ms\n",
          "1ms cpu A 2.5\n"
          "3ms wait - 0.5\n");
}

static void what_is_left_at_the_end_and_is_much_was_not_sampled(void **state)
{
    (void)state;
    check("begin 0\n"
          "tick 1ms A\n"
          "look 1ms - cpu=1ms\n"
          "end 9ms cpu=8ms\n",
          "1ms cpu A 1\n"
          "9ms wait - 1\n"
          "9ms not-sampled - 7\n");
}

static void a_thread_without_any_sample_has_one_row_that_says_so(void **state)
{
    (void)state;
    struct thread_sums sums = check("begin 0\n"
                                    "look 10ms W cpu=1ms runs=3\n"
                                    "end 20ms cpu=5ms\n",
                                    "10ms wait W 9\n"
                                    "20ms wait W 6\n"
                                    "20ms not-sampled - 5\n");
    assert_int_equal(sums.not_sampled_ns, 5000000);
}

static void an_event_stands_for_an_interval_and_the_rest_was_used_in_the_kernel(void **state)
{
    (void)state;
    check("begin 0\n"
          "event 1ms A\n"
          "event 2ms B\n"
          "tick 5ms R call\n"
          "tick 8ms R call\n"
          "look 10ms - cpu=10ms\n",
          "1ms cpu A 1\n"
          "2ms cpu B 1\n"
          "5ms cpu R 4\n"
          "8ms cpu R 4\n");
}

static void events_that_stand_for_more_than_was_used_are_scaled_down(void **state)
{
    (void)state;
    check("begin 0\n"
          "event 1ms A\n"
          "event 2ms B\n"
          "event 3ms C\n"
          "event 4ms D\n"
          "event 5ms E\n"
          "look 10ms - cpu=3ms\n"
          "end 10ms cpu=3ms\n",
          "1ms cpu A 0.6\n"
          "2ms cpu B 0.6\n"
          "3ms cpu C 0.6\n"
          "4ms cpu D 0.6\n"
          "5ms cpu E 0.6\n"
          "10ms wait - 7\n");
}

static void an_event_stands_for_its_period(void **state)
{
    (void)state;
    check("begin 0\n"
          "look 0 - period=2ms\n"
          "event 2ms A\n"
          "event 4ms B\n"
          "look 4ms - cpu=4ms\n"
          "end 4ms cpu=4ms\n",
          "2ms cpu A 2\n"
          "4ms cpu B 2\n");
}

static void what_has_passed_of_a_period_when_it_is_set_anew_counts_for_the_next_event(void **state)
{
    (void)state;
    check("begin 0\n"
          "look 0 - period=2ms\n"
          "event 2ms A\n"
          "look 3ms - cpu=3ms period=1ms\n"
          "event 4ms B\n"
          "event 5ms C\n"
          "look 5ms - cpu=5ms\n"
          "end 5ms cpu=5ms\n",
          "2ms cpu A 2\n"
          "4ms cpu B 2\n"
          "5ms cpu C 1\n");
}

static void a_little_more_or_less_evens_out_over_windows_and_is_no_kernel_time(void **state)
{
    (void)state;
    check("begin 0\n"
          "event 1ms A\n"
          "look 2ms - cpu=1.5ms\n"
          "event 3ms B\n"
          "event 4ms C\n"
          "look 5ms - cpu=3ms\n",
          "1ms cpu A 1\n"
          "3ms cpu B 1\n"
          "4ms cpu C 1\n"
          "5ms wait - 2\n");
}

static void kernel_time_without_a_sample_in_a_call_is_a_row_of_its_own(void **state)
{
    (void)state;
    check("begin 0\n"
          "event 1ms A\n"
          "look 10ms - cpu=10ms\n"
          "end 20ms cpu=20ms\n",
          "1ms cpu A 1\n"
          "20ms kernel - 19\n");
}

static void much_kernel_time_does_not_wait_for_the_end(void **state)
{
    (void)state;
    check("begin 0\n"
          "event 1ms A\n"
          "look 60ms - cpu=60ms\n"
          "tick 70ms R call\n"
          "look 80ms - cpu=80ms\n",
          "1ms cpu A 1\n"
          "60ms kernel - 59\n"
          "70ms cpu R 20\n");
}

/* Of 16 ticks the kernel found 12 in the kernel, and the handler 3 in calls. Some milliseconds are not shared out at first:
 * events that are late may claim them. */
static void kernel_time_outside_of_calls_is_not_booked_on_calls(void **state)
{
    (void)state;
    struct thread_sums sums = check("begin 0\n"
                                    "event 1ms A\n"
                                    "event 2ms A\n"
                                    "event 3ms A skipped=6\n"
                                    "event 4ms A\n"
                                    "tick 70ms R call\n"
                                    "tick 75ms R call\n"
                                    "tick 79ms R call skipped=7\n"
                                    "look 80ms - cpu=22ms kernel=16.5ms\n",
                                    "1ms cpu A 1\n"
                                    "2ms cpu A 1\n"
                                    "3ms cpu A 1\n"
                                    "4ms cpu A 1\n"
                                    "70ms cpu R 3\n"
                                    "75ms cpu R 3\n"
                                    "79ms cpu R 3\n"
                                    "80ms kernel - 9\n"
                                    "80ms wait - 58\n");
    assert_int_equal(sums.kernel_ns, 9000000);
}

static void a_sample_at_the_end_of_a_long_call_stands_for_all_ticks_in_it(void **state)
{
    (void)state;
    check("begin 0\n"
          "tick 4ms A\n"
          "tick 100ms R call ticks=24\n"
          "look 100ms - cpu=100ms\n",
          "4ms cpu A 4\n"
          "100ms cpu R 96\n");
}

static void where_only_ticks_look_kernel_time_outside_of_calls_is_taken_off_those_in_user_code(void **state)
{
    (void)state;
    check("begin 0\n"
          "tick 4ms A\n"
          "tick 8ms B\n"
          "tick 12ms B\n"
          "tick 16ms R call\n"
          "look 16ms - cpu=16ms kernel=8ms\n",
          "4ms cpu A 2.66667\n"
          "8ms cpu B 2.66667\n"
          "12ms cpu B 2.66667\n"
          "16ms cpu R 4\n"
          "16ms kernel - 4\n");
}

static void a_tick_before_the_first_event_stands_for_a_tick(void **state)
{
    (void)state;
    check_with((struct rows_recording){.tick_ns = 4000000},
               "begin 0\n"
               "tick 4ms A\n"
               "tick 8ms B\n"
               "event 9ms C\n"
               "look 9ms - cpu=9ms\n",
               "4ms cpu A 4\n"
               "8ms cpu B 4\n"
               "9ms cpu C 1\n");
}

/* They may have come in page faults that are not known as such: only the kernel's count tells these from code of the thread's
 * own. */
static void a_tick_between_events_stands_for_nothing_and_one_behind_the_last_for_a_tick(void **state)
{
    (void)state;
    check_with((struct rows_recording){.tick_ns = 4000000},
               "begin 0\n"
               "event 1ms A\n"
               "tick 40ms B skipped=8\n"
               "tick 44ms B\n"
               "event 100ms A\n"
               "tick 140ms C skipped=8\n"
               "look 140ms - cpu=140ms kernel=130ms\n",
               "1ms cpu A 1\n"
               "40ms cpu B 0\n"
               "44ms cpu B 0\n"
               "100ms cpu A 1\n"
               "140ms cpu C 4\n"
               "140ms kernel - 128\n"
               "140ms kernel - 6\n");
}

static void a_tick_in_a_page_fault_stands_for_time_in_the_kernel(void **state)
{
    (void)state;
    check_with((struct rows_recording){.tick_ns = 4000000},
               "begin 0\n"
               "tick 4ms A\n"
               "tick 8ms B fault\n"
               "tick 12ms C call\n"
               "look 12ms - cpu=12ms kernel=8ms\n",
               "4ms cpu A 4\n"
               "8ms cpu B 4\n"
               "12ms cpu C 4\n");
    /* Between events, too. */
    check_with((struct rows_recording){.tick_ns = 4000000},
               "begin 0\n"
               "event 1ms A\n"
               "tick 40ms B fault\n"
               "event 100ms A\n"
               "look 100ms - cpu=100ms kernel=98ms\n",
               "1ms cpu A 1\n"
               "40ms cpu B 98\n"
               "100ms cpu A 1\n");
}

static void samples_behind_the_last_observation_stand_for_an_interval_each(void **state)
{
    (void)state;
    check("begin 0\n"
          "tick 4ms A\n"
          "look 5ms - cpu=5ms\n"
          "tick 8ms B\n"
          "tick 9ms C\n",
          "4ms cpu A 5\n"
          "8ms cpu B 1\n"
          "9ms cpu C 1\n");
}

static void samples_by_ticks_behind_the_last_observation_stand_for_a_tick_but_not_for_more_than_the_time_that_passed(
    void **state)
{
    (void)state;
    check_with((struct rows_recording){.tick_ns = 4000000},
               "begin 0\n"
               "tick 4ms A\n"
               "tick 8ms B\n",
               "4ms cpu A 4\n"
               "8ms cpu B 4\n");
    check_with((struct rows_recording){.tick_ns = 4000000},
               "begin 0\n"
               "tick 4ms A\n"
               "tick 6ms B\n",
               "4ms cpu A 3\n"
               "6ms cpu B 3\n");
}

static void samples_out_of_order_are_brought_in_order(void **state)
{
    (void)state;
    check("begin 0\n"
          "tick 8ms B\n"
          "look 20ms - cpu=11ms runs=9\n"
          "tick 4ms A\n"
          "look 10ms - cpu=10ms\n",
          "4ms cpu A 5\n"
          "8ms cpu B 6\n"
          "20ms wait - 9\n");
}

static void the_cpu_time_of_truncated_stacks_is_counted(void **state)
{
    (void)state;
    struct thread_sums sums = check("begin 0\n"
                                    "tick 4ms A\n"
                                    "tick 8ms B truncated\n"
                                    "look 10ms - cpu=10ms\n",
                                    "4ms cpu A 5\n"
                                    "8ms cpu B 5\n");
    assert_int_equal(sums.truncated_ns, 5000000);
}

static void cpu_time_before_the_first_begin_has_a_row_of_its_own(void **state)
{
    (void)state;
    struct timeline timeline = {.observed.start_cpu_ns = 3000000};
    make(&timeline, "begin 1ms cpu=3ms\n"
                    "tick 5ms A\n"
                    "look 5ms - cpu=7ms\n");
    char *actual = rows_text(&timeline.rows);
    assert_string_equal(actual, "1ms start - 3\n"
                                "5ms cpu A 4\n");
    assert_int_equal(timeline.rows.sums.cpu_ns, 7000000);
    free(actual);
    timeline_free(&timeline);
}

static void what_the_library_took_to_begin_has_a_row_of_its_own(void **state)
{
    (void)state;
    struct timeline timeline = {.observed = {.start_cpu_ns = 3000000, .own_cpu_ns = 250000}};
    make(&timeline, "begin 1ms cpu=3.25ms\n"
                    "tick 5ms A\n"
                    "look 5ms - cpu=7.25ms\n");
    char *actual = rows_text(&timeline.rows);
    assert_string_equal(actual, "1ms start - 3\n"
                                "1ms own - 0.25\n"
                                "5ms cpu A 4\n");
    assert_int_equal(timeline.rows.sums.cpu_ns, 7250000);
    assert_int_equal(timeline.rows.sums.start_ns, 3000000);
    assert_int_equal(timeline.rows.sums.own_ns, 250000);
    free(actual);
    timeline_free(&timeline);
}

/* --- waiting time ----------------------------------------------------------------------------------------------------- */

static void a_look_waits_for_what_it_stands_for(void **state)
{
    (void)state;
    check("begin 0\n"
          "look 10ms W cpu=0ms runs=1\n"
          "look 20ms W runs=1\n"
          "look 50ms W runs=1\n",
          "10ms wait W 10\n"
          "20ms wait W 10\n"
          "50ms wait W 30\n");
}

static void one_or_two_runs_between_two_looks_make_two_waits_of_equal_length(void **state)
{
    (void)state;
    check("begin 0\n"
          "look 10ms V runs=1\n"
          "look 20ms W runs=2\n"
          "look 30ms V runs=4\n",
          "10ms wait V 10\n"
          "15ms wait V 5\n"
          "20ms wait W 5\n"
          "25ms wait W 5\n"
          "30ms wait V 5\n");
}

static void many_runs_between_two_looks_say_nothing_of_the_wait_before(void **state)
{
    (void)state;
    check("begin 0\n"
          "look 10ms V runs=1\n"
          "look 20ms W runs=4\n",
          "10ms wait V 10\n"
          "20ms wait W 10\n");
}

static void a_sample_after_the_end_of_the_wait_before_comes_behind_it(void **state)
{
    (void)state;
    check("begin 0\n"
          "look 10ms V runs=1\n"
          "tick 12ms A\n"
          "tick 19ms B\n"
          "look 20ms W cpu=2ms runs=2\n",
          "10ms wait V 10\n"
          "12ms cpu A 1\n"
          "14ms wait V 4\n"
          "19ms cpu B 1\n"
          "20ms wait W 4\n");
}

static void a_thread_found_running_has_just_ended_the_wait_before(void **state)
{
    (void)state;
    check("begin 0\n"
          "look 10ms V runs=1\n"
          "look 20ms - runs=2\n"
          "look 30ms - runs=4\n"
          "look 40ms W runs=9\n",
          "10ms wait V 10\n"
          "20ms wait V 10\n"
          "40ms wait W 20\n");
}

static void waiting_time_of_a_look_that_found_it_running_is_carried_on_to_the_next_wait(void **state)
{
    (void)state;
    check("begin 0\n"
          "tick 5ms A\n"
          "look 10ms - cpu=2ms runs=5\n"
          "look 20ms W cpu=2ms runs=9\n",
          "5ms cpu A 2\n"
          "20ms wait W 18\n");
}

static void a_stack_that_could_not_be_read_is_that_of_the_same_wait(void **state)
{
    (void)state;
    check("begin 0\n"
          "look 10ms V runs=1\n"
          "look 20ms ? runs=1\n"
          "look 30ms ? runs=7\n"
          "look 40ms W runs=9\n",
          "10ms wait V 10\n"
          "20ms wait V 10\n"
          "40ms wait W 20\n");
}

static void waiting_time_at_the_end_goes_to_the_wait_seen_last(void **state)
{
    (void)state;
    check("begin 0\n"
          "look 10ms V runs=1\n"
          "tick 12ms A\n"
          "end 20ms cpu=1ms\n",
          "10ms wait V 10\n"
          "12ms cpu A 1\n"
          "20ms wait V 9\n");
}

static void waiting_time_that_nobody_ever_saw_has_a_row_without_a_stack(void **state)
{
    (void)state;
    struct thread_sums sums = check("begin 0\n"
                                    "tick 2ms A\n"
                                    "end 10ms cpu=1ms\n",
                                    "2ms cpu A 1\n"
                                    "10ms wait - 9\n");
    assert_int_equal(sums.waiting_ns, 9000000);
    assert_int_equal(sums.unseen_ns, 9000000);
}

static void a_thread_that_was_gone_when_it_was_looked_at_did_not_wait_since(void **state)
{
    (void)state;
    check("begin 0\n"
          "look 10ms V runs=1\n"
          "tick 12ms A\n"
          "look 90ms - ended cpu=1ms runs=2\n",
          "10ms wait V 10\n"
          "12ms cpu A 1\n");
}

static void paused_times_are_no_waiting_time(void **state)
{
    (void)state;
    struct thread_sums sums = check("begin 0\n"
                                    "look 10ms V runs=1\n"
                                    "pause 10ms\n"
                                    "resume 25ms\n"
                                    "look 30ms V runs=1\n",
                                    "10ms wait V 10\n"
                                    "30ms wait V 5\n");
    assert_int_equal(sums.waiting_ns, 15000000);
}

static void cpu_time_used_while_paused_is_not_booked_on_samples(void **state)
{
    (void)state;
    check("begin 0\n"
          "tick 5ms A\n"
          "pause 10ms\n"
          "resume 20ms\n"
          "look 20ms - cpu=20ms\n",
          "5ms cpu A 10\n");
}

/* --- ready time ------------------------------------------------------------------------------------------------------- */

static void ready_time_stands_behind_the_stack_on_which_the_thread_was_seen_last(void **state)
{
    (void)state;
    check("begin 0\n"
          "tick 4ms A\n"
          "look 10ms W cpu=4ms ready=3ms runs=2\n"
          "look 20ms W cpu=4ms ready=5ms runs=2\n",
          "4ms cpu A 4\n"
          "7ms ready A 3\n"
          "10ms wait W 3\n"
          "12ms ready W 2\n"
          "20ms wait W 8\n");
}

static void ready_time_behind_a_wait_that_was_seen_stands_there(void **state)
{
    (void)state;
    check("begin 0\n"
          "look 1ms W ready=200us runs=1 waits=1\n"
          "tick 8ms A\n"
          "look 10ms - cpu=4ms ready=3.2ms runs=2 waits=1\n",
          "0.2ms ready - 0.2\n"
          "1ms wait W 0.8\n"
          "3ms wait W 2\n"
          "3ms ready W 3\n"
          "8ms cpu A 4\n");
}

static void ready_time_of_a_thread_that_never_waits_stands_where_it_lost_its_cpu(void **state)
{
    (void)state;
    check("begin 0\n"
          "tick 4ms A\n"
          "look 10ms - cpu=4ms ready=6ms runs=9\n",
          "4ms cpu A 4\n"
          "10ms ready A 6\n");
}

static void ready_time_is_shared_between_waits_and_lost_cpus_by_their_numbers(void **state)
{
    (void)state;
    /* Of 16 runs 4 were behind waits, of which one was seen. */
    check("begin 0\n"
          "tick 4ms A\n"
          "look 20ms W cpu=8ms ready=8ms runs=16 waits=5\n",
          "4ms cpu A 8\n"
          "16ms ready A 6\n"
          "16ms ready W 2\n"
          "20ms wait W 4\n");
}

static void ready_time_behind_waits_that_nobody_saw_goes_to_the_next_one_that_is_seen(void **state)
{
    (void)state;
    check("begin 0\n"
          "tick 4ms A\n"
          "look 10ms - cpu=4ms ready=4ms runs=4 waits=4\n"
          "tick 14ms B\n"
          "look 20ms W cpu=8ms ready=6ms runs=8 waits=9\n",
          "4ms cpu A 4\n"
          "14ms cpu B 4\n"
          "14ms ready W 6\n"
          "20ms wait W 6\n");
}

static void little_ready_time_is_carried_on(void **state)
{
    (void)state;
    check("begin 0\n"
          "look 10ms W ready=60us runs=1\n"
          "look 20ms W ready=120us runs=2\n"
          "look 30ms W ready=130us runs=2\n",
          "10ms wait W 9.94\n"
          "14.97ms wait W 4.97\n"
          "15.03ms ready W 0.12\n"
          "20ms wait W 4.97\n"
          "30ms wait W 9.99\n"
          "30ms ready W 0.01\n");
}

static void how_long_an_old_thread_had_been_ready_before_it_was_registered_is_not_known(void **state)
{
    (void)state;
    check("begin 1s cpu=500ms\n"
          "look 1.01s W cpu=500ms ready=90ms runs=70\n"
          "look 1.02s W cpu=500ms ready=92ms runs=71\n",
          "1010ms wait W 10\n"
          "1014ms wait W 4\n"
          "1016ms ready W 2\n"
          "1020ms wait W 4\n");
}

static void clocks_that_add_up_to_more_than_wall_time_are_made_up_for_later(void **state)
{
    (void)state;
    struct thread_sums sums = check("begin 0\n"
                                    "tick 4ms A\n"
                                    "look 10ms - cpu=12ms runs=1\n"
                                    "look 20ms W cpu=12ms runs=5\n",
                                    "4ms cpu A 12\n"
                                    "20ms wait W 8\n");
    assert_int_equal(sums.cpu_ns + sums.waiting_ns, 20000000);
}

/* --- what is gone, and what was not recorded -------------------------------------------------------------------------- */

static void cpu_time_whose_samples_were_recycled_is_not_heaped_onto_those_that_are_left(void **state)
{
    (void)state;
    struct thread_sums sums = check_with((struct rows_recording){.samples_recycled = true},
                                         "begin 0\n"
                                         "look 10ms - cpu=10ms\n"
                                         "look 20ms - cpu=20ms\n"
                                         "tick 25ms A\n"
                                         "look 30ms - cpu=30ms\n"
                                         "tick 35ms B\n"
                                         "look 40ms - cpu=40ms\n",
                                         "25ms cpu A 5\n"
                                         "35ms cpu B 10\n");
    assert_int_equal(sums.gone_ns, 25000000);
}

static void a_thread_whose_samples_are_all_gone_has_no_cpu_time(void **state)
{
    (void)state;
    struct thread_sums sums = check_with((struct rows_recording){.samples_recycled = true},
                                         "begin 0\n"
                                         "look 10ms W cpu=4ms runs=1\n",
                                         "10ms wait W 6\n");
    assert_int_equal(sums.cpu_ns, 0);
}

static void waiting_time_whose_looks_were_recycled_is_left_out(void **state)
{
    (void)state;
    check_with((struct rows_recording){.looks_recycled = true},
               "begin 0\n"
               "look 90s W runs=9\n"
               "look 91s W runs=9\n",
               "91000ms wait W 1000\n");
}

static void time_before_a_thread_is_registered_again_was_not_recorded(void **state)
{
    (void)state;
    check("begin 0\n"
          "tick 4ms A\n"
          "look 5ms W cpu=4ms runs=1\n"
          "tick 6ms B\n"
          "begin 1s cpu=500ms\n"
          "tick 1.001s C\n"
          "look 1.01s W cpu=502ms runs=9\n",
          "4ms cpu A 4\n"
          "5ms wait W 1\n"
          "6ms cpu B 1\n"
          "1001ms cpu C 2\n"
          "1010ms wait W 8\n");
}

static void looks_after_the_end_are_at_another_thread(void **state)
{
    (void)state;
    check("begin 0\n"
          "tick 4ms A\n"
          "end 10ms cpu=4ms\n"
          "look 20ms W cpu=1ms\n",
          "4ms cpu A 4\n"
          "10ms wait - 6\n");
}

static void the_runs_between_the_first_look_and_the_last_are_counted(void **state)
{
    (void)state;
    struct thread_sums sums = check("begin 0\n"
                                    "look 10ms W runs=5\n"
                                    "look 50ms W runs=15\n",
                                    "10ms wait W 10\n"
                                    "50ms wait W 40\n");
    assert_int_equal(sums.runs, 10);
    assert_int_equal(sums.runs_wall_ns, 40000000);
}

/* --- any timeline -------------------------------------------------------------------------------------------------- */

static uint64_t random_below(uint64_t limit)
{
    static uint64_t word = 88172645463325252;
    word ^= word << 13;
    word ^= word >> 7;
    word ^= word << 17;
    return word % limit;
}

/* Clocks that are as the kernel's, or make no sense at all: the rows add up to what is said of them. */
static void rows_of_any_timeline_add_up(void **state)
{
    (void)state;
    for (int round = 0; round < 3000; round++) {
        struct timeline timeline = {.recording = {.interval_ns = 1 + random_below(3000000), .tick_ns = random_below(5000000)}};
        struct observed *observed = &timeline.observed;
        bool wild = round % 3 == 0;
        uint64_t time = random_below(1000000), cpu = 0, ready = 0, runs = 0;
        timeline.recording.samples_recycled = random_below(4) == 0;
        timeline.recording.looks_recycled = random_below(4) == 0;
        assert_true(observed_begin(observed, time, cpu));
        for (uint64_t i = random_below(40); i > 0; i--) {
            uint64_t step = random_below(wild && random_below(9) == 0 ? UINT64_MAX : 20000000);
            time = time + step;
            uint64_t ran = random_below(step + 1), wanted = random_below(step - ran + 1);
            cpu = wild ? random_below(UINT64_MAX) : cpu + ran;
            ready = wild ? random_below(UINT64_MAX) : ready + wanted;
            runs += random_below(4);
            uint64_t waits = random_below(wild ? UINT64_MAX : runs + 1);
            struct sample_entry sample = {.time = time,
                                          .clock = (uint8_t)random_below(2),
                                          .in_call = random_below(2) == 0,
                                          .in_fault = random_below(2) == 0};
            sample.ticks = (uint32_t)random_below(wild ? UINT32_MAX : 3);
            struct look_entry look = {.time = time,
                                      .state = (uint8_t)random_below(3),
                                      .cpu_ns = cpu,
                                      .ready_ns = ready,
                                      .runs = runs,
                                      .waits = random_below(2) == 0 ? waits : 0,
                                      .period_ns = random_below(3) == 0 ? random_below(wild ? UINT64_MAX : 2000000) : 0,
                                      .kernel_ns = random_below(3) == 0 ? random_below(wild ? UINT64_MAX : cpu + 1) : 0};
            uint32_t stack = random_below(5) == 0 ? OBSERVED_NO_STACK : (uint32_t)random_below(5);
            if (random_below(2) == 0)
                assert_true(observed_sample(observed, &sample, stack));
            if (random_below(2) == 0)
                assert_true(observed_look(observed, &look, stack));
            if (random_below(9) == 0)
                assert_true(observed_begin(observed, time, cpu));
            if (random_below(9) == 0)
                assert_true(pauses_add(&timeline.pauses, (enum entry_kind)(ENTRY_PAUSE + random_below(4)), time));
        }
        if (random_below(2) == 0)
            observed_end(observed, &(struct thread_end_entry){0, time, cpu, random_below(cpu / 2 + 1)});
        make(&timeline, "");
        timeline_free(&timeline);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_waits_when_its_process_is_killed_waited_until_then),
        cmocka_unit_test(samples_by_ticks_share_the_cpu_time_of_their_window_evenly),
        cmocka_unit_test(cpu_time_without_a_sample_is_carried_on_to_the_next_one),
        cmocka_unit_test(what_is_left_at_the_end_goes_to_the_last_sample_if_it_is_little),
        cmocka_unit_test(what_is_left_at_the_end_and_is_much_was_not_sampled),
        cmocka_unit_test(a_thread_without_any_sample_has_one_row_that_says_so),
        cmocka_unit_test(an_event_stands_for_an_interval_and_the_rest_was_used_in_the_kernel),
        cmocka_unit_test(events_that_stand_for_more_than_was_used_are_scaled_down),
        cmocka_unit_test(an_event_stands_for_its_period),
        cmocka_unit_test(what_has_passed_of_a_period_when_it_is_set_anew_counts_for_the_next_event),
        cmocka_unit_test(a_little_more_or_less_evens_out_over_windows_and_is_no_kernel_time),
        cmocka_unit_test(kernel_time_without_a_sample_in_a_call_is_a_row_of_its_own),
        cmocka_unit_test(much_kernel_time_does_not_wait_for_the_end),
        cmocka_unit_test(kernel_time_outside_of_calls_is_not_booked_on_calls),
        cmocka_unit_test(a_sample_at_the_end_of_a_long_call_stands_for_all_ticks_in_it),
        cmocka_unit_test(where_only_ticks_look_kernel_time_outside_of_calls_is_taken_off_those_in_user_code),
        cmocka_unit_test(a_tick_before_the_first_event_stands_for_a_tick),
        cmocka_unit_test(a_tick_between_events_stands_for_nothing_and_one_behind_the_last_for_a_tick),
        cmocka_unit_test(a_tick_in_a_page_fault_stands_for_time_in_the_kernel),
        cmocka_unit_test(samples_behind_the_last_observation_stand_for_an_interval_each),
        cmocka_unit_test(
            samples_by_ticks_behind_the_last_observation_stand_for_a_tick_but_not_for_more_than_the_time_that_passed),
        cmocka_unit_test(samples_out_of_order_are_brought_in_order),
        cmocka_unit_test(the_cpu_time_of_truncated_stacks_is_counted),
        cmocka_unit_test(cpu_time_before_the_first_begin_has_a_row_of_its_own),
        cmocka_unit_test(what_the_library_took_to_begin_has_a_row_of_its_own),
        cmocka_unit_test(a_look_waits_for_what_it_stands_for),
        cmocka_unit_test(one_or_two_runs_between_two_looks_make_two_waits_of_equal_length),
        cmocka_unit_test(many_runs_between_two_looks_say_nothing_of_the_wait_before),
        cmocka_unit_test(a_sample_after_the_end_of_the_wait_before_comes_behind_it),
        cmocka_unit_test(a_thread_found_running_has_just_ended_the_wait_before),
        cmocka_unit_test(waiting_time_of_a_look_that_found_it_running_is_carried_on_to_the_next_wait),
        cmocka_unit_test(a_stack_that_could_not_be_read_is_that_of_the_same_wait),
        cmocka_unit_test(waiting_time_at_the_end_goes_to_the_wait_seen_last),
        cmocka_unit_test(waiting_time_that_nobody_ever_saw_has_a_row_without_a_stack),
        cmocka_unit_test(a_thread_that_was_gone_when_it_was_looked_at_did_not_wait_since),
        cmocka_unit_test(paused_times_are_no_waiting_time),
        cmocka_unit_test(cpu_time_used_while_paused_is_not_booked_on_samples),
        cmocka_unit_test(ready_time_stands_behind_the_stack_on_which_the_thread_was_seen_last),
        cmocka_unit_test(ready_time_behind_a_wait_that_was_seen_stands_there),
        cmocka_unit_test(ready_time_of_a_thread_that_never_waits_stands_where_it_lost_its_cpu),
        cmocka_unit_test(ready_time_is_shared_between_waits_and_lost_cpus_by_their_numbers),
        cmocka_unit_test(ready_time_behind_waits_that_nobody_saw_goes_to_the_next_one_that_is_seen),
        cmocka_unit_test(little_ready_time_is_carried_on),
        cmocka_unit_test(how_long_an_old_thread_had_been_ready_before_it_was_registered_is_not_known),
        cmocka_unit_test(clocks_that_add_up_to_more_than_wall_time_are_made_up_for_later),
        cmocka_unit_test(cpu_time_whose_samples_were_recycled_is_not_heaped_onto_those_that_are_left),
        cmocka_unit_test(a_thread_whose_samples_are_all_gone_has_no_cpu_time),
        cmocka_unit_test(waiting_time_whose_looks_were_recycled_is_left_out),
        cmocka_unit_test(time_before_a_thread_is_registered_again_was_not_recorded),
        cmocka_unit_test(looks_after_the_end_are_at_another_thread),
        cmocka_unit_test(the_runs_between_the_first_look_and_the_last_are_counted),
        cmocka_unit_test(rows_of_any_timeline_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
