/* Profiles written by the program itself, at once, later, or when a signal asks for it. */
#include "capture/control/save.h"

#include "capture/control/signals.h"
#include "capture/core/core.h"
#include "recording.h"
#include "support/gecko_document.h"
#include "support/session_draw.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];
static char place[128];

static int make_folder(void **state)
{
    (void)state;
    session_folder_make(folder);
    snprintf(place, sizeof place, "%s/profile.json", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    recording_end();
    session_folder_remove(folder);
    return 0;
}

/* Reads a file that must be a profile. */
static void assert_profile(const char *path)
{
    int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    struct stat facts;
    fstat(file, &facts);
    char *text = malloc((size_t)facts.st_size);
    assert_int_equal(read(file, text, (size_t)facts.st_size), facts.st_size);
    close(file);
    assert_gecko_rules((struct slice){text, (size_t)facts.st_size});
    free(text);
}

static bool exists(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0;
}

static void nothing_is_written_where_nothing_is_recorded(void **state)
{
    (void)state;
    assert_int_equal(sonde_api_1.save(place), -ENOTCONN);
    assert_int_equal(sonde_api_1.schedule_dump(0, place, false), -ENOTCONN);
    assert_false(exists(place));
}

static void a_profile_is_written_while_the_session_goes_on(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){0});
    assert_int_equal(sonde_api_1.save(place), 0);
    assert_profile(place);
    assert_true(*sonde_api_1.state & SONDE_STATE_ACTIVE);
}

static void the_pid_stands_in_for_its_first_sign(void **state)
{
    (void)state;
    char pattern[160], expected[192];
    snprintf(pattern, sizeof pattern, "%s/a-%%p-%%p", folder);
    snprintf(expected, sizeof expected, "%s/a-%d-%%p", folder, getpid());
    recording_start_with(&(struct sonde_start_options){0});
    assert_int_equal(sonde_api_1.save(pattern), 0);
    assert_profile(expected);
}

static void a_file_that_is_there_stays_when_the_new_one_fails(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){0});
    assert_int_equal(sonde_api_1.save(place), 0);
    sonde_api_1.stop();
    assert_int_equal(sonde_api_1.save(place), -ENOTCONN);
    assert_profile(place);
    char beside[160];
    snprintf(beside, sizeof beside, "%s.part", place);
    assert_false(exists(beside));
}

static void assert_text(const char *path, const char *expected)
{
    char text[64] = "";
    int file = open(path, O_RDONLY);
    assert_true(file >= 0 && read(file, text, sizeof text - 1) >= 0);
    close(file);
    assert_string_equal(text, expected);
}

/* Names in a folder that all may write to can be guessed. */
static void links_that_somebody_put_there_are_not_followed(void **state)
{
    (void)state;
    char precious[160], beside[160];
    snprintf(precious, sizeof precious, "%s/precious", folder);
    snprintf(beside, sizeof beside, "%s.part", place);
    int file = open(precious, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(file, "precious", 8), 8);
    close(file);
    assert_int_equal(symlink(precious, place), 0);
    assert_int_equal(symlink(precious, beside), 0);
    recording_start_with(&(struct sonde_start_options){0});
    assert_int_equal(save_to_file(place), 0);
    assert_text(precious, "precious");
    assert_profile(place);
    struct stat facts;
    assert_int_equal(lstat(place, &facts), 0);
    assert_true(S_ISREG(facts.st_mode));
}

static void note_share(void *data, double share)
{
    *(double *)data = share;
}

static void progress_ends_at_one(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){0});
    int file = open(place, O_WRONLY | O_CREAT, 0600);
    double share = 0;
    assert_int_equal(sonde_api_1.write(file, note_share, &share), 0);
    close(file);
    assert_true(share == 1);
    assert_profile(place);
}

static void count_change(void *data, enum sonde_state_change change)
{
    ((unsigned *)data)[change]++;
}

static void callbacks_are_told_before_a_profile_is_made(void **state)
{
    (void)state;
    unsigned changes[8] = {0};
    recording_start_with(&(struct sonde_start_options){0});
    sonde_api_1.add_state_callback(1u << SONDE_GENERATING_PROFILE, count_change, changes, 5);
    assert_int_equal(sonde_api_1.save(place), 0);
    sonde_api_1.remove_state_callback(5);
    assert_int_equal(changes[SONDE_GENERATING_PROFILE], 1);
}

static void a_scheduled_dump_is_made_in_the_background(void **state)
{
    (void)state;
    char progress[160];
    snprintf(progress, sizeof progress, "%s.progress", place);
    recording_start_with(&(struct sonde_start_options){0});
    assert_int_equal(sonde_api_1.schedule_dump(0.02, place, false), 0);
    assert_int_equal(sonde_api_1.wait_for_dump(), 0);
    assert_profile(place);
    assert_false(exists(progress));
    assert_false(sonde_api_1.cancel_dump());
}

static void a_dump_that_is_cancelled_is_not_made(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){0});
    assert_int_equal(sonde_api_1.schedule_dump(1000, place, false), 0);
    assert_true(sonde_api_1.cancel_dump());
    assert_int_equal(sonde_api_1.wait_for_dump(), -ECANCELED);
    assert_false(exists(place));
}

static void a_dump_that_outlives_its_session_is_not_waited_for(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){0});
    assert_int_equal(sonde_api_1.schedule_dump(1000, place, false), 0);
    sonde_api_1.stop();
    assert_int_equal(sonde_api_1.wait_for_dump(), -ENOTCONN);
    assert_false(sonde_api_1.cancel_dump());
}

static void delays_and_names_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){0});
    assert_int_equal(sonde_api_1.schedule_dump(-1, place, false), -EINVAL);
    assert_int_equal(sonde_api_1.schedule_dump(1, "", false), -EINVAL);
    assert_int_equal(sonde_api_1.schedule_dump(1, NULL, false), -EINVAL);
}

static void a_dump_can_end_the_process_and_leaves_nothing_behind(void **state)
{
    (void)state;
    char temporary[] = "/tmp/sonde-test-XXXXXX";
    assert_non_null(mkdtemp(temporary));
    pid_t child = fork();
    if (child == 0) {
        alarm(30);
        setenv("TMPDIR", temporary, 1);
        sonde_api_1.start(NULL);
        sonde_api_1.schedule_dump(0, place, true);
        for (;;)
            pause(); /* as a main thread that is stuck */
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_profile(place);
    assert_int_equal(rmdir(temporary), 0); /* it is empty */
}

static void note_sampling(void *data, enum sonde_sampling what)
{
    atomic_store((_Atomic int *)data, (int)what);
}

static int what_came(_Atomic int *what)
{
    for (int i = 0; i < 3000 && *what < 0; i++)
        usleep(10000);
    return *what;
}

static void a_call_after_sampling_says_how_it_went(void **state)
{
    (void)state;
    static _Atomic int what = -1;
    assert_false(sonde_api_1.after_sampling(note_sampling, &what));
    recording_start_with(&(struct sonde_start_options){0});
    assert_true(sonde_api_1.after_sampling(note_sampling, &what));
    assert_int_equal(what_came(&what), SONDE_SAMPLING_COMPLETED);
    what = -1;
    sonde_api_1.pause_sampling();
    assert_true(sonde_api_1.after_sampling(note_sampling, &what));
    assert_int_equal(what_came(&what), SONDE_SAMPLING_PAUSED);
}

/* Keeps whoever makes the calls, until the session is over. */
static void wait_for_the_end(void *data, enum sonde_sampling what)
{
    atomic_store((_Atomic int *)data, (int)what);
    while (state_get())
        usleep(1000);
}

static void a_call_that_comes_too_late_is_told_so(void **state)
{
    (void)state;
    static _Atomic int first = -1, what = -1;
    recording_start_with(&(struct sonde_start_options){0});
    assert_true(sonde_api_1.after_sampling(wait_for_the_end, &first));
    assert_int_equal(what_came(&first), SONDE_SAMPLING_COMPLETED);
    assert_true(sonde_api_1.after_sampling(note_sampling, &what));
    sonde_api_1.stop();
    assert_int_equal(what, SONDE_JUST_STOPPED);
}

static void a_session_ends_when_its_duration_is_over(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){.duration_s = 0.05});
    for (int i = 0; i < 3000 && state_get(); i++)
        usleep(10000);
    assert_true(state_get() == 0);
}

static volatile sig_atomic_t old_handler_ran;

static void old_handler(int signal)
{
    (void)signal;
    old_handler_ran = 1;
}

/* The last of the tests: the handlers are for good. */
static void signals_start_and_stop_with_a_profile_also_when_all_descriptors_are_closed(void **state)
{
    (void)state;
    signal(SIGUSR1, old_handler);
    const struct core_locked *locked = core_lock();
    strcpy(core_state(locked)->shutdown_path, place);
    core_state(locked)->saves_at_shutdown = true;
    core_unlock(locked);
    assert_int_equal(signals_install(&(struct sonde_start_options){.size = sizeof(struct sonde_start_options)}), 0);
    for (int fd = STDERR_FILENO + 1; fd < 256; fd++) /* as daemons do */
        close(fd);
    raise(SIGUSR1);
    for (int i = 0; i < 3000 && !state_get(); i++)
        usleep(10000);
    assert_true(state_get() & SONDE_STATE_ACTIVE);
    assert_true(old_handler_ran);
    raise(SIGUSR2);
    for (int i = 0; i < 3000 && state_get(); i++)
        usleep(10000);
    assert_true(state_get() == 0);
    assert_profile(place);
}

#define SAVING_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    alarm(110);
    const struct CMUnitTest tests[] = {
        SAVING_TEST(nothing_is_written_where_nothing_is_recorded),
        SAVING_TEST(a_profile_is_written_while_the_session_goes_on),
        SAVING_TEST(the_pid_stands_in_for_its_first_sign),
        SAVING_TEST(a_file_that_is_there_stays_when_the_new_one_fails),
        SAVING_TEST(links_that_somebody_put_there_are_not_followed),
        SAVING_TEST(progress_ends_at_one),
        SAVING_TEST(callbacks_are_told_before_a_profile_is_made),
        SAVING_TEST(a_scheduled_dump_is_made_in_the_background),
        SAVING_TEST(a_dump_that_is_cancelled_is_not_made),
        SAVING_TEST(a_dump_that_outlives_its_session_is_not_waited_for),
        SAVING_TEST(delays_and_names_that_make_no_sense_are_refused),
        SAVING_TEST(a_dump_can_end_the_process_and_leaves_nothing_behind),
        SAVING_TEST(a_call_after_sampling_says_how_it_went),
        SAVING_TEST(a_call_that_comes_too_late_is_told_so),
        SAVING_TEST(a_session_ends_when_its_duration_is_over),
        SAVING_TEST(signals_start_and_stop_with_a_profile_also_when_all_descriptors_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
