#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <regex.h>

#include "common/memory.h"
#include "common/regex.h"

static bool matches(const char *expression, const char *text)
{
    struct error error = {0};
    struct regex *regex = regex_compile(slice_of(expression), &error);
    if (!regex)
        fail_msg("/%s/: %s", expression, error.message);
    bool found = regex_matches(regex, slice_of(text));
    regex_free(regex);
    return found;
}

static void expect_refused(const char *expression, const char *message)
{
    struct error error = {0};
    struct regex *regex = regex_compile(slice_of(expression), &error);
    if (regex)
        fail_msg("/%s/ is taken", expression);
    assert_int_equal(error.code, -22);
    assert_string_equal(error.message, message);
}

static void characters_match_themselves_anywhere(void **state)
{
    (void)state;
    assert_true(matches("std::", "void std::sort(int*)"));
    assert_false(matches("std::", "my_std:sort"));
    assert_true(matches("aab", "aaab"));
    assert_true(matches("größe", "die größe"));
    assert_true(matches("a-b}]", "a-b}]"));
}

static void anchors_hold_a_match_at_the_ends(void **state)
{
    (void)state;
    assert_true(matches("^std::", "std::sort"));
    assert_false(matches("^std::", "void std::sort"));
    assert_true(matches("free$", "tcache_free"));
    assert_false(matches("free$", "free_all"));
    assert_true(matches("^$", ""));
    assert_false(matches("^$", "x"));
    assert_true(matches("^a|b$", "ab"));
    assert_true(matches("(^)(^a)($)", "a"));
    assert_false(matches("a^b", "a^b"));
}

static void sets_hold_bytes_ranges_and_classes(void **state)
{
    (void)state;
    assert_true(matches("^[a-f0-9]+$", "12ab"));
    assert_false(matches("^[a-f0-9]+$", "12abx"));
    assert_true(matches("[]x]", "]"));
    assert_true(matches("[^]x]", "a"));
    assert_false(matches("[^]x]", "]x"));
    assert_true(matches("[a-]", "-"));
    assert_true(matches("^[[:alpha:]_][[:alnum:]_]*$", "name_2"));
    assert_false(matches("^[[:alpha:]_][[:alnum:]_]*$", "2name"));
    assert_true(matches("^[^a]+$", "größe"));
    assert_true(matches("[\\d]", "\\"));
}

static void items_repeat_as_often_as_they_say(void **state)
{
    (void)state;
    assert_true(matches("^ab*c$", "abbbc"));
    assert_true(matches("^ab*c$", "ac"));
    assert_false(matches("^ab+c$", "ac"));
    assert_true(matches("^ab?c$", "ac"));
    assert_true(matches("^(ab){2}$", "abab"));
    assert_false(matches("^(ab){2}$", "ababab"));
    assert_true(matches("^a{2,}$", "aaaaa"));
    assert_false(matches("^a{2,3}$", "aaaa"));
    assert_true(matches("^a{0}b$", "b"));
    assert_true(matches("^((a|b){2}c){2}$", "abcbac"));
    static char many[256];
    memset(many, 'a', 255);
    assert_true(matches("^a{254}$", many + 1));
    assert_false(matches("^a{254}$", many));
    assert_true(matches("a{255}", many));
}

static void what_is_wrong_is_said_with_its_place(void **state)
{
    (void)state;
    expect_refused("", "byte 1 of the expression: something to match is missing here");
    expect_refused("a||b", "byte 3 of the expression: something to match is missing here");
    expect_refused("ab(", "byte 4 of the expression: something to match is missing here");
    expect_refused("x(ab", "byte 2 of the expression: this ( is not closed");
    expect_refused("ab)", "byte 3 of the expression: no ( is open that this could close");
    expect_refused("a[b", "byte 2 of the expression: this [ is not closed");
    expect_refused("a[^]", "byte 2 of the expression: this [ is not closed");
    expect_refused("[z-a]", "byte 2 of the expression: this range ends before it begins");
    expect_refused("[ä]", "byte 2 of the expression: only ASCII can stand between [ and ]");
    expect_refused("[[:nothing:]]", "byte 4 of the expression: there is no such class of characters");
    expect_refused("[[.a.]]", "byte 2 of the expression: [. and [= are not known");
    expect_refused("*a", "byte 1 of the expression: nothing that could be repeated is before this");
    expect_refused("a*?", "byte 3 of the expression: this repeats what is repeated already");
    expect_refused("a{2}{3}", "byte 5 of the expression: this repeats what is repeated already");
    expect_refused("a{256}", "byte 2 of the expression: this repeats more than 255 times");
    expect_refused("a{1,32767}", "byte 2 of the expression: this repeats more than 255 times");
    expect_refused("a{3,2}", "byte 2 of the expression: the second number is less than the first");
    expect_refused("a{,2}", "byte 2 of the expression: {N}, {N,} or {N,M} is wanted here");
    expect_refused("a{2", "byte 2 of the expression: {N}, {N,} or {N,M} is wanted here");
    expect_refused("(a{20}){20}", "byte 2 of the expression: it is too long by here, with all that is repeated");
    expect_refused("\\1", "byte 1 of the expression: \\ takes the meaning from what is special; before this it has none");
    expect_refused("a\\", "byte 2 of the expression: nothing is after this \\");
}

static void long_and_deep_expressions_are_refused(void **state)
{
    (void)state;
    char text[REGEX_MAX_LENGTH + 2];
    memset(text, '(', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    expect_refused(text, "an expression has at most 1000 bytes, this one has 1001");
    text[REGEX_MAX_LENGTH] = '\0';
    expect_refused(text, "byte 41 of the expression: this is in too many groups");
}

static void of_a_long_text_only_the_beginning_is_looked_at(void **state)
{
    (void)state;
    static char text[REGEX_MAX_TEXT + 2];
    memset(text, 'a', sizeof text - 1);
    text[REGEX_MAX_TEXT - 1] = 'b';
    assert_true(matches("ab", text));
    assert_false(matches("b$", text));
    text[REGEX_MAX_TEXT] = '\0';
    assert_true(matches("b$", text));
}

static void any_bytes_can_be_looked_at(void **state)
{
    (void)state;
    struct error error = {0};
    struct regex *regex = regex_compile(SLICE("a.b"), &error);
    assert_non_null(regex);
    assert_true(regex_matches(regex, SLICE("\0a\0b\xff")));
    assert_false(regex_matches(regex, (struct slice){NULL, 0}));
    regex_free(regex);
}

static void it_survives_an_empty_heap(void **state)
{
    (void)state;
    struct error error = {0};
    memory_fail_after(1);
    assert_null(regex_compile(SLICE("a"), &error));
    memory_fail_after(0);
    assert_int_equal(error.code, -12);
}

/* ---- the C library's as the reference ---- */

static uint64_t seed = 88172645463325252;

static unsigned below(unsigned limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed % limit);
}

static void add(char *text, const char *part)
{
    strcat(text, part);
}

enum { GROUPS = 2 }; /* in each other, at most */

static void random_alternatives(char *text, int depth);

static void random_item(char *text, int depth)
{
    static const char *const items[] = {"a", "b", "c", ".", "[ab]", "[^a]", "[b-c]", "\\.", "a", "b"};
    if (depth > 0 && below(4) == 0) {
        add(text, "(");
        random_alternatives(text, depth - 1);
        add(text, ")");
    } else {
        add(text, items[below(sizeof items / sizeof *items)]);
    }
}

/* Anchors only outside of groups: regexec() of glibc lets a ^ in a repeated group match in the middle. */
static void random_alternatives(char *text, int depth)
{
    static const char *const repeats[] = {"*", "+", "?", "{2}", "{0,1}", "{1,3}", "{2,}", "{0}"};
    do {
        if (depth == GROUPS && below(8) == 0)
            add(text, "^");
        for (unsigned i = 1 + below(3); i > 0; i--) {
            random_item(text, depth);
            if (below(3) == 0)
                add(text, repeats[below(sizeof repeats / sizeof *repeats)]);
        }
        if (depth == GROUPS && below(8) == 0)
            add(text, "$");
    } while (below(4) == 0 && (add(text, "|"), true));
}

static void random_expressions_match_what_regexec_matches(void **state)
{
    (void)state;
    for (int round = 0; round < 20000; round++) {
        char expression[2000] = "";
        random_alternatives(expression, GROUPS);
        struct error error = {0};
        struct regex *regex = regex_compile(slice_of(expression), &error);
        if (!regex) /* too many positions */
            continue;
        regex_t reference;
        assert_int_equal(regcomp(&reference, expression, REG_EXTENDED | REG_NOSUB), 0);
        for (int i = 0; i < 20; i++) {
            char text[9] = "";
            for (unsigned length = below(9); length > 0; length--)
                add(text, (const char *[]){"a", "b", "c", "."}[below(4)]);
            if (regex_matches(regex, slice_of(text)) != (regexec(&reference, text, 0, NULL, 0) == 0))
                fail_msg("/%s/ on '%s'", expression, text);
        }
        regfree(&reference);
        regex_free(regex);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_match_themselves_anywhere),
        cmocka_unit_test(anchors_hold_a_match_at_the_ends),
        cmocka_unit_test(sets_hold_bytes_ranges_and_classes),
        cmocka_unit_test(items_repeat_as_often_as_they_say),
        cmocka_unit_test(what_is_wrong_is_said_with_its_place),
        cmocka_unit_test(long_and_deep_expressions_are_refused),
        cmocka_unit_test(of_a_long_text_only_the_beginning_is_looked_at),
        cmocka_unit_test(any_bytes_can_be_looked_at),
        cmocka_unit_test(it_survives_an_empty_heap),
        cmocka_unit_test(random_expressions_match_what_regexec_matches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
