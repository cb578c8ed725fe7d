/* Programs with one thread where CPUs are scarce: they look at themselves (alone.h). What stands in the session at their end,
 * when they get a thread of ours and when they do not, and that they notice nothing of it. */
#include "alone_scenes.h"
#include "brief_play.h"
#include "rows.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { DEADLINE_S = 500, MS = 1000000 };

/* --- what is in a file ---------------------------------------------------------------------------------------------------- */

struct seen {
    struct rows rows;
    uint64_t first, later, waiting; /* rows of the first thread in these functions … */
    uint64_t helper_later;          /* … and of others */
    uint64_t waiting_cpu_ns;
    uint64_t last_tick, uneven; /* ticks of the first thread that are not an interval after the one before */
};

static void add_row(void *data, const struct row *row)
{
    struct seen *seen = data;
    bool is_first = row_has_function(row, alone_facts->first, ALONE_FUNCTION_BYTES);
    bool is_later = row_has_function(row, alone_facts->later, ALONE_FUNCTION_BYTES);
    bool is_waiting = alone_facts->waiting && row_has_function(row, alone_facts->waiting, ALONE_FUNCTION_BYTES);
    if (row->thread != 0) {
        seen->helper_later += is_later;
        return;
    }
    seen->first += is_first;
    seen->later += is_later;
    seen->waiting += is_waiting;
    seen->waiting_cpu_ns += is_waiting ? row->cpu_ns : 0;
    seen->uneven += seen->last_tick && row->tick - seen->last_tick != seen->rows.header.interval_ns;
    seen->last_tick = row->tick;
}

static const struct seen *see(const struct left_file *file)
{
    static struct seen seen;
    seen = (struct seen){.first = 0};
    rows_read_file(file->path, &seen.rows, add_row, &seen);
    return &seen;
}

static uint64_t statistic(const struct left_file *file, enum session_statistic which)
{
    return file->header.statistics[which];
}

typedef unsigned long long number; /* to print one */

static void show(const struct played *played)
{
    print_message("status %x, joined %u, %zu files, tasks %llu then %llu, waited %llu us in %llu, signals %llu\n",
                  (unsigned)played->status, played->joined_itself, played->file_count, (number)alone_facts->tasks_early,
                  (number)alone_facts->tasks, (number)alone_facts->waited_ns / 1000, (number)alone_facts->gave_up,
                  (number)alone_facts->signals);
    for (size_t i = 0; i < played->file_count; i++) {
        const struct left_file *file = &played->files[i];
        const struct seen *seen = see(file);
        print_message("    %d-%u: state %u, ticks %llu, signalled %llu, remote %llu, same %llu, held %llu, lost %llu; "
                      "rows: first %llu, later %llu, waiting %llu, uneven %llu; CPU %llu us of %llu us\n",
                      (int)file->pid, file->image, file->header.state, (number)seen->rows.ticks,
                      (number)statistic(file, STATISTIC_SAMPLES_SIGNALLED), (number)statistic(file, STATISTIC_SAMPLES_REMOTE),
                      (number)statistic(file, STATISTIC_SAMPLES_SAME), (number)statistic(file, STATISTIC_SAMPLES_HELD),
                      (number)statistic(file, STATISTIC_SAMPLES_LOST), (number)seen->first, (number)seen->later,
                      (number)seen->waiting, (number)seen->uneven, (number)seen->rows.threads[0].cpu_ns / 1000,
                      (number)played->used_ns / 1000);
    }
}

/* The program did not have a CPU whenever it wanted one: then the kernel, which looks at timers of CPU time in its ticks,
 * raises fewer signals, and a quarter of a second is over sooner. */
static bool was_busy;

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static struct played play(const char *scene)
{
    *alone_facts = (struct alone_facts){.first = 0};
    uint64_t begun = now_ns();
    struct played played = play_scene(scene);
    was_busy = now_ns() - begun > alone_facts->waited_ns + played.used_ns / 4 * 5 + 20 * MS;
    print_message("%s%s: ", scene, was_busy ? " (busy)" : "");
    show(&played);
    return played;
}

/* So many where it had a CPU all the time, else one at least. */
static void assert_enough(uint64_t count, uint64_t wanted)
{
    assert_in_range(count, was_busy ? 1 : wanted, UINT64_MAX);
}

/* It has got no thread; or a quarter of a second was over. */
static void assert_alone(uint64_t tasks)
{
    assert_in_range(tasks, 1, was_busy ? 2 : 1);
}

/* One file, of a program that went well. */
static const struct left_file *only_file(const struct played *played, int exit_status)
{
    assert_true(WIFEXITED(played->status));
    assert_int_equal(WEXITSTATUS(played->status), exit_status);
    assert_int_equal(played->file_count, 1);
    const struct left_file *file = played_image(played, 0);
    assert_int_equal(file->header.room_taken, played->taken);
    return file;
}

/* --- it ends -------------------------------------------------------------------------------------------------------------- */

/* What has worked for 60 ms, in `first`, without a thread of ours. */
static void assert_seen_alone(const struct played *played, const struct left_file *file)
{
    const struct seen *seen = see(file);
    assert_alone(alone_facts->tasks);
    assert_int_equal(played->joined, alone_facts->tasks - 1);
    assert_enough(statistic(file, STATISTIC_SAMPLES_SIGNALLED), 2);
    assert_int_equal(statistic(file, STATISTIC_SAMPLES_LOST), 0);
    assert_int_equal(statistic(file, STATISTIC_SAMPLES_REMOTE), 0);
    assert_enough(seen->first, 20);
    assert_true(seen->rows.ticks > 0);
    if (!was_busy)
        assert_int_equal(seen->uneven, 0);
    /* From the first stack, which comes after 16 ms and a tick of the kernel at most. */
    assert_in_range(seen->rows.threads[0].cpu_ns, was_busy ? 0 : 20 * MS, played->used_ns);
}

static void one_that_works_and_ends_is_seen_without_a_thread(void **state)
{
    (void)state;
    struct played played = play("work");
    const struct left_file *file = only_file(&played, 0);
    assert_whole(file);
    assert_seen_alone(&played, file);
    played_forget(&played);
}

static void one_that_ends_without_a_word_is_seen_as_well(void **state)
{
    (void)state;
    struct played played = play("work, _exit");
    const struct left_file *file = only_file(&played, 3);
    assert_whole(file);
    assert_seen_alone(&played, file);
    played_forget(&played);
}

static void one_that_becomes_another_leaves_what_it_has_seen(void **state)
{
    (void)state;
    struct played played = play("work, exec");
    assert_int_equal(played.status, 0);
    assert_int_equal(played.file_count, 2);
    const struct left_file *file = played_image(&played, 0);
    assert_int_equal(file->header.state, SESSION_REPLACED);
    assert_true(file->header.end_ns > 0);
    assert_seen_alone(&played, file);
    assert_brief(played_image(&played, 1), SESSION_ENDED);
    played_forget(&played);
}

static void one_that_cannot_become_another_goes_on_and_gets_a_thread(void **state)
{
    (void)state;
    struct played played = play("work, exec fails");
    const struct left_file *file = only_file(&played, 0);
    assert_whole(file);
    assert_alone(alone_facts->tasks_early);
    assert_int_equal(alone_facts->tasks, 2);
    assert_int_equal(played.joined, 1);
    const struct seen *seen = see(file);
    assert_enough(seen->first, 20);
    assert_enough(seen->later, 200);
    assert_true(seen->rows.threads[0].cpu_ns <= played.used_ns);
    played_forget(&played);
}

static void one_that_fails_to_become_another_again_and_again_is_seen(void **state)
{
    (void)state;
    struct played played = play("exec fails often");
    const struct left_file *file = only_file(&played, 0);
    assert_whole(file);
    assert_true(see(file)->first > 0);
    assert_enough(statistic(file, STATISTIC_SAMPLES_SIGNALLED), 5); /* in 200 ms */
    assert_true(see(file)->rows.threads[0].cpu_ns <= played.used_ns);
    played_forget(&played);
}

static struct played play_killed(const char *scene)
{
    struct played played = play(scene);
    assert_true(WIFSIGNALED(played.status));
    assert_int_equal(WTERMSIG(played.status), SIGKILL);
    assert_int_equal(played.file_count, 1);
    return played;
}

/* Four stacks are written at once. */
static void one_that_is_killed_early_was_there(void **state)
{
    (void)state;
    struct played played = play_killed("work little, killed");
    assert_int_equal(played.joined, 0);
    assert_brief(played_image(&played, 0), SESSION_RECORDING);
    played_forget(&played);
}

static void one_that_is_killed_later_has_been_seen(void **state)
{
    (void)state;
    struct played played = play_killed("work, killed");
    assert_int_equal(played_image(&played, 0)->header.state, SESSION_RECORDING);
    assert_true(see(played_image(&played, 0))->first > 0);
    played_forget(&played);
}

static void one_that_is_killed_much_later_has_been_seen_from_its_beginning(void **state)
{
    (void)state;
    struct played played = play_killed("work long, killed");
    assert_int_equal(played.joined, 1);
    assert_int_equal(played_image(&played, 0)->header.state, SESSION_RECORDING);
    assert_enough(see(played_image(&played, 0))->first, 100);
    assert_enough(see(played_image(&played, 0))->later, 200);
    played_forget(&played);
}

/* --- it goes on ----------------------------------------------------------------------------------------------------------- */

static void one_that_works_for_long_gets_a_thread_and_loses_nothing(void **state)
{
    (void)state;
    struct played played = play("work long");
    const struct left_file *file = only_file(&played, 0);
    assert_whole(file);
    assert_alone(alone_facts->tasks_early);
    assert_int_equal(alone_facts->tasks, 2);
    assert_int_equal(played.joined, 1);
    const struct seen *seen = see(file);
    assert_enough(seen->first, 100);
    assert_enough(seen->later, 300);
    assert_true(statistic(file, STATISTIC_SAMPLES_LOST) <= 2);
    assert_in_range(seen->rows.threads[0].cpu_ns, was_busy ? 0 : 500 * MS, played.used_ns);
    played_forget(&played);
}

/* Its stacks are not in the session yet, and it is not alone any more. */
static void what_was_seen_is_kept_if_it_ends_when_the_thread_has_just_been_made(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct played played = play("end with a new thread");
        const struct left_file *file = only_file(&played, 0);
        assert_whole(file);
        assert_enough(see(file)->first, 100);
        assert_in_range(see(file)->rows.threads[0].cpu_ns, was_busy ? 0 : 160 * MS,
                        played.used_ns); /* from the first of 12 stacks */
        played_forget(&played);
    }
}

static void what_was_seen_is_kept_if_it_becomes_another_when_the_thread_has_just_been_made(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct played played = play("exec with a new thread");
        assert_int_equal(played.status, 0);
        assert_int_equal(played.file_count, 2);
        const struct left_file *file = played_image(&played, 0);
        assert_int_equal(file->header.state, SESSION_REPLACED);
        assert_enough(see(file)->first, 100);
        assert_in_range(see(file)->rows.threads[0].cpu_ns, was_busy ? 0 : 160 * MS,
                        played.used_ns); /* from the first of 12 stacks */
        played_forget(&played);
    }
}

/* There are fewer stacks than are written at once. */
static void what_was_seen_is_kept_if_it_ends_after_a_short_wait(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct played played = play("wait shortly, end");
        const struct left_file *file = only_file(&played, 0);
        if (!was_busy)
            assert_whole(file);
        assert_true(see(file)->first > 0 || was_busy);
        played_forget(&played);
    }
}

static void what_was_seen_is_kept_if_it_becomes_another_after_a_short_wait(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct played played = play("wait shortly, exec");
        assert_int_equal(played.status, 0);
        assert_int_equal(played.file_count, 2);
        const struct left_file *file = played_image(&played, 0);
        assert_int_equal(file->header.state, SESSION_REPLACED);
        assert_true(see(file)->first > 0 || was_busy);
        played_forget(&played);
    }
}

/* The C library is on the stack all the time: a signal handler must not make a thread there. */
static void one_that_works_in_the_c_library_gets_no_thread_and_loses_nothing(void **state)
{
    (void)state;
    struct played played = play("sort");
    const struct left_file *file = only_file(&played, 0);
    assert_whole(file);
    assert_int_equal(alone_facts->tasks, 1);
    assert_int_equal(statistic(file, STATISTIC_SAMPLES_LOST), 0);
    const struct seen *seen = see(file);
    assert_enough(statistic(file, STATISTIC_SAMPLES_SIGNALLED), 30);
    assert_enough(seen->first, 500);
    assert_in_range(seen->rows.threads[0].cpu_ns, was_busy ? 0 : 600 * MS, played.used_ns);
    played_forget(&played);
}

static void one_that_allocates_all_the_time_is_seen(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct played played = play("allocate");
        const struct left_file *file = only_file(&played, 0);
        assert_whole(file);
        assert_enough(statistic(file, STATISTIC_SAMPLES_SIGNALLED), 20);
        assert_true(see(file)->first > 0);
        assert_in_range(see(file)->rows.threads[0].cpu_ns, was_busy ? 0 : 500 * MS, played.used_ns);
        assert_true(statistic(file, STATISTIC_SAMPLES_LOST) <= 2);
        played_forget(&played);
    }
}

static void one_that_loads_libraries_all_the_time_is_seen(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct played played = play("load");
        const struct left_file *file = only_file(&played, 0);
        assert_whole(file);
        assert_true(see(file)->first > 0);
        played_forget(&played);
    }
}

/* --- it waits --------------------------------------------------------------------------------------------------------------
 */

static struct played play_wait(const char *before, const char *wait)
{
    char scene[64];
    snprintf(scene, sizeof scene, "%s: %s", before, wait);
    return play(scene);
}

static void assert_waited(const struct played *played, bool has_worked)
{
    assert_int_equal(played->status, 0); /* the call returned what it should */
    assert_int_equal(played->joined_itself, 1);
    assert_int_equal(alone_facts->tasks, 2);
    const struct left_file *file = played_image(played, 0);
    assert_whole(file);
    assert_int_equal(statistic(file, STATISTIC_INTERRUPTED_CALLS), 0);
    const struct seen *seen = see(file);
    assert_true(seen->waiting > 0);
    assert_in_range(alone_facts->gave_up, 1, 10); /* it is not disturbed again and again */
    if (has_worked)
        assert_true(seen->first > 0);
}

/* Whether it has worked before, and has seen itself, or waits at once. */
static void assert_seen_waiting(const char *wait)
{
    static const char *const before[] = {"work, wait", "wait"};
    for (size_t i = 0; i < 2; i++) {
        struct played played = play_wait(before[i], wait);
        assert_waited(&played, i == 0);
        played_forget(&played);
    }
}

static void one_that_waits_for_a_child_is_seen_there(void **state)
{
    (void)state;
    assert_seen_waiting("child");
}

static void one_that_waits_for_something_to_read_is_seen_there(void **state)
{
    (void)state;
    assert_seen_waiting("pipe");
}

static void one_that_waits_for_a_condition_is_seen_there(void **state)
{
    (void)state;
    assert_seen_waiting("condition");
}

/* It says so when it was interrupted, to whoever calls it. */
static void one_that_waits_for_a_semaphore_is_seen_there(void **state)
{
    (void)state;
    assert_seen_waiting("semaphore");
}

static void one_that_waits_for_a_message_is_seen_there(void **state)
{
    (void)state;
    assert_seen_waiting("socket");
}

static void one_that_waits_in_ppoll_is_seen_there(void **state)
{
    (void)state;
    assert_seen_waiting("ppoll");
}

/* One that was interrupted, at a quarter of a second, and made again would have taken that much longer, every time. */
static void one_that_waits_for_a_time_is_seen_there_and_not_disturbed(void **state)
{
    (void)state;
    static const char *const waits[] = {"poll", "select", "nanosleep", "clock_nanosleep"};
    for (size_t i = 0; i < 2 * sizeof waits / sizeof *waits; i++) {
        uint64_t shortest = UINT64_MAX;
        for (int k = 0; k < 5 && shortest > 840 * MS; k++) {
            struct played played = play_wait(i % 2 ? "wait" : "work, wait", waits[i / 2]);
            assert_waited(&played, i % 2 == 0);
            played_forget(&played);
            shortest = alone_facts->waited_ns < shortest ? alone_facts->waited_ns : shortest;
        }
        assert_in_range(shortest, 600 * MS, 840 * MS);
    }
}

static void a_plain_system_call_that_waits_returns_what_it_should(void **state)
{
    (void)state;
    assert_seen_waiting("plain nanosleep");
}

/* --- it uses the profiler, or starts others ---------------------------------------------------------------------------------
 */

static void one_that_makes_a_thread_has_both_in_its_session(void **state)
{
    (void)state;
    struct played played = play("thread");
    const struct left_file *file = only_file(&played, 0);
    assert_whole(file);
    assert_alone(alone_facts->tasks_early);
    assert_int_equal(played.joined, 1);
    assert_non_null(strstr(file->text, "helper"));
    const struct seen *seen = see(file);
    assert_int_equal(seen->rows.thread_count, 2);
    assert_true(seen->first > 0);
    assert_int_equal(seen->later, 0);
    assert_true(seen->helper_later > 0);
    played_forget(&played);
}

static void a_marker_stands_beside_what_was_seen_before(void **state)
{
    (void)state;
    struct played played = play("mark");
    const struct left_file *file = only_file(&played, 0);
    assert_whole(file);
    assert_alone(alone_facts->tasks_early);
    assert_non_null(strstr(file->text, "in the middle"));
    const struct seen *seen = see(file);
    assert_true(seen->first > 0);
    assert_true(seen->later > 0);
    played_forget(&played);
}

static void a_child_has_nothing_of_what_its_parent_has_seen(void **state)
{
    (void)state;
    struct played played = play("fork");
    assert_int_equal(played.status, 0);
    assert_int_equal(played.file_count, 2);
    const struct left_file *parent = played_image(&played, 0), *child = played_child(&played);
    assert_int_equal(played.taken, parent->header.room_taken + child->header.room_taken);
    assert_whole(parent);
    assert_whole(child);
    const struct seen *seen = see(parent);
    assert_true(seen->first > 0);
    assert_int_equal(seen->later, 0);
    seen = see(child);
    assert_int_equal(seen->first, 0);
    assert_true(seen->later > 0);
    played_forget(&played);
}

static void a_child_of_vfork_says_nothing_of_its_parent(void **state)
{
    (void)state;
    struct played played = play("vfork");
    const struct left_file *file = only_file(&played, 0);
    assert_whole(file);
    const struct seen *seen = see(file);
    assert_int_equal(seen->rows.thread_count, 1);
    assert_true(seen->first > 0);
    assert_true(seen->later > 0);
    played_forget(&played);
}

/* --- its stacks and signals are its own --------------------------------------------------------------------------------------
 */

static void small_stacks_are_large_enough(void **state)
{
    (void)state;
    static const char *const ways[] = {"small signal stack", "other stack"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct played played = play(ways[i]);
        const struct left_file *file = only_file(&played, 0);
        assert_whole(file);
        assert_enough(see(file)->first, 200);
        played_forget(&played);
    }
}

static void one_that_takes_our_signal_gets_none_and_is_seen(void **state)
{
    (void)state;
    struct played played = play("take our signal");
    const struct left_file *file = only_file(&played, 0);
    assert_whole(file);
    assert_int_equal(alone_facts->signals, 0);
    const struct seen *seen = see(file);
    assert_true(seen->first > 0 || was_busy);
    assert_enough(seen->later, 200);
    played_forget(&played);
}

/* Later there is none to look with. */
static void one_that_takes_all_signals_gets_none_and_was_seen(void **state)
{
    (void)state;
    struct played played = play("take all signals");
    const struct left_file *file = only_file(&played, 0);
    assert_whole(file);
    assert_int_equal(alone_facts->signals, 0);
    assert_true(see(file)->first > 0 || was_busy);
    played_forget(&played);
}

static void one_that_blocks_all_signals_is_seen(void **state)
{
    (void)state;
    struct played played = play("block signals");
    const struct left_file *file = only_file(&played, 0);
    assert_whole(file);
    assert_enough(see(file)->first, 50);
    played_forget(&played);
}

static void one_that_blocks_them_behind_our_back_is_seen_when_it_does_not_any_more(void **state)
{
    (void)state;
    struct played played = play("block signals plainly");
    const struct left_file *file = only_file(&played, 0);
    assert_whole(file);
    assert_alone(alone_facts->tasks_early);
    assert_true(see(file)->later > 0);
    assert_true(see(file)->rows.threads[0].cpu_ns <= played.used_ns);
    played_forget(&played);
}

/* --- there is no session any more -------------------------------------------------------------------------------------------
 */

static void when_the_recording_is_over_nothing_is_said_and_nobody_joins(void **state)
{
    (void)state;
    static const char *const ways[] = {"over", "long over"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct played played = play(ways[i]);
        assert_brief(only_file(&played, 5), SESSION_STOPPED);
        assert_int_equal(played.joined, 0);
        played_forget(&played);
    }
}

/* Its next signal finds out. */
static void one_that_has_a_session_ends_it_when_the_recording_is_over(void **state)
{
    (void)state;
    struct played played = play("go on when it is over");
    const struct left_file *file = only_file(&played, 5);
    assert_int_equal(file->header.state, SESSION_STOPPED);
    assert_int_equal(played.joined, 0);
    assert_enough(see(file)->first, 60);
    assert_in_range(see(file)->later, 0, 40);
    played_forget(&played);
}

static void while_the_recording_is_paused_nothing_is_seen(void **state)
{
    (void)state;
    struct played played = play("paused");
    assert_brief(only_file(&played, 0), SESSION_ENDED);
    assert_int_equal(played.joined, 0);
    assert_alone(alone_facts->tasks_early);
    played_forget(&played);
}

static void one_that_is_paused_for_a_while_goes_on_afterwards(void **state)
{
    (void)state;
    struct played played = play("paused for a while");
    const struct left_file *file = only_file(&played, 0);
    assert_whole(file);
    assert_enough(see(file)->first, 60);
    /* Until its first signal in the pause, and, by the stack before, from the last one to the end. */
    assert_in_range(see(file)->later, 0, 60);
    played_forget(&played);
}

static void one_whose_session_is_gone_notices_nothing(void **state)
{
    (void)state;
    static const char *const ways[] = {"lost", "long lost"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct played played = play(ways[i]);
        assert_true(WIFEXITED(played.status));
        assert_int_equal(WEXITSTATUS(played.status), 5);
        assert_int_equal(played.joined, 0);
        assert_true(alone_facts->tasks > 0);
        played_forget(&played);
    }
}

int main(int argc, char **argv)
{
    if (!play_begin())
        return 98;
    if (argc == 2)
        return alone_scene_play(argv[1]);
    if (!alone_facts_share())
        return 97;
    alarm(DEADLINE_S);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_works_and_ends_is_seen_without_a_thread),
        cmocka_unit_test(one_that_ends_without_a_word_is_seen_as_well),
        cmocka_unit_test(one_that_becomes_another_leaves_what_it_has_seen),
        cmocka_unit_test(one_that_cannot_become_another_goes_on_and_gets_a_thread),
        cmocka_unit_test(one_that_fails_to_become_another_again_and_again_is_seen),
        cmocka_unit_test(one_that_is_killed_early_was_there),
        cmocka_unit_test(one_that_is_killed_later_has_been_seen),
        cmocka_unit_test(one_that_is_killed_much_later_has_been_seen_from_its_beginning),
        cmocka_unit_test(one_that_works_for_long_gets_a_thread_and_loses_nothing),
        cmocka_unit_test(what_was_seen_is_kept_if_it_ends_when_the_thread_has_just_been_made),
        cmocka_unit_test(what_was_seen_is_kept_if_it_becomes_another_when_the_thread_has_just_been_made),
        cmocka_unit_test(what_was_seen_is_kept_if_it_ends_after_a_short_wait),
        cmocka_unit_test(what_was_seen_is_kept_if_it_becomes_another_after_a_short_wait),
        cmocka_unit_test(one_that_works_in_the_c_library_gets_no_thread_and_loses_nothing),
        cmocka_unit_test(one_that_allocates_all_the_time_is_seen),
        cmocka_unit_test(one_that_loads_libraries_all_the_time_is_seen),
        cmocka_unit_test(one_that_waits_for_a_child_is_seen_there),
        cmocka_unit_test(one_that_waits_for_something_to_read_is_seen_there),
        cmocka_unit_test(one_that_waits_for_a_condition_is_seen_there),
        cmocka_unit_test(one_that_waits_for_a_semaphore_is_seen_there),
        cmocka_unit_test(one_that_waits_for_a_message_is_seen_there),
        cmocka_unit_test(one_that_waits_in_ppoll_is_seen_there),
        cmocka_unit_test(one_that_waits_for_a_time_is_seen_there_and_not_disturbed),
        cmocka_unit_test(a_plain_system_call_that_waits_returns_what_it_should),
        cmocka_unit_test(one_that_makes_a_thread_has_both_in_its_session),
        cmocka_unit_test(a_marker_stands_beside_what_was_seen_before),
        cmocka_unit_test(a_child_has_nothing_of_what_its_parent_has_seen),
        cmocka_unit_test(a_child_of_vfork_says_nothing_of_its_parent),
        cmocka_unit_test(small_stacks_are_large_enough),
        cmocka_unit_test(one_that_takes_our_signal_gets_none_and_is_seen),
        cmocka_unit_test(one_that_takes_all_signals_gets_none_and_was_seen),
        cmocka_unit_test(one_that_blocks_all_signals_is_seen),
        cmocka_unit_test(one_that_blocks_them_behind_our_back_is_seen_when_it_does_not_any_more),
        cmocka_unit_test(when_the_recording_is_over_nothing_is_said_and_nobody_joins),
        cmocka_unit_test(one_that_has_a_session_ends_it_when_the_recording_is_over),
        cmocka_unit_test(while_the_recording_is_paused_nothing_is_seen),
        cmocka_unit_test(one_that_is_paused_for_a_while_goes_on_afterwards),
        cmocka_unit_test(one_whose_session_is_gone_notices_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
