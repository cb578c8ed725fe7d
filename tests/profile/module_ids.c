/* Names of builds, as other tools compute them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/module_ids.h"

#define BUILD_ID "\xab\xcd\x01\x23\x45\x67\x89\xa0\xb1\xc2\xd3\xe4\xf5\x06\x17\x28\x39\x4a\x5b\x6c"

static void a_breakpad_id_is_a_guid_and_an_age(void **state)
{
    (void)state;
    char text[2 * BREAKPAD_ID_BYTES + 2];
    struct slice id = module_breakpad_id(SLICE(BUILD_ID), text);
    assert_true(slice_is(id, "2301CDAB6745A089B1C2D3E4F50617280"));
    assert_string_equal(text, "2301CDAB6745A089B1C2D3E4F50617280");
}

static void a_short_build_id_is_filled_with_zeros(void **state)
{
    (void)state;
    char text[2 * BREAKPAD_ID_BYTES + 2];
    module_breakpad_id(SLICE("\xab\xcd\x01"), text);
    assert_string_equal(text, "0001CDAB0000000000000000000000000");
}

static void a_code_id_is_the_build_id_in_digits(void **state)
{
    (void)state;
    char text[2 * MODULE_ID_BYTES + 1];
    assert_true(slice_is(module_code_id(SLICE(BUILD_ID), text), "abcd0123456789a0b1c2d3e4f5061728394a5b6c"));
    assert_true(slice_is(module_code_id(SLICE(""), text), ""));
}

static void a_build_id_comes_back_from_a_code_id(void **state)
{
    (void)state;
    char bytes[MODULE_ID_BYTES];
    assert_true(
        slice_equal(module_build_id(SLICE("abcd0123456789A0B1c2d3e4f5061728394a5b6c"), SLICE(""), bytes), SLICE(BUILD_ID)));
}

static void half_of_it_comes_back_from_a_breakpad_id(void **state)
{
    (void)state;
    char bytes[MODULE_ID_BYTES];
    struct slice half = module_build_id(SLICE(""), SLICE("2301CDAB6745A089B1C2D3E4F50617280"), bytes);
    assert_true(slice_equal(half, slice_until(SLICE(BUILD_ID), 16)));
    assert_true(module_build_id_matches(half, SLICE(BUILD_ID)));
    assert_true(module_build_id_matches(half, half));
    assert_false(module_build_id_matches(half, slice_until(SLICE(BUILD_ID), 15)));
    assert_false(module_build_id_matches(SLICE(BUILD_ID), half));
}

static void what_is_no_id_gives_no_build_id(void **state)
{
    (void)state;
    char bytes[MODULE_ID_BYTES];
    assert_int_equal(module_build_id(SLICE(""), SLICE(""), bytes).length, 0);
    assert_int_equal(module_build_id(SLICE("xyz0"), SLICE("2301CDAB"), bytes).length, 0);
    assert_int_equal(module_build_id(SLICE(""), SLICE("000000000000000000000000000000000"), bytes).length, 0);
    assert_int_equal(module_build_id(SLICE(""), SLICE("G301CDAB6745A089B1C2D3E4F50617280"), bytes).length, 0);
}

static void a_file_without_a_build_id_is_known_by_its_first_page_of_code(void **state)
{
    (void)state;
    char page[5000], bytes[BREAKPAD_ID_BYTES], text[2 * BREAKPAD_ID_BYTES + 2];
    memset(page, 0, sizeof page);
    page[0] = 1;
    page[16] = 2;
    page[4095] = 7;
    page[4096] = 9; /* the next page */
    module_breakpad_id(module_text_id((struct slice){page, sizeof page}, bytes), text);
    assert_string_equal(text, "000000030000000000000000000000070");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_breakpad_id_is_a_guid_and_an_age),
        cmocka_unit_test(a_short_build_id_is_filled_with_zeros),
        cmocka_unit_test(a_code_id_is_the_build_id_in_digits),
        cmocka_unit_test(a_build_id_comes_back_from_a_code_id),
        cmocka_unit_test(half_of_it_comes_back_from_a_breakpad_id),
        cmocka_unit_test(what_is_no_id_gives_no_build_id),
        cmocka_unit_test(a_file_without_a_build_id_is_known_by_its_first_page_of_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
