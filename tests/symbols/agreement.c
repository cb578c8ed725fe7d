/* The symbols of 10,000 random addresses of whole libraries and programs, held against what llvm-symbolizer says.
 *
 * Where both know a function, they may call it by different names: several symbols can stand at the same place, and a debug
 * file knows of parts (`parse.cold`) that the module's own table does not. Anything else that differs fails the test. */
#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/text_buffer.h"
#include "symbols/debug_file.h"
#include "symbols/demangle.h"
#include "symbols/unnamed_functions.h"
#include "symbols/variant.h"

enum { ADDRESSES = 10000, MOST_CALLS = 64 };

/* What llvm-symbolizer says of one address: calls, innermost first. */
struct peer_call {
    char name[5000], file[5000];
    unsigned line;
};

struct comparison {
    struct module_files files;
    struct symbol_answers answers;
    uint64_t addresses[ADDRESSES];
    size_t count;
    size_t other_names, parts, only_here, without_file, repeated, operators; /* differences that have a reason */
};

/* ---- addresses ---- */

static int compare_addresses(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* So many different ones. */
static void choose_addresses(struct comparison *comparison)
{
    const struct elf_section *code = elf_file_section_named(comparison->files.file, ".text");
    uint64_t random = 88172645463325252u;
    assert_non_null(code);
    assert_true(code->size > 2 * ADDRESSES);
    while (comparison->count < ADDRESSES) {
        for (size_t i = comparison->count; i < ADDRESSES; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            comparison->addresses[i] = code->address + random % code->size;
        }
        qsort(comparison->addresses, ADDRESSES, sizeof *comparison->addresses, compare_addresses);
        comparison->count = 0;
        for (size_t i = 0; i < ADDRESSES; i++)
            if (i == 0 || comparison->addresses[i] != comparison->addresses[i - 1])
                comparison->addresses[comparison->count++] = comparison->addresses[i];
    }
}

/* ---- the other one ---- */

static FILE *ask_peer(const struct comparison *comparison, const char *path, char list[])
{
    char command[2 * PATH_MAX];
    int fd = mkstemp(list);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "w");
    for (size_t i = 0; i < comparison->count; i++)
        fprintf(out, "0x%llx\n", (unsigned long long)comparison->addresses[i]);
    assert_int_equal(fclose(out), 0);
    snprintf(command, sizeof command, "llvm-symbolizer --no-demangle --inlines --obj='%s' <%s", path, list);
    FILE *answer = popen(command, "r");
    assert_non_null(answer);
    return answer;
}

static bool read_line(FILE *in, char *line, size_t capacity)
{
    if (!fgets(line, (int)capacity, in))
        return false;
    line[strcspn(line, "\n")] = '\0';
    return *line != '\0';
}

static size_t read_peer(FILE *in, struct peer_call calls[MOST_CALLS])
{
    size_t count = 0;
    while (count < MOST_CALLS && read_line(in, calls[count].name, sizeof calls->name)) {
        assert_true(read_line(in, calls[count].file, sizeof calls->file));
        char *column = strrchr(calls[count].file, ':');
        assert_non_null(column);
        *column = '\0';
        char *line = strrchr(calls[count].file, ':');
        assert_non_null(line);
        *line = '\0';
        calls[count++].line = (unsigned)strtoul(line + 1, NULL, 10);
    }
    return count;
}

/* ---- the same? ---- */

/* Whether a table has a symbol of that name at that place. */
static bool has_symbol(const struct elf_file *file, const char *name, uint64_t start)
{
    for (size_t i = 0; file && i < elf_file_section_count(file); i++) {
        const struct elf_section *table = elf_file_section_at(file, i);
        if (table->type != SHT_SYMTAB && table->type != SHT_DYNSYM)
            continue;
        struct slice symbols = elf_file_raw(file, table);
        struct slice names = elf_file_raw(file, elf_file_section_at(file, table->link));
        for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.length; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            memcpy(&symbol, symbols.text + at, sizeof symbol);
            if (symbol.st_value == start && strcmp(names.text + symbol.st_name, name) == 0)
                return true;
        }
    }
    return false;
}

static bool any_has_symbol(const struct comparison *comparison, const char *name, uint64_t start)
{
    return has_symbol(comparison->files.file, name, start) || has_symbol(comparison->files.debug, name, start);
}

/* The function that is not inlined. */
static bool same_function(struct comparison *comparison, const struct symbol_answer *row, const char *peer)
{
    struct slice mangled = row ? symbol_text(&comparison->answers, row->mangled) : SLICE("");
    size_t length = strlen(peer);
    if (mangled.length == 0)
        return strcmp(peer, "??") == 0;
    if (slice_equal(mangled, slice_of(peer)))
        return true;
    if (strcmp(peer, "??") == 0) {
        char room[UNNAMED_FUNCTION_MAX];
        comparison->only_here++; /* it looks for symbols in the module, not in its debug file, nor in unwind tables */
        return slice_equal(mangled, unnamed_function_name(row->symbol_start, room)) ||
               any_has_symbol(comparison, mangled.text, row->symbol_start);
    }
    if (mangled.length > length && memcmp(mangled.text, peer, length) == 0 && mangled.text[length] == '.') {
        comparison->parts++;
        return true;
    }
    comparison->other_names++;
    return any_has_symbol(comparison, peer, row->symbol_start);
}

/* Inlined: as in the file, and readable. */
static bool same_inlined(struct comparison *comparison, const struct symbol_call *call, const char *peer)
{
    struct slice mangled = symbol_text(&comparison->answers, call->mangled);
    struct text_buffer readable = {0};
    if (strcmp(peer, "operator()") == 0 && slice_ends_with(mangled, SLICE("::operator()"))) {
        comparison->operators++; /* with what it is in: symbols/dwarf/lambdas.h */
        return true;
    }
    if (strcmp(peer, "??") == 0)
        return !string_exists(call->mangled);
    if (!demangle(slice_of(peer), &readable))
        text_add(&readable, slice_of(peer));
    bool same = slice_equal(mangled, slice_of(peer)) &&
                slice_equal(symbol_text(&comparison->answers, call->function), text_slice(&readable));
    text_free(&readable);
    return same;
}

/* A folder that is not absolute is repeated by llvm-symbolizer 14: ./libio/./libio/iofclose.c. */
static bool is_repeated(struct slice file, struct slice peer)
{
    size_t more = peer.length - file.length;
    return peer.length > file.length && slice_ends_with(peer, file) && peer.text[more - 1] == '/' && file.length > more &&
           memcmp(peer.text, file.text, more) == 0;
}

static bool same_file(struct comparison *comparison, struct slice file, struct slice peer)
{
    if (slice_equal(file, peer))
        return true;
    bool repeated = is_repeated(file, peer);
    comparison->repeated += repeated;
    return repeated;
}

static bool same_place(struct comparison *comparison, const struct symbol_call *call, const struct peer_call *peer)
{
    struct slice file = symbol_text(&comparison->answers, call->file);
    if (file.length == 0 && peer->line == 0) {
        comparison->without_file += strcmp(peer->file, "??") != 0; /* from a symbol that names a file */
        return call->line == 0;
    }
    return call->line == peer->line && same_file(comparison, file, slice_of(peer->file));
}

static bool same_calls(struct comparison *comparison, const struct symbol_answer *row, const struct peer_call *peer,
                       size_t count)
{
    if (!same_function(comparison, row, peer[count - 1].name))
        return false;
    if (!row)
        return count == 1 && peer->line == 0;
    if (row->inline_count + 1 != count || !same_place(comparison, &row->outer, &peer[count - 1]))
        return false;
    for (uint32_t i = 0; i < row->inline_count; i++) {
        const struct symbol_call *call = &comparison->answers.inlines.items[row->first_inline + i];
        if (!same_inlined(comparison, call, peer[i].name) || !same_place(comparison, call, &peer[i]))
            return false;
    }
    return true;
}

static void print_difference(const struct comparison *comparison, uint64_t address, const struct symbol_answer *row,
                             const struct peer_call *peer, size_t count)
{
    print_error("0x%llx, here:\n", (unsigned long long)address);
    for (uint32_t i = 0; row && i <= row->inline_count; i++) {
        const struct symbol_call *call =
            i < row->inline_count ? &comparison->answers.inlines.items[row->first_inline + i] : &row->outer;
        print_error("    %s  %s:%u\n", symbol_text(&comparison->answers, call->function).text,
                    symbol_text(&comparison->answers, call->file).text, call->line);
    }
    print_error("llvm-symbolizer:\n");
    for (size_t i = 0; i < count; i++)
        print_error("    %s  %s:%u\n", peer[i].name, peer[i].file, peer[i].line);
}

static void assert_agrees(const char *path)
{
    static struct comparison comparison;
    static struct peer_call peer[MOST_CALLS];
    char list[] = "/tmp/sonde-addresses-XXXXXX";
    struct symbol_search search = {0};
    struct symbol_request request = {.path = slice_of(path), .name = slice_of(path), .addresses = comparison.addresses};
    struct symbol_outcome outcome = {0};
    struct error error = {0};
    size_t different = 0;
    comparison = (struct comparison){0};
    if (system("command -v llvm-symbolizer >/dev/null") != 0) {
        print_message("there is no llvm-symbolizer\n");
        skip();
    }
    assert_int_equal(module_files_find(&search, &request, &comparison.files, &outcome, &error), 0);
    assert_int_equal(elf_file_image_base(comparison.files.file), 0);
    choose_addresses(&comparison);
    request.address_count = comparison.count;
    assert_int_equal(module_symbols(&search, &request, &comparison.answers, &outcome, &error), 0);
    FILE *answer = ask_peer(&comparison, path, list);
    for (size_t i = 0; i < comparison.count; i++) {
        const struct symbol_answer *row = symbol_answers_find(&comparison.answers, comparison.addresses[i]);
        size_t count = read_peer(answer, peer);
        assert_true(count > 0);
        bool same = same_calls(&comparison, row, peer, count);
        if (!same && different++ < 5)
            print_difference(&comparison, comparison.addresses[i], row, peer, count);
    }
    assert_int_equal(pclose(answer), 0);
    unlink(list);
    print_message("%s: %zu addresses; another name for the same symbol: %zu, part of a function: %zu, known only here: %zu, "
                  "file without a line: %zu, folders repeated: %zu, operator() with what it is in: %zu; different: %zu\n",
                  path, comparison.count, comparison.other_names, comparison.parts, comparison.only_here,
                  comparison.without_file, comparison.repeated, comparison.operators, different);
    symbol_answers_free(&comparison.answers);
    module_files_close(&comparison.files);
    assert_int_equal(different, 0);
}

/* ---- of what ---- */

static void assert_library_agrees(const char *name)
{
    char path[PATH_MAX];
    struct link_map *map = NULL;
    void *library = dlopen(name, RTLD_LAZY);
    if (!library) {
        print_message("there is no %s\n", name);
        skip();
    }
    assert_int_equal(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
    assert_non_null(realpath(map->l_name, path));
    assert_agrees(path);
    dlclose(library);
}

static void the_c_library_agrees(void **state)
{
    (void)state;
    assert_library_agrees("libc.so.6");
}

static void the_library_of_c_plus_plus_agrees(void **state)
{
    (void)state;
    assert_library_agrees("libstdc++.so.6");
}

static void a_program_of_c_plus_plus_agrees(void **state)
{
    (void)state;
    assert_agrees(variant_path("words", "words"));
}

static void a_program_of_rust_agrees(void **state)
{
    (void)state;
    variant_needed("rust", "words");
    assert_agrees(variant_path("rust", "words"));
}

static void a_program_of_rust_with_new_names_agrees(void **state)
{
    (void)state;
    variant_needed("rust", "words-v0");
    assert_agrees(variant_path("rust", "words-v0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_c_library_agrees),
        cmocka_unit_test(the_library_of_c_plus_plus_agrees),
        cmocka_unit_test(a_program_of_c_plus_plus_agrees),
        cmocka_unit_test(a_program_of_rust_agrees),
        cmocka_unit_test(a_program_of_rust_with_new_names_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
