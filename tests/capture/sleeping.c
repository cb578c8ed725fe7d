/* A session whose sampler sleeps because the program does. */
#include "recording.h"

#include "capture/announced_wait.h"
#include "capture/state.h"
#include "session/format.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static void nap_ms(unsigned ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&time, &time) != 0)
        ;
}

/* Until the sampler sleeps for as long as it can. */
static void fall_asleep(void)
{
    nap_ms(300);
}

static uint64_t ticks_in(const char *text)
{
    return lines_like(text, "tick *");
}

/* The line of the next tick from here on, and its time. */
static const char *next_tick(const char *text, uint64_t *time)
{
    const char *line = strstr(text, "\ntick ");
    char *end = NULL;
    if (line)
        *time = strtoull(line + strlen("\ntick "), &end, 10);
    if (end && strncmp(end, "ms", 2) == 0)
        *time *= 1000000;
    return line ? line + 1 : NULL;
}

static void all_ticks_are_there_though_most_were_slept_through(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    nap_ms(1000);
    char *text = recording_stop();
    uint64_t ticks = recording_statistic(STATISTIC_TICKS), missed = recording_statistic(STATISTIC_TICKS_MISSED);
    assert_int_equal(ticks_in(text), ticks);
    assert_true(recording_statistic(STATISTIC_TICKS_IDLE) > ticks / 2);
    uint64_t first = 0, last = 0;
    const char *line = next_tick(text, &first);
    assert_non_null(line);
    while (line)
        line = next_tick(line, &last);
    /* The last one may be late, and not have been counted as such. */
    uint64_t due = (last - first) / 1000000;
    assert_in_range(ticks + missed, due - due / 10, due + due / 10);
    /* Each with a row for the one thread. */
    assert_int_equal(recording_statistic(STATISTIC_SAMPLES_SAME) + recording_statistic(STATISTIC_SAMPLES_SIGNALLED) +
                         recording_statistic(STATISTIC_SAMPLES_REMOTE) + recording_statistic(STATISTIC_SAMPLES_LOST),
                     ticks);
    free(text);
}

static void ticks_are_in_order(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    for (int i = 0; i < 5; i++) {
        fall_asleep();
        wait_for_tick();
    }
    char *text = recording_stop();
    uint64_t last = 0, time = 0;
    for (const char *line = next_tick(text, &time); line; line = next_tick(line, &time)) {
        assert_true(time >= last);
        last = time;
    }
    assert_true(last > 0);
    assert_true(recording_statistic(STATISTIC_TICKS_IDLE) > 0);
    free(text);
}

static void a_pause_begins_after_the_ticks_before_it_and_has_none(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    fall_asleep();
    sonde_api_1.pause_sampling();
    fall_asleep();
    sonde_api_1.resume_sampling();
    fall_asleep();
    char *text = recording_stop();
    const char *pause = strstr(text, "\npause-sampling"), *resume = strstr(text, "\nresume-sampling");
    assert_non_null(pause);
    assert_non_null(resume);
    const char *inside = strstr(pause, "\ntick ");
    assert_true(inside && inside > resume);
    assert_true(recording_statistic(STATISTIC_TICKS_IDLE) > 0);
    free(text);
}

static void what_is_asked_of_it_is_done_before_it_has_slept_enough(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    for (int i = 0; i < 10; i++) {
        nap_ms(100);
        wait_for_tick();
    }
    recording_end();
}

static void a_session_ends_when_its_duration_is_over(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){.duration_s = 0.5});
    for (int i = 0; i < 600 && state_get(); i++)
        nap_ms(100);
    assert_true(state_get() == 0);
    free(recording_stop());
    assert_true(recording_statistic(STATISTIC_TICKS_IDLE) > 0);
}

static void what_is_saved_goes_up_to_the_present(void **state)
{
    (void)state;
    static char path[64];
    strcpy(path, "/tmp/sonde-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    recording_start(NULL, NULL);
    fall_asleep();
    char *before = recording_text();
    nap_ms(3); /* it may have been awake just then */
    assert_int_equal(sonde_api_1.save(path), 0);
    char *after = recording_text();
    assert_true(ticks_in(after) > ticks_in(before));
    unlink(path);
    recording_end();
    free(before);
    free(after);
}

static void *live_a_while(void *unused)
{
    sonde_api_1.thread_register("short");
    for (int i = 0; i < 3; i++)
        wait_for_tick();
    sonde_api_1.thread_unregister();
    return unused;
}

static void a_thread_that_comes_wakes_it(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    for (int i = 0; i < 5; i++) {
        fall_asleep();
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, live_a_while, NULL), 0);
        pthread_join(thread, NULL);
    }
    char *text = recording_stop();
    assert_int_equal(lines_like(text, "thread * short*"), 5);
    free(text);
}

/* For less time than a program has to be idle for otherwise. */
static __attribute__((noinline)) void wait_announced(void)
{
    struct timespec time = {.tv_nsec = 7000000};
    announced_wait_begin(__builtin_frame_address(0));
    while (nanosleep(&time, &time) != 0)
        ;
    announced_wait_end();
}

static void use_cpu_ms(unsigned ms)
{
    struct timespec start, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < (long)ms * 1000000);
}

static void a_wait_that_is_announced_is_slept_through_at_once_and_no_longer(void **state)
{
    (void)state;
    enum { BURSTS = 30 };
    recording_start(NULL, NULL);
    for (int i = 0; i < BURSTS; i++) {
        wait_announced();
        use_cpu_ms(4);
    }
    char *text = recording_stop();
    uint64_t ticks = recording_statistic(STATISTIC_TICKS);
    assert_true(recording_statistic(STATISTIC_TICKS_IDLE) > BURSTS);
    assert_true(recording_statistic(STATISTIC_SAMPLES_SIGNALLED) > BURSTS);
    assert_int_equal(recording_statistic(STATISTIC_SAMPLES_SAME) + recording_statistic(STATISTIC_SAMPLES_SIGNALLED) +
                         recording_statistic(STATISTIC_SAMPLES_REMOTE) + recording_statistic(STATISTIC_SAMPLES_LOST),
                     ticks);
    free(text);
}

static void a_session_can_be_stopped_at_any_moment(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 40; i++) {
        recording_start(NULL, NULL);
        nap_ms(25 + 3 * i);
        char *text = recording_stop();
        assert_int_equal(ticks_in(text), recording_statistic(STATISTIC_TICKS));
        free(text);
    }
}

int main(void)
{
    alarm(250);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ticks_are_there_though_most_were_slept_through),
        cmocka_unit_test(ticks_are_in_order),
        cmocka_unit_test(a_pause_begins_after_the_ticks_before_it_and_has_none),
        cmocka_unit_test(what_is_asked_of_it_is_done_before_it_has_slept_enough),
        cmocka_unit_test(a_session_ends_when_its_duration_is_over),
        cmocka_unit_test(what_is_saved_goes_up_to_the_present),
        cmocka_unit_test(a_thread_that_comes_wakes_it),
        cmocka_unit_test(a_wait_that_is_announced_is_slept_through_at_once_and_no_longer),
        cmocka_unit_test(a_session_can_be_stopped_at_any_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
