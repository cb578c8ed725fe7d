/* The command line of a process, read from outside; here it is the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/title_watch.h"

static char *own_name;
static const uint64_t second = 1000000000;

static bool read_at(struct title_watch *watch, uint64_t now, bool is_last)
{
    char room[TITLE_WATCH_BYTES];
    struct slice arguments;
    bool changed = title_watch_read(watch, getpid(), now, is_last, room, &arguments);
    if (changed)
        assert_memory_equal(arguments.text, own_name, strlen(own_name));
    return changed;
}

static void change_name(int number)
{
    own_name[0] = (char)('A' + number);
}

static void nothing_is_read_of_short_processes(void **state)
{
    (void)state;
    struct title_watch watch = {0};
    assert_false(read_at(&watch, second, false));
    assert_false(read_at(&watch, second + 19000000, false));
    assert_true(read_at(&watch, second + 20000000, false));
}

static void only_changes_are_told(void **state)
{
    (void)state;
    struct title_watch watch = {0};
    assert_false(read_at(&watch, second, false));
    assert_true(read_at(&watch, 2 * second, false));
    assert_false(read_at(&watch, 4 * second, false));
    change_name(1);
    assert_false(read_at(&watch, 4 * second, false)); /* it is not time */
    assert_true(read_at(&watch, 6 * second, false));
    assert_false(read_at(&watch, 6 * second, true));
    change_name(2);
    assert_true(read_at(&watch, 6 * second, true));
}

static void who_changes_it_all_the_time_is_told_some_times_and_at_the_end(void **state)
{
    (void)state;
    struct title_watch watch = {0};
    int told = 0;
    for (int i = 0; i < 1000; i++) {
        change_name(i % 20);
        told += read_at(&watch, (uint64_t)(i + 1) * 2 * second, false);
    }
    assert_int_equal(told, 8);
    change_name(21);
    assert_true(read_at(&watch, 5000 * second, true));
}

static void a_process_that_is_gone_has_none(void **state)
{
    (void)state;
    struct title_watch watch = {0};
    char room[TITLE_WATCH_BYTES];
    struct slice arguments;
    assert_false(title_watch_read(&watch, INT32_MAX, second, true, room, &arguments));
}

int main(int count, char **words)
{
    (void)count;
    own_name = words[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_read_of_short_processes),
        cmocka_unit_test(only_changes_are_told),
        cmocka_unit_test(who_changes_it_all_the_time_is_told_some_times_and_at_the_end),
        cmocka_unit_test(a_process_that_is_gone_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
