/* Programs that do next to nothing where CPUs are scarce: what they leave in the session, and when they join it. The test
 * starts itself with the library in it, to do what a scene says, from a process between: the program is not the recorder's own.
 */
#include "brief_play.h"
#include "brief_scenes.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { DEADLINE_S = 240 };

/* --- playing them ----------------------------------------------------------------------------------------------------------
 */

/* Where the machine is very busy one that does nothing may be there for so long that it joins. Not again and again. */
static struct played play_brief_scene(const char *scene)
{
    struct played played = play_scene(scene);
    for (int i = 0; i < 20 && played.joined > 0; i++) {
        played_forget(&played);
        played = play_scene(scene);
    }
    assert_int_equal(played.joined, 0);
    return played;
}

/* What joined has a whole session, in one file. */
static const struct left_file *assert_joined(const struct played *played)
{
    assert_int_equal(played->status, 0);
    assert_int_equal(played->joined, 1);
    assert_int_equal(played->file_count, 1);
    const struct left_file *file = played_image(played, 0);
    assert_whole(file);
    assert_int_equal(file->header.room_taken, played->taken);
    return file;
}

/* --- what is left of those that do nothing ---------------------------------------------------------------------------------
 */

static void a_program_that_ends_at_once_says_so_and_never_joins(void **state)
{
    (void)state;
    struct played played = play_brief_scene("end");
    assert_int_equal(played.status, 0);
    assert_int_equal(played.file_count, 1);
    const struct left_file *file = played_image(&played, 0);
    assert_brief(file, SESSION_ENDED);
    assert_int_equal(played.taken, file->header.room_taken);
    assert_non_null(strstr(file->text, play_self));
    played_forget(&played);
}

static void one_that_ends_without_a_word_says_so_and_its_status_is_kept(void **state)
{
    (void)state;
    struct played played = play_brief_scene("_exit");
    assert_true(WIFEXITED(played.status));
    assert_int_equal(WEXITSTATUS(played.status), 3);
    assert_int_equal(played.file_count, 1);
    assert_brief(played_image(&played, 0), SESSION_ENDED);
    played_forget(&played);
}

static void one_that_closes_what_it_did_not_open_says_so(void **state)
{
    (void)state;
    static const char *const ways[] = {"close all", "close_range"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct played played = play_brief_scene(ways[i]);
        assert_int_equal(played.status, 0);
        assert_int_equal(played.file_count, 1);
        assert_brief(played_image(&played, 0), SESSION_ENDED);
        played_forget(&played);
    }
}

static void one_that_is_killed_is_there_without_an_end(void **state)
{
    (void)state;
    struct played played = play_brief_scene("killed");
    assert_true(WIFSIGNALED(played.status));
    assert_int_equal(WTERMSIG(played.status), SIGKILL);
    assert_int_equal(played.file_count, 1);
    assert_brief(played_image(&played, 0), SESSION_RECORDING);
    played_forget(&played);
}

static void one_that_becomes_another_is_replaced_by_that(void **state)
{
    (void)state;
    struct played played = play_brief_scene("exec");
    assert_int_equal(played.status, 0);
    assert_int_equal(played.file_count, 2);
    const struct left_file *first = played_image(&played, 0), *second = played_image(&played, 1);
    assert_brief(first, SESSION_REPLACED);
    assert_brief(second, SESSION_ENDED);
    assert_int_equal(played.taken, first->header.room_taken + second->header.room_taken);
    assert_true(first->header.start_monotonic_ns + first->header.end_ns <=
                second->header.start_monotonic_ns + second->header.end_ns);
    played_forget(&played);
}

static void one_that_cannot_become_another_goes_on_until_it_ends(void **state)
{
    (void)state;
    struct played played = play_brief_scene("exec fails");
    assert_int_equal(played.status, 0);
    assert_int_equal(played.file_count, 1);
    assert_brief(played_image(&played, 0), SESSION_ENDED);
    played_forget(&played);
}

static void children_have_files_of_their_own(void **state)
{
    (void)state;
    static const char *const ways[] = {"fork", "fork and end", "vfork", "spawn"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct played played = play_brief_scene(ways[i]);
        assert_int_equal(played.status, 0);
        assert_int_equal(played.file_count, 2);
        const struct left_file *parent = played_image(&played, 0), *child = played_child(&played);
        assert_brief(parent, SESSION_ENDED);
        assert_brief(child, SESSION_ENDED);
        assert_int_equal(played.taken, parent->header.room_taken + child->header.room_taken);
        played_forget(&played);
    }
}

/* Its thread has left the files of the program, and somebody else begins the session. */
static void a_child_that_was_brief_goes_on(void **state)
{
    (void)state;
    struct played played = play_scene("fork and mark");
    const struct left_file *child = played_child(&played);
    assert_int_equal(played.status, 0);
    assert_int_equal(child->header.state, SESSION_STOPPED);
    assert_non_null(strstr(child->text, "late"));
    assert_non_null(strstr(child->text, "\ntick "));
    /* It sleeps, and can be looked at from outside. */
    assert_true(child->header.statistics[STATISTIC_SAMPLES_SAME] + child->header.statistics[STATISTIC_SAMPLES_REMOTE] > 0);
    assert_in_range(child->header.statistics[STATISTIC_SAMPLES_SIGNALLED], 0, 2);
    played_forget(&played);
}

static void a_child_of_vfork_that_fails_says_nothing_of_its_parent(void **state)
{
    (void)state;
    struct played played = play_brief_scene("vfork fails");
    assert_int_equal(played.status, 0);
    assert_int_equal(played.file_count, 1);
    assert_brief(played_image(&played, 0), SESSION_ENDED);
    played_forget(&played);
}

/* --- and of those that do something ----------------------------------------------------------------------------------------
 */

/* It was alone (alone.c), and there is nobody to talk to at its end. */
static void one_that_works_is_sampled_and_need_not_join(void **state)
{
    (void)state;
    struct played played = play_scene("work");
    assert_int_equal(played.status, 0);
    assert_int_equal(played.joined, 0);
    assert_int_equal(played.file_count, 1);
    const struct left_file *file = played_image(&played, 0);
    assert_whole(file);
    assert_int_equal(file->header.room_taken, played.taken);
    assert_true(file->header.statistics[STATISTIC_TICKS] > 0);
    assert_true(file->header.statistics[STATISTIC_SAMPLES_SIGNALLED] > 0);
    assert_non_null(strstr(file->text, "\nsample 1 "));
    played_forget(&played);
}

static void one_that_is_there_for_long_joins_and_has_rows(void **state)
{
    (void)state;
    struct played played = play_scene("sleep");
    const struct left_file *file = assert_joined(&played);
    assert_true(file->header.statistics[STATISTIC_TICKS] > 0);
    assert_non_null(strstr(file->text, "\ntick "));
    played_forget(&played);
}

/* The wait would begin anew, and be that much longer. */
static void one_that_has_waited_for_long_is_not_disturbed(void **state)
{
    (void)state;
    struct played played = play_scene("sleep once");
    const struct left_file *file = assert_joined(&played);
    assert_int_equal(file->header.statistics[STATISTIC_SAMPLES_SIGNALLED], 0);
    assert_int_equal(file->header.statistics[STATISTIC_SAMPLES_REMOTE], 1);
    played_forget(&played);
}

static void the_first_wait_of_a_program_is_not_interrupted(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        struct played played = play_with("sleep once", &(struct difference){.not_scarce = true});
        const struct left_file *file = assert_joined(&played);
        assert_int_equal(file->header.statistics[STATISTIC_INTERRUPTED_CALLS], 0);
        played_forget(&played);
    }
}

static void whoever_uses_the_profiler_joins_at_once(void **state)
{
    (void)state;
    static const struct {
        const char *scene, *expected;
    } uses[] = {
        {"mark", "first thing"},
        {"thread", "helper"},
        {"name the process", "process \"called so\""},
        {"name the thread", "\"named so\""},
        {"register", "\"registered so\""},
        {"count", ""},
        {"runtime", ""},
        {"pause", "\npause "},
        {"save", ""},
        {"order a dump", ""},
    };
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        struct played played = play_scene(uses[i].scene);
        if (played.joined != 1 || played.status != 0 || !strstr(played.files[0].text, uses[i].expected))
            fail_msg("%s: status %d, joined %u\n%s", uses[i].scene, played.status, played.joined, played.files[0].text);
        assert_joined(&played);
        played_forget(&played);
    }
}

/* Later it could not. */
static void who_goes_where_the_session_is_not_joins_before(void **state)
{
    (void)state;
    static const char *const ways[] = {"become nobody", "change root", "hide"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct played played = play_scene(ways[i]);
        assert_joined(&played);
        played_forget(&played);
    }
}

static void when_the_recording_is_over_nobody_begins(void **state)
{
    (void)state;
    struct played played = play_scene("over");
    assert_int_equal(played.status, 0);
    assert_int_equal(played.joined, 0);
    assert_int_equal(played.file_count, 1);
    assert_brief(played_image(&played, 0), SESSION_STOPPED);
    played_forget(&played);
}

static void one_that_stops_the_recording_has_stopped_it(void **state)
{
    (void)state;
    struct played played = play_scene("stop");
    assert_int_equal(played.status, 0);
    assert_int_equal(played.file_count, 1);
    assert_int_equal(played_image(&played, 0)->header.state, SESSION_STOPPED);
    played_forget(&played);
}

/* --- where nobody is to be brief --------------------------------------------------------------------------------------------
 */

static void assert_joins_at_once(const struct difference *difference)
{
    struct played played = play_with("end", difference);
    assert_joined(&played);
    played_forget(&played);
}

static void the_program_that_the_recorder_started_joins_at_once(void **state)
{
    (void)state;
    assert_joins_at_once(&(struct difference){.of_recorder = true});
}

static void where_cpus_are_not_scarce_all_join_at_once(void **state)
{
    (void)state;
    assert_joins_at_once(&(struct difference){.not_scarce = true});
}

static void where_no_room_is_left_all_join_at_once(void **state)
{
    (void)state;
    assert_joins_at_once(&(struct difference){.no_room = true});
}

static void where_a_rate_is_given_all_join_at_once(void **state)
{
    (void)state;
    assert_joins_at_once(&(struct difference){.at_a_rate = true});
}

int main(int argc, char **argv)
{
    if (!play_begin())
        return 98;
    if (argc == 2)
        return brief_scene_play(argv[1]);
    alarm(DEADLINE_S);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_that_ends_at_once_says_so_and_never_joins),
        cmocka_unit_test(one_that_ends_without_a_word_says_so_and_its_status_is_kept),
        cmocka_unit_test(one_that_closes_what_it_did_not_open_says_so),
        cmocka_unit_test(one_that_is_killed_is_there_without_an_end),
        cmocka_unit_test(one_that_becomes_another_is_replaced_by_that),
        cmocka_unit_test(one_that_cannot_become_another_goes_on_until_it_ends),
        cmocka_unit_test(children_have_files_of_their_own),
        cmocka_unit_test(a_child_that_was_brief_goes_on),
        cmocka_unit_test(a_child_of_vfork_that_fails_says_nothing_of_its_parent),
        cmocka_unit_test(one_that_works_is_sampled_and_need_not_join),
        cmocka_unit_test(one_that_is_there_for_long_joins_and_has_rows),
        cmocka_unit_test(one_that_has_waited_for_long_is_not_disturbed),
        cmocka_unit_test(the_first_wait_of_a_program_is_not_interrupted),
        cmocka_unit_test(whoever_uses_the_profiler_joins_at_once),
        cmocka_unit_test(who_goes_where_the_session_is_not_joins_before),
        cmocka_unit_test(when_the_recording_is_over_nobody_begins),
        cmocka_unit_test(one_that_stops_the_recording_has_stopped_it),
        cmocka_unit_test(the_program_that_the_recorder_started_joins_at_once),
        cmocka_unit_test(where_cpus_are_not_scarce_all_join_at_once),
        cmocka_unit_test(where_no_room_is_left_all_join_at_once),
        cmocka_unit_test(where_a_rate_is_given_all_join_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
