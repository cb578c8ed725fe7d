/* Counters of the program, and what a thread tells of its event loop. */
#define SONDE_LINKED_BASE
#include "capture/counters/counters.h"
#include "recording.h"
#include "sonde/sonde.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static SONDE_COUNTER(queue, "Queue length", "Queue", "Requests that wait");
static SONDE_COUNTER(unused, "Unused", "Queue", "Never touched");
static SONDE_COUNTER(brief, "Brief", "Queue", "For a moment");
static SONDE_COUNTER(twin, "Queue length", "Queue", "Another of the same name");
static SONDE_COUNTER(gauge, "Gauge", "Queue", "Set, not added to");

/* The number under which the session knows the counter with this description. */
static unsigned number_of(const char *text, const char *description)
{
    char pattern[128];
    snprintf(pattern, sizeof pattern, "counter * description=\"%s\" *", description);
    const char *line = line_like(text, pattern);
    assert_non_null(line);
    return (unsigned)strtoul(line + strlen("counter "), NULL, 10);
}

static void a_counter_is_written_down_when_it_has_changed(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    sonde_counter_add(&queue, +10);
    wait_for_loop();
    sonde_counter_add(&queue, +7);
    wait_for_loop();
    wait_for_loop();
    sonde_counter_add(&queue, -17);
    wait_for_loop();
    char *text = recording_stop();
    unsigned number = number_of(text, "Requests that wait");
    char pattern[128];
    const struct {
        int count, number;
    } expected[] = {{10, 1}, {17, 2}, {0, 3}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        snprintf(pattern, sizeof pattern, "count %u %d number=%d time=*", number, expected[i].count, expected[i].number);
        assert_int_equal(lines_like(text, pattern), 1);
    }
    snprintf(pattern, sizeof pattern, "count %u *", number);
    assert_int_equal(lines_like(text, pattern), 3);
    free(text);
}

static void what_a_counter_has_come_to_is_there_however_short_the_recording(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    for (int i = 0; i < 3; i++)
        sonde_counter_add(&brief, +4);
    char *text = recording_stop();
    char pattern[128];
    snprintf(pattern, sizeof pattern, "count %u 12 number=3 *", number_of(text, "For a moment"));
    assert_int_equal(lines_like(text, pattern), 1);
    free(text);
}

static void a_counter_that_is_not_used_is_not_there(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    sonde_api_1.counter_register(&unused);
    assert_non_null(unused.cell);
    wait_for_loop();
    char *text = recording_stop();
    assert_no_line(text, "counter * Unused *");
    free(text);
}

static void a_counter_counts_before_the_recording_too(void **state)
{
    (void)state;
    int64_t before = queue.cell->count;
    sonde_counter_add(&queue, +5);
    recording_start(NULL, NULL);
    wait_for_loop();
    char *text = recording_stop();
    char pattern[128];
    snprintf(pattern, sizeof pattern, "count %u %" PRIi64 " number=*", number_of(text, "Requests that wait"), before + 5);
    assert_line(text, pattern);
    free(text);
}

static void counters_of_the_same_name_are_two(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    sonde_counter_add(&twin, +1);
    wait_for_loop();
    char *text = recording_stop();
    assert_int_equal(lines_like(text, "counter * \"Queue length\" *"), 2);
    assert_true(number_of(text, "Requests that wait") < number_of(text, "Another of the same name"));
    free(text);
}

static void a_counter_can_be_set(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    sonde_counter_set(&gauge, -3);
    wait_for_loop();
    char *text = recording_stop();
    char pattern[128];
    snprintf(pattern, sizeof pattern, "count %u -3 number=1 *", number_of(text, "Set, not added to"));
    assert_line(text, pattern);
    free(text);
}

enum { THREADS = 4, ADDS = 20000 };

static void *add_many(void *argument)
{
    for (int i = 0; i < ADDS; i++)
        sonde_counter_add(argument, 1);
    return NULL;
}

static void threads_count_together(void **state)
{
    (void)state;
    static SONDE_COUNTER(shared, "Shared", "Queue", "By all threads");
    pthread_t threads[THREADS];
    recording_start(NULL, NULL);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, &shared), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    wait_for_loop();
    char *text = recording_stop();
    char pattern[128];
    snprintf(pattern, sizeof pattern, "count %u %d number=%d *", number_of(text, "By all threads"), THREADS * ADDS,
             THREADS * ADDS);
    assert_line(text, pattern);
    free(text);
}

static void bandwidth_is_counted_only_if_the_session_wants_it(void **state)
{
    (void)state;
    recording_start("stackwalk", NULL);
    sonde_bandwidth_add(1000);
    wait_for_loop();
    char *text = recording_stop();
    assert_no_line(text, "counter * bandwidth *");
    free(text);
    recording_start("bandwidth", NULL);
    sonde_bandwidth_add(1000);
    sonde_bandwidth_add(500);
    wait_for_loop();
    text = recording_stop();
    assert_line(text, "counter * bandwidth category=Bandwidth *");
    assert_line(text, "count * 1500 number=2 *");
    free(text);
}

static void counters_beyond_the_limit_do_no_harm(void **state)
{
    (void)state;
    static struct sonde_counter many[COUNTERS_MAX + 10];
    recording_start(NULL, NULL);
    for (size_t i = 0; i < COUNTERS_MAX + 10; i++) {
        many[i] = (struct sonde_counter){"many", "Queue", NULL, NULL};
        sonde_counter_add(&many[i], 1);
    }
    wait_for_loop();
    char *text = recording_stop();
    size_t there = lines_like(text, "counter * many *");
    assert_true(there > 0 && there <= COUNTERS_MAX);
    free(text);
}

static uint64_t five_ms(void *loop)
{
    ++*(volatile int *)loop;
    return 5000000;
}

static void an_event_loop_says_how_long_an_event_would_wait(void **state)
{
    (void)state;
    static volatile int asked;
    recording_start(NULL, NULL);
    sonde_thread_set_event_delay(five_ms, (void *)&asked);
    /* Busy, so that the thread is asked. */
    while (asked == 0)
        sched_yield();
    wait_for_loop();
    wait_for_loop();
    sonde_thread_set_event_delay(NULL, NULL);
    char *text = recording_stop();
    assert_line(text, "sample 1 *delay=5ms*");
    free(text);
}

int main(void)
{
    alarm(300);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_is_written_down_when_it_has_changed),
        cmocka_unit_test(what_a_counter_has_come_to_is_there_however_short_the_recording),
        cmocka_unit_test(a_counter_that_is_not_used_is_not_there),
        cmocka_unit_test(a_counter_counts_before_the_recording_too),
        cmocka_unit_test(counters_of_the_same_name_are_two),
        cmocka_unit_test(a_counter_can_be_set),
        cmocka_unit_test(threads_count_together),
        cmocka_unit_test(bandwidth_is_counted_only_if_the_session_wants_it),
        cmocka_unit_test(an_event_loop_says_how_long_an_event_would_wait),
        cmocka_unit_test(counters_beyond_the_limit_do_no_harm), /* last: they stay */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
