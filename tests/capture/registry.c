#include "capture/sampler/registry.h"

#include "ipc/feature_set.h"
#include "recording.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static unsigned registered_count(void)
{
    const struct core_locked *locked = core_lock();
    unsigned count = 0;
    for (struct registration *thread = registry_first(locked); thread; thread = thread->next)
        count++;
    core_unlock(locked);
    return count;
}

static bool is_registered(int tid)
{
    const struct core_locked *locked = core_lock();
    bool found = registry_find_tid(locked, tid) != NULL;
    core_unlock(locked);
    return found;
}

static void run(void *(*routine)(void *), void *argument)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, routine, argument), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void the_main_thread_is_registered_before_main(void **state)
{
    (void)state;
    struct registration *mine = registration_mine();
    assert_non_null(mine);
    assert_true(mine->info.main);
    assert_int_equal(mine->info.tid, getpid());
    int local;
    assert_in_range((uintptr_t)&local, mine->info.stack_start, mine->info.stack_end);
    struct timespec time;
    assert_int_equal(clock_gettime(mine->info.cpu_clock, &time), 0);
}

static void *look_at_myself(void *data)
{
    struct registration *copy = data;
    if (registration_mine())
        return NULL;
    thread_register("worker");
    struct registration *mine = registration_mine();
    copy->info = mine->info;
    memcpy(copy->name.now, mine->name.now, sizeof copy->name.now);
    int local;
    copy->features = (uintptr_t)&local >= mine->info.stack_start && (uintptr_t)&local < mine->info.stack_end;
    thread_unregister();
    copy->name.given = registration_mine() == NULL;
    return NULL;
}

static void a_thread_knows_itself_only_while_it_is_registered(void **state)
{
    (void)state;
    static struct registration copy;
    run(look_at_myself, &copy);
    assert_string_equal(copy.name.now, "worker");
    assert_false(copy.info.main);
    assert_int_not_equal(copy.info.tid, getpid());
    assert_true(copy.features);   /* its stack is within its bounds */
    assert_true(copy.name.given); /* nobody after unregistering */
}

static void *nest(void *data)
{
    char *seen = data;
    thread_unregister(); /* surplus */
    thread_register("outer");
    thread_register("inner");
    thread_register(NULL);
    strcpy(seen, registration_mine()->name.now);
    thread_unregister();
    thread_unregister();
    bool still = registration_mine() != NULL;
    thread_unregister();
    bool gone = registration_mine() == NULL;
    thread_unregister();
    thread_unregister();
    thread_register("again");
    bool again = registration_mine() != NULL;
    if (!still || !gone || !again)
        strcpy(seen, "wrong");
    return NULL; /* without unregistering */
}

static void nested_registrations_are_counted_and_surplus_ends_do_no_harm(void **state)
{
    (void)state;
    unsigned before = registered_count();
    char seen[THREAD_NAME_MAX] = "";
    run(nest, seen);
    assert_string_equal(seen, "outer");
    assert_int_equal(registered_count(), before);
}

static void *name_late(void *data)
{
    thread_register(NULL);
    thread_register("given later");
    strcpy(data, registration_mine()->name.now);
    return NULL;
}

static void a_name_that_is_given_replaces_one_of_the_system(void **state)
{
    (void)state;
    char seen[THREAD_NAME_MAX] = "";
    run(name_late, seen);
    assert_string_equal(seen, "given later");
}

static void *leave_by_exit(void *data)
{
    thread_register("leaves");
    *(int *)data = gettid();
    pthread_exit(NULL);
}

static void *leave_by_cancellation(void *data)
{
    thread_register("cancelled");
    *(int *)data = gettid();
    pthread_cancel(pthread_self());
    pthread_testcancel();
    return NULL;
}

static void a_thread_that_ends_in_any_way_is_unregistered(void **state)
{
    (void)state;
    unsigned before = registered_count();
    int tid = 0;
    run(leave_by_exit, &tid);
    assert_true(tid > 0 && !is_registered(tid));
    run(leave_by_cancellation, &tid);
    assert_false(is_registered(tid));
    assert_int_equal(registered_count(), before);
}

static void *note_number(void *data)
{
    thread_register(NULL);
    *(uint32_t *)data = registration_mine()->info.number;
    return NULL;
}

static void numbers_are_never_used_again(void **state)
{
    (void)state;
    uint32_t last = 0;
    for (int i = 0; i < 50; i++) {
        uint32_t number = 0;
        run(note_number, &number);
        assert_true(number > last);
        last = number;
    }
}

/* --- in a session ---------------------------------------------------------------------------------------------------- */

static void *change_names(void *unused)
{
    (void)unused;
    prctl(PR_SET_NAME, "system");
    thread_register(NULL);
    thread_rename(pthread_self(), "first");
    thread_rename(pthread_self(), "first");
    prctl(PR_SET_NAME, "second");
    return NULL;
}

static void a_session_knows_when_threads_come_go_and_change_their_names(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){0});
    run(change_names, NULL);
    char *text = recording_text();
    recording_end();
    assert_int_equal(count_of(text, " main sampled"), 1);
    char *line = strstr(text, " system tid=");
    assert_non_null(line);
    line = strstr(line, " first time=");
    assert_non_null(line);
    line = strstr(line, " second time=");
    assert_non_null(line);
    assert_non_null(strstr(line, "thread-end"));
    assert_int_equal(count_of(text, "thread-name"), 2);
    assert_int_equal(count_of(text, "thread-end"), 1);
    free(text);
}

static void *take_a_name(void *unused)
{
    (void)unused;
    thread_register(NULL);
    thread_rename_self("what the program calls it");
    return NULL;
}

static void a_name_that_only_the_program_knows_stays_when_the_thread_ends(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){0});
    run(take_a_name, NULL);
    char *text = recording_text();
    recording_end();
    assert_non_null(strstr(text, "\"what the program calls it\" time="));
    assert_int_equal(count_of(text, "thread-name"), 1);
    free(text);
}

static void *take_names_of_the_system(void *unused)
{
    (void)unused;
    thread_register(NULL);
    prctl(PR_SET_NAME, "one of them");
    thread_note_system_name();
    thread_note_system_name();
    /* A process with the same memory has a name of its own. */
    pid_t child = vfork();
    if (child == 0) {
        prctl(PR_SET_NAME, "the child");
        thread_note_system_name();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return NULL;
}

static void a_name_that_the_system_was_told_counts_from_then_on(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){0});
    run(take_names_of_the_system, NULL);
    char *text = recording_text();
    recording_end();
    assert_non_null(strstr(text, "\"one of them\" time="));
    assert_null(strstr(text, "the child"));
    assert_int_equal(count_of(text, "thread-name"), 1);
    free(text);
}

static void *become_selected(void *data)
{
    uint32_t *features = data;
    thread_register("none");
    features[0] = registration_mine()->features;
    thread_rename(pthread_self(), "some worker");
    features[1] = registration_mine()->features;
    thread_rename(pthread_self(), "none");
    features[2] = registration_mine()->features;
    return NULL;
}

static void filters_select_a_thread_as_soon_as_it_has_the_name(void **state)
{
    (void)state;
    uint32_t features[3] = {9, 9, 9};
    recording_start_with(&(struct sonde_start_options){.threads = "WORKER"});
    run(become_selected, features);
    char *text = recording_text();
    recording_end();
    assert_int_equal(features[0], 0);
    assert_int_equal(features[1], THREAD_CPU | THREAD_SAMPLING | THREAD_MARKERS);
    assert_int_equal(features[2], features[1]);
    assert_int_equal(count_of(text, "\nthread "), 1);
    assert_non_null(strstr(text, "\"some worker\" tid="));
    free(text);
}

static void *note_features(void *data)
{
    thread_register("unselected");
    *(uint32_t *)data = registration_mine()->features;
    return NULL;
}

static void threads_that_no_filter_selects_have_what_the_features_for_all_threads_say(void **state)
{
    (void)state;
    static const struct {
        const char *features;
        uint32_t expected;
    } combinations[] = {
        {"js", 0},
        {"cpuallthreads", THREAD_CPU},
        {"samplingallthreads", THREAD_SAMPLING},
        {"markersallthreads", THREAD_MARKERS},
        {"cpuallthreads,samplingallthreads", THREAD_CPU | THREAD_SAMPLING},
        {"cpuallthreads,markersallthreads", THREAD_CPU | THREAD_MARKERS},
        {"samplingallthreads,markersallthreads", THREAD_SAMPLING | THREAD_MARKERS},
        {"cpuallthreads,samplingallthreads,markersallthreads", THREAD_CPU | THREAD_SAMPLING | THREAD_MARKERS},
    };
    for (size_t i = 0; i < sizeof combinations / sizeof *combinations; i++) {
        uint32_t features = 99;
        recording_start_with(&(struct sonde_start_options){.threads = "nobody", .features = combinations[i].features});
        run(note_features, &features);
        char *text = recording_text();
        recording_end();
        assert_int_equal(features, combinations[i].expected);
        assert_int_equal(count_of(text, "unselected tid="), combinations[i].expected != 0);
        assert_int_equal(count_of(text, " sampled "), combinations[i].expected & (THREAD_CPU | THREAD_SAMPLING) ? 2 : 0);
        free(text);
    }
}

static _Atomic bool stop_racing;

static void *race(void *unused)
{
    (void)unused;
    while (!stop_racing) {
        thread_register("racer");
        thread_rename(pthread_self(), "renamed");
        thread_unregister();
    }
    return NULL;
}

static void threads_may_come_and_go_while_sessions_start_and_stop(void **state)
{
    (void)state;
    pthread_t threads[3];
    stop_racing = false;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, race, NULL), 0);
    for (int i = 0; i < 20; i++) {
        recording_start_with(&(struct sonde_start_options){.buffer_bytes = 1 << 20});
        usleep(2000);
        recording_end();
    }
    stop_racing = true;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(registered_count(), 1);
}

int main(void)
{
    alarm(100);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_main_thread_is_registered_before_main),
        cmocka_unit_test(a_thread_knows_itself_only_while_it_is_registered),
        cmocka_unit_test(nested_registrations_are_counted_and_surplus_ends_do_no_harm),
        cmocka_unit_test(a_name_that_is_given_replaces_one_of_the_system),
        cmocka_unit_test(a_thread_that_ends_in_any_way_is_unregistered),
        cmocka_unit_test(numbers_are_never_used_again),
        cmocka_unit_test(a_session_knows_when_threads_come_go_and_change_their_names),
        cmocka_unit_test(a_name_that_only_the_program_knows_stays_when_the_thread_ends),
        cmocka_unit_test(a_name_that_the_system_was_told_counts_from_then_on),
        cmocka_unit_test(filters_select_a_thread_as_soon_as_it_has_the_name),
        cmocka_unit_test(threads_that_no_filter_selects_have_what_the_features_for_all_threads_say),
        cmocka_unit_test(threads_may_come_and_go_while_sessions_start_and_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
