#include "ipc/feature_set.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *bad;
static int bad_length;

static void names_are_added_to_what_is_there(void **state)
{
    (void)state;
    uint64_t features = FEATURE_BIT(FEATURE_POWER);
    assert_int_equal(features_parse("stackwalk,memory", &features, &bad, &bad_length), 0);
    assert_true(features == (FEATURE_BIT(FEATURE_POWER) | FEATURE_BIT(FEATURE_STACKWALK) | FEATURE_BIT(FEATURE_MEMORY)));
}

static void default_stands_for_the_defaults(void **state)
{
    (void)state;
    uint64_t features = 0;
    assert_int_equal(features_parse("flows,default", &features, &bad, &bad_length), 0);
    assert_true(features == (features_default() | FEATURE_BIT(FEATURE_FLOWS)));
}

static void all_adds_only_what_adds(void **state)
{
    (void)state;
    uint64_t features = 0;
    assert_int_equal(features_parse("all", &features, &bad, &bad_length), 0);
    assert_false(features & (FEATURE_BIT(FEATURE_NOSTACKSAMPLING) | FEATURE_BIT(FEATURE_NOMARKERSTACKS)));
    assert_true((features & features_default()) == features_default());
}

static void empty_elements_are_skipped(void **state)
{
    (void)state;
    uint64_t features = 0;
    assert_int_equal(features_parse(",,js,,", &features, &bad, &bad_length), 0);
    assert_true(features == FEATURE_BIT(FEATURE_JS));
    features = 0;
    assert_int_equal(features_parse("", &features, &bad, &bad_length), 0);
    assert_true(features == 0);
}

static void the_first_unknown_name_is_told_and_the_known_ones_count(void **state)
{
    (void)state;
    uint64_t features = 0;
    assert_int_equal(features_parse("js,jss,power,xyz", &features, &bad, &bad_length), -EINVAL);
    assert_int_equal(bad_length, 3);
    assert_memory_equal(bad, "jss", 3);
    assert_true(features == (FEATURE_BIT(FEATURE_JS) | FEATURE_BIT(FEATURE_POWER)));
}

static void every_feature_is_found_by_its_own_name(void **state)
{
    (void)state;
    for (int i = 0; i < FEATURE_COUNT; i++) {
        uint64_t features = 0;
        assert_int_equal(features_parse(feature_name((enum feature)i), &features, &bad, &bad_length), 0);
        assert_true(features == FEATURE_BIT(i));
        assert_true(strlen(feature_description((enum feature)i)) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_added_to_what_is_there),
        cmocka_unit_test(default_stands_for_the_defaults),
        cmocka_unit_test(all_adds_only_what_adds),
        cmocka_unit_test(empty_elements_are_skipped),
        cmocka_unit_test(the_first_unknown_name_is_told_and_the_known_ones_count),
        cmocka_unit_test(every_feature_is_found_by_its_own_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
