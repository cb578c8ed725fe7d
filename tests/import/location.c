#include "import/location.h"

#include "common/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void expect_slice(struct slice actual, const char *expected)
{
    char text[200];
    snprintf(text, sizeof text, "%.*s", (int)actual.length, actual.text);
    assert_string_equal(text, expected);
}

static void expect_native(const char *location, const char *name, const char *lib)
{
    struct location_parts parts = location_parse(slice_of(location));
    assert_int_equal(parts.kind, LOCATION_NATIVE);
    expect_slice(parts.name, name);
    expect_slice(parts.where, lib);
}

static void expect_script(const char *location, const char *name, const char *uri, uint32_t line, uint32_t column)
{
    struct location_parts parts = location_parse(slice_of(location));
    assert_int_equal(parts.kind, LOCATION_SCRIPT);
    expect_slice(parts.name, name);
    expect_slice(parts.where, uri);
    assert_int_equal(parts.line, line);
    assert_int_equal(parts.column, column);
}

static void expect_label(const char *location)
{
    struct location_parts parts = location_parse(slice_of(location));
    assert_int_equal(parts.kind, LOCATION_LABEL);
    expect_slice(parts.name, location);
}

static void an_address_is_64_bit_hex(void **state)
{
    (void)state;
    struct location_parts parts = location_parse(SLICE("0x7fFF0000beef"));
    assert_int_equal(parts.kind, LOCATION_ADDRESS);
    assert_true(parts.has_address);
    assert_int_equal(parts.address, 0x7fff0000beef);
    assert_false(location_parse(SLICE("0x")).has_address);
    assert_false(location_parse(SLICE("0xzz")).has_address);
    assert_false(location_parse(SLICE("0x12345678123456789")).has_address);
}

static void native_names_come_with_their_library(void **state)
{
    (void)state;
    expect_native("Foo::bar (in libA.so) + 12", "Foo::bar", "libA.so");
    expect_native("Foo::baz (in lib Q.so) (f.cpp:10)", "Foo::baz", "lib Q.so");
    expect_native("Foo::qux (in libQ.so)", "Foo::qux", "libQ.so");
    expect_native("non-virtual thunk to Foo::nv (in libQ.so)", "Foo::nv", "libQ.so");
    expect_native("a (in b) (in c)", "a (in b)", "c");
    expect_native("a (in b) (c:d) (e:f)", "a", "b");
    expect_native(" (in )", "", "");
}

static void what_looks_nearly_native_is_not(void **state)
{
    (void)state;
    expect_label("a (in b) x");
    expect_label("a (in b");
    expect_label("a (in b) + x");
    expect_label("a (in b) (c)");
    expect_label("a (in b)\n(c:1)");
}

static void scripts_have_a_place(void **state)
{
    (void)state;
    expect_script("f (https://e.com/a.js:10:5)", "f", "https://e.com/a.js", 10, 5);
    expect_script("f (https://e.com/a.js:10)", "f", "https://e.com/a.js", 10, INDEX_NONE);
    expect_script("https://e.com/a.js:1", "", "https://e.com/a.js", 1, INDEX_NONE);
    expect_script("https://e.com/a.js:1:2[7]", "", "https://e.com/a.js", 1, 2);
    expect_script(" (a:1)", "", "a", 1, INDEX_NONE);
    expect_script("g (h) (a b:1:2)", "g (h)", "a b", 1, 2);
    expect_script("js (chrome://x/y.js -> resource://z/w.js:7:3)[0]", "js", "resource://z/w.js", 7, 3);
}

static void a_uri_is_as_short_as_can_be_but_never_empty(void **state)
{
    (void)state;
    expect_script("weird (:5:6)[1]", "weird", ":5", 6, INDEX_NONE);
    expect_script("x (a (:1)", "x", "a (", 1, INDEX_NONE);
    expect_script("a:1:2:3", "", "a:1", 2, 3);
    expect_label(":5");
    expect_label("5");
    expect_label("f (:5)");
}

static void a_source_number_stands_in_brackets(void **state)
{
    (void)state;
    assert_int_equal(location_parse(SLICE("f (a:1:2)[12]")).source_number, 12);
    assert_int_equal(location_parse(SLICE("f (a:1:2)")).source_number, UINT64_MAX);
    expect_label("f (a:1:2)[]");
    expect_label("f (a:1:2)[x]");
}

static void everything_else_is_a_label(void **state)
{
    (void)state;
    expect_label("");
    expect_label("(root)");
    expect_label("EventDispatcher::Dispatch");
    expect_label("]");
    expect_label(")");
    expect_label("[1]");
}

/* ---- resolving ---- */

struct fixture {
    struct profile profile;
    struct location_resolver resolver;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    profile_init(&fixture->profile);
    location_resolver_init(&fixture->resolver, &fixture->profile);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    location_resolver_free(&fixture->resolver);
    profile_free(&fixture->profile);
    free(fixture);
    return 0;
}

static struct string_index string(struct fixture *fixture, const char *text)
{
    return string_table_add(&fixture->profile.strings, slice_of(text));
}

static struct located resolve(struct fixture *fixture, const char *location)
{
    struct located located;
    assert_true(location_resolve(&fixture->resolver, string(fixture, location), false, &located));
    return located;
}

static struct resource resource_of(struct fixture *fixture, struct located located)
{
    struct resource_index index = func_resource(&fixture->profile.funcs, located.func);
    assert_true(resource_exists(index));
    return fixture->profile.resources.rows.items[index.i];
}

static void expect_resource(struct fixture *fixture, const char *location, enum resource_type type, const char *name,
                            const char *host)
{
    struct resource resource = resource_of(fixture, resolve(fixture, location));
    assert_int_equal(resource.type, type);
    expect_slice(profile_text(&fixture->profile, resource.name), name);
    expect_slice(profile_text(&fixture->profile, resource.host), host);
}

static void add_lib(struct fixture *fixture, uint64_t start, uint64_t end, uint64_t offset, const char *name)
{
    struct string_index text = string(fixture, name);
    struct lib lib = {text, text, text, text, string(fixture, "ID"), STRING_NONE, STRING_NONE};
    assert_true(location_resolver_add_lib(&fixture->resolver, start, end, offset, &lib));
}

static void addresses_are_relative_to_their_library(void **state)
{
    struct fixture *fixture = *state;
    add_lib(fixture, 0x3000, 0x4000, 0x1000, "b.so");
    add_lib(fixture, 0x1000, 0x2000, 0, "a.so");
    struct located located = resolve(fixture, "0x3020");
    assert_int_equal(located.address, 0x1020);
    assert_int_equal(located.lib.i, 0);
    expect_resource(fixture, "0x3020", RESOURCE_LIBRARY, "b.so", "");
    assert_int_equal(resolve(fixture, "0x1fff").address, 0xfff);
    located = resolve(fixture, "0x2000");
    assert_true(located.address == COLUMN_ABSENT);
    assert_false(lib_exists(located.lib));
}

static void only_used_libraries_enter_the_profile(void **state)
{
    struct fixture *fixture = *state;
    add_lib(fixture, 0x1000, 0x2000, 0, "a.so");
    add_lib(fixture, 0x3000, 0x4000, 0, "b.so");
    resolve(fixture, "0x3020");
    assert_int_equal(fixture->profile.libs.rows.count, 1);
}

static void scripts_are_grouped_by_origin(void **state)
{
    struct fixture *fixture = *state;
    expect_resource(fixture, "f (https://e.com/a.js:1:2)", RESOURCE_WEBHOST, "https://e.com", "e.com");
    expect_resource(fixture, "f (https://me:pw@E.com:443?q:1:2)", RESOURCE_WEBHOST, "https://e.com", "e.com");
    expect_resource(fixture, "f (http://e.com:8080/a.js:1:2)", RESOURCE_WEBHOST, "http://e.com:8080", "e.com:8080");
    expect_resource(fixture, "f (self-hosted:1:2)", RESOURCE_URL, "self-hosted", "");
    expect_resource(fixture, "f (chrome://x/y.js:1:2)", RESOURCE_URL, "chrome://x/y.js", "");
    expect_resource(fixture, "f (https://:1:2)", RESOURCE_URL, "https://", "");
}

static void scripts_of_extensions_belong_to_them(void **state)
{
    struct fixture *fixture = *state;
    assert_true(location_resolver_add_extension(&fixture->resolver, SLICE("moz-extension://abc/"), SLICE("My \"Ext\""),
                                                SLICE("ext@id")));
    expect_resource(fixture, "moz (moz-extension://abc/x.js:3:4)", RESOURCE_ADDON, "Extension \"My \\\"Ext\\\"\" (ID: ext@id)",
                    "ext@id");
    expect_resource(fixture, "moz (moz-extension://other/x.js:3:4)", RESOURCE_WEBHOST, "null", "other");
    expect_resource(fixture, "moz (moz-extension://third/x.js:3:4)", RESOURCE_WEBHOST, "null", "other");
}

static void a_named_frame_seen_bare_before_is_that_func(void **state)
{
    struct fixture *fixture = *state;
    struct located bare = resolve(fixture, "foo");
    struct located named = resolve(fixture, "foo (in a.so)");
    assert_int_equal(named.func.i, bare.func.i);
    location_resolver_begin_thread(&fixture->resolver);
    named = resolve(fixture, "foo (in a.so)");
    assert_int_not_equal(named.func.i, bare.func.i);
}

static void the_first_flag_of_a_thread_decides_for_labels(void **state)
{
    struct fixture *fixture = *state;
    struct string_index label = string(fixture, "label");
    struct located first, second, third;
    assert_true(location_resolve(&fixture->resolver, label, true, &first));
    assert_true(location_resolve(&fixture->resolver, label, false, &second));
    assert_int_equal(first.func.i, second.func.i);
    assert_true(func_table_get(&fixture->profile.funcs, first.func).relevant_for_js);
    location_resolver_begin_thread(&fixture->resolver);
    assert_true(location_resolve(&fixture->resolver, label, false, &third));
    assert_int_not_equal(first.func.i, third.func.i);
}

static void running_out_of_memory_is_said(void **state)
{
    (void)state;
    static const char *const locations[] = {"0x1010", "f (in a.so)", "f (https://e.com/a.js:1:2)", "g (b.js:1)", "label"};
    for (unsigned long n = 1; n < 200; n++) {
        struct fixture fixture;
        profile_init(&fixture.profile);
        location_resolver_init(&fixture.resolver, &fixture.profile);
        memory_fail_after(n);
        bool done = true;
        struct lib lib = {string_table_add(&fixture.profile.strings, SLICE("a.so")),
                          STRING_NONE,
                          STRING_NONE,
                          STRING_NONE,
                          STRING_NONE,
                          STRING_NONE,
                          STRING_NONE};
        done = string_exists(lib.name) && location_resolver_add_lib(&fixture.resolver, 0x1000, 0x2000, 0, &lib);
        done = done && location_resolver_add_extension(&fixture.resolver, SLICE("moz-extension://a"), SLICE("A"), SLICE("a"));
        for (size_t i = 0; done && i < sizeof locations / sizeof *locations; i++) {
            struct located located;
            struct string_index location = string_table_add(&fixture.profile.strings, slice_of(locations[i]));
            done = string_exists(location) && location_resolve(&fixture.resolver, location, false, &located);
        }
        memory_fail_after(0);
        location_resolver_free(&fixture.resolver);
        profile_free(&fixture.profile);
        if (done) {
            assert_true(n > 5);
            return;
        }
    }
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_64_bit_hex),
        cmocka_unit_test(native_names_come_with_their_library),
        cmocka_unit_test(what_looks_nearly_native_is_not),
        cmocka_unit_test(scripts_have_a_place),
        cmocka_unit_test(a_uri_is_as_short_as_can_be_but_never_empty),
        cmocka_unit_test(a_source_number_stands_in_brackets),
        cmocka_unit_test(everything_else_is_a_label),
        cmocka_unit_test_setup_teardown(addresses_are_relative_to_their_library, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_used_libraries_enter_the_profile, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scripts_are_grouped_by_origin, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scripts_of_extensions_belong_to_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_named_frame_seen_bare_before_is_that_func, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_first_flag_of_a_thread_decides_for_labels, set_up, tear_down),
        cmocka_unit_test(running_out_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
