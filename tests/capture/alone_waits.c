/* Programs with one thread that looks at itself (alone.h), and that works for long or waits: when they get a thread of ours and
 * when they do not, that nothing is lost then, and that no wait gets longer. How they end: alone.c. */
#include "alone_facts.h"
#include "alone_seen.h"
#include "alone_wait_scenes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

enum { DEADLINE_S = 500 };

/* --- it goes on ---------------------------------------------------------------------------------------------------------- */

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

/* --- it waits ------------------------------------------------------------------------------------------------------------ */

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

int main(int argc, char **argv)
{
    if (!play_begin())
        return 98;
    if (argc == 2)
        return alone_wait_scene_play(argv[1]);
    if (!alone_facts_share())
        return 97;
    alarm(DEADLINE_S);
    const struct CMUnitTest tests[] = {
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
