#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/lower_case.h"

static void expect_lower(const char *text, const char *expected)
{
    char out[200];
    size_t length = lower_case(slice_of(text), out);
    assert_true(length <= lower_case_room(slice_of(text)));
    assert_true(slice_equal((struct slice){out, length}, slice_of(expected)));
}

static void ascii_letters_become_small_and_all_else_stays(void **state)
{
    (void)state;
    expect_lower("", "");
    expect_lower("AZaz09_@[`{", "azaz09_@[`{");
    expect_lower("JS::RunScript", "js::runscript");
}

static void letters_of_european_scripts_become_small(void **state)
{
    (void)state;
    expect_lower("ÄÖÜ×ß", "äöü×ß");
    expect_lower("ŁŸŽŽž", "łÿžžž");
    expect_lower("ΑΒΓΆΏΣ", "αβγάώσ");
    expect_lower("ЀЯЖӀӁԮ", "ѐяжӏӂԯ");
    expect_lower("ԱՖ", "աֆ");
    expect_lower("ẞKÅΩＡ", "ßkåωａ");
}

static void the_dotted_capital_i_becomes_an_i_and_a_dot(void **state)
{
    (void)state;
    expect_lower("İ", "i\xcc\x87");
}

static void bytes_that_are_no_text_stay(void **state)
{
    (void)state;
    expect_lower("\xff\xc3", "\xff\xc3");
    expect_lower("A\xe2\x82Z", "a\xe2\x82z");
    expect_lower("日本🙂X", "日本🙂x");
}

static void slices_contain_what_is_in_them(void **state)
{
    (void)state;
    assert_true(slice_contains(SLICE("abc"), SLICE("bc")));
    assert_true(slice_contains(SLICE(""), SLICE("")));
    assert_false(slice_contains(SLICE(""), SLICE("a")));
    assert_false(slice_contains(SLICE("abc"), SLICE("B")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascii_letters_become_small_and_all_else_stays),
        cmocka_unit_test(letters_of_european_scripts_become_small),
        cmocka_unit_test(the_dotted_capital_i_becomes_an_i_and_a_dot),
        cmocka_unit_test(bytes_that_are_no_text_stay),
        cmocka_unit_test(slices_contain_what_is_in_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
