#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "allocations/plan.h"

static void assert_mean(const char *text, uint64_t mean)
{
    struct allocation_plan plan;
    assert_true(allocation_plan_read(text, &plan));
    assert_int_equal(plan.mean, mean);
    assert_false(plan.is_adaptive);
    assert_false(plan.is_all);
}

static void a_number_of_bytes_is_the_mean(void **state)
{
    (void)state;
    assert_mean("1", 1);
    assert_mean("64KiB", 64 << 10);
    assert_mean("64K", 64 << 10);
    assert_mean("3MB", 3000000);
    assert_mean("1G", 1 << 30);
}

static void words_say_how(void **state)
{
    (void)state;
    struct allocation_plan plan;
    assert_true(allocation_plan_read("adaptive", &plan));
    assert_true(plan.is_adaptive);
    assert_int_equal(plan.budget_ppm, 10000);
    assert_true(allocation_plan_read("all", &plan));
    assert_true(plan.is_all && !plan.is_adaptive);
    assert_int_equal(plan.mean, 0);
}

static void mappings_and_a_seed_come_with_any_choice(void **state)
{
    (void)state;
    struct allocation_plan plan;
    assert_true(allocation_plan_read("maps", &plan));
    assert_true(plan.has_maps && plan.is_adaptive && plan.mean > 0 && plan.seed == 0);
    assert_true(allocation_plan_read("maps,all", &plan));
    assert_true(plan.has_maps && plan.is_all && !plan.is_adaptive);
    assert_true(allocation_plan_read("64KiB,maps,seed=17", &plan));
    assert_true(plan.has_maps && plan.mean == 64 << 10 && plan.seed == 17);
    assert_true(allocation_plan_read("seed=1", &plan));
    assert_true(!plan.has_maps && plan.is_adaptive && plan.seed == 1);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "0",
                                        "-1",
                                        "KiB",
                                        "64 KiB",
                                        "1.5M",
                                        "64kib",
                                        "alle",
                                        "all,",
                                        ",",
                                        "64KiB,1M",
                                        "all,adaptive",
                                        "maps,maps",
                                        "maps,",
                                        "seed=",
                                        "seed=0",
                                        "seed=x1",
                                        "seed=1,seed=2",
                                        "seed=9999999999",
                                        "99999999999999999999",
                                        "18446744073709551615GiB",
                                        "2000GiB",
                                        "0x10"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct allocation_plan plan;
        if (allocation_plan_read(texts[i], &plan))
            fail_msg("'%s' was accepted", texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_of_bytes_is_the_mean),
        cmocka_unit_test(words_say_how),
        cmocka_unit_test(mappings_and_a_seed_come_with_any_choice),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests_name("allocations/plan", tests, NULL, NULL);
}
