/* Whether all CPUs are busy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/scarcity.h"

static bool after(struct scarcity *scarcity, unsigned looks, unsigned running)
{
    for (unsigned i = 0; i < looks; i++)
        scarcity_add(scarcity, running);
    return scarcity_is(scarcity);
}

static void cpus_are_scarce_while_others_want_three_quarters_of_them(void **state)
{
    (void)state;
    struct scarcity scarcity = {.cpus = 4};
    assert_false(after(&scarcity, 100, 1 + 3)); /* we are one of those that run */
    assert_true(after(&scarcity, 100, 1 + 4));
    assert_false(after(&scarcity, 100, 1));
}

static void one_look_is_not_enough(void **state)
{
    (void)state;
    struct scarcity scarcity = {.cpus = 2};
    assert_false(after(&scarcity, 1, 1 + 2));
    assert_true(after(&scarcity, 5, 1 + 2));
    assert_false(after(&scarcity, 5, 1));
}

static void a_look_finds_the_cpus_of_this_machine(void **state)
{
    (void)state;
    struct scarcity scarcity = {0};
    scarcity_look(&scarcity, 1);
    assert_true(scarcity.cpus >= 1);
    assert_true(scarcity.running >= 0);
    assert_int_equal(scarcity.looked_ns, 1);
    scarcity_look(&scarcity, 2); /* too soon */
    assert_int_equal(scarcity.looked_ns, 1);
    scarcity_look(&scarcity, 1000000000);
    assert_int_equal(scarcity.looked_ns, 1000000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpus_are_scarce_while_others_want_three_quarters_of_them),
        cmocka_unit_test(one_look_is_not_enough),
        cmocka_unit_test(a_look_finds_the_cpus_of_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
