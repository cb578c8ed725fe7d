/* Names of Java's classes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload_allocations/java_class.h"

static void expect_name(const char *signature, const char *expected)
{
    char name[64];
    java_class_name(signature, name, sizeof name);
    assert_string_equal(name, expected);
}

static void classes_and_arrays_are_named_as_people_write_them(void **state)
{
    (void)state;
    expect_name("Ljava/lang/String;", "java.lang.String");
    expect_name("LNode;", "Node");
    expect_name("[B", "byte[]");
    expect_name("[[J", "long[][]");
    expect_name("[Ljava/util/Map$Entry;", "java.util.Map$Entry[]");
}

static void addresses_of_hidden_classes_are_cut(void **state)
{
    (void)state;
    expect_name("Lapp/Main$$Lambda/0x00007f1234;", "app.Main$$Lambda");
    expect_name("Lapp/Main$$Lambda$14+0x00000008c0;", "app.Main$$Lambda$14");
    expect_name("Lapp/Main$$Lambda.0x00007f1234;", "app.Main$$Lambda");
    expect_name("Lapp/Color0x10;", "app.Color0x10");
}

static void what_is_no_signature_or_has_no_room_gives_what_it_can(void **state)
{
    (void)state;
    char name[8];
    expect_name("", "");
    expect_name("?", "");
    expect_name("[", "[]");
    expect_name("Ljava/lang", "java.lang");
    java_class_name("[Ljava/lang/String;", name, sizeof name);
    assert_string_equal(name, "java.la");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_and_arrays_are_named_as_people_write_them),
        cmocka_unit_test(addresses_of_hidden_classes_are_cut),
        cmocka_unit_test(what_is_no_signature_or_has_no_room_gives_what_it_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
