/* The symbols of one program, from every kind of file they can be in (variants.sh builds them): the answer is always the same.
 */
#include "symbols/variant.h"

#include <stdio.h>
#include <string.h>

#include "support/failing_alloc.h"

static const struct symbol_search nowhere_else = {.debug_folder = "/nowhere"};

static void ask_plain(struct asked *asked)
{
    variant_ask(&nowhere_else, variant_path("plain", "shapes"), SLICE(""), "plain", asked);
}

static bool text_is(const struct asked *asked, struct string_index index, const char *text)
{
    return slice_equal(symbol_text(&asked->answers, index), slice_of(text));
}

static void assert_full(const char *variant, const char *link)
{
    variant_needed(variant, "shapes");
    variant_assert_as_plain(&nowhere_else, variant_path(variant, "shapes"), SLICE(""), link, SYMBOLS_FULL);
}

/* ---- what there is to know ---- */

static void a_program_has_names_as_they_were_written_and_as_they_are_in_the_file(void **state)
{
    (void)state;
    struct asked asked;
    ask_plain(&asked);
    const struct symbol_answer *row = variant_row(&asked, VARIANT_AREA, 5);
    assert_true(text_is(&asked, row->symbol, "shapes::area(shapes::box const&, int)"));
    assert_true(text_is(&asked, row->mangled, AREA));
    assert_true(text_is(&asked, row->outer.function, "shapes::area(shapes::box const&, int)"));
    assert_int_equal(row->symbol_start, asked.start[VARIANT_AREA]);
    row = variant_row(&asked, VARIANT_HIDDEN, 0);
    assert_non_null(strstr(symbol_text(&asked.answers, row->symbol).text, "shapes::hidden("));
    row = variant_row(&asked, VARIANT_MAIN, 0);
    assert_true(text_is(&asked, row->symbol, "main"));
    assert_true(string_same(row->symbol, row->mangled));
    symbol_answers_free(&asked.answers);
}

static void a_program_has_files_lines_and_inlined_calls(void **state)
{
    (void)state;
    struct asked asked;
    size_t inlined = 0;
    ask_plain(&asked);
    assert_int_equal(asked.outcome.status, SYMBOLS_FULL);
    for (size_t offset = 0; offset < VARIANT_OFFSETS; offset++) {
        const struct symbol_answer *row = variant_row(&asked, VARIANT_AREA, offset);
        assert_true(slice_ends_with(symbol_text(&asked.answers, row->outer.file), SLICE("shapes.cpp")));
        assert_true(row->outer.line > 0);
        const struct symbol_call *calls = asked.answers.inlines.items + row->first_inline;
        if (row->inline_count == 2) {
            assert_true(text_is(&asked, calls[0].function, "shapes::scaled(int, int)"));
            assert_true(text_is(&asked, calls[1].function, "shapes::area_of(shapes::box const&, int)"));
        }
        inlined += row->inline_count == 2;
    }
    assert_true(inlined > 0);
    symbol_answers_free(&asked.answers);
}

/* ---- where it can be ---- */

static void a_stripped_program_has_the_names_it_exports(void **state)
{
    (void)state;
    struct asked plain, asked;
    ask_plain(&plain);
    variant_ask(&nowhere_else, variant_path("exports", "shapes"), SLICE(""), "plain", &asked);
    assert_int_equal(asked.outcome.status, SYMBOLS_EXPORTS_ONLY);
    variant_assert_same(&plain, &asked, VARIANT_AREA, false);
    variant_assert_same(&plain, &asked, VARIANT_TOTAL, false);
    variant_assert_same(&plain, &asked, VARIANT_MAIN, false);
    symbol_answers_free(&plain.answers);
    symbol_answers_free(&asked.answers);
}

static void what_a_stripped_program_does_not_export_is_called_by_where_it_begins(void **state)
{
    (void)state;
    struct asked asked;
    char name[32];
    variant_ask(&nowhere_else, variant_path("exports", "shapes"), SLICE(""), "plain", &asked);
    snprintf(name, sizeof name, "fun_%llx", (unsigned long long)asked.start[VARIANT_HIDDEN]);
    for (size_t offset = 0; offset < VARIANT_OFFSETS; offset++) {
        const struct symbol_answer *row = variant_row(&asked, VARIANT_HIDDEN, offset);
        assert_non_null(row);
        assert_true(text_is(&asked, row->symbol, name));
        assert_int_equal(row->symbol_start, asked.start[VARIANT_HIDDEN]);
        assert_true(row->symbol_size >= VARIANT_OFFSETS);
    }
    symbol_answers_free(&asked.answers);
}

static void mini_debug_information_has_the_local_names(void **state)
{
    (void)state;
    variant_needed("mini", "shapes");
    variant_assert_as_plain(&nowhere_else, variant_path("mini", "shapes"), SLICE(""), "plain", SYMBOLS_NAMES_ONLY);
}

static void sections_packed_with_zlib_are_read(void **state)
{
    (void)state;
    assert_full("zlib", "plain");
}

static void sections_packed_as_they_once_were_are_read(void **state)
{
    (void)state;
    assert_full("gnu", "plain");
}

static void sections_packed_with_zstd_are_read(void **state)
{
    (void)state;
    assert_full("zstd", "plain");
}

static void addresses_in_a_program_with_a_fixed_address_are_relative_too(void **state)
{
    (void)state;
    assert_full("fixed", "fixed");
}

static void debug_information_without_symbols_has_names_too(void **state)
{
    (void)state;
    struct asked plain, asked;
    ask_plain(&plain);
    variant_ask(&nowhere_else, variant_path("unnamed", "shapes"), SLICE(""), "plain", &asked);
    assert_int_equal(asked.outcome.status, SYMBOLS_FULL);
    for (size_t offset = 0; offset < VARIANT_OFFSETS; offset++) {
        const struct symbol_answer *row = variant_row(&asked, VARIANT_AREA, offset);
        const struct symbol_answer *expected = variant_row(&plain, VARIANT_AREA, offset);
        assert_true(text_is(&asked, row->symbol, "shapes::area(shapes::box const&, int)"));
        assert_true(string_same(row->symbol, row->outer.function));
        assert_true(text_is(&asked, row->mangled, AREA));
        assert_int_equal(row->symbol_start, asked.start[VARIANT_AREA]);
        assert_int_equal(row->inline_count, expected->inline_count);
        assert_int_equal(row->outer.line, expected->outer.line);
    }
    symbol_answers_free(&plain.answers);
    symbol_answers_free(&asked.answers);
}

static void split_debug_information_is_found_where_it_was_compiled(void **state)
{
    (void)state;
    assert_full("split", "split");
}

static void split_debug_information_is_found_beside_a_program_that_was_moved(void **state)
{
    (void)state;
    assert_full("moved", "moved");
}

static void split_debug_information_of_version_4_is_found_in_a_package(void **state)
{
    (void)state;
    variant_needed("package4", "shapes.dwp");
    assert_full("package4", "package4");
}

static void split_debug_information_of_version_5_is_found_in_a_package(void **state)
{
    (void)state;
    variant_needed("package5", "shapes.dwp");
    assert_full("package5", "package5");
}

static void debug_information_that_files_share_is_found(void **state)
{
    (void)state;
    assert_full("dwz", "plain");
}

/* ---- too little memory ---- */

struct attempt {
    const char *variant, *debug_folder;
    uint64_t start[VARIANT_FUNCTIONS];
};

static int ask_all(void *data, struct error *error)
{
    const struct attempt *attempt = data;
    struct asked asked = {0};
    memcpy(asked.start, attempt->start, sizeof asked.start);
    struct symbol_search search = {.debug_folder = attempt->debug_folder};
    int result = variant_ask_path(&search, variant_path(attempt->variant, "shapes"), SLICE(""), &asked, error);
    symbol_answers_free(&asked.answers);
    return result;
}

static void assert_survives(const char *variant, const char *link, const char *debug_folder)
{
    struct attempt attempt = {variant, debug_folder, {0}};
    variant_needed(variant, "shapes");
    variant_functions(link, attempt.start);
    assert_true(assert_survives_failing_allocations(ask_all, &attempt) > 10);
}

static void running_out_of_memory_with_a_debug_file_is_an_error(void **state)
{
    (void)state;
    assert_survives("byid", "plain", VARIANTS "/byid/debug");
}

static void running_out_of_memory_while_unpacking_is_an_error(void **state)
{
    (void)state;
    assert_survives("mini", "plain", "/nowhere");
    assert_survives("zlib", "plain", "/nowhere");
    assert_survives("zstd", "plain", "/nowhere");
}

static void running_out_of_memory_with_split_debug_information_is_an_error(void **state)
{
    (void)state;
    assert_survives("split", "split", "/nowhere");
    assert_survives("package5", "package5", "/nowhere");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_has_names_as_they_were_written_and_as_they_are_in_the_file),
        cmocka_unit_test(a_program_has_files_lines_and_inlined_calls),
        cmocka_unit_test(a_stripped_program_has_the_names_it_exports),
        cmocka_unit_test(what_a_stripped_program_does_not_export_is_called_by_where_it_begins),
        cmocka_unit_test(mini_debug_information_has_the_local_names),
        cmocka_unit_test(sections_packed_with_zlib_are_read),
        cmocka_unit_test(sections_packed_as_they_once_were_are_read),
        cmocka_unit_test(sections_packed_with_zstd_are_read),
        cmocka_unit_test(addresses_in_a_program_with_a_fixed_address_are_relative_too),
        cmocka_unit_test(debug_information_without_symbols_has_names_too),
        cmocka_unit_test(split_debug_information_is_found_where_it_was_compiled),
        cmocka_unit_test(split_debug_information_is_found_beside_a_program_that_was_moved),
        cmocka_unit_test(split_debug_information_of_version_4_is_found_in_a_package),
        cmocka_unit_test(split_debug_information_of_version_5_is_found_in_a_package),
        cmocka_unit_test(debug_information_that_files_share_is_found),
        cmocka_unit_test(running_out_of_memory_with_a_debug_file_is_an_error),
        cmocka_unit_test(running_out_of_memory_while_unpacking_is_an_error),
        cmocka_unit_test(running_out_of_memory_with_split_debug_information_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
