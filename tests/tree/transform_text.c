/* Transforms as they are written on the command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/text_profile.h"
#include "tree/transform_text.h"

#include <stdio.h>

/* f-0 A, f-1 B, f-2 C in x, f-3 C in y, f-4 x:y, f-5 x, f-6 odd;name; then the reserved ones f-7 x, f-8 y. */
static const char *const samples = "A  B         C[lib:y]  x:y  x  odd;name\n"
                                   "A  C[lib:x]  A         A    A  A\n";

struct fixture {
    struct profile profile;
    struct func_list *funcs;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    struct error error = {0};
    text_profile_open(&fixture.profile);
    text_profile_add_thread(&fixture.profile, samples);
    assert_int_equal(profile_finish(&fixture.profile, &error), 0);
    fixture.funcs = func_list_create(&fixture.profile);
    assert_non_null(fixture.funcs);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    func_list_drop(fixture->funcs);
    profile_free(&fixture->profile);
    return 0;
}

static struct transform parse(const struct fixture *fixture, const char *text)
{
    struct error error = {0};
    struct transform transform;
    if (transform_parse(fixture->funcs, slice_of(text), IMPLEMENTATION_COMBINED, &transform, &error) != 0)
        fail_msg("%s", error.message);
    return transform;
}

/* The message must hold `part`. */
static void assert_refused(const struct fixture *fixture, const char *text, const char *part)
{
    struct error error = {0};
    struct transform transform;
    assert_true(transform_parse(fixture->funcs, slice_of(text), IMPLEMENTATION_COMBINED, &transform, &error) < 0);
    if (!strstr(error.message, part))
        fail_msg("'%s' does not say '%s'", error.message, part);
}

static void assert_func(const struct fixture *fixture, const char *text, uint32_t expected)
{
    struct error error = {0};
    uint32_t func;
    if (func_parse(fixture->funcs, slice_of(text), &func, &error) != 0)
        fail_msg("%s", error.message);
    assert_int_equal(func, expected);
}

static void a_function_is_named_by_its_handle_or_its_exact_name(void **state)
{
    const struct fixture *fixture = *state;
    uint32_t own = fixture->funcs->own_count;
    assert_func(fixture, "f-1", 1);
    assert_func(fixture, "B", 1);
    for (uint32_t func = 0; func < own; func++)
        if (func_list_name(fixture->funcs, func).length > 1) {
            char name[32] = "";
            memcpy(name, func_list_name(fixture->funcs, func).text, func_list_name(fixture->funcs, func).length);
            assert_func(fixture, name, func);
        }
}

static void a_name_that_only_a_library_has_is_the_library(void **state)
{
    const struct fixture *fixture = *state;
    uint32_t own = fixture->funcs->own_count;
    struct slice name = func_list_name(fixture->funcs, own);
    assert_func(fixture, "y", slice_is(name, "y") ? own : own + 1);
}

static void a_name_that_a_function_and_a_library_have_is_the_function(void **state)
{
    const struct fixture *fixture = *state;
    struct error error = {0};
    uint32_t func;
    assert_int_equal(func_parse(fixture->funcs, SLICE("x"), &func, &error), 0);
    assert_true(func < fixture->funcs->own_count);
}

static void a_name_that_is_not_unique_is_refused_with_handles_and_libraries(void **state)
{
    const struct fixture *fixture = *state;
    char list[64] = "";
    for (uint32_t func = 0; func < fixture->funcs->own_count; func++)
        if (slice_is(func_list_name(fixture->funcs, func), "C"))
            snprintf(list + strlen(list), sizeof list - strlen(list), "%sf-%u (%s)", *list ? ", " : "", func,
                     *list ? "y" : "x");
    assert_refused(fixture, "merge-function:C", list);
}

static void names_that_nothing_has_are_refused(void **state)
{
    assert_refused(*state, "merge-function:Nope", "no function is called 'Nope'");
    assert_refused(*state, "merge-function:", "no function is called ''");
    assert_refused(*state, "merge-function:f-900", "no function is called 'f-900'");
    assert_refused(*state, "focus-category:Nope", "no category is called 'Nope'");
    assert_refused(*state, "collapse-resource:A", "no library or site is called 'A'");
    assert_refused(*state, "frobnicate:A", "there is no transform 'frobnicate'");
    assert_refused(*state, "merge-function", "missing");
    assert_refused(*state, "merge-function+sideways:A", "'sideways' is no modifier");
    assert_refused(*state, "merge-function+inverted:A", "only focus-subtree can be inverted");
    assert_refused(*state, "focus-subtree:A;;B", "no function is called ''");
    assert_refused(*state, "focus-subtree:A;", "after the last ';'");
    assert_refused(*state, "filter-samples:A", "KIND:VALUE");
    assert_refused(*state, "filter-samples:sideways:A", "KIND:VALUE");
    assert_refused(*state, "filter-samples:function-include:", "no function is named");
    assert_refused(*state, "filter-samples:stack-suffix:A;B", "one function is wanted");
}

static void a_path_is_functions_with_semicolons_between_them(void **state)
{
    struct transform transform = parse(*state, "focus-subtree:A;f-1;x:y");
    assert_int_equal(transform.type, FOCUS_SUBTREE);
    assert_int_equal(transform.path.funcs.count, 3);
    assert_int_equal(transform.path.funcs.items[1], 1);
    assert_false(transform.inverted);
    transform_free(&transform);
    transform = parse(*state, "focus-subtree:");
    assert_int_equal(transform.path.funcs.count, 0);
    transform_free(&transform);
}

static void modifiers_say_the_implementation_and_the_direction(void **state)
{
    struct transform transform = parse(*state, "focus-subtree+js+inverted:A");
    assert_int_equal(transform.implementation, IMPLEMENTATION_JS);
    assert_true(transform.inverted);
    transform_free(&transform);
}

static void without_a_modifier_the_implementation_is_that_of_the_view(void **state)
{
    const struct fixture *fixture = *state;
    struct error error = {0};
    struct transform transform;
    assert_int_equal(transform_parse(fixture->funcs, SLICE("focus-self:A"), IMPLEMENTATION_CPP, &transform, &error), 0);
    assert_int_equal(transform.implementation, IMPLEMENTATION_CPP);
    transform_free(&transform);
    assert_int_equal(transform_parse(fixture->funcs, SLICE("focus-self+combined:A"), IMPLEMENTATION_CPP, &transform, &error),
                     0);
    assert_int_equal(transform.implementation, IMPLEMENTATION_COMBINED);
    transform_free(&transform);
}

static void a_marker_search_may_hold_commas_and_colons(void **state)
{
    struct transform transform = parse(*state, "filter-samples:marker-search:name:a,-cat:b;c");
    assert_int_equal(transform.filter, FILTER_MARKER_SEARCH);
    assert_string_equal(transform.text, "name:a,-cat:b;c");
    transform_free(&transform);
}

static void a_library_is_collapsed_into_the_function_that_stands_for_it(void **state)
{
    const struct fixture *fixture = *state;
    struct transform transform = parse(fixture, "collapse-resource:x");
    assert_true(slice_is(func_list_name(fixture->funcs, transform.func), "x"));
    assert_int_equal(transform.func, func_list_collapsed(fixture->funcs, transform.resource));
    transform_free(&transform);
}

static void what_is_printed_reads_back_as_the_same(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const texts[] = {
        "focus-subtree:f-0;f-1",
        "focus-subtree+js+inverted:f-1",
        "focus-function:f-1",
        "focus-self+cpp:f-1",
        "focus-category:DOM",
        "merge-call-node:f-0;f-2;f-3",
        "merge-function:f-4",
        "drop-function:f-5",
        "collapse-recursion:f-0",
        "collapse-direct-recursion+js:f-0",
        "collapse-function-subtree:f-2",
        "filter-samples:marker-search:a:b,c",
        "filter-samples:outside-marker:",
        "filter-samples:function-include:f-0;f-1",
        "filter-samples:stack-prefix:f-0",
        "filter-samples:stack-suffix:f-3",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct transform transform = parse(fixture, texts[i]);
        struct text_buffer out = {0};
        transform_print(&transform, fixture->funcs, IMPLEMENTATION_COMBINED, &out);
        text_add_char(&out, '\0');
        assert_string_equal(out.bytes.items, texts[i]);
        text_free(&out);
        transform_free(&transform);
    }
    struct transform transform = parse(fixture, "collapse-resource:y");
    struct text_buffer out = {0};
    transform_print(&transform, fixture->funcs, IMPLEMENTATION_JS, &out);
    text_add_char(&out, '\0');
    struct transform again = parse(fixture, out.bytes.items);
    assert_int_equal(again.resource, transform.resource);
    assert_int_equal(again.func, transform.func);
    assert_int_equal(again.implementation, IMPLEMENTATION_COMBINED);
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_is_named_by_its_handle_or_its_exact_name),
        cmocka_unit_test(a_name_that_only_a_library_has_is_the_library),
        cmocka_unit_test(a_name_that_a_function_and_a_library_have_is_the_function),
        cmocka_unit_test(a_name_that_is_not_unique_is_refused_with_handles_and_libraries),
        cmocka_unit_test(names_that_nothing_has_are_refused),
        cmocka_unit_test(a_path_is_functions_with_semicolons_between_them),
        cmocka_unit_test(modifiers_say_the_implementation_and_the_direction),
        cmocka_unit_test(without_a_modifier_the_implementation_is_that_of_the_view),
        cmocka_unit_test(a_marker_search_may_hold_commas_and_colons),
        cmocka_unit_test(a_library_is_collapsed_into_the_function_that_stands_for_it),
        cmocka_unit_test(what_is_printed_reads_back_as_the_same),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
