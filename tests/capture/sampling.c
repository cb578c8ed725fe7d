/* What samples say of a program, held against what the program knows of itself: the clocks of the same run.
 *
 * Called with the name of a scene this is the recorded program. */
#include "fake_recorder.h"
#include "rows.h"
#include "scenes.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/room.h"
#include "support/session_draw.h"

/* --- recording it -------------------------------------------------------------------------------------------------------- */

static char *self, *facts;
static char folder[64];

/* The value of a fact; the sum, if there are several. */
static uint64_t fact(const char *name)
{
    uint64_t sum = 0;
    size_t length = strlen(name), found = 0;
    for (const char *line = facts; *line; line = strchr(line, '\n') + 1) {
        if (strncmp(line, name, length) == 0 && line[length] == ' ') {
            sum += strtoull(line + length, NULL, 10);
            found++;
        }
    }
    if (!found)
        fail_msg("the program did not say \"%s\"", name);
    return sum;
}

static bool cpus_are_scarce, follows_children, is_from_recorder = true;

/* Between the recorder and the scene. */
static void be_a_shell(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        return;
    bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
    _exit(ended ? WEXITSTATUS(status) : 126);
}

static void become(const char *scenario)
{
    setenv("LD_PRELOAD", PRELOAD, 1);
    setenv("SONDE_STARTUP", "1", 1);
    setenv("SONDE_SESSION", folder, 1);
    char pid[24];
    snprintf(pid, sizeof pid, "%d", getpid());
    if (!follows_children)
        setenv("SONDE_SESSION_PID", pid, 1);
    alarm(60);
    execl(self, self, scenario, (char *)NULL);
    _exit(127);
}

/* As the recorder does, whose socket is this. */
static int say_scarce(void)
{
    int fd = open(folder, O_DIRECTORY | O_CLOEXEC);
    struct room *room = room_make(fd);
    assert_non_null(room);
    room_put(room, 32 << 20);
    room_say_scarce(room, true);
    room_close(room);
    close(fd);
    return fake_recorder_open(folder);
}

static void record(const char *scenario)
{
    enum { ROOM = 4096 };
    int from[2];
    size_t used = 0;
    facts = calloc(1, ROOM);
    session_folder_make(folder);
    int recorder = cpus_are_scarce ? say_scarce() : -1;
    assert_int_equal(pipe(from), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(from[1], STDOUT_FILENO);
        if (!is_from_recorder)
            be_a_shell();
        become(scenario);
    }
    close(from[1]);
    for (ssize_t got; (got = read(from[0], facts + used, ROOM - 1 - used)) > 0;)
        used += (size_t)got;
    close(from[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (recorder >= 0)
        close(recorder);
    assert_int_equal(status, 0);
}

static int forget(void **state)
{
    (void)state;
    session_folder_remove(folder);
    free(facts);
    facts = NULL;
    return 0;
}

static uint64_t statistic(const struct rows *rows, enum session_statistic which)
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

/* --- tests --------------------------------------------------------------------------------------------------------------- */

struct shares {
    struct rows rows;
    uint64_t some, more, others;
    uint64_t large; /* rows with the CPU time of several */
};

static void add_share(void *data, const struct row *row)
{
    struct shares *shares = data;
    if (shares->rows.threads[row->thread].tid != (int)fact("tid"))
        return;
    shares->large += row->cpu_ns > 3 * shares->rows.header.interval_ns;
    if (row_has_function(row, fact("burn_some"), FUNCTION_BYTES))
        shares->some += row->cpu_ns;
    else if (row_has_function(row, fact("burn_more"), FUNCTION_BYTES))
        shares->more += row->cpu_ns;
    else
        shares->others += row->cpu_ns;
}

/* Those of the two functions in the CPU time, within so many percentage points. */
static void assert_shares(const struct shares *shares, double points)
{
    double expected = 100.0 * (double)fact("some") / (double)(fact("some") + fact("more"));
    double found = 100.0 * (double)shares->some / (double)(shares->some + shares->more);
    if (found < expected - points || found > expected + points)
        fail_msg("%.1f %% instead of %.1f %%", found, expected);
}

/* All CPU time of the thread is there. */
static void read_shares(struct shares *shares)
{
    memset(shares, 0, sizeof *shares);
    rows_read(folder, &shares->rows, add_share, shares);
    const struct rows_thread *thread = rows_thread_by_tid(&shares->rows, (int)fact("tid"));
    assert_non_null(thread);
    assert_within(thread->cpu_ns, fact("cpu"), 0.02);
}

static void cpu_times_add_up_and_fall_to_the_functions_that_used_them(void **state)
{
    (void)state;
    static struct shares shares;
    record("share");
    read_shares(&shares);
    uint64_t all = shares.some + shares.more + shares.others;
    assert_shares(&shares, 2);
    assert_true(shares.others < all / 10); /* clocks are read, too */
}

static void record_with(const char *features, const char *scenario)
{
    setenv("SONDE_STARTUP_FEATURES", features, 1);
    record(scenario);
    unsetenv("SONDE_STARTUP_FEATURES");
}

/* With thrift, and where the recorder says that all CPUs are busy. */
static void record_scarce(const char *scenario)
{
    cpus_are_scarce = true;
    record_with("default,thrift", scenario);
    cpus_are_scarce = false;
}

static void dear_looks_are_few_with_thrift_and_the_rows_between_have_their_share(void **state)
{
    (void)state;
    static struct shares shares;
    record_with("default,thrift", "dear");
    read_shares(&shares);
    uint64_t looks = statistic(&shares.rows, STATISTIC_SAMPLES_SIGNALLED),
             held = statistic(&shares.rows, STATISTIC_SAMPLES_HELD);
    print_message("%llu looks, %llu rows held\n", (unsigned long long)looks, (unsigned long long)held);
    assert_true(held > 3 * looks);
    /* Ticks that came too late are in the next row. */
    assert_true(shares.large <= statistic(&shares.rows, STATISTIC_TICKS_MISSED) + shares.rows.ticks / 50);
    assert_shares(&shares, 6);
}

static void where_cpus_are_scarce_threads_take_few_samples_by_their_cpu_time_and_the_sampler_sleeps(void **state)
{
    (void)state;
    static struct shares shares;
    record_scarce("share");
    read_shares(&shares);
    uint64_t looks = statistic(&shares.rows, STATISTIC_SAMPLES_SIGNALLED),
             held = statistic(&shares.rows, STATISTIC_SAMPLES_HELD);
    print_message("%llu looks, %llu rows held\n", (unsigned long long)looks, (unsigned long long)held);
    assert_true(looks > 20);
    assert_true(held > looks);
    assert_shares(&shares, 8);
}

struct child_wait {
    struct rows rows;
    uint64_t waiting, waiting_cpu_ns; /* rows, and their CPU time */
    uint64_t waitpid, in_waitpid;     /* where that is; rows */
    uint64_t some, more;              /* CPU time */
};

static void add_child_wait(void *data, const struct row *row)
{
    struct child_wait *wait = data;
    if (wait->rows.threads[row->thread].tid != (int)fact("tid"))
        return;
    if (row_has_function(row, fact("wait_for_child"), FUNCTION_BYTES)) {
        wait->waiting++;
        wait->in_waitpid += row_has_function(row, wait->waitpid, FUNCTION_BYTES);
        wait->waiting_cpu_ns += row->cpu_ns;
    } else if (row_has_function(row, fact("burn_some"), FUNCTION_BYTES)) {
        wait->some += row->cpu_ns;
    } else if (row_has_function(row, fact("burn_more"), FUNCTION_BYTES)) {
        wait->more += row->cpu_ns;
    }
}

static void where_cpus_are_scarce_a_thread_says_itself_that_it_waits_for_a_child(void **state)
{
    (void)state;
    static struct child_wait wait;
    record_scarce("child");
    memset(&wait, 0, sizeof wait);
    wait.waitpid = fact("waitpid");
    rows_read(folder, &wait.rows, add_child_wait, &wait);
    uint64_t interval = wait.rows.header.interval_ns;
    print_message("%llu rows of a wait of %llu ms, with %llu us of CPU time\n", (unsigned long long)wait.waiting,
                  (unsigned long long)fact("waited") / 1000000, (unsigned long long)wait.waiting_cpu_ns / 1000);
    /* Until it next takes a sample it is still seen there: for up to 32 ms of its CPU time. */
    assert_true(wait.waiting * interval >= fact("waited") / 10 * 9);
    assert_true(wait.in_waitpid >= wait.waiting / 10 * 9);
    assert_true(wait.waiting * interval <= fact("waited") + 96 * interval);
    assert_true(wait.waiting_cpu_ns <= 40 * interval);
    assert_within(wait.some, fact("some"), 0.3);
    assert_within(wait.more, fact("more"), 0.3);
}

static void record_driver(const char *scenario, bool from_recorder, struct child_wait *wait)
{
    follows_children = true;
    is_from_recorder = from_recorder;
    record_scarce(scenario);
    is_from_recorder = true;
    follows_children = false;
    memset(wait, 0, sizeof *wait);
    rows_read(folder, &wait->rows, add_child_wait, wait);
}

static void where_cpus_are_scarce_one_that_only_waits_is_left_alone_for_a_while(void **state)
{
    enum { TIMES = 6 };
    static struct child_wait wait;
    /* The first look may be in the millisecond or two for which it works. */
    uint64_t fewest = UINT64_MAX;
    for (int i = 0; i < TIMES && fewest > 0; i++) {
        record_driver("driver", false, &wait);
        fewest = wait.rows.ticks < fewest ? wait.rows.ticks : fewest;
        forget(state);
    }
    assert_int_equal(fewest, 0);
    record_driver("slow-driver", false, &wait);
    /* It is looked at after a quarter of a second; the machine may be slow. */
    assert_true(fact("waited") >= 1000000000);
    assert_in_range(wait.waiting * wait.rows.header.interval_ns, 300000000, fact("waited") - 100000000);
}

static void where_cpus_are_scarce_what_the_recorder_has_started_is_not_left_alone(void **state)
{
    (void)state;
    static struct child_wait wait;
    record_driver("slow-driver", true, &wait);
    assert_true(wait.waiting * wait.rows.header.interval_ns >= fact("waited") - 100000000);
}

static void where_cpus_are_scarce_one_that_works_after_such_a_wait_is_sampled(void **state)
{
    (void)state;
    static struct child_wait wait;
    record_driver("driver-that-works", false, &wait);
    assert_true(wait.more > fact("more") / 2);
}

static void every_thread_has_a_row_for_every_tick_of_its_life_and_ticks_fill_the_time(void **state)
{
    (void)state;
    static struct rows rows;
    record("share");
    rows_read(folder, &rows, NULL, NULL);
    assert_int_equal(rows.thread_count, 2);
    assert_int_equal(statistic(&rows, STATISTIC_TICKS), rows.ticks);
    uint64_t span = rows.header.end_ns - rows.first_tick;
    assert_within((rows.ticks + statistic(&rows, STATISTIC_TICKS_MISSED)) * rows.header.interval_ns, span, 0.05);
    const struct rows_thread *main_thread = rows_thread_by_tid(&rows, rows.header.pid);
    assert_non_null(main_thread);
    /* It ends with the program, a moment before the recording does. */
    bool ends_before = main_thread->end_ns < rows.last_tick;
    uint64_t late = ends_before ? (rows.last_tick - main_thread->end_ns) / rows.header.interval_ns + 1 : 0;
    assert_in_range(main_thread->rows, rows.ticks - late, rows.ticks);
}

struct bursts {
    struct rows rows;
    uint64_t cpu_ns, samples;
};

static void add_burst(void *data, const struct row *row)
{
    struct bursts *bursts = data;
    if (bursts->rows.threads[row->thread].tid != (int)fact("tid") || row->cpu_ns == 0 ||
        !row_has_function(row, fact("burn_more"), FUNCTION_BYTES))
        return;
    bursts->cpu_ns += row->cpu_ns;
    bursts->samples++;
}

static void work_after_a_long_wait_is_sampled_and_no_tick_of_the_wait_is_missing(void **state)
{
    (void)state;
    static struct bursts bursts;
    record("bursts");
    memset(&bursts, 0, sizeof bursts);
    rows_read(folder, &bursts.rows, add_burst, &bursts);
    const struct rows_thread *thread = rows_thread_by_tid(&bursts.rows, (int)fact("tid"));
    assert_non_null(thread);
    assert_within(bursts.cpu_ns, fact("worked"), 0.05);
    uint64_t ticks = bursts.rows.ticks, missed = statistic(&bursts.rows, STATISTIC_TICKS_MISSED);
    uint64_t due = fact("worked") / bursts.rows.header.interval_ns;
    print_message("%llu samples of %llu; %llu of %llu ticks slept through, %llu missed\n", (unsigned long long)bursts.samples,
                  (unsigned long long)due, (unsigned long long)statistic(&bursts.rows, STATISTIC_TICKS_IDLE),
                  (unsigned long long)ticks, (unsigned long long)missed);
    assert_true(bursts.samples + missed >= due - due / 4);
    assert_true(statistic(&bursts.rows, STATISTIC_TICKS_IDLE) > ticks / 4);
    assert_within((ticks + missed) * bursts.rows.header.interval_ns, bursts.rows.header.end_ns - bursts.rows.first_tick, 0.05);
}

struct waiting {
    struct rows rows;
    uint64_t rows_in_wait, other_stacks, news;
};

static void check_waiting(void *data, const struct row *row)
{
    struct waiting *waiting = data;
    uint64_t time = row->tick + waiting->rows.header.start_monotonic_ns;
    enum { MARGIN_NS = 2000000 }; /* between taking the time and being blocked */
    if (waiting->rows.threads[row->thread].tid != (int)fact("tid") || time < fact("from") + MARGIN_NS ||
        time + MARGIN_NS > fact("until"))
        return;
    waiting->rows_in_wait++;
    waiting->other_stacks += !row_has_function(row, fact("wait_for_byte"), FUNCTION_BYTES);
    waiting->news += row->is_new;
}

static void assert_wait_is_shown(const char *scenario)
{
    static struct waiting waiting;
    record(scenario);
    memset(&waiting, 0, sizeof waiting);
    rows_read(folder, &waiting.rows, check_waiting, &waiting);
    assert_true(waiting.rows_in_wait > 0);
    /* On a busy machine the thread may be late: it took the time, but was not blocked when it was looked at. */
    assert_true(waiting.other_stacks <= 1 + waiting.rows_in_wait / 10);
    /* Its stack is told once, or twice if it was caught on the way. */
    assert_true(waiting.news <= 2 + waiting.rows_in_wait / 10);
    assert_int_equal(fact("interrupted"), 0);
}

static void a_thread_blocked_in_read_shows_that_stack_for_its_whole_wait(void **state)
{
    (void)state;
    assert_wait_is_shown("blocked");
}

static void so_does_a_thread_that_comes_after_many_short_ones(void **state)
{
    (void)state;
    assert_wait_is_shown("short-threads");
}

static void hardly_any_call_is_interrupted(void **state)
{
    (void)state;
    static struct rows rows;
    record("interrupted");
    rows_read(folder, &rows, NULL, NULL);
    print_message("%llu of %llu calls were interrupted\n", (unsigned long long)fact("interrupted"),
                  (unsigned long long)fact("waits"));
    assert_true(fact("interrupted") <= fact("waits") / 20);
}

struct recursion {
    struct rows rows;
    uint64_t deep;
};

static void check_recursion(void *data, const struct row *row)
{
    struct recursion *recursion = data;
    if (row->count == STACK_FRAMES_MAX && row->truncated && row_has_function(row, fact("burn_more"), FUNCTION_BYTES)) {
        recursion->deep++;
        for (size_t i = 0; i < 1000; i++)
            assert_true(row->frames[i].address - fact("recurse") < FUNCTION_BYTES);
    }
}

static void calls_of_threads_that_had_to_be_signalled_are_made_again(void **state)
{
    (void)state;
#if !defined(__x86_64__)
    skip();
#endif
    record("frames");
    print_message("%llu of %llu calls were interrupted\n", (unsigned long long)fact("interrupted"),
                  (unsigned long long)fact("waits"));
    /* Not none: a thread can enter the call between the sampler's look and the signal. */
    assert_true(fact("interrupted") <= fact("waits") / 10);
    assert_true(fact("slept") >= (fact("waits") - fact("interrupted")) * 20000000);
}

static void a_wait_with_a_time_limit_ends_though_each_look_at_it_takes_a_signal(void **state)
{
    (void)state;
    static struct rows rows;
    record("runtime-waits");
    rows_read(folder, &rows, NULL, NULL);
    print_message("%llu looks in %llu waits\n", (unsigned long long)fact("walks"), (unsigned long long)fact("waits"));
    assert_int_equal(fact("interrupted"), 0);
    assert_in_range(fact("walks"), 1, 39);
    assert_true(statistic(&rows, STATISTIC_SAMPLES_SIGNALLED) < 60); /* the threads have begun and ended, too */
}

static void waits_of_a_thread_that_had_a_timer_are_what_they_would_be(void **state)
{
    (void)state;
    static struct rows rows;
    record("compute-and-wait");
    rows_read(folder, &rows, NULL, NULL);
    /* Not none: see above. */
    assert_true(fact("interrupted") <= fact("waits") / 10);
    assert_true(fact("early") <= fact("interrupted"));
    assert_int_equal(fact("woken"), 1);
    /* The child slept for 100 ms before it sent the signal that ended the pause; forking took some of that. */
    assert_true(fact("paused") > 50000000);
}

static void deep_recursion_is_cut_and_counted(void **state)
{
    (void)state;
    static struct recursion recursion;
    record("recursion");
    memset(&recursion, 0, sizeof recursion);
    rows_read(folder, &recursion.rows, check_recursion, &recursion);
    assert_true(recursion.deep > 0);
    assert_true(statistic(&recursion.rows, STATISTIC_STACKS_CUT) > 0);
    assert_true(statistic(&recursion.rows, STATISTIC_STACKS_TRUNCATED) >= statistic(&recursion.rows, STATISTIC_STACKS_CUT));
}

static void a_thread_that_blocks_the_signal_is_counted_and_holds_up_nobody(void **state)
{
    (void)state;
    static struct shares shares;
    record("deaf");
    memset(&shares, 0, sizeof shares);
    rows_read(folder, &shares.rows, add_share, &shares);
    const struct rows_thread *deaf = rows_thread_by_tid(&shares.rows, (int)fact("deaf"));
    const struct rows_thread *other = rows_thread_by_tid(&shares.rows, (int)fact("tid"));
    assert_non_null(deaf);
    assert_non_null(other);
    assert_true(statistic(&shares.rows, STATISTIC_TIMEOUTS) > 0);
    assert_true(statistic(&shares.rows, STATISTIC_SAMPLES_LOST) > 0);
    /* Its CPU time is known all the same. */
    assert_within(deaf->cpu_ns, fact("deaf_cpu"), 0.02);
    assert_within(other->cpu_ns, fact("cpu"), 0.02);
    assert_true(shares.others < (shares.some + shares.more) / 10);
}

static void a_program_keeps_its_profiling_signal(void **state)
{
    (void)state;
    static struct rows rows;
    record("sigprof");
    rows_read(folder, &rows, NULL, NULL);
    assert_true(statistic(&rows, STATISTIC_SAMPLES_SIGNALLED) > 0);
    assert_true(fact("timer_signals") > 0);
    assert_int_equal(fact("still_mine"), 1);
}

struct labelled {
    struct rows rows;
    uint64_t running, sleeping, runtime, delays;
};

static void check_labels(void *data, const struct row *row)
{
    struct labelled *labelled = data;
    bool running = row_has_label(row, "running"), sleeping = row_has_label(row, "sleeping");
    assert_false(running && sleeping);
    if (running || sleeping)
        assert_true(row_has_label(row, "outside"));
    labelled->running += running && row_has_function(row, fact("burn_more"), FUNCTION_BYTES);
    labelled->sleeping += sleeping;
    labelled->delays += row->has_event_delay && row->event_delay_ns == 12345;
    for (size_t i = 1; i < row->count; i++) {
        if (row->frames[i].kind != FRAME_RUNTIME || !slice_is(row->frames[i].text, "inner"))
            continue;
        labelled->runtime++;
        assert_true(slice_is(row->frames[i - 1].text, "outer"));
        assert_true(slice_is(row->frames[i].file, "a.js"));
        assert_int_equal(row->frames[i].line, 7);
        /* They stand between the caller of the runtime and what it called. */
        assert_true(i + 1 < row->count && row->frames[i + 1].kind == FRAME_NATIVE);
    }
}

static void labels_runtime_frames_and_event_delays_are_in_the_samples(void **state)
{
    (void)state;
    static struct labelled labelled;
    record("labels");
    memset(&labelled, 0, sizeof labelled);
    rows_read(folder, &labelled.rows, check_labels, &labelled);
    assert_true(labelled.running > 0);
    assert_true(labelled.sleeping > 0);
    assert_true(labelled.runtime > 0);
    assert_true(labelled.delays > 0);
}

int main(int count, char **words)
{
    self = words[0];
    if (count == 2 && scene_play(words[1]))
        return 0;
#define TEST(name) cmocka_unit_test_teardown(name, forget)
    const struct CMUnitTest tests[] = {
        TEST(cpu_times_add_up_and_fall_to_the_functions_that_used_them),
        TEST(dear_looks_are_few_with_thrift_and_the_rows_between_have_their_share),
        TEST(where_cpus_are_scarce_threads_take_few_samples_by_their_cpu_time_and_the_sampler_sleeps),
        TEST(where_cpus_are_scarce_a_thread_says_itself_that_it_waits_for_a_child),
        TEST(where_cpus_are_scarce_one_that_only_waits_is_left_alone_for_a_while),
        TEST(where_cpus_are_scarce_what_the_recorder_has_started_is_not_left_alone),
        TEST(where_cpus_are_scarce_one_that_works_after_such_a_wait_is_sampled),
        TEST(every_thread_has_a_row_for_every_tick_of_its_life_and_ticks_fill_the_time),
        TEST(work_after_a_long_wait_is_sampled_and_no_tick_of_the_wait_is_missing),
        TEST(a_thread_blocked_in_read_shows_that_stack_for_its_whole_wait),
        TEST(so_does_a_thread_that_comes_after_many_short_ones),
        TEST(hardly_any_call_is_interrupted),
        TEST(calls_of_threads_that_had_to_be_signalled_are_made_again),
        TEST(a_wait_with_a_time_limit_ends_though_each_look_at_it_takes_a_signal),
        TEST(waits_of_a_thread_that_had_a_timer_are_what_they_would_be),
        TEST(deep_recursion_is_cut_and_counted),
        TEST(a_thread_that_blocks_the_signal_is_counted_and_holds_up_nobody),
        TEST(a_program_keeps_its_profiling_signal),
        TEST(labels_runtime_frames_and_event_delays_are_in_the_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
