#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Both ends of a terminal: what is drawn on one is read at the other. */
struct terminal {
    int outside;
    int inside;
};

static void open_terminal(struct terminal *terminal)
{
    terminal->outside = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal->outside >= 0);
    assert_int_equal(grantpt(terminal->outside), 0);
    assert_int_equal(unlockpt(terminal->outside), 0);
    terminal->inside = open(ptsname(terminal->outside), O_RDWR | O_NOCTTY);
    assert_true(terminal->inside >= 0);
    assert_int_equal(fcntl(terminal->outside, F_SETFL, O_NONBLOCK), 0);
}

static void close_terminal(struct terminal *terminal)
{
    close(terminal->inside);
    close(terminal->outside);
}

/* What was drawn since the last look. */
static const char *drawn(const struct terminal *terminal)
{
    static char text[1000];
    ssize_t count = read(terminal->outside, text, sizeof text - 1);
    text[count > 0 ? count : 0] = '\0';
    return text;
}

/* As if the work had begun a second ago and nothing had been drawn since. */
static void wait_a_second(struct progress *progress)
{
    progress->started_ms -= 1000;
    progress->drawn_ms = 0;
}

static void short_work_shows_nothing(void **state)
{
    (void)state;
    struct terminal terminal;
    open_terminal(&terminal);
    struct progress progress;
    progress_begin(&progress, "a.json", terminal.inside);
    progress.started_ms += 100000; /* on a slow machine, too, it has only just begun */
    progress_report(&progress, 50, 100);
    progress_end(&progress);
    assert_string_equal(drawn(&terminal), "");
    close_terminal(&terminal);
}

static void work_that_moves_nothing_is_shown_at_once(void **state)
{
    (void)state;
    struct terminal terminal;
    open_terminal(&terminal);
    struct progress progress;
    progress_begin(&progress, "symbols of app", terminal.inside);
    progress.started_ms += 100000;
    progress_show(&progress, 0, 2);
    assert_string_equal(drawn(&terminal), "\rsymbols of app  [..............................]  0 %\033[K");
    progress_end(&progress);
    assert_string_equal(drawn(&terminal), "\r\033[K");
    close_terminal(&terminal);
}

static void long_work_shows_how_much_is_done_and_leaves_no_trace(void **state)
{
    (void)state;
    struct terminal terminal;
    open_terminal(&terminal);
    struct progress progress;
    progress_begin(&progress, "a.json", terminal.inside);
    wait_a_second(&progress);
    struct byte_progress bytes = progress_of_bytes(&progress);
    bytes.report(bytes.data, 50, 100);
    assert_string_equal(drawn(&terminal), "\ra.json  [###############...............]  50 %\033[K");
    wait_a_second(&progress);
    bytes.report(bytes.data, 200, 100);
    assert_string_equal(drawn(&terminal), "\ra.json  [##############################]  100 %\033[K");
    wait_a_second(&progress);
    bytes.report(bytes.data, 7000000, 0);
    assert_string_equal(drawn(&terminal), "\ra.json  7 MB\033[K");
    progress_end(&progress);
    assert_string_equal(drawn(&terminal), "\r\033[K");
    close_terminal(&terminal);
}

static void what_is_no_terminal_gets_nothing(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct progress progress;
    progress_begin(&progress, "a.json", ends[1]);
    wait_a_second(&progress);
    progress_report(&progress, 50, 100);
    progress_end(&progress);
    close(ends[1]);
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_work_shows_nothing),
        cmocka_unit_test(work_that_moves_nothing_is_shown_at_once),
        cmocka_unit_test(long_work_shows_how_much_is_done_and_leaves_no_trace),
        cmocka_unit_test(what_is_no_terminal_gets_nothing),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
