/* The symbols of one program, from every kind of file they can be in (variants.sh builds them): the answer is always the same.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/failing_alloc.h"
#include "symbols/elf_file.h"
#include "symbols/module.h"

#define AREA "_ZN6shapes4areaERKNS_3boxEi"
#define TOTAL "_ZN6shapes5totalIlEET_RKSt6vectorINS_3boxESaIS3_EES1_"
#define HIDDEN "_ZN6shapesL6hiddenERKSt6vectorINS_3boxESaIS1_EE"

/* Each function that is looked at, and how many of its bytes. */
static const char *const functions[] = {AREA, TOTAL, HIDDEN, "main"};
enum { FUNCTIONS = 4, OFFSETS = 24 };

static const char *path_of(const char *variant, const char *file)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, VARIANTS "/%s/%s", variant, file);
    return path;
}

static void skip_without(const char *variant, const char *file)
{
    if (access(path_of(variant, file), R_OK) != 0) {
        print_message("the tools to build %s/%s are not here\n", variant, file);
        skip();
    }
}

/* ---- asking ---- */

struct asked {
    uint64_t start[FUNCTIONS]; /* relative addresses of the functions */
    struct symbol_answers answers;
    struct symbol_outcome outcome;
};

/* Where the functions are in a variant; `link` is the one that was linked, which nm listed. */
static void find_functions(const char *link, uint64_t start[FUNCTIONS])
{
    FILE *list = fopen(path_of(link, "shapes.addresses"), "r");
    char name[200];
    unsigned long address;
    uint64_t base = strcmp(link, "fixed") == 0 ? 0x400000 : 0;
    assert_non_null(list);
    memset(start, 0, FUNCTIONS * sizeof *start);
    while (fscanf(list, "%199s %lx", name, &address) == 2)
        for (size_t i = 0; i < FUNCTIONS; i++)
            if (strcmp(name, functions[i]) == 0)
                start[i] = address - base;
    fclose(list);
    for (size_t i = 0; i < FUNCTIONS; i++)
        assert_true(start[i] > 0);
}

static int compare_addresses(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int ask_path(const struct symbol_search *search, const char *path, struct slice build_id, struct asked *asked,
                    struct error *error)
{
    uint64_t addresses[FUNCTIONS * OFFSETS];
    for (size_t i = 0; i < FUNCTIONS * OFFSETS; i++)
        addresses[i] = asked->start[i / OFFSETS] + i % OFFSETS;
    qsort(addresses, FUNCTIONS * OFFSETS, sizeof *addresses, compare_addresses);
    struct symbol_request request = {
        .path = slice_of(path),
        .name = SLICE("shapes"),
        .build_id = build_id,
        .addresses = addresses,
        .address_count = FUNCTIONS * OFFSETS,
    };
    return module_symbols(search, &request, &asked->answers, &asked->outcome, error);
}

static void ask(const struct symbol_search *search, const char *variant, const char *link, struct asked *asked)
{
    struct error error = {0};
    memset(asked, 0, sizeof *asked);
    find_functions(link, asked->start);
    assert_int_equal(ask_path(search, path_of(variant, "shapes"), SLICE(""), asked, &error), 0);
}

/* The build id of the program, as a recording has it. */
static struct slice recorded_build_id(char bytes[64])
{
    struct elf_file *file;
    struct error error = {0};
    assert_int_equal(elf_file_open(NULL, path_of("plain", "shapes"), &file, &error), 0);
    struct slice id = elf_file_build_id(file);
    assert_int_equal(id.length, 20);
    memcpy(bytes, id.text, id.length);
    elf_file_close(file);
    return (struct slice){bytes, 20};
}

/* ---- comparing ---- */

static const struct symbol_answer *row_of(const struct asked *asked, size_t function, size_t offset)
{
    return symbol_answers_find(&asked->answers, asked->start[function] + offset);
}

static void assert_same_text(const struct asked *a, struct string_index x, const struct asked *b, struct string_index y)
{
    char one[500], other[500];
    struct slice first = symbol_text(&a->answers, x), second = symbol_text(&b->answers, y);
    snprintf(one, sizeof one, "%.*s", (int)first.length, first.text);
    snprintf(other, sizeof other, "%.*s", (int)second.length, second.text);
    assert_string_equal(one, other);
    assert_int_equal(string_exists(x), string_exists(y));
}

static void assert_same_call(const struct asked *a, const struct symbol_call *x, const struct asked *b,
                             const struct symbol_call *y, bool lines)
{
    assert_same_text(a, x->function, b, y->function);
    if (!lines)
        return;
    assert_same_text(a, x->file, b, y->file);
    assert_int_equal(x->line, y->line);
}

static void assert_same_rows(const struct asked *a, const struct asked *b, size_t function, bool lines)
{
    for (size_t offset = 0; offset < OFFSETS; offset++) {
        const struct symbol_answer *x = row_of(a, function, offset), *y = row_of(b, function, offset);
        assert_non_null(x);
        assert_non_null(y);
        assert_int_equal(x->symbol_start - a->start[function], y->symbol_start - b->start[function]);
        assert_int_equal(x->symbol_size, y->symbol_size);
        assert_same_text(a, x->symbol, b, y->symbol);
        assert_same_text(a, x->mangled, b, y->mangled);
        assert_same_call(a, &x->outer, b, &y->outer, lines);
        if (!lines)
            continue;
        assert_int_equal(x->inline_count, y->inline_count);
        for (uint32_t i = 0; i < x->inline_count; i++)
            assert_same_call(a, &a->answers.inlines.items[x->first_inline + i], b,
                             &b->answers.inlines.items[y->first_inline + i], true);
    }
}

static void assert_same_as_plain(const struct symbol_search *search, const char *variant, const char *link,
                                 enum symbol_status status)
{
    struct asked plain, asked;
    ask(&(struct symbol_search){0}, "plain", "plain", &plain);
    ask(search, variant, link, &asked);
    assert_string_equal(asked.outcome.detail, "");
    assert_int_equal(asked.outcome.status, status);
    for (size_t i = 0; i < FUNCTIONS; i++)
        assert_same_rows(&plain, &asked, i, status == SYMBOLS_FULL);
    symbol_answers_free(&plain.answers);
    symbol_answers_free(&asked.answers);
}

static void assert_full(const char *variant, const char *link)
{
    skip_without(variant, "shapes");
    assert_same_as_plain(&(struct symbol_search){0}, variant, link, SYMBOLS_FULL);
}

static bool text_is(const struct asked *asked, struct string_index index, const char *text)
{
    return slice_equal(symbol_text(&asked->answers, index), slice_of(text));
}

/* ---- where the symbols are ---- */

static void a_program_has_names_as_they_were_written_and_as_they_are_in_the_file(void **state)
{
    (void)state;
    struct asked asked;
    ask(&(struct symbol_search){0}, "plain", "plain", &asked);
    const struct symbol_answer *row = row_of(&asked, 0, 5);
    assert_true(text_is(&asked, row->symbol, "shapes::area(shapes::box const&, int)"));
    assert_true(text_is(&asked, row->mangled, AREA));
    assert_true(text_is(&asked, row->outer.function, "shapes::area(shapes::box const&, int)"));
    assert_int_equal(row->symbol_start, asked.start[0]);
    row = row_of(&asked, 2, 0);
    assert_non_null(strstr(symbol_text(&asked.answers, row->symbol).text, "shapes::hidden("));
    row = row_of(&asked, 3, 0);
    assert_true(text_is(&asked, row->symbol, "main"));
    assert_true(string_same(row->symbol, row->mangled));
    symbol_answers_free(&asked.answers);
}

static void a_program_has_files_lines_and_inlined_calls(void **state)
{
    (void)state;
    struct asked asked;
    size_t inlined = 0;
    ask(&(struct symbol_search){0}, "plain", "plain", &asked);
    assert_int_equal(asked.outcome.status, SYMBOLS_FULL);
    for (size_t offset = 0; offset < OFFSETS; offset++) {
        const struct symbol_answer *row = row_of(&asked, 0, offset);
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

static void a_stripped_program_has_the_names_it_exports(void **state)
{
    (void)state;
    struct asked plain, asked;
    ask(&(struct symbol_search){0}, "plain", "plain", &plain);
    ask(&(struct symbol_search){.debug_folder = "/nowhere"}, "exports", "plain", &asked);
    assert_int_equal(asked.outcome.status, SYMBOLS_EXPORTS_ONLY);
    assert_same_rows(&plain, &asked, 0, false);
    assert_same_rows(&plain, &asked, 1, false);
    assert_same_rows(&plain, &asked, 3, false);
    assert_null(row_of(&asked, 2, 0)); /* it is local */
    symbol_answers_free(&plain.answers);
    symbol_answers_free(&asked.answers);
}

static void the_debug_file_is_found_by_build_id(void **state)
{
    (void)state;
    struct symbol_search search = {.debug_folder = VARIANTS "/byid/debug"};
    assert_same_as_plain(&search, "byid", "plain", SYMBOLS_FULL);
}

static void the_debug_file_is_found_in_a_folder_of_the_user(void **state)
{
    (void)state;
    const char *const folders[] = {VARIANTS "/link", VARIANTS "/byid/debug"};
    struct symbol_search search = {.folders = folders, .folder_count = 2, .debug_folder = "/nowhere"};
    /* "shapes" in the first folder has no build id, so any recorded one tells it apart. */
    struct asked plain, asked = {0};
    struct error error = {0};
    char bytes[64];
    ask(&(struct symbol_search){0}, "plain", "plain", &plain);
    find_functions("plain", asked.start);
    assert_int_equal(ask_path(&search, path_of("byid", "shapes"), recorded_build_id(bytes), &asked, &error), 0);
    assert_int_equal(asked.outcome.status, SYMBOLS_FULL);
    for (size_t i = 0; i < FUNCTIONS; i++)
        assert_same_rows(&plain, &asked, i, true);
    symbol_answers_free(&plain.answers);
    symbol_answers_free(&asked.answers);
}

static void the_debug_file_is_enough(void **state)
{
    (void)state;
    struct symbol_search search = {.debug_folder = VARIANTS "/byid/debug"};
    struct asked plain, asked = {0};
    struct error error = {0};
    char bytes[64];
    ask(&(struct symbol_search){0}, "plain", "plain", &plain);
    find_functions("plain", asked.start);
    assert_int_equal(ask_path(&search, "/no/such/shapes", recorded_build_id(bytes), &asked, &error), 0);
    assert_int_equal(asked.outcome.status, SYMBOLS_FULL);
    for (size_t i = 0; i < FUNCTIONS; i++)
        assert_same_rows(&plain, &asked, i, true);
    symbol_answers_free(&plain.answers);
    symbol_answers_free(&asked.answers);
}

static void the_debug_file_is_found_by_its_link(void **state)
{
    (void)state;
    assert_full("link", "link");
}

static void mini_debug_information_has_the_local_names(void **state)
{
    (void)state;
    skip_without("mini", "shapes");
    assert_same_as_plain(&(struct symbol_search){.debug_folder = "/nowhere"}, "mini", "plain", SYMBOLS_NAMES_ONLY);
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

static void split_debug_information_is_found_where_it_was_compiled(void **state)
{
    (void)state;
    assert_full("split", "split");
}

static void split_debug_information_of_version_4_is_found_in_a_package(void **state)
{
    (void)state;
    skip_without("package4", "shapes.dwp");
    assert_full("package4", "package4");
}

static void split_debug_information_of_version_5_is_found_in_a_package(void **state)
{
    (void)state;
    skip_without("package5", "shapes.dwp");
    assert_full("package5", "package5");
}

static void debug_information_that_files_share_is_found(void **state)
{
    (void)state;
    assert_full("dwz", "plain");
}

/* ---- what is not used ---- */

static void another_build_is_refused_and_named(void **state)
{
    (void)state;
    struct asked asked = {0};
    struct error error = {0};
    char bytes[64];
    find_functions("plain", asked.start);
    struct symbol_search search = {.debug_folder = "/nowhere"};
    assert_int_equal(ask_path(&search, path_of("other", "shapes"), recorded_build_id(bytes), &asked, &error), 0);
    assert_int_equal(asked.outcome.status, SYMBOLS_OTHER_BUILD);
    assert_int_equal(asked.answers.rows.count, 0);
    assert_non_null(strstr(asked.outcome.detail, "other/shapes"));
    symbol_answers_free(&asked.answers);
}

static void half_a_build_id_is_enough_to_know_a_build(void **state)
{
    (void)state;
    struct asked asked = {0};
    struct error error = {0};
    char bytes[64];
    find_functions("plain", asked.start);
    struct slice half = slice_until(recorded_build_id(bytes), 16);
    assert_int_equal(ask_path(&(struct symbol_search){0}, path_of("plain", "shapes"), half, &asked, &error), 0);
    assert_int_equal(asked.outcome.status, SYMBOLS_FULL);
    symbol_answers_free(&asked.answers);
    memset(&asked.answers, 0, sizeof asked.answers);
    bytes[15] ^= 1;
    assert_int_equal(ask_path(&(struct symbol_search){0}, path_of("plain", "shapes"), half, &asked, &error), 0);
    assert_int_equal(asked.outcome.status, SYMBOLS_OTHER_BUILD);
    symbol_answers_free(&asked.answers);
}

static void copy_file(const char *from, const char *to, size_t change_at)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    int c;
    assert_non_null(in);
    assert_non_null(out);
    for (size_t at = 0; (c = fgetc(in)) != EOF; at++)
        fputc(at == change_at ? c ^ 1 : c, out);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

static void a_linked_debug_file_with_another_checksum_is_refused(void **state)
{
    (void)state;
    char folder[] = "/tmp/sonde-symbols-XXXXXX", program[100], debug[100];
    assert_non_null(mkdtemp(folder));
    snprintf(program, sizeof program, "%s/shapes", folder);
    snprintf(debug, sizeof debug, "%s/shapes.dbg", folder);
    copy_file(path_of("link", "shapes"), program, SIZE_MAX);
    copy_file(path_of("link", "shapes.dbg"), debug, 9); /* a byte of the header that says nothing */
    struct asked asked = {0};
    struct error error = {0};
    find_functions("link", asked.start);
    assert_int_equal(ask_path(&(struct symbol_search){0}, program, SLICE(""), &asked, &error), 0);
    assert_int_equal(asked.outcome.status, SYMBOLS_EXPORTS_ONLY);
    assert_non_null(strstr(asked.outcome.detail, "shapes.dbg"));
    symbol_answers_free(&asked.answers);
    unlink(program);
    unlink(debug);
    rmdir(folder);
}

static void what_is_not_there_is_said_to_be_missing(void **state)
{
    (void)state;
    struct asked asked = {.start = {1000, 2000, 3000, 4000}};
    struct error error = {0};
    static const char *const paths[] = {"/no/such/file", "", "[heap]", "relative/file"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_int_equal(ask_path(&(struct symbol_search){0}, paths[i], SLICE(""), &asked, &error), 0);
        assert_int_equal(asked.outcome.status, SYMBOLS_NO_FILE);
        assert_int_equal(asked.answers.rows.count, 0);
    }
}

static void what_is_no_elf_file_is_said_to_be_damaged(void **state)
{
    (void)state;
    struct asked asked = {.start = {1000, 2000, 3000, 4000}};
    struct error error = {0};
    assert_int_equal(ask_path(&(struct symbol_search){0}, path_of("plain", "shapes.addresses"), SLICE(""), &asked, &error), 0);
    assert_int_equal(asked.outcome.status, SYMBOLS_DAMAGED);
    assert_non_null(strstr(asked.outcome.detail, "shapes.addresses"));
}

static void files_are_found_in_the_root_of_the_recorded_process(void **state)
{
    (void)state;
    struct symbol_search search = {.root = VARIANTS "/byid", .debug_folder = "/debug"};
    struct asked asked = {0};
    struct error error = {0};
    find_functions("plain", asked.start);
    assert_int_equal(ask_path(&search, "/shapes", SLICE(""), &asked, &error), 0);
    assert_int_equal(asked.outcome.status, SYMBOLS_FULL);
    symbol_answers_free(&asked.answers);
}

static int ask_all(void *data, struct error *error)
{
    struct asked asked = {0};
    memcpy(asked.start, data, sizeof asked.start);
    struct symbol_search search = {.debug_folder = VARIANTS "/byid/debug"};
    int result = ask_path(&search, VARIANTS "/byid/shapes", SLICE(""), &asked, error);
    symbol_answers_free(&asked.answers);
    return result;
}

static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    uint64_t start[FUNCTIONS];
    find_functions("plain", start);
    assert_true(assert_survives_failing_allocations(ask_all, start) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_has_names_as_they_were_written_and_as_they_are_in_the_file),
        cmocka_unit_test(a_program_has_files_lines_and_inlined_calls),
        cmocka_unit_test(a_stripped_program_has_the_names_it_exports),
        cmocka_unit_test(the_debug_file_is_found_by_build_id),
        cmocka_unit_test(the_debug_file_is_found_in_a_folder_of_the_user),
        cmocka_unit_test(the_debug_file_is_enough),
        cmocka_unit_test(the_debug_file_is_found_by_its_link),
        cmocka_unit_test(mini_debug_information_has_the_local_names),
        cmocka_unit_test(sections_packed_with_zlib_are_read),
        cmocka_unit_test(sections_packed_as_they_once_were_are_read),
        cmocka_unit_test(sections_packed_with_zstd_are_read),
        cmocka_unit_test(addresses_in_a_program_with_a_fixed_address_are_relative_too),
        cmocka_unit_test(split_debug_information_is_found_where_it_was_compiled),
        cmocka_unit_test(split_debug_information_of_version_4_is_found_in_a_package),
        cmocka_unit_test(split_debug_information_of_version_5_is_found_in_a_package),
        cmocka_unit_test(debug_information_that_files_share_is_found),
        cmocka_unit_test(another_build_is_refused_and_named),
        cmocka_unit_test(half_a_build_id_is_enough_to_know_a_build),
        cmocka_unit_test(a_linked_debug_file_with_another_checksum_is_refused),
        cmocka_unit_test(what_is_not_there_is_said_to_be_missing),
        cmocka_unit_test(what_is_no_elf_file_is_said_to_be_damaged),
        cmocka_unit_test(files_are_found_in_the_root_of_the_recorded_process),
        cmocka_unit_test(running_out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
