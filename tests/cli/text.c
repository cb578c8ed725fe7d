#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "print/func_name.h"

static void assert_shown(const char *name, size_t room, const char *expected, size_t width)
{
    struct line line = {0};
    line_add_name(&line, slice_of(name), room);
    assert_int_equal(line.width, width);
    assert_int_equal(line.bytes.count, strlen(expected));
    if (line.bytes.count > 0)
        assert_memory_equal(line.bytes.items, expected, line.bytes.count);
    line_free(&line);
}

static void a_name_that_fits_is_shown_whole(void **state)
{
    (void)state;
    assert_shown("main", 4, "main", 4);
    assert_shown("zażółć", 6, "zażółć", 6);
    assert_shown("", 4, "", 0);
}

static void a_name_that_does_not_fit_ends_in_an_ellipsis(void **state)
{
    (void)state;
    assert_shown("memcpy", 4, "mem…", 4);
    assert_shown("zażółć", 4, "zaż…", 4);
    assert_shown("memcpy", 1, "…", 1);
    assert_shown("memcpy", 0, "", 0);
}

static void an_ending_is_kept_where_the_beginning_is_cut(void **state)
{
    (void)state;
    struct line line = {0};
    line_add_ending(&line, SLICE("src/描画.c"), 7);
    line_add_ending(&line, SLICE("src/描画.c"), 6);
    line_add_ending(&line, SLICE("a.c"), 3);
    line_add_ending(&line, SLICE("a.c"), 0);
    assert_int_equal(line.width, 7 + 5 + 3);
    assert_int_equal(line.bytes.count, strlen("…描画.c…画.ca.c"));
    assert_memory_equal(line.bytes.items, "…描画.c…画.ca.c", line.bytes.count);
    line_free(&line);
}

static void assert_func(const char *name, bool folds, size_t room, const char *expected)
{
    struct terminal terminal = {.width = room, .folds_names = folds};
    struct line line = {0};
    line_add_func(&line, &terminal, slice_of(name), room);
    assert_true(line.width <= room);
    assert_int_equal(line.width, text_width((struct slice){line.bytes.items, line.bytes.count}));
    line_add(&line, SLICE("\0"), 0);
    assert_string_equal(line.bytes.items, expected);
    line_free(&line);
}

static void a_function_keeps_both_ends(void **state)
{
    (void)state;
    assert_func("memcpy", true, 6, "memcpy");
    assert_func("std::_Rb_tree<int, long>::insert(int const&)", false, 80, "std::_Rb_tree<int, long>::insert(int const&)");
    assert_func("std::_Rb_tree<int, long>::insert(int const&)", true, 80, "std::_Rb_tree<…>::insert(int const&)");
    assert_func("std::_Rb_tree<int, long>::insert(int const&)", true, 30, "std::_Rb_tree<…>::insert(…)");
    assert_func("std::_Rb_tree<int, long>::insert(int const&)", true, 22, "std::_Rb_t…::insert(…)");
    assert_func("std::_Rb_tree<int, long>::insert(int const&)", true, 16, "std:…::insert(…)");
    assert_func("a_long_name_of_a_function_in_c", true, 12, "a_lo…on_in_c");
    assert_func("a_long_name_of_a_function_in_c", true, 4, "a_l…");
    assert_func("(anonymous namespace)::run()", true, 20, "(anonymous n…::run()");
    assert_func("com.example.server.Handler.handle", true, 20, "com.example.….handle");
}

static void a_wide_character_is_never_cut_in_half(void **state)
{
    (void)state;
    assert_shown("描画する", 8, "描画する", 8);
    assert_shown("描画する", 7, "描画す…", 7);
    assert_shown("描画する", 6, "描画…", 5);
}

static void a_combining_mark_takes_no_column(void **state)
{
    (void)state;
    assert_int_equal(text_width(SLICE("e\xcc\x81")), 1);
    assert_shown("e\xcc\x81t\xcc\x81", 2, "e\xcc\x81t\xcc\x81", 2);
}

#define REPLACED "\xef\xbf\xbd"

static void a_name_cannot_steer_the_terminal(void **state)
{
    (void)state;
    assert_shown("a\x1b[31m\n", 20, "a" REPLACED "[31m" REPLACED, 7);
    assert_shown("a\xc2\x9bm", 20, "a" REPLACED "m", 3);
    assert_shown("a\xe2\x80\xae", 20, "a" REPLACED, 2);
}

static void bytes_that_are_no_utf8_are_replaced_one_by_one(void **state)
{
    (void)state;
    assert_shown("a\xff\xfe", 20, "a" REPLACED REPLACED, 3);
    assert_shown("a\xe2\x80", 20, "a" REPLACED REPLACED, 3);
    assert_shown("\xc0\xaf", 20, REPLACED REPLACED, 2);
    assert_shown("\xed\xa0\x80", 20, REPLACED REPLACED REPLACED, 3);
}

static void a_line_that_memory_ran_out_for_says_so(void **state)
{
    (void)state;
    struct line line = {0};
    memory_fail_after(1);
    line_add_name(&line, SLICE("main"), 10);
    memory_fail_after(0);
    assert_true(line.failed);
    assert_int_equal(line.bytes.count, 0);
    line_free(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_that_fits_is_shown_whole),
        cmocka_unit_test(a_name_that_does_not_fit_ends_in_an_ellipsis),
        cmocka_unit_test(an_ending_is_kept_where_the_beginning_is_cut),
        cmocka_unit_test(a_function_keeps_both_ends),
        cmocka_unit_test(a_wide_character_is_never_cut_in_half),
        cmocka_unit_test(a_combining_mark_takes_no_column),
        cmocka_unit_test(a_name_cannot_steer_the_terminal),
        cmocka_unit_test(bytes_that_are_no_utf8_are_replaced_one_by_one),
        cmocka_unit_test(a_line_that_memory_ran_out_for_says_so),
    };
    return cmocka_run_group_tests_name("cli/text", tests, NULL, NULL);
}
