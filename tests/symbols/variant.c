#include "symbols/variant.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/elf_file.h"

static const char *const functions[VARIANT_FUNCTIONS] = {AREA, TOTAL, HIDDEN, "main"};
enum { ADDRESSES = VARIANT_FUNCTIONS * VARIANT_OFFSETS };

const char *variant_path(const char *variant, const char *file)
{
    static char paths[4][PATH_MAX];
    static size_t next;
    char *path = paths[next++ % 4];
    snprintf(path, PATH_MAX, VARIANTS "/%s/%s", variant, file);
    return path;
}

void variant_needed(const char *variant, const char *file)
{
    if (access(variant_path(variant, file), R_OK) != 0) {
        print_message("the tools to build %s/%s are not here\n", variant, file);
        skip();
    }
}

void variant_functions(const char *link, uint64_t start[VARIANT_FUNCTIONS])
{
    FILE *list = fopen(variant_path(link, "shapes.addresses"), "r");
    char name[200];
    unsigned long address;
    uint64_t base = strcmp(link, "fixed") == 0 ? 0x400000 : 0;
    assert_non_null(list);
    memset(start, 0, VARIANT_FUNCTIONS * sizeof *start);
    while (fscanf(list, "%199s %lx", name, &address) == 2)
        for (size_t i = 0; i < VARIANT_FUNCTIONS; i++)
            if (strcmp(name, functions[i]) == 0)
                start[i] = address - base;
    fclose(list);
    for (size_t i = 0; i < VARIANT_FUNCTIONS; i++)
        assert_true(start[i] > 0);
}

struct slice variant_build_id(char bytes[64])
{
    struct elf_file *file;
    struct error error = {0};
    assert_int_equal(elf_file_open(NULL, variant_path("plain", "shapes"), &file, &error), 0);
    struct slice id = elf_file_build_id(file);
    assert_int_equal(id.length, 20);
    memcpy(bytes, id.text, id.length);
    elf_file_close(file);
    return (struct slice){bytes, 20};
}

/* ---- asking ---- */

static int compare_addresses(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

int variant_ask_path(const struct symbol_search *search, const char *path, struct slice build_id, struct asked *asked,
                     struct error *error)
{
    uint64_t addresses[ADDRESSES];
    for (size_t i = 0; i < ADDRESSES; i++)
        addresses[i] = asked->start[i / VARIANT_OFFSETS] + i % VARIANT_OFFSETS;
    qsort(addresses, ADDRESSES, sizeof *addresses, compare_addresses);
    struct symbol_request request = {
        .path = slice_of(path),
        .name = SLICE("shapes"),
        .build_id = build_id,
        .addresses = addresses,
        .address_count = ADDRESSES,
    };
    return module_symbols(search, &request, &asked->answers, &asked->outcome, error);
}

void variant_ask(const struct symbol_search *search, const char *path, struct slice build_id, const char *link,
                 struct asked *asked)
{
    struct error error = {0};
    memset(asked, 0, sizeof *asked);
    variant_functions(link, asked->start);
    assert_int_equal(variant_ask_path(search, path, build_id, asked, &error), 0);
}

const struct symbol_answer *variant_row(const struct asked *asked, size_t function, size_t offset)
{
    return symbol_answers_find(&asked->answers, asked->start[function] + offset);
}

/* ---- comparing ---- */

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

void variant_assert_same(const struct asked *a, const struct asked *b, size_t function, bool lines)
{
    for (size_t offset = 0; offset < VARIANT_OFFSETS; offset++) {
        const struct symbol_answer *x = variant_row(a, function, offset), *y = variant_row(b, function, offset);
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

void variant_assert_as_plain(const struct symbol_search *search, const char *path, struct slice build_id, const char *link,
                             enum symbol_status status)
{
    struct asked plain, asked;
    variant_ask(&(struct symbol_search){0}, variant_path("plain", "shapes"), SLICE(""), "plain", &plain);
    variant_ask(search, path, build_id, link, &asked);
    assert_string_equal(asked.outcome.detail, "");
    assert_int_equal(asked.outcome.status, status);
    for (size_t i = 0; i < VARIANT_FUNCTIONS; i++)
        variant_assert_same(&plain, &asked, i, status == SYMBOLS_FULL);
    symbol_answers_free(&plain.answers);
    symbol_answers_free(&asked.answers);
}
