/* What the names of functions say: their class, and how they look without template arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tree/class_name.h"
#include "tree/name_fold.h"

static void assert_class(const char *name, const char *class)
{
    struct slice found = class_of_name(slice_of(name));
    assert_int_equal(found.length, strlen(class));
    assert_memory_equal(found.text, class, strlen(class));
}

static void assert_folded(const char *name, const char *expected)
{
    struct text_buffer folded = {0};
    name_fold(slice_of(name), &folded);
    text_add_char(&folded, '\0');
    assert_string_equal(folded.bytes.items, expected);
    assert_int_equal(name_has_templates(slice_of(name)), strcmp(name, expected) != 0);
    text_free(&folded);
}

static void a_method_is_in_the_class_before_its_last_colons(void **state)
{
    (void)state;
    assert_class("std::vector<int>::push_back(int const&)", "std::vector<int>");
    assert_class("ns::run(other::type, std::string)", "ns");
    assert_class("(anonymous namespace)::Loader::read(char*)", "(anonymous namespace)::Loader");
    assert_class("void ns::Table::visit<int>(int)", "ns::Table");
    assert_class("ns::Number::operator<<(int)", "ns::Number");
    assert_class("ns::Number::operator bool() const", "ns::Number");
    assert_class("outer(int)::{lambda(int)#1}::operator()(int) const", "outer(int)::{lambda(int)#1}");
    assert_class("<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend", "<alloc::vec::Vec<T> as core::iter::Extend<T>>");
}

static void other_languages_have_dots_and_brackets(void **state)
{
    (void)state;
    assert_class("java.util.HashMap.put", "java.util.HashMap");
    assert_class("net/http.(*conn).serve", "net/http.(*conn)");
    assert_class("main.main", "main");
    assert_class("-[NSString length]", "NSString");
}

static void what_is_in_no_class_has_none(void **state)
{
    (void)state;
    assert_class("", "");
    assert_class("memcpy", "");
    assert_class("memcpy@GLIBC_2.14", "");
    assert_class("parse.cold", "");
    assert_class("parse.part.0.constprop.2", "");
    assert_class("0x7f1200", "");
    assert_class("main(std::vector<int>)", "");
    assert_class("operator new(unsigned long)", "");
    assert_class("a<b", "");
}

static void template_arguments_are_folded(void **state)
{
    (void)state;
    assert_folded("std::map<int, std::vector<int>>::find(int const&)", "std::map<…>::find(int const&)");
    assert_folded("std::function<void (int)>::operator()(int)", "std::function<…>::operator()(int)");
    assert_folded("f<(a > b)>()", "f<…>()");
    assert_folded("core::ptr::drop_in_place::<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place::<…>");
    assert_folded("a<b::c>::d<e>", "a<…>::d<…>");
    assert_folded("ns::sort<int*>(int*, int*, std::less<int>)", "ns::sort<…>(int*, int*, std::less<…>)");
    assert_folded("std::operator<< <std::char_traits<char> >(std::ostream&)", "std::operator<< <…>(std::ostream&)");
    assert_folded("ns::operator==<int>(int)", "ns::operator==<int>(int)");
}

static void brackets_that_hold_no_arguments_stay(void **state)
{
    (void)state;
    assert_folded("", "");
    assert_folded("memcpy", "memcpy");
    assert_folded("<module>", "<module>");
    assert_folded("<anonymous>", "<anonymous>");
    assert_folded("a<b", "a<b");
    assert_folded("a>b", "a>b");
    assert_folded("onClick/<", "onClick/<");
    assert_folded("x::operator<(int)", "x::operator<(int)");
    assert_folded("x::operator->()", "x::operator->()");
    assert_folded("<Vec<u8> as Iterator>::next", "<Vec<…> as Iterator>::next");
    assert_folded("my_operator<int>", "my_operator<…>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_method_is_in_the_class_before_its_last_colons),
        cmocka_unit_test(other_languages_have_dots_and_brackets),
        cmocka_unit_test(what_is_in_no_class_has_none),
        cmocka_unit_test(template_arguments_are_folded),
        cmocka_unit_test(brackets_that_hold_no_arguments_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
