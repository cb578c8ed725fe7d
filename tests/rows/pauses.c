#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rows/pauses.h"

static void pauses_of_both_kinds_are_one_while_they_overlap(void **state)
{
    (void)state;
    struct pauses pauses = {0};
    assert_true(pauses_add(&pauses, ENTRY_PAUSE, 10));
    assert_true(pauses_add(&pauses, ENTRY_PAUSE_SAMPLING, 12));
    assert_true(pauses_add(&pauses, ENTRY_RESUME, 14));
    assert_true(pauses_add(&pauses, ENTRY_RESUME_SAMPLING, 20));
    assert_true(pauses_add(&pauses, ENTRY_PAUSE, 30));
    assert_int_equal(pauses.ranges.count, 2);
    assert_int_equal(pauses_between(&pauses, 0, 10), 0);
    assert_int_equal(pauses_between(&pauses, 0, 15), 5);
    assert_int_equal(pauses_between(&pauses, 12, 13), 1);
    assert_int_equal(pauses_between(&pauses, 0, 100), 80);
    assert_int_equal(pauses_between(&pauses, 20, 30), 0);
    pauses_free(&pauses);
}

static void a_pause_whose_beginning_is_gone_began_before_all_that_is_kept(void **state)
{
    (void)state;
    struct pauses pauses = {0};
    assert_true(pauses_add(&pauses, ENTRY_RESUME, 14));
    assert_true(pauses_add(&pauses, ENTRY_RESUME, 15));
    assert_int_equal(pauses.ranges.count, 1);
    assert_int_equal(pauses_between(&pauses, 10, 20), 4);
    pauses_free(&pauses);
}

static void times_that_go_back_make_no_pause_longer_than_it_is(void **state)
{
    (void)state;
    struct pauses pauses = {0};
    assert_true(pauses_add(&pauses, ENTRY_PAUSE, 10));
    assert_true(pauses_add(&pauses, ENTRY_RESUME, 5));
    assert_true(pauses_add(&pauses, ENTRY_PAUSE, 7));
    assert_true(pauses_add(&pauses, ENTRY_RESUME, 12));
    assert_int_equal(pauses_between(&pauses, 0, 100), 2);
    pauses_free(&pauses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pauses_of_both_kinds_are_one_while_they_overlap),
        cmocka_unit_test(a_pause_whose_beginning_is_gone_began_before_all_that_is_kept),
        cmocka_unit_test(times_that_go_back_make_no_pause_longer_than_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
