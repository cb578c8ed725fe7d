/* Markers, counters and labels from many threads while sessions start, pause and stop. What must hold: no crash, no data race
 * (it also runs under ThreadSanitizer), every session's file can be read, and what it holds makes sense. */
#define SONDE_LINKED_BASE
#include "recording.h"
#include "session/format.h"
#include "sonde/sonde.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

SONDE_MARKER_TYPE(step, "Step", SONDE_FIELD_INTEGER(number), SONDE_FIELD_STRING(text));
static SONDE_COUNTER(steps, "Steps", "Test", "Steps of all threads");

enum { REGISTERED = 3, UNREGISTERED = 2, THREADS = REGISTERED + UNREGISTERED, SESSIONS = 40 };

static _Atomic bool stop;

static void work(int64_t number)
{
    uint64_t start = sonde_now();
    SONDE_LABEL("work", OTHER);
    SONDE_MARKER_SCOPE("scope", "text");
    sonde_marker_instant("instant", OTHER);
    SONDE_MARKER_SINCE(start, step, "step", OTHER, .number = number, .text = "of many");
    sonde_counter_add(&steps, 1);
    if (number % 64 == 0) {
        struct sonde_marker_options options = {.phase = SONDE_INSTANT, .capture = SONDE_FULL_STACK};
        sonde_marker_add(NULL, "with a stack", SONDE_CATEGORY_OTHER, &options, NULL);
        sonde_backtrace_free(sonde_backtrace_capture(SONDE_LABEL_STACK));
        options = (struct sonde_marker_options){.phase = SONDE_INSTANT, .thread = getpid()};
        sonde_marker_add(NULL, "for main", SONDE_CATEGORY_OTHER, &options, NULL);
    }
}

static void *worker(void *registered)
{
    if (registered)
        sonde_thread_register("worker");
    for (int64_t number = 0; !atomic_load_explicit(&stop, memory_order_relaxed); number++)
        work(number);
    /* Registered again and again, as short threads are. */
    for (int i = 0; registered && i < 50; i++) {
        sonde_thread_unregister();
        sonde_thread_register("worker again");
        work(i);
    }
    if (registered)
        sonde_thread_unregister();
    return NULL;
}

static void a_little_while(void)
{
    struct timespec time = {0, 2000000};
    nanosleep(&time, NULL);
}

static void sessions_come_and_go_under_threads_that_mark(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, worker, i < REGISTERED ? &stop : NULL), 0);
    size_t with_markers = 0;
    for (int i = 0; i < SESSIONS; i++) {
        recording_start(i % 2 ? NULL : "js", NULL);
        a_little_while();
        if (i % 4 == 0) {
            sonde_pause();
            a_little_while();
            sonde_resume();
        }
        sonde_marker_instant("last of the session", OTHER);
        char *text = recording_stop();
        assert_int_equal(lines_like(text, "marker 1 \"last of the session\" *"), 1);
        with_markers += line_like(text, "marker [2-9]* step interval=* number=* text=\"of many\"") != NULL;
        free(text);
        a_little_while();
    }
    atomic_store(&stop, true);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_true(with_markers > 0);
}

static void *mark_once(void *argument)
{
    sonde_thread_register("short");
    sonde_marker_instant("once", OTHER);
    return argument;
}

/* Each would need a chunk of its own, a hundred times the limit. */
static void thousands_of_short_threads_that_mark_once_share_a_few_chunks(void **state)
{
    (void)state;
    enum { ROUNDS = 500, AT_ONCE = 4, ALL = ROUNDS * AT_ONCE, NUMBERS = 1 << 16 };
    recording_start_with(&(struct sonde_start_options){.buffer_bytes = 1 << 20});
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, mark_once, NULL), 0);
        for (int i = 0; i < AT_ONCE; i++)
            pthread_join(threads[i], NULL);
    }
    char *text = recording_stop();
    static bool seen[NUMBERS];
    size_t count = 0;
    for (const char *line = text; (line = strstr(line, "\nmarker ")); count++) {
        line += strlen("\nmarker ");
        char *end;
        unsigned long thread = strtoul(line, &end, 10);
        assert_true(thread < NUMBERS && !seen[thread]);
        assert_true(strncmp(end, " once ", strlen(" once ")) == 0);
        seen[thread] = true;
    }
    free(text);
    assert_int_equal(count, ALL);
    assert_int_equal(recording_statistic(STATISTIC_ENTRIES_LOST), 0);
    assert_int_equal(recording_statistic(STATISTIC_CHUNKS_RECYCLED), 0);
}

static void *controller(void *argument)
{
    struct sonde_start_options options = {.size = sizeof options, .interval_ms = 1, .buffer_bytes = 1 << 20};
    for (int i = 0; i < 30; i++) {
        if (i % 3 == 2)
            sonde_stop();
        else
            sonde_start(&options);
    }
    return argument;
}

static void several_threads_start_and_stop_at_once(void **state)
{
    (void)state;
    pthread_t controllers[2], workers[2];
    atomic_store(&stop, false);
    for (int i = 0; i < 2; i++) {
        pthread_create(&workers[i], NULL, worker, &stop);
        pthread_create(&controllers[i], NULL, controller, NULL);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(controllers[i], NULL);
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    sonde_stop();
    assert_false(sonde_is_recording());
}

int main(void)
{
    alarm(600);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_come_and_go_under_threads_that_mark),
        cmocka_unit_test(thousands_of_short_threads_that_mark_once_share_a_few_chunks),
        cmocka_unit_test(several_threads_start_and_stop_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
