/* Samples per address of a function: its own code, code inlined into it, and code of it that was inlined elsewhere. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/failing_alloc.h"
#include "support/text_profile.h"
#include "tree/address_timings.h"
#include "tree/query.h"
#include "tree/transform_text.h"

/* Two samples in mix, which is inlined into draw, at one address; one in draw itself; one in blend, which
 * is inlined at another address. */
static const char samples[] =
    "main[lib:L][address:14][sym:main:10:10]         main[lib:L][address:14][sym:main:10:10]         "
    "main[lib:L][address:14][sym:main:10:10]         main[lib:L][address:14][sym:main:10:10]\n"
    "draw[lib:L][address:24][sym:draw:20:10]         draw[lib:L][address:24][sym:draw:20:10]         "
    "draw[lib:L][address:28][sym:draw:20:10]         draw[lib:L][address:2c][sym:draw:20:10]\n"
    "mix[lib:L][address:24][inl:1][sym:draw:20:10]   mix[lib:L][address:24][inl:1][sym:draw:20:10]   "
    "                                                blend[lib:L][address:2c][inl:1][sym:draw:20:10]\n";

/* "symbol address self total" of each row. */
static void assert_addresses(const char *text, const char *transform_text, const char *function, const char *expected)
{
    struct profile profile;
    struct view whole;
    struct answer answer;
    struct address_timings timings;
    struct transform transform;
    struct error error = {0};
    uint32_t func;
    char rows[1000] = "";
    static const struct thread_index thread = {0};
    text_profile(&profile, text);
    assert_int_equal(view_open(&profile, &whole, &error), 0);
    assert_int_equal(func_parse(whole.funcs, slice_of(function), &func, &error), 0);
    struct query query = query_default();
    query.threads = &thread;
    query.thread_count = 1;
    if (transform_text) {
        assert_int_equal(transform_parse(whole.funcs, slice_of(transform_text), query.implementation, &transform, &error), 0);
        query.transforms = &transform;
        query.transform_count = 1;
    }
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    assert_int_equal(address_timings_of_func(&answer.view, &answer.weights, func, &timings, &error), 0);
    for (size_t i = 0; i < timings.rows.count; i++) {
        const struct address_row *row = &timings.rows.items[i];
        struct native_symbol symbol = native_symbol_get(&profile.native_symbols, native_symbol_at(row->native_symbol));
        size_t length = strlen(rows);
        snprintf(rows + length, sizeof rows - length, "%s %" PRIx64 " %g %g\n", profile_text(&profile, symbol.name).text,
                 row->address, row->self, row->total);
    }
    if (timings.without_symbol > 0)
        snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%zu without\n", timings.without_symbol);
    assert_string_equal(rows, expected);
    address_timings_free(&timings);
    answer_free(&answer);
    if (transform_text)
        transform_free(&transform);
    view_free(&whole);
    profile_free(&profile);
}

static void what_was_inlined_into_a_function_is_code_of_it(void **state)
{
    (void)state;
    assert_addresses(samples, NULL, "draw", "draw 24 2 2\ndraw 28 1 1\ndraw 2c 1 1\n");
}

static void an_inlined_function_has_the_addresses_of_its_caller_that_it_is_at(void **state)
{
    (void)state;
    assert_addresses(samples, NULL, "mix", "draw 24 2 2\n");
    assert_addresses(samples, NULL, "blend", "draw 2c 1 1\n");
}

static void a_caller_has_a_total_and_no_self(void **state)
{
    (void)state;
    assert_addresses(samples, NULL, "main", "main 14 0 4\n");
}

static void recursion_counts_once(void **state)
{
    (void)state;
    assert_addresses("f[lib:L][address:14][sym:f:10:10]  f[lib:L][address:14][sym:f:10:10]\n"
                     "f[lib:L][address:14][sym:f:10:10]  f[lib:L][address:18][sym:f:10:10]\n",
                     NULL, "f", "f 14 1 2\nf 18 1 1\n");
}

/* The same function can be inlined into itself, and called, at one address of another. */
static void a_call_is_no_inlining(void **state)
{
    (void)state;
    assert_addresses("f[lib:L][address:14][sym:f:10:10]\n"
                     "g[lib:L][address:14][sym:f:10:10]\n",
                     NULL, "f", "f 14 0 1\n");
}

static void a_function_in_two_symbols_has_rows_of_both(void **state)
{
    (void)state;
    assert_addresses("f[lib:L][address:14][sym:f:10:10]       g[lib:L][address:30][sym:g:30:10]\n"
                     "                                        f[lib:L][address:30][inl:1][sym:g:30:10]\n",
                     NULL, "f", "f 14 1 1\ng 30 1 1\n");
}

static void frames_without_a_symbol_are_counted_apart(void **state)
{
    (void)state;
    assert_addresses("f[lib:L][address:14]\n", NULL, "f", "1 without\n");
}

static void samples_that_are_filtered_do_not_count(void **state)
{
    (void)state;
    assert_addresses(samples, "drop-function:mix", "draw", "draw 28 1 1\ndraw 2c 1 1\n");
    assert_addresses(samples, "merge-function:mix", "draw", "draw 24 2 2\ndraw 28 1 1\ndraw 2c 1 1\n");
}

static int attempt(void *data, struct error *error)
{
    const struct answer *answer = data;
    struct address_timings timings;
    int status = address_timings_of_func(&answer->view, &answer->weights, 1, &timings, error);
    address_timings_free(&timings);
    return status;
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    struct profile profile;
    struct view whole;
    struct answer answer;
    struct error error = {0};
    static const struct thread_index thread = {0};
    struct query query = query_default();
    query.threads = &thread;
    query.thread_count = 1;
    text_profile(&profile, samples);
    assert_int_equal(view_open(&profile, &whole, &error), 0);
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    assert_true(assert_survives_failing_allocations(attempt, &answer) > 3);
    answer_free(&answer);
    view_free(&whole);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_inlined_into_a_function_is_code_of_it),
        cmocka_unit_test(an_inlined_function_has_the_addresses_of_its_caller_that_it_is_at),
        cmocka_unit_test(a_caller_has_a_total_and_no_self),
        cmocka_unit_test(recursion_counts_once),
        cmocka_unit_test(a_call_is_no_inlining),
        cmocka_unit_test(a_function_in_two_symbols_has_rows_of_both),
        cmocka_unit_test(frames_without_a_symbol_are_counted_apart),
        cmocka_unit_test(samples_that_are_filtered_do_not_count),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests_name("tree/address_timings", tests, NULL, NULL);
}
