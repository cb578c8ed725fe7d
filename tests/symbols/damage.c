/* Programs with damaged symbols and debug information: bytes changed at random, zeroed, or cut off, the same in every run. Each
 * costs names at most: no crash, no hang, no answer that makes no sense; and debug information that is damaged takes no name
 * away that the symbol table has. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/elf_file.h"
#include "symbols/variant.h"

enum { ADDRESSES_MOST = 2000, DEADLINE = 60, CHANGES = 14, CUTS = 40 };

struct victim {
    const char *module; /* is asked for, a copy of it */
    const char *other;  /* the file beside it that is damaged instead; NULL = none */
    char folder[32];
    char module_path[64], damaged_path[64];
    struct elf_file *file; /* the one that is damaged, undamaged */
    uint64_t addresses[ADDRESSES_MOST];
    size_t address_count;
    struct symbol_answers whole; /* what is known of them when nothing is damaged */
    size_t runs, with_other_lines;
};

static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* ---- deadline ---- */

static char running[200]; /* what is being tried, for the one who reads that it took too long */

static void too_long(int signal)
{
    (void)signal;
    static const char said[] = "took too long: ";
    if (write(STDERR_FILENO, said, sizeof said - 1) < 0 || write(STDERR_FILENO, running, strlen(running)) < 0)
        _exit(2);
    _exit(1);
}

/* ---- asking ---- */

static void ask(const struct victim *victim, struct symbol_answers *answers)
{
    struct symbol_search search = {.debug_folder = "/nowhere"};
    struct symbol_outcome outcome = {0};
    struct error error = {0};
    struct symbol_request request = {
        .path = slice_of(victim->module_path),
        .name = SLICE("program"),
        .addresses = victim->addresses,
        .address_count = victim->address_count,
    };
    alarm(DEADLINE);
    int result = module_symbols(&search, &request, answers, &outcome, &error);
    alarm(0);
    if (result != 0)
        fail_msg("%s: %s", running, error.message);
}

static void check_text(const struct symbol_answers *answers, struct string_index text)
{
    if (string_exists(text))
        assert_true(text.i < string_table_count(&answers->strings));
}

static void check_call(const struct symbol_answers *answers, const struct symbol_call *call)
{
    check_text(answers, call->function);
    check_text(answers, call->file);
}

/* Ascending rows of addresses that were asked for, all of whose parts are there. */
static void check_answers(const struct victim *victim, const struct symbol_answers *answers)
{
    size_t at = 0;
    for (size_t i = 0; i < answers->rows.count; i++) {
        const struct symbol_answer *row = &answers->rows.items[i];
        while (at < victim->address_count && victim->addresses[at] < row->address)
            at++;
        assert_true(at < victim->address_count && victim->addresses[at] == row->address);
        at++;
        assert_true(row->symbol_start <= row->address);
        assert_true(row->first_inline <= answers->inlines.count);
        assert_true(row->inline_count <= answers->inlines.count - row->first_inline);
        check_text(answers, row->symbol);
        check_text(answers, row->mangled);
        check_call(answers, &row->outer);
        for (uint32_t k = 0; k < row->inline_count; k++)
            check_call(answers, &answers->inlines.items[row->first_inline + k]);
    }
}

/* Every name that the symbol table had is still there, whatever has happened to files, lines and inlined calls. */
static void check_names(struct victim *victim, const struct symbol_answers *answers)
{
    bool other_lines = false;
    for (size_t i = 0; i < victim->whole.rows.count; i++) {
        const struct symbol_answer *before = &victim->whole.rows.items[i];
        const struct symbol_answer *after = symbol_answers_find(answers, before->address);
        if (before->symbol_size == 0)
            continue; /* may be known from debug information alone */
        assert_non_null(after);
        assert_true(slice_equal(symbol_text(answers, after->mangled), symbol_text(&victim->whole, before->mangled)));
        assert_int_equal(after->symbol_start, before->symbol_start);
        other_lines |= after->outer.line != before->outer.line || after->inline_count != before->inline_count;
    }
    victim->with_other_lines += other_lines;
}

/* ---- damaging ---- */

static void write_file(const char *path, const char *bytes, size_t length)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
}

/* Changes up to 64 bytes of a range, or zeroes a part of it. */
static void change(char *bytes, size_t length, uint64_t *random)
{
    static const unsigned char favourites[] = {0, 1, 0x7f, 0x80, 0xff};
    if (next_random(random) % 8 == 0) {
        size_t start = next_random(random) % length;
        memset(bytes + start, 0, next_random(random) % (length - start) % 4096);
        return;
    }
    for (size_t count = 1 + next_random(random) % 64; count > 0; count--) {
        size_t at = next_random(random) % length;
        if (next_random(random) % 2 == 0)
            bytes[at] ^= (char)(1 << next_random(random) % 8);
        else if (next_random(random) % 2 == 0)
            bytes[at] = (char)favourites[next_random(random) % sizeof favourites];
        else
            bytes[at] = (char)next_random(random);
    }
}

static void try_one(struct victim *victim, const char *bytes, size_t length, bool keeps_names)
{
    struct symbol_answers answers = {0};
    write_file(victim->damaged_path, bytes, length);
    ask(victim, &answers);
    check_answers(victim, &answers);
    if (keeps_names)
        check_names(victim, &answers);
    symbol_answers_free(&answers);
    victim->runs++;
}

static void try_changes(struct victim *victim, const char *name, uint64_t start, uint64_t length, bool keeps_names)
{
    struct slice whole = elf_file_bytes(victim->file);
    char *bytes = malloc(whole.length);
    assert_non_null(bytes);
    assert_true(start <= whole.length && length <= whole.length - start);
    for (unsigned seed = 1; length > 0 && seed <= CHANGES; seed++) {
        uint64_t random = seed * 0x9e3779b97f4a7c15u;
        snprintf(running, sizeof running, "%s %s, seed %u\n", victim->other ? victim->other : victim->module, name, seed);
        memcpy(bytes, whole.text, whole.length);
        change(bytes + start, length, &random);
        try_one(victim, bytes, whole.length, keeps_names);
    }
    free(bytes);
}

/* The first kilobytes (all headers are there) and the last ones (sections end there) are cut more often. */
static void try_cuts(struct victim *victim)
{
    struct slice whole = elf_file_bytes(victim->file);
    uint64_t random = 0x2545f4914f6cdd1du;
    for (size_t i = 0; i < CUTS; i++) {
        size_t length = i % 4 == 0   ? next_random(&random) % 4096
                        : i % 4 == 1 ? whole.length - 1 - next_random(&random) % 4096
                                     : next_random(&random) % whole.length;
        snprintf(running, sizeof running, "%s cut after %zu bytes\n", victim->module, length);
        try_one(victim, whole.text, length < whole.length ? length : 0, false);
    }
}

/* ---- victims ---- */

static int compare_addresses(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void choose_addresses(struct victim *victim, const struct elf_file *module)
{
    const struct elf_section *code = elf_file_section_named(module, ".text");
    uint64_t random = 88172645463325252u;
    assert_non_null(code);
    for (size_t i = 0; i < ADDRESSES_MOST; i++)
        victim->addresses[i] = code->address - elf_file_image_base(module) + next_random(&random) % code->size;
    qsort(victim->addresses, ADDRESSES_MOST, sizeof *victim->addresses, compare_addresses);
    victim->address_count = 1;
    for (size_t i = 1; i < ADDRESSES_MOST; i++)
        if (victim->addresses[i] != victim->addresses[i - 1])
            victim->addresses[victim->address_count++] = victim->addresses[i];
}

static struct elf_file *open_variant(const char *variant, const char *file)
{
    struct elf_file *elf;
    struct error error = {0};
    variant_needed(variant, file);
    assert_int_equal(elf_file_open(NULL, variant_path(variant, file), &elf, &error), 0);
    return elf;
}

static void begin(struct victim *victim, const char *variant, const char *file, const char *other)
{
    struct elf_file *module = open_variant(variant, file);
    memset(victim, 0, sizeof *victim);
    victim->module = variant;
    victim->other = other;
    victim->file = other ? open_variant(variant, other) : module;
    strcpy(victim->folder, "/tmp/sonde-damage-XXXXXX");
    assert_non_null(mkdtemp(victim->folder));
    snprintf(victim->module_path, sizeof victim->module_path, "%s/program", victim->folder);
    snprintf(victim->damaged_path, sizeof victim->damaged_path, "%s/program%s", victim->folder, other ? ".dwp" : "");
    write_file(victim->damaged_path, elf_file_bytes(victim->file).text, elf_file_bytes(victim->file).length);
    write_file(victim->module_path, elf_file_bytes(module).text, elf_file_bytes(module).length);
    choose_addresses(victim, module);
    if (module != victim->file)
        elf_file_close(module);
    snprintf(running, sizeof running, "%s undamaged\n", variant);
    ask(victim, &victim->whole);
    check_answers(victim, &victim->whole);
    assert_true(victim->whole.rows.count * 10 > victim->address_count * 8);
}

static void end(struct victim *victim)
{
    print_message("%s: %zu damaged files, in %zu of them other lines under the same names\n",
                  victim->other ? victim->other : victim->module, victim->runs, victim->with_other_lines);
    symbol_answers_free(&victim->whole);
    elf_file_close(victim->file);
    unlink(victim->damaged_path);
    unlink(victim->module_path);
    rmdir(victim->folder);
}

static void try_section(struct victim *victim, const char *name, bool keeps_names)
{
    const struct elf_section *section = elf_file_section_named(victim->file, name);
    if (!section)
        fail_msg("there is no %s in %s", name, victim->module);
    try_changes(victim, name, section->offset, section->size, keeps_names);
}

/* ---- tests ---- */

static void damaged_debug_information_takes_no_name_from_the_symbol_table(void **state)
{
    (void)state;
    static const char *const sections[] = {".debug_info",    ".debug_abbrev",   ".debug_line",    ".debug_str",
                                           ".debug_aranges", ".debug_rnglists", ".debug_line_str"};
    struct victim victim;
    begin(&victim, "words", "words", NULL);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        try_section(&victim, sections[i], true);
    /* Otherwise nothing that is looked at was damaged. */
    assert_true(victim.with_other_lines > victim.runs / 4);
    end(&victim);
}

static void damaged_symbols_and_headers_cost_names(void **state)
{
    (void)state;
    static const char *const sections[] = {".symtab", ".strtab", ".dynsym", ".dynstr", ".shstrtab", ".note.gnu.build-id"};
    struct victim victim;
    begin(&victim, "words", "words", NULL);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        try_section(&victim, sections[i], false);
    uint64_t size = elf_file_bytes(victim.file).length;
    uint64_t headers = elf_file_section_count(victim.file) * 64;
    try_changes(&victim, "ELF header", 0, 64, false);
    try_changes(&victim, "segments", 64, 1024, false);
    try_changes(&victim, "section headers", size - headers, headers, false);
    end(&victim);
}

static void files_that_are_cut_off_cost_names(void **state)
{
    (void)state;
    struct victim victim;
    begin(&victim, "words", "words", NULL);
    try_cuts(&victim);
    end(&victim);
}

static void damaged_packed_sections_cost_names(void **state)
{
    (void)state;
    struct victim victim;
    begin(&victim, "zlib", "shapes", NULL);
    try_section(&victim, ".debug_info", true);
    try_section(&victim, ".debug_line", true);
    end(&victim);
}

static void damaged_mini_debug_information_costs_names(void **state)
{
    (void)state;
    struct victim victim;
    begin(&victim, "mini", "shapes", NULL);
    try_section(&victim, ".gnu_debugdata", false);
    end(&victim);
}

static void damaged_packages_of_split_debug_information_cost_lines(void **state)
{
    (void)state;
    struct victim victim;
    begin(&victim, "package5", "shapes", "shapes.dwp");
    for (size_t i = 1; i < elf_file_section_count(victim.file); i++) {
        const struct elf_section *section = elf_file_section_at(victim.file, i);
        try_changes(&victim, section->name.text, section->offset, section->size, true);
    }
    try_changes(&victim, "ELF header", 0, 64, true);
    end(&victim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_debug_information_takes_no_name_from_the_symbol_table),
        cmocka_unit_test(damaged_symbols_and_headers_cost_names),
        cmocka_unit_test(files_that_are_cut_off_cost_names),
        cmocka_unit_test(damaged_packed_sections_cost_names),
        cmocka_unit_test(damaged_mini_debug_information_costs_names),
        cmocka_unit_test(damaged_packages_of_split_debug_information_cost_lines),
    };
    signal(SIGALRM, too_long);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
