#include "capture/control/lifecycle.h"

#include "capture/core/core.h"
#include "recording.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void off_is_a_word_of_zero(void **state)
{
    (void)state;
    assert_true(*sonde_api_1.state == 0);
    assert_false(state_collecting_markers());
    sonde_api_1.stop();
    sonde_api_1.pause();
    sonde_api_1.resume();
    assert_true(*sonde_api_1.state == 0);
}

static void a_session_has_the_features_in_the_word_and_the_settings_in_its_file(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){
        .interval_ms = 2.5, .buffer_bytes = 3 << 20, .duration_s = 1000, .features = "stackwalk,memory", .threads = "a,*"});
    assert_true(*sonde_api_1.state == (SONDE_STATE_ACTIVE | FEATURE_BIT(FEATURE_STACKWALK) | FEATURE_BIT(FEATURE_MEMORY)));
    char *text = recording_text();
    recording_end();
    assert_true(*sonde_api_1.state == 0);
    const char *line = strstr(text, "configuration ");
    assert_non_null(line);
    assert_non_null(strstr(line, "features=stackwalk,memory"));
    assert_non_null(strstr(line, "filters=a,*"));
    assert_non_null(strstr(line, "capacity=3145728"));
    assert_non_null(strstr(line, "duration=1000"));
    assert_non_null(strstr(text, "process test_capture_lifecycle executable="));
    free(text);
}

static void what_is_not_given_has_its_default(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){0});
    const struct core_locked *locked = core_lock();
    const struct active_state *active = active_state(locked);
    uint64_t interval = active->settings.interval_ns, bytes = active->settings.buffer_bytes,
             duration = active->settings.duration_ns;
    uint64_t features = active->settings.features;
    core_unlock(locked);
    recording_end();
    assert_int_equal(interval, 1000000);
    assert_int_equal(bytes, 128 << 20);
    assert_int_equal(duration, 0);
    assert_true(features == features_default());
}

static void options_of_an_older_program_end_earlier(void **state)
{
    (void)state;
    struct sonde_start_options options = {.interval_ms = 3, .features = (const char *)1, .threads = (const char *)1};
    options.size = offsetof(struct sonde_start_options, features);
    assert_int_equal(sonde_api_1.start(&options), 0);
    assert_true((*sonde_api_1.state & ~SONDE_STATE_ACTIVE) == features_default());
    sonde_api_1.stop();
}

static void what_makes_no_sense_is_refused_and_nothing_starts(void **state)
{
    (void)state;
    struct sonde_start_options options = {.size = sizeof options, .features = "nonsense"};
    assert_int_equal(sonde_api_1.start(&options), -EINVAL);
    options = (struct sonde_start_options){.size = sizeof options, .interval_ms = 1e9};
    assert_int_equal(sonde_api_1.start(&options), -EINVAL);
    options = (struct sonde_start_options){.size = sizeof options, .threads = "pid:1"};
    assert_int_equal(sonde_api_1.start(&options), -ECANCELED);
    options = (struct sonde_start_options){.size = sizeof options, .session = "/proc/nowhere"};
    assert_true(sonde_api_1.start(&options) < 0);
    assert_true(*sonde_api_1.state == 0);
}

static uint64_t generation(void)
{
    const struct core_locked *locked = core_lock();
    uint64_t number = core_state(locked)->generation;
    core_unlock(locked);
    return number;
}

static void ensuring_keeps_a_session_with_the_same_settings_only(void **state)
{
    (void)state;
    struct sonde_start_options options = {.interval_ms = 7, .features = "js"};
    recording_start_with(&options);
    uint64_t first = generation();
    assert_int_equal(sonde_api_1.ensure_started(&options), 0);
    assert_true(generation() == first);
    options.features = "js,js";
    assert_int_equal(sonde_api_1.ensure_started(&options), 0);
    assert_true(generation() == first);
    options.interval_ms = 8;
    assert_int_equal(sonde_api_1.ensure_started(&options), 0);
    assert_true(generation() == first + 1);
    assert_int_equal(sonde_api_1.start(&options), 0);
    assert_true(generation() == first + 2);
    recording_end();
}

static void a_temporary_folder_goes_with_its_session(void **state)
{
    (void)state;
    char folder[PATH_ROOM];
    assert_int_equal(sonde_api_1.start(NULL), 0);
    const struct core_locked *locked = core_lock();
    strcpy(folder, active_state(locked)->settings.folder);
    core_unlock(locked);
    struct stat facts;
    assert_int_equal(stat(folder, &facts), 0);
    sonde_api_1.stop();
    assert_int_equal(stat(folder, &facts), -1);
}

/* --- pausing ----------------------------------------------------------------------------------------------------------- */

static void the_two_pauses_are_apart(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){0});
    uint64_t running = *sonde_api_1.state;
    sonde_api_1.pause_sampling();
    assert_true(*sonde_api_1.state == (running | SONDE_STATE_SAMPLING_PAUSED));
    assert_true(state_collecting_markers());
    sonde_api_1.pause();
    assert_true(*sonde_api_1.state == (running | SONDE_STATE_SAMPLING_PAUSED | SONDE_STATE_PAUSED));
    assert_false(state_collecting_markers());
    sonde_api_1.resume_sampling();
    assert_true(*sonde_api_1.state == (running | SONDE_STATE_PAUSED));
    sonde_api_1.resume();
    assert_true(*sonde_api_1.state == running);
    recording_end();
}

/* --- callbacks --------------------------------------------------------------------------------------------------------- */

static char seen[256];

static void note(void *data, enum sonde_state_change change)
{
    static const char *const names[] = {"already ", "removing ",   "started ",  "pausing ",
                                        "resumed ", "generating ", "stopping ", "shutting-down "};
    strcat(seen, data);
    strcat(seen, names[change]);
}

static void callbacks_are_called_in_the_order_of_things(void **state)
{
    (void)state;
    seen[0] = '\0';
    assert_int_equal(sonde_api_1.add_state_callback(~0u, note, "", 1), 0);
    recording_start_with(&(struct sonde_start_options){0});
    sonde_api_1.pause();
    sonde_api_1.pause();
    sonde_api_1.resume();
    sonde_api_1.resume();
    recording_end();
    sonde_api_1.stop();
    sonde_api_1.remove_state_callback(1);
    sonde_api_1.remove_state_callback(1);
    assert_string_equal(seen, "started pausing resumed stopping removing ");
}

static void a_callback_that_comes_late_is_told_that_a_session_runs(void **state)
{
    (void)state;
    seen[0] = '\0';
    recording_start_with(&(struct sonde_start_options){0});
    assert_int_equal(sonde_api_1.add_state_callback(~0u, note, "", 1), 0);
    sonde_api_1.remove_state_callback(1);
    recording_end();
    assert_string_equal(seen, "already removing ");
}

static void only_changes_that_were_asked_for_are_told(void **state)
{
    (void)state;
    seen[0] = '\0';
    assert_int_equal(sonde_api_1.add_state_callback(1u << SONDE_STARTED, note, "", 1), 0);
    recording_start_with(&(struct sonde_start_options){0});
    recording_end();
    sonde_api_1.remove_state_callback(1);
    assert_string_equal(seen, "started ");
}

static void a_restart_is_no_stop(void **state)
{
    (void)state;
    struct sonde_start_options options = {0};
    recording_start_with(&options);
    seen[0] = '\0';
    assert_int_equal(sonde_api_1.add_state_callback(~0u & ~(1u << SONDE_ALREADY_ACTIVE), note, "", 1), 0);
    assert_int_equal(sonde_api_1.start(&options), 0);
    assert_string_equal(seen, "started ");
    sonde_api_1.remove_state_callback(1);
    recording_end();
}

static void callbacks_of_one_id_go_together_and_in_order(void **state)
{
    (void)state;
    seen[0] = '\0';
    sonde_api_1.add_state_callback(1u << SONDE_STARTED, note, "a:", 1);
    sonde_api_1.add_state_callback(1u << SONDE_STARTED, note, "b:", 2);
    sonde_api_1.add_state_callback(1u << SONDE_STARTED, note, "c:", 1);
    recording_start_with(&(struct sonde_start_options){0});
    recording_end();
    sonde_api_1.remove_state_callback(1);
    recording_start_with(&(struct sonde_start_options){0});
    recording_end();
    sonde_api_1.remove_state_callback(2);
    assert_string_equal(seen, "a:started b:started c:started b:started ");
}

static void record_from_callback(void *data, enum sonde_state_change change)
{
    (void)change;
    sonde_api_1.remove_state_callback(9);
    *(bool *)data = (*sonde_api_1.state & SONDE_STATE_ACTIVE) != 0;
    struct sonde_buffer_info info = {.size = sizeof info};
    sonde_api_1.buffer_info(&info);
}

static void a_callback_may_use_the_profiler_itself(void **state)
{
    (void)state;
    bool was_active = false;
    sonde_api_1.add_state_callback(1u << SONDE_STARTED, record_from_callback, &was_active, 9);
    recording_start_with(&(struct sonde_start_options){0});
    recording_end();
    assert_true(was_active);
}

/* --- threads ----------------------------------------------------------------------------------------------------------- */

static void *control_from_elsewhere(void *unused)
{
    (void)unused;
    for (int i = 0; i < 5; i++) {
        sonde_api_1.start(NULL);
        sonde_api_1.pause();
        sonde_api_1.resume();
        sonde_api_1.stop();
    }
    return NULL;
}

static void any_thread_may_control_also_several_at_once(void **state)
{
    (void)state;
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, control_from_elsewhere, NULL), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_true(*sonde_api_1.state == 0);
}

static void starting_and_stopping_leaves_no_descriptors(void **state)
{
    (void)state;
    int before = dup(0), after;
    assert_true(before >= 0);
    close(before);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(sonde_api_1.start(NULL), 0);
        sonde_api_1.stop();
    }
    after = dup(0);
    close(after);
    assert_int_equal(after, before);
}

int main(void)
{
    alarm(100);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(off_is_a_word_of_zero),
        cmocka_unit_test(a_session_has_the_features_in_the_word_and_the_settings_in_its_file),
        cmocka_unit_test(what_is_not_given_has_its_default),
        cmocka_unit_test(options_of_an_older_program_end_earlier),
        cmocka_unit_test(what_makes_no_sense_is_refused_and_nothing_starts),
        cmocka_unit_test(ensuring_keeps_a_session_with_the_same_settings_only),
        cmocka_unit_test(a_temporary_folder_goes_with_its_session),
        cmocka_unit_test(the_two_pauses_are_apart),
        cmocka_unit_test(callbacks_are_called_in_the_order_of_things),
        cmocka_unit_test(a_callback_that_comes_late_is_told_that_a_session_runs),
        cmocka_unit_test(only_changes_that_were_asked_for_are_told),
        cmocka_unit_test(a_restart_is_no_stop),
        cmocka_unit_test(callbacks_of_one_id_go_together_and_in_order),
        cmocka_unit_test(a_callback_may_use_the_profiler_itself),
        cmocka_unit_test(any_thread_may_control_also_several_at_once),
        cmocka_unit_test(starting_and_stopping_leaves_no_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
