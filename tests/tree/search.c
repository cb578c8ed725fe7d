/* Searches: what is a term, and which samples and functions it finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tree_text.h"

#include "support/failing_alloc.h"
#include "support/text_profile.h"
#include "tree/filter.h"
#include "tree/func_search.h"

/* ---- terms ---- */

static void print_terms(const search_term_list *terms, char *out, size_t room)
{
    static const char *const fields[] = {"", "name:", "lib:", "file:", "cat:", "thread:"};
    for (size_t i = 0; i < terms->count; i++) {
        const struct search_term *term = &terms->items[i];
        size_t used = strlen(out);
        snprintf(out + used, room - used, "%s%s[%.*s]%s ", term->excludes ? "-" : "", fields[term->field],
                 (int)term->text.length, term->text.text, term->regex ? "*" : "");
    }
}

/* Terms as `-lib:[text]`, those of threads behind the others; with a star where the text is an expression. */
static void assert_terms(const char *search, const char *expected)
{
    struct search_terms terms;
    struct error error = {0};
    char text[300] = "";
    if (search_terms_read(&terms, slice_of(search), &error) != 0)
        fail_msg("%s", error.message);
    print_terms(&terms.of_stacks, text, sizeof text);
    print_terms(&terms.of_threads, text, sizeof text);
    assert_string_equal(text, expected);
    search_terms_free(&terms);
}

static void assert_refused(const char *search, const char *message)
{
    struct error error = {0};
    assert_int_equal(search_terms_check(slice_of(search), &error), -22);
    assert_string_equal(error.message, message);
}

static void terms_are_separated_by_commas(void **state)
{
    (void)state;
    assert_terms("", "");
    assert_terms(" , ,", "");
    assert_terms("draw", "[draw] ");
    assert_terms(" Draw frame ,LOAD,", "[draw frame] [load] ");
    assert_terms("a\\,b,c", "[a,b] [c] ");
}

static void terms_can_exclude_and_name_a_field(void **state)
{
    (void)state;
    assert_terms("-malloc, - free", "-[malloc] -[free] ");
    assert_terms("name:a, LIB:b, file: c, cat:d", "name:[a] lib:[b] file:[c] cat:[d] ");
    assert_terms("thread:x, a, -lib:libc", "[a] -lib:[libc] thread:[x] ");
    assert_terms("std::sort, type:x, lib:", "[std::sort] [type:x] ");
}

static void case_matters_where_a_term_says_so(void **state)
{
    (void)state;
    assert_terms("case:Draw, Draw", "[Draw] [draw] ");
    assert_terms("-CASE:Lib:Qt, case:/^Q[A-Z]/", "-lib:[Qt] [^Q[A-Z]]* ");
    assert_terms("\\case:Draw, case:\\name:A", "[case:draw] [name:A] ");
}

static void terms_between_slashes_are_expressions(void **state)
{
    (void)state;
    assert_terms("/^std::/", "[^std::]* ");
    assert_terms("-lib:/libc/, x", "-lib:[libc]* [x] ");
    assert_terms("/usr/lib/.*/", "[usr/lib/.*]* ");
    assert_terms("/a{2,3}b\\,c/, d", "[a{2,3}b,c]* [d] ");
    assert_terms("/a\\\\/, /b\\//", "[a\\\\]* [b\\/]* ");
    assert_terms("/usr/lib, foo", "[/usr/lib] [foo] ");
    assert_terms("//, /", "[//] [/] ");
    assert_terms("https://x/, a/b/", "[https://x/] [a/b/] ");
}

static void a_backslash_takes_the_meaning_from_what_follows(void **state)
{
    (void)state;
    assert_terms("\\-x, \\/x/, \\lib:x, -\\-x", "[-x] [/x/] [lib:x] -[-x] ");
    assert_terms("C:\\dir, \\d, a\\-b, x\\", "[c:\\dir] [\\d] [a\\-b] [x\\] ");
    assert_terms("a\\\\,b", "[a\\] [b] ");
}

static void what_is_wrong_with_an_expression_is_said(void **state)
{
    (void)state;
    assert_refused("ok, /a(/", "'/a(/': byte 3 of the expression: something to match is missing here");
    assert_refused("-lib:/A*?/", "'-lib:/A*?/': byte 3 of the expression: this repeats what is repeated already");
    assert_refused("/a/,/b/,/c/,/d/,/e/,/f/,thread:/g/,/h/,/i/", "a search has at most 8 regular expressions");
}

/* ---- samples ---- */

static void assert_found(const char *samples, const char *search, const char *expected)
{
    struct error error = {0};
    struct profile profile;
    struct view whole;
    struct thread_index thread = {0};
    struct query query = query_default();
    text_profile(&profile, samples);
    assert_int_equal(view_open(&profile, &whole, &error), 0);
    query.threads = &thread;
    query.thread_count = 1;
    query.search = slice_of(search);
    assert_tree_text(&whole, &query, expected);
    view_free(&whole);
    profile_free(&profile);
}

static const char *const samples = "main[lib:app]  main[lib:app]     main[lib:app]      poll[cat:Idle]\n"
                                   "draw[lib:app]  draw[lib:app]     malloc[lib:libc]\n"
                                   "fill[lib:gfx]  malloc[lib:libc]\n";

static void samples_have_all_that_is_wanted_and_nothing_that_is_excluded(void **state)
{
    (void)state;
    assert_found(samples, "draw, malloc", "main (1 | 0)\n  draw (1 | 0)\n    malloc (1 | 1)\n");
    assert_found(samples, "draw, -malloc", "main (1 | 0)\n  draw (1 | 0)\n    fill (1 | 1)\n");
    assert_found(samples, "-main", "poll (1 | 1)\n");
    assert_found(samples, "-lib:libc, -cat:idle", "main (1 | 0)\n  draw (1 | 0)\n    fill (1 | 1)\n");
    assert_found(samples, "lib:/^(gfx|xyz)$/", "main (1 | 0)\n  draw (1 | 0)\n    fill (1 | 1)\n");
    assert_found(samples, "lib:draw", "");
    assert_found(samples, "cat:Idle", "poll (1 | 1)\n");
}

static void samples_are_found_by_case_where_a_term_says_so(void **state)
{
    (void)state;
    assert_found("Draw  draw\n", "case:Draw", "Draw (1 | 1)\n");
    assert_found("Draw  draw\n", "-case:/^D/", "draw (1 | 1)\n");
    assert_found("Draw  draw\n", "DRAW", "Draw (1 | 1)\ndraw (1 | 1)\n");
    assert_found(samples, "thread:x, case:main", "");
}

static void many_terms_are_looked_for_in_several_passes(void **state)
{
    (void)state;
    char search[400] = "-nothing";
    for (int i = 0; i < 40; i++)
        strcat(search, ",main");
    strcat(search, ",-malloc");
    assert_found(samples, search, "main (1 | 0)\n  draw (1 | 0)\n    fill (1 | 1)\n");
}

static void threads_are_left_out_by_their_names(void **state)
{
    (void)state;
    struct error error = {0};
    struct profile profile;
    struct view whole;
    static const char *const names[] = {"Renderer", "Worker 1", "Worker 2"};
    static const char *const drawn[] = {"A\n", "B\n", "C\n"};
    struct thread_index threads[] = {{0}, {1}, {2}};
    struct query query = query_default();
    text_profile_open(&profile);
    for (size_t i = 0; i < 3; i++)
        text_profile_add_thread(&profile, drawn[i])->name = string_table_add(&profile.strings, slice_of(names[i]));
    assert_int_equal(profile_finish(&profile, &error), 0);
    assert_int_equal(view_open(&profile, &whole, &error), 0);
    query.threads = threads;
    query.thread_count = 3;
    query.search = SLICE("thread:worker");
    assert_tree_text(&whole, &query, "B (1 | 1)\nC (1 | 1)\n");
    query.search = SLICE("thread:worker, -thread:/1$/");
    assert_tree_text(&whole, &query, "C (1 | 1)\n");
    query.search = SLICE("-thread:worker, -a");
    assert_tree_text(&whole, &query, "");
    view_free(&whole);
    profile_free(&profile);
}

/* ---- functions ---- */

static void assert_funcs(const char *search, const char *marked, const char *chosen)
{
    struct error error = {0};
    struct profile profile;
    struct view whole;
    char text[2][100] = {"", ""};
    text_profile(&profile, samples);
    assert_int_equal(view_open(&profile, &whole, &error), 0);
    uint8_t found[2][20];
    assert_true(whole.funcs->count <= 20);
    assert_int_equal(func_search_mark(whole.funcs, slice_of(search), found[0], NULL, &error), 0);
    assert_int_equal(func_search_choose(whole.funcs, slice_of(search), found[1], &error), 0);
    for (int k = 0; k < 2; k++)
        for (uint32_t func = 0; func < whole.funcs->own_count; func++)
            if (found[k][func]) {
                struct slice name = func_list_name(whole.funcs, func);
                strncat(text[k], name.text, name.length);
                strcat(text[k], " ");
            }
    assert_string_equal(text[0], marked);
    assert_string_equal(text[1], chosen);
    view_free(&whole);
    profile_free(&profile);
}

static void functions_have_any_of_the_terms(void **state)
{
    (void)state;
    assert_funcs("draw, libc", "draw malloc ", "draw malloc ");
    assert_funcs("lib:app, -main", "main draw ", "draw ");
    assert_funcs("-lib:app", "", "fill malloc poll ");
}

/* ---- transforms ---- */

static void samples_that_match_are_kept_or_dropped(void **state)
{
    (void)state;
    static const char *const drawn = "A  A  C\nB  C\n";
    assert_transformed(drawn, "keep-matching:a,-c", "A (1 | 0)\n  B (1 | 1)\n");
    assert_transformed(drawn, "drop-matching:a,-c", "A (1 | 0)\n  C (1 | 1)\nC (1 | 1)\n");
}

static void functions_that_match_are_merged_or_collapsed(void **state)
{
    (void)state;
    static const char *const drawn = "A   A   B1\nB1  B2  C\nC   B1\n    C\n";
    assert_transformed(drawn, "merge-matching:/^b[12]$/", "A (2 | 0)\n  C (2 | 2)\nC (1 | 1)\n");
    assert_transformed(drawn, "merge-matching:b,-b2", "A (2 | 0)\n  C (1 | 1)\n  B2 (1 | 0)\n    C (1 | 1)\nC (1 | 1)\n");
    assert_transformed(drawn, "collapse-matching:b", "A (2 | 0)\n  B1 (1 | 1)\n  B2 (1 | 1)\nB1 (1 | 1)\n");
}

/* ---- memory ---- */

static int search_and_free(void *data, struct error *error)
{
    const struct view *whole = data;
    struct view view;
    uint8_t chosen[20];
    int status = filter_search(whole, SLICE("a, -/b+/, thread:-x"), &view, error);
    view_free(&view);
    return status == 0 ? func_search_choose(whole->funcs, SLICE("/a/"), chosen, error) : status;
}

static void too_little_memory_is_an_error(void **state)
{
    (void)state;
    struct error error = {0};
    struct profile profile;
    struct view whole;
    text_profile(&profile, samples);
    assert_int_equal(view_open(&profile, &whole, &error), 0);
    assert_true(assert_survives_failing_allocations(search_and_free, &whole) > 5);
    view_free(&whole);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_are_separated_by_commas),
        cmocka_unit_test(terms_can_exclude_and_name_a_field),
        cmocka_unit_test(case_matters_where_a_term_says_so),
        cmocka_unit_test(terms_between_slashes_are_expressions),
        cmocka_unit_test(a_backslash_takes_the_meaning_from_what_follows),
        cmocka_unit_test(what_is_wrong_with_an_expression_is_said),
        cmocka_unit_test(samples_have_all_that_is_wanted_and_nothing_that_is_excluded),
        cmocka_unit_test(samples_are_found_by_case_where_a_term_says_so),
        cmocka_unit_test(many_terms_are_looked_for_in_several_passes),
        cmocka_unit_test(threads_are_left_out_by_their_names),
        cmocka_unit_test(functions_have_any_of_the_terms),
        cmocka_unit_test(samples_that_match_are_kept_or_dropped),
        cmocka_unit_test(functions_that_match_are_merged_or_collapsed),
        cmocka_unit_test(too_little_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
