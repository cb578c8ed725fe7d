#include "capture/core/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void an_empty_list_and_a_star_select_every_thread(void **state)
{
    (void)state;
    assert_true(filters_select_thread("", "any", 12));
    assert_true(filters_select_thread(",,", "any", 12));
    assert_true(filters_select_thread("x,*", "any", 12));
}

static void a_part_of_the_name_in_any_case_selects(void **state)
{
    (void)state;
    assert_true(filters_select_thread("pool", "Thread Pool 7", 12));
    assert_true(filters_select_thread("zzz,READ", "Thread", 12));
    assert_false(filters_select_thread("pools", "Thread Pool 7", 12));
    assert_false(filters_select_thread("a", "", 12));
}

static void the_own_pid_selects_every_thread_by_exact_text_only(void **state)
{
    (void)state;
    assert_true(filters_select_thread("pid:12", "any", 12));
    static const char *const wrong[] = {"pid:1",   "pid:123", "pid:012", "pid: 12",    "pid:12 ",
                                        "pid:+12", "pid=12",  "PID:12",  "pid:12pid:", "pid:4294967308"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(filters_select_thread(wrong[i], "any", 12));
}

static void a_process_is_excluded_only_where_all_filters_are_pids_of_others(void **state)
{
    (void)state;
    assert_true(filters_exclude_process("pid:1", 12));
    assert_true(filters_exclude_process("pid:1,pid:012", 12));
    assert_false(filters_exclude_process("pid:1,pid:12", 12));
    assert_false(filters_exclude_process("pid:1,main", 12));
    assert_false(filters_exclude_process("", 12));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_list_and_a_star_select_every_thread),
        cmocka_unit_test(a_part_of_the_name_in_any_case_selects),
        cmocka_unit_test(the_own_pid_selects_every_thread_by_exact_text_only),
        cmocka_unit_test(a_process_is_excluded_only_where_all_filters_are_pids_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
