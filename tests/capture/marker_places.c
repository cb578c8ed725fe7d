/* Where markers come from, and where they stand: stacks, threads and signal handlers. */
#define SONDE_LINKED_BASE
#include "recording.h"
#include "session/format.h"
#include "sonde/sonde.h"

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

SONDE_MARKER_TYPE(request, "HTTP request", SONDE_FIELD_URL(url), SONDE_FIELD_INTEGER(status));
SONDE_MARKER_TYPE(text_only, "Text only", SONDE_FIELD_STRING(text));

/* The main thread is thread 1. */

/* --- stacks ------------------------------------------------------------------------------------------------------------ */

static void a_marker_may_have_the_stack_of_labels(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    {
        SONDE_LABEL("outer", OTHER);
        SONDE_LABEL_DYNAMIC("inner", "detail", IO);
        struct sonde_marker_options options = {.phase = SONDE_INSTANT, .capture = SONDE_LABEL_STACK};
        sonde_marker_add(NULL, "with stack", SONDE_CATEGORY_OTHER, &options, NULL);
    }
    char *text = recording_stop();
    assert_line(text, "marker 1 \"with stack\" * stack=label:outer@1,label:\"inner detail\"@2 stack-time=*");
    free(text);
}

static void an_earlier_stack_outlives_its_labels_and_its_session(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    sonde_backtrace *backtraces[COUNT];
    assert_null(sonde_backtrace_capture(SONDE_LABEL_STACK));
    recording_start(NULL, NULL);
    for (int i = 0; i < COUNT; i++) {
        SONDE_LABEL("captured here", OTHER);
        backtraces[i] = sonde_backtrace_capture(SONDE_LABEL_STACK);
        assert_non_null(backtraces[i]);
    }
    free(recording_stop());
    recording_start(NULL, NULL);
    for (int i = 0; i < COUNT; i++) {
        struct sonde_marker_options options = {.phase = SONDE_INSTANT, .backtrace = backtraces[i]};
        sonde_marker_add(NULL, "later", SONDE_CATEGORY_OTHER, &options, NULL);
        sonde_backtrace_free(backtraces[i]);
    }
    sonde_backtrace_free(NULL);
    char *text = recording_stop();
    assert_int_equal(lines_like(text, "marker 1 later * stack=label:\"captured here\"@1 stack-time=*"), COUNT);
    free(text);
}

static void no_stacks_where_they_are_not_wanted(void **state)
{
    (void)state;
    recording_start("nomarkerstacks", NULL);
    SONDE_LABEL("label", OTHER);
    assert_null(sonde_backtrace_capture(SONDE_FULL_STACK));
    struct sonde_marker_options options = {.phase = SONDE_INSTANT, .capture = SONDE_LABEL_STACK};
    sonde_marker_add(NULL, "without", SONDE_CATEGORY_OTHER, &options, NULL);
    char *text = recording_stop();
    assert_line(text, "marker 1 without *");
    assert_no_line(text, "marker 1 without * stack=*");
    free(text);
}

/* --- threads ----------------------------------------------------------------------------------------------------------- */

static void *mark_unregistered(void *argument)
{
    sonde_marker_instant("from nobody", OTHER);
    struct sonde_marker_options options = {.phase = SONDE_INSTANT, .thread = -1, .capture = SONDE_LABEL_STACK};
    sonde_marker_add(NULL, "for main", SONDE_CATEGORY_OTHER, &options, NULL);
    SONDE_MARKER(request, "typed", OTHER, .status = 7);
    return argument;
}

static void *mark_registered(void *argument)
{
    sonde_thread_register("worker");
    sonde_marker_instant("from a worker", OTHER);
    struct sonde_marker_options options = {.phase = SONDE_INSTANT, .thread = getpid()};
    sonde_marker_add(NULL, "from a worker for main", SONDE_CATEGORY_OTHER, &options, NULL);
    options.thread = 1 << 30;
    sonde_marker_add(NULL, "for nobody", SONDE_CATEGORY_OTHER, &options, NULL);
    sonde_thread_unregister();
    return argument;
}

static void run_thread(void *(*routine)(void *))
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, routine, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void markers_of_an_unregistered_thread_stand_on_the_main_track(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    run_thread(mark_unregistered);
    char *text = recording_stop();
    assert_line(text, "marker 0 \"from nobody\" instant=* category=1");
    assert_line(text, "marker 0 \"for main\" instant=* category=1");
    assert_line(text, "marker 0 typed instant=* url=\"\" status=7");
    free(text);
}

static void a_marker_may_stand_on_the_track_of_another_thread(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    run_thread(mark_registered);
    char *text = recording_stop();
    assert_line(text, "marker 1 \"from a worker for main\" *");
    assert_no_line(text, "marker 1 \"from a worker\" *");
    assert_line(text, "marker * \"from a worker\" *");
    assert_no_line(text, "marker * \"for nobody\" *");
    free(text);
}

static void a_thread_that_the_filter_leaves_out_has_no_markers(void **state)
{
    (void)state;
    recording_start(NULL, "no such thread,worker");
    sonde_marker_instant("from main", OTHER);
    run_thread(mark_registered);
    char *text = recording_stop();
    assert_no_line(text, "marker * \"from main\" *");
    assert_line(text, "marker * \"from a worker\" *");
    assert_no_line(text, "marker * \"from a worker for main\" *");
    free(text);
}

static void nothing_is_recorded_before_after_and_while_paused(void **state)
{
    (void)state;
    sonde_marker_instant("before", OTHER);
    recording_start(NULL, NULL);
    sonde_pause();
    sonde_marker_instant("paused", OTHER);
    sonde_resume();
    sonde_marker_instant("during", OTHER);
    char *text = recording_stop();
    sonde_marker_instant("after", OTHER);
    assert_int_equal(lines_like(text, "marker *"), 1);
    free(text);
}

/* --- signal handlers --------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t handled;

static void mark_in_handler(int signal)
{
    (void)signal;
    handled++;
    sonde_marker_instant("in handler", OTHER);
}

/* The text of a marker is read while it is written, on a page that cannot be read: the handler of that runs in the middle. */
static char *forbidden;

static void on_fault(int signal)
{
    mark_in_handler(signal);
    mprotect(forbidden, 4096, PROT_READ | PROT_WRITE);
}

static void a_marker_from_a_handler_within_a_marker_is_dropped_and_counted(void **state)
{
    (void)state;
    forbidden = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(forbidden, MAP_FAILED);
    strcpy(forbidden, "interrupted");
    struct sigaction action = {.sa_handler = on_fault}, before;
    recording_start(NULL, NULL);
    SONDE_MARKER(text_only, "warm", OTHER, .text = "type is known");
    handled = 0;
    mprotect(forbidden, 4096, PROT_NONE);
    sigaction(SIGSEGV, &action, &before);
    SONDE_MARKER(text_only, "outer", OTHER, .text = forbidden);
    sigaction(SIGSEGV, &before, NULL);
    assert_int_equal(handled, 1);
    sonde_marker_instant("goes on", OTHER);
    char *text = recording_stop();
    assert_no_line(text, "marker * \"in handler\" *");
    assert_line(text, "marker 1 outer * text=interrupted");
    assert_line(text, "marker 1 \"goes on\" *");
    assert_int_equal(recording_statistic(STATISTIC_ENTRIES_LOST), 1);
    munmap(forbidden, 4096);
    free(text);
}

static sigjmp_buf way_out;

static void jump_out(int signal)
{
    mark_in_handler(signal);
    siglongjmp(way_out, 1);
}

static void a_marker_that_was_jumped_out_of_does_not_stop_later_ones(void **state)
{
    (void)state;
    forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(forbidden, MAP_FAILED);
    struct sigaction action = {.sa_handler = jump_out}, before;
    recording_start(NULL, NULL);
    SONDE_MARKER(text_only, "warm", OTHER, .text = "type is known");
    sigaction(SIGSEGV, &action, &before);
    if (sigsetjmp(way_out, 1) == 0)
        SONDE_MARKER(text_only, "left", OTHER, .text = forbidden);
    sigaction(SIGSEGV, &before, NULL);
    sonde_marker_instant("goes on", OTHER);
    char *text = recording_stop();
    assert_no_line(text, "marker * left *");
    assert_no_line(text, "marker * \"in handler\" *"); /* it was within the other */
    assert_line(text, "marker 1 \"goes on\" *");
    munmap(forbidden, 4096);
    free(text);
}

static void a_marker_from_a_handler_outside_of_a_marker_is_recorded(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = mark_in_handler}, before;
    recording_start(NULL, NULL);
    sigaction(SIGUSR1, &action, &before);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &before, NULL);
    char *text = recording_stop();
    assert_line(text, "marker 1 \"in handler\" *");
    free(text);
}

int main(void)
{
    alarm(300);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_marker_may_have_the_stack_of_labels),
        cmocka_unit_test(an_earlier_stack_outlives_its_labels_and_its_session),
        cmocka_unit_test(no_stacks_where_they_are_not_wanted),
        cmocka_unit_test(markers_of_an_unregistered_thread_stand_on_the_main_track),
        cmocka_unit_test(a_marker_may_stand_on_the_track_of_another_thread),
        cmocka_unit_test(a_thread_that_the_filter_leaves_out_has_no_markers),
        cmocka_unit_test(nothing_is_recorded_before_after_and_while_paused),
        cmocka_unit_test(a_marker_from_a_handler_within_a_marker_is_dropped_and_counted),
        cmocka_unit_test(a_marker_that_was_jumped_out_of_does_not_stop_later_ones),
        cmocka_unit_test(a_marker_from_a_handler_outside_of_a_marker_is_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
