/* Programs with one thread where CPUs are scarce: they look at themselves (alone.h). What stands in the session at their end,
 * whatever they do to themselves, and that they notice nothing of it. When they get a thread of ours: alone_waits.c. */
#include "alone_facts.h"
#include "alone_scenes.h"
#include "alone_seen.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { DEADLINE_S = 500 };

/* --- it ends ------------------------------------------------------------------------------------------------------------- */

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

/* --- it uses the profiler, or starts others ------------------------------------------------------------------------------ */

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

/* --- its stacks and signals are its own ---------------------------------------------------------------------------------- */

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

/* --- there is no session any more ---------------------------------------------------------------------------------------- */

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
