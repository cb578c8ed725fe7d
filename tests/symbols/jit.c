/* What compilers write down of code that they make while a program runs. The corpus of the fuzzers has the same, and worse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbols/jit.h"
#include "symbols/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/failing_alloc.h"

/* The name at an address of a map, or NULL. */
static const char *name_at(const char *map, uint64_t address)
{
    static char name[100];
    struct jit_code code = {0};
    struct error error = {0};
    uint32_t found;
    assert_true(perf_map_read(slice_of(map), &code));
    assert_int_equal(jit_code_find(&code, &address, 1, &found, &error), 0);
    if (found != UINT32_MAX)
        snprintf(name, sizeof name, "%.*s", (int)code.functions.items[found].name.length,
                 code.functions.items[found].name.text);
    jit_code_free(&code);
    return found == UINT32_MAX ? NULL : name;
}

static void a_function_reaches_from_its_start_to_before_its_end(void **state)
{
    (void)state;
    const char *map = "1000 10 draw\n";
    assert_null(name_at(map, 0xfff));
    assert_string_equal(name_at(map, 0x1000), "draw");
    assert_string_equal(name_at(map, 0x100f), "draw");
    assert_null(name_at(map, 0x1010));
}

static void numbers_may_begin_with_0x_and_names_may_have_blanks(void **state)
{
    (void)state;
    assert_string_equal(name_at("0x1000 0X10 LazyCompile:~draw /app/a.js:3:7\r\n", 0x1008), "LazyCompile:~draw /app/a.js:3:7");
    assert_string_equal(name_at("1000 10 the last line has no end", 0x1008), "the last line has no end");
}

static void of_functions_at_one_place_the_last_one_is_there(void **state)
{
    (void)state;
    const char *map = "1000 100 old\n1010 10 new\n1018 40 newest\n";
    assert_string_equal(name_at(map, 0x1004), "old");
    assert_string_equal(name_at(map, 0x1010), "new");
    assert_string_equal(name_at(map, 0x1018), "newest");
    assert_string_equal(name_at(map, 0x1060), "old");
}

static void what_is_no_line_is_passed_over(void **state)
{
    (void)state;
    assert_string_equal(name_at("\n1000\n1000 10\n1000 10 \nxyz 10 a\n11111111111111111 1 b\n1000 10 draw\n", 0x1000), "draw");
    assert_null(name_at("ffffffffffffffff 10 at the end of memory\n", 0x5));
}

static void a_file_that_is_not_there_is_said_to_be_missing(void **state)
{
    (void)state;
    struct symbol_search search = {0};
    uint64_t address = 0x1000;
    struct symbol_request request = {
        .path = SLICE("/nowhere/perf-1.map"), .name = SLICE("perf-1.map"), .addresses = &address, .address_count = 1};
    struct symbol_answers answers = {0};
    struct symbol_outcome outcome;
    struct error error = {0};
    assert_int_equal(module_symbols(&search, &request, &answers, &outcome, &error), 0);
    assert_int_equal(outcome.status, SYMBOLS_NO_FILE);
    assert_int_equal(answers.rows.count, 0);
}

/* ---- whole files ---- */

static int ask(void *data, struct error *error)
{
    static const uint64_t addresses[] = {0x1004, 0x1014, 0x1044, 0x2014, 0x3010};
    const char *path = data;
    const char *name = strrchr(path, '/') + 1;
    struct symbol_search search = {0};
    struct symbol_request request = {
        .path = slice_of(path), .name = slice_of(name), .addresses = addresses, .address_count = 5};
    struct symbol_answers answers = {0};
    struct symbol_outcome outcome;
    int result = module_symbols(&search, &request, &answers, &outcome, error);
    if (result == 0) {
        static const char *const names[] = {"draw", "draw", "blend()", "draw", "JS:~f"};
        static const uint32_t lines[] = {3, 4, 0, 4, 9};
        assert_int_equal(outcome.status, SYMBOLS_FULL);
        assert_int_equal(answers.rows.count, 5);
        for (size_t i = 0; i < 5; i++) {
            const struct symbol_answer *row = &answers.rows.items[i];
            assert_int_equal(row->address, addresses[i]);
            assert_true(slice_equal(symbol_text(&answers, row->symbol), slice_of(names[i])));
            assert_int_equal(row->outer.line, lines[i]);
        }
        assert_true(slice_is(symbol_text(&answers, answers.rows.items[3].outer.file), "/app/scene.js"));
    }
    symbol_answers_free(&answers);
    return result;
}

/* The known input of the fuzzer, under a name that a jitdump has. */
static void with_dump(const char *input, void (*then)(const char *path))
{
    char folder[] = "/tmp/sonde-jit-XXXXXX", path[100], command[1000];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/jit-1.dump", folder);
    snprintf(command, sizeof command, "cp '%s/%s' '%s'", CORPUS, input, path);
    assert_int_equal(system(command), 0);
    then(path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void ask_until_it_works(const char *path)
{
    assert_true(assert_survives_failing_allocations(ask, (void *)(uintptr_t)path) > 5);
}

static void a_jitdump_has_functions_where_they_moved_and_their_lines(void **state)
{
    (void)state;
    with_dump("all-records", ask_until_it_works);
}

static void expect_damage(const char *path)
{
    uint64_t address = 0x1000;
    struct symbol_search search = {0};
    struct symbol_request request = {
        .path = slice_of(path), .name = SLICE("jit-1.dump"), .addresses = &address, .address_count = 1};
    struct symbol_answers answers = {0};
    struct symbol_outcome outcome;
    struct error error = {0};
    assert_int_equal(module_symbols(&search, &request, &answers, &outcome, &error), 0);
    assert_int_equal(outcome.status, SYMBOLS_DAMAGED);
    assert_non_null(strstr(outcome.detail, "byte order"));
}

static void a_jitdump_of_another_byte_order_is_said_to_be_one(void **state)
{
    (void)state;
    with_dump("other-byte-order", expect_damage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_reaches_from_its_start_to_before_its_end),
        cmocka_unit_test(numbers_may_begin_with_0x_and_names_may_have_blanks),
        cmocka_unit_test(of_functions_at_one_place_the_last_one_is_there),
        cmocka_unit_test(what_is_no_line_is_passed_over),
        cmocka_unit_test(a_file_that_is_not_there_is_said_to_be_missing),
        cmocka_unit_test(a_jitdump_has_functions_where_they_moved_and_their_lines),
        cmocka_unit_test(a_jitdump_of_another_byte_order_is_said_to_be_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
