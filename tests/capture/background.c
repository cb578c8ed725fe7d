/* The background thread of a program that records itself: it supplies chunks, samples counters, ends a session in time and
 * makes the calls that the program asked for. */
#include "capture/control/background.h"

#include "capture/core/core.h"
#include "recording.h"
#include "session/format.h"
#define SONDE_LINKED_BASE
#include "sonde/sonde.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* Threads of this process with this name. */
static unsigned threads_named(const char *name)
{
    unsigned count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (const struct dirent *entry; (entry = readdir(tasks));) {
        char path[300], comm[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && read(fd, comm, sizeof comm - 1) > 0)
            count += strncmp(comm, name, strlen(name)) == 0 && comm[strlen(name)] == '\n';
        if (fd >= 0)
            close(fd);
    }
    closedir(tasks);
    return count;
}

static void there_is_one_as_long_as_the_session_lasts(void **state)
{
    (void)state;
    assert_int_equal(threads_named("sonde"), 0);
    recording_start(NULL, NULL);
    wait_for_loop();
    assert_int_equal(threads_named("sonde"), 1);
    recording_end();
    assert_int_equal(threads_named("sonde"), 0);
}

static uint64_t cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t samples_lost(void)
{
    struct sonde_buffer_info info = {.size = sizeof info};
    sonde_get_buffer_info(&info);
    return info.samples_lost;
}

static void work_ms(unsigned ms)
{
    volatile unsigned sink = 0;
    for (uint64_t until = cpu_ns() + ms * UINT64_C(1000000); cpu_ns() < until;)
        for (unsigned i = 0; i < 10000; i++)
            sink += i;
}

static void there_are_chunks_for_samples_from_the_first_moment_on(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    work_ms(300);
    assert_int_equal(samples_lost(), 0);
    char *text = recording_stop();
    assert_true(lines_like(text, "sample 1 *") > 5);
    assert_int_equal(recording_statistic(STATISTIC_SAMPLES_TICK), lines_like(text, "sample 1 *"));
    free(text);
}

static void the_memory_of_a_session_is_bounded_and_the_latest_samples_are_there(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){.interval_ms = 1, .buffer_bytes = 1 << 20});
    for (int i = 0; i < 30000; i++)
        sonde_marker_instant("a marker that says quite a lot about nothing, so that many of them are more than there is",
                             OTHER);
    work_ms(200);
    char *text = recording_stop();
    assert_true(lines_like(text, "sample 1 *") > 3);
    assert_true(strlen(text) < 30000 * 60);
    free(text);
}

static SONDE_COUNTER(items, "Items", "Work", "Items that were worked on");

static void counters_are_sampled(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    sonde_counter_add(&items, 5);
    wait_for_loop();
    char *text = recording_stop();
    assert_line(text, "counter * Items category=Work *");
    assert_line(text, "count * 5 *");
    free(text);
}

static bool is_recording(void)
{
    return state_get() & SONDE_STATE_ACTIVE;
}

static void a_session_ends_when_its_duration_is_over(void **state)
{
    (void)state;
    recording_start_with(&(struct sonde_start_options){.duration_s = 0.2});
    for (int i = 0; i < 20000 && is_recording(); i++)
        usleep(1000);
    assert_false(is_recording());
    recording_end();
}

static struct {
    atomic_int calls;
    enum sonde_sampling state;
    pthread_t thread;
} called;

static void note_call(void *data, enum sonde_sampling state)
{
    assert_ptr_equal(data, &called);
    called.state = state;
    called.thread = pthread_self();
    called.calls++;
}

static void await_calls(int count)
{
    for (int i = 0; i < 20000 && called.calls < count; i++)
        usleep(1000);
    assert_int_equal(called.calls, count);
}

static void what_was_asked_for_is_called_once_on_that_thread(void **state)
{
    (void)state;
    called.calls = 0;
    assert_false(sonde_after_sampling(note_call, &called)); /* nothing is recorded */
    recording_start(NULL, NULL);
    assert_true(sonde_after_sampling(note_call, &called));
    await_calls(1);
    assert_int_equal(called.state, SONDE_SAMPLING_COMPLETED);
    assert_false(pthread_equal(called.thread, pthread_self()));
    sonde_pause();
    assert_true(sonde_after_sampling(note_call, &called));
    await_calls(2);
    assert_int_equal(called.state, SONDE_SAMPLING_PAUSED);
    recording_end();
    assert_int_equal(called.calls, 2);
}

static void what_waits_when_the_session_ends_is_called_then(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        called.calls = 0;
        recording_start(NULL, NULL);
        assert_true(sonde_after_sampling(note_call, &called));
        recording_end();
        assert_int_equal(called.calls, 1);
        assert_true(called.state == SONDE_JUST_STOPPED || called.state == SONDE_SAMPLING_COMPLETED);
    }
}

static void stop_from_within(void *data, enum sonde_sampling state)
{
    (void)state;
    sonde_stop();
    *(atomic_int *)data = 1;
}

static void it_may_end_the_session_itself(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        atomic_int done = 0;
        recording_start(NULL, NULL);
        assert_true(sonde_after_sampling(stop_from_within, &done));
        for (int j = 0; j < 20000 && !done; j++)
            usleep(1000);
        assert_int_equal(done, 1);
        assert_false(is_recording());
        recording_end();
    }
    for (int i = 0; i < 20000 && threads_named("sonde") > 0; i++)
        usleep(1000);
    assert_int_equal(threads_named("sonde"), 0);
}

static void a_forked_child_has_none_and_can_record_itself(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* there are no threads in children of programs with threads */
#endif
    recording_start(NULL, NULL);
    wait_for_loop();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        bool none = !is_recording() && threads_named("sonde") == 0;
        struct sonde_start_options options = {.size = sizeof options};
        bool started = sonde_start(&options) == 0;
        wait_for_loop();
        work_ms(50);
        sonde_stop();
        _exit(!none || !started);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    recording_end();
}

int main(void)
{
    alarm(280);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_one_as_long_as_the_session_lasts),
        cmocka_unit_test(there_are_chunks_for_samples_from_the_first_moment_on),
        cmocka_unit_test(the_memory_of_a_session_is_bounded_and_the_latest_samples_are_there),
        cmocka_unit_test(counters_are_sampled),
        cmocka_unit_test(a_session_ends_when_its_duration_is_over),
        cmocka_unit_test(what_was_asked_for_is_called_once_on_that_thread),
        cmocka_unit_test(what_waits_when_the_session_ends_is_called_then),
        cmocka_unit_test(it_may_end_the_session_itself),
        cmocka_unit_test(a_forked_child_has_none_and_can_record_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
