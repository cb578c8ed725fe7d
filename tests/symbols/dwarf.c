/* Every byte of the code of a program, in every form of debug information that compilers and tools make. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/text_buffer.h"
#include "debug_program.h"
#include "support/failing_alloc.h"
#include "symbols/dwarf/unit.h"

/* --- answers as text: "name file:line" for each call, innermost first, one line a call --- */

struct answers {
    uint64_t *addresses;
    size_t count;
    char **texts; /* by address; NULL = nothing is known */
    size_t known, damaged;
    size_t last; /* address that was answered last, + 1 */
    size_t cancel_after;
};

static bool note(void *data, size_t index, const struct dwarf_call *calls, size_t count)
{
    struct answers *answers = data;
    struct text_buffer text = {0};
    assert_true(index >= answers->last && index < answers->count);
    assert_true(count > 0);
    answers->last = index + 1;
    for (size_t i = 0; i < count; i++) {
        char line[20];
        text_add(&text, calls[i].name.length > 0 ? calls[i].name : SLICE("??"));
        text_add(&text, SLICE(" "));
        text_add(&text, calls[i].file.length > 0 ? calls[i].file : SLICE("??"));
        snprintf(line, sizeof line, ":%u\n", calls[i].line);
        text_add(&text, slice_of(line));
    }
    struct slice all = text_slice(&text);
    answers->texts[index] = strndup(all.text, all.length);
    answers->known++;
    text_free(&text);
    return answers->known != answers->cancel_after;
}

static struct answers answers_begin(uint64_t start, size_t count)
{
    struct answers answers = {.count = count};
    answers.addresses = calloc(count, sizeof *answers.addresses);
    answers.texts = calloc(count, sizeof *answers.texts);
    for (size_t i = 0; i < count; i++)
        answers.addresses[i] = start + i;
    return answers;
}

static void answers_free(struct answers *answers)
{
    for (size_t i = 0; i < answers->count; i++)
        free(answers->texts[i]);
    free(answers->texts);
    free(answers->addresses);
}

static int look_up(const struct debug_program *program, struct answers *answers)
{
    struct error error = {0};
    return dwarf_lookup(&program->sections, &program->files, answers->addresses, answers->count, note, answers,
                        &answers->damaged, &error);
}

static struct answers every_byte(const struct debug_program *program)
{
    struct answers answers = answers_begin(program->text, program->code.length);
    assert_true(program->code.length > 0);
    assert_int_equal(look_up(program, &answers), 0);
    assert_int_equal(answers.damaged, 0);
    assert_true(answers.known > 40);
    return answers;
}

static void open_program(struct debug_program *program, const char *name)
{
    if (!debug_program_open(program, name)) {
        print_message("%s was not built\n", name);
        skip();
    }
}

/* --- against llvm-symbolizer --- */

static FILE *ask_llvm(const struct debug_program *program, const struct answers *answers, char *list)
{
    char command[sizeof program->path + 300];
    int fd = mkstemp(list);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    for (size_t i = 0; i < answers->count; i++)
        fprintf(file, "0x%llx\n", (unsigned long long)answers->addresses[i]);
    fclose(file);
    snprintf(command, sizeof command, "llvm-symbolizer --functions=linkage --no-demangle --inlines --obj=%s <%s", program->path,
             list);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    return output;
}

/* One call: a line with the name, and one with FILE:LINE:COLUMN. False at the empty line that ends an answer. */
static bool read_llvm_call(FILE *output, struct text_buffer *text)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = getline(&line, &capacity, output);
    bool more = length > 1;
    if (more) {
        text_add(text, (struct slice){line, (size_t)length - 1});
        text_add(text, SLICE(" "));
        length = getline(&line, &capacity, output);
        assert_true(length > 1);
        char *note = strstr(line, " (discriminator");
        *(note ? note : line + length - 1) = '\0';
        *strrchr(line, ':') = '\0';
        text_add(text, slice_of(line));
        text_add(text, SLICE("\n"));
    }
    free(line);
    return more;
}

static void assert_agrees_with_llvm(const char *name)
{
    struct debug_program program;
    struct text_buffer text = {0};
    char list[] = "/tmp/sonde-addresses-XXXXXX";
    open_program(&program, name);
    if (!command_exists("llvm-symbolizer")) {
        debug_program_close(&program);
        print_message("there is no llvm-symbolizer\n");
        skip();
    }
    struct answers answers = every_byte(&program);
    FILE *llvm = ask_llvm(&program, &answers, list);
    for (size_t i = 0; i < answers.count; i++) {
        text_cut(&text, 0);
        while (read_llvm_call(llvm, &text))
            ;
        text_add(&text, (struct slice){"", 1});
        const char *theirs = text.bytes.items;
        if (!answers.texts[i]) {
            assert_string_equal(theirs, "?? ??:0\n");
        } else if (strcmp(answers.texts[i], theirs) != 0) {
            print_error("%s, 0x%llx:\n%sllvm-symbolizer:\n%s", name, (unsigned long long)answers.addresses[i], answers.texts[i],
                        theirs);
            fail();
        }
    }
    assert_int_equal(pclose(llvm), 0);
    unlink(list);
    text_free(&text);
    answers_free(&answers);
    debug_program_close(&program);
}

#define AGREES(test, program)                                                                                                  \
    static void test(void **state)                                                                                             \
    {                                                                                                                          \
        (void)state;                                                                                                           \
        assert_agrees_with_llvm(program);                                                                                      \
    }
AGREES(version_2_agrees_with_llvm_symbolizer, "gcc-2")
AGREES(version_3_agrees_with_llvm_symbolizer, "gcc-3")
AGREES(version_4_agrees_with_llvm_symbolizer, "gcc-4")
AGREES(version_5_agrees_with_llvm_symbolizer, "gcc")
AGREES(version_4_of_clang_agrees_with_llvm_symbolizer, "clang-4")
AGREES(version_5_of_clang_agrees_with_llvm_symbolizer, "clang")
AGREES(what_the_linker_threw_away_answers_nowhere, "gcc-collected")
AGREES(what_the_linker_threw_away_answers_nowhere_in_version_4, "gcc-collected-4")
AGREES(what_the_linker_threw_away_answers_nowhere_with_clang, "clang-collected")
AGREES(addresses_of_32_bits_agree_with_llvm_symbolizer, "gcc-32")
AGREES(link_time_optimisation_agrees_with_llvm_symbolizer, "gcc-lto")
AGREES(large_units_read_by_several_threads_agree_with_llvm_symbolizer, "types")

/* --- against each other: the code is the same, so are the answers --- */

static void assert_programs_agree(const struct debug_program *program, const struct debug_program *plain)
{
    assert_int_equal(program->text, plain->text);
    assert_true(slice_equal(program->code, plain->code));
    struct answers ours = every_byte(program), expected = every_byte(plain);
    for (size_t i = 0; i < ours.count; i++) {
        if (!expected.texts[i] || !ours.texts[i]) {
            assert_null(expected.texts[i]);
            assert_null(ours.texts[i]);
            continue;
        }
        assert_string_equal(ours.texts[i], expected.texts[i]);
    }
    answers_free(&ours);
    answers_free(&expected);
}

static void assert_same_answers(const char *name, const char *plain_name)
{
    struct debug_program program, plain;
    open_program(&plain, plain_name);
    open_program(&program, name);
    assert_programs_agree(&program, &plain);
    debug_program_close(&program);
    debug_program_close(&plain);
}

#define SAME(test, program, plain)                                                                                             \
    static void test(void **state)                                                                                             \
    {                                                                                                                          \
        (void)state;                                                                                                           \
        assert_same_answers(program, plain);                                                                                   \
    }
SAME(offsets_of_64_bits_give_the_same, "gcc-wide", "gcc")
SAME(type_units_give_the_same, "gcc-types", "gcc")
SAME(type_sections_give_the_same, "gcc-types-4", "gcc-4")
SAME(split_units_give_the_same, "gcc-split", "gcc")
SAME(split_units_of_version_4_give_the_same, "gcc-split-4", "gcc-4")
SAME(split_units_of_clang_give_the_same, "clang-split", "clang")
SAME(split_units_of_clang_in_version_4_give_the_same, "clang-split-4", "clang-4")
SAME(a_package_of_split_units_gives_the_same, "clang-packed", "clang")
SAME(a_package_of_split_units_of_version_4_gives_the_same, "gcc-packed-4", "gcc-4")
SAME(partial_units_give_the_same, "gcc-dwz", "gcc")
SAME(an_alternate_file_gives_the_same, "gcc-shared", "gcc-4")

/* --- single behaviours --- */

static void without_aranges_the_first_entries_say_what_is_theirs(void **state)
{
    (void)state;
    struct debug_program program, plain;
    open_program(&plain, "gcc");
    open_program(&program, "gcc");
    assert_true(program.sections.aranges.length > 0);
    program.sections.aranges = (struct slice){0};
    assert_programs_agree(&program, &plain);
    debug_program_close(&program);
    debug_program_close(&plain);
}

/* Gives the attributes that say so numbers that nobody knows, in the abbreviations of all units' first entries. */
static void hide_ranges_of_units(const struct dwarf_sections *sections, char *abbrevs)
{
    struct dwarf_file file = {.sections = *sections};
    assert_int_equal(dwarf_file_read(&file), 0);
    for (size_t i = 0; i < file.units.count; i++) {
        const struct dwarf_unit_head *head = &file.units.items[i];
        struct byte_reader cursor = dwarf_section_at(sections->info, head->offset + head->first_entry);
        uint64_t wanted = byte_reader_uleb(&cursor), code, name, form;
        cursor = dwarf_section_at(sections->abbrev, head->abbrev_offset);
        do {
            code = byte_reader_uleb(&cursor);
            byte_reader_uleb(&cursor);
            byte_reader_u8(&cursor);
            do {
                char *at = abbrevs + (cursor.at - (const uint8_t *)sections->abbrev.text);
                name = byte_reader_uleb(&cursor);
                form = byte_reader_uleb(&cursor);
                if (form == FORM_implicit_const)
                    byte_reader_sleb(&cursor);
                if (code == wanted && (name == AT_high_pc || name == AT_ranges))
                    *at = 0x7f;
            } while (name != 0);
            assert_false(cursor.failed);
        } while (code != wanted);
    }
    dwarf_file_free(&file);
}

static void units_that_do_not_say_what_is_theirs_are_asked_for_everything(void **state)
{
    (void)state;
    struct debug_program program, plain;
    open_program(&plain, "gcc-4");
    open_program(&program, "gcc-4");
    struct slice *abbrev = &program.sections.abbrev;
    char *changed = malloc(abbrev->length);
    memcpy(changed, abbrev->text, abbrev->length);
    hide_ranges_of_units(&program.sections, changed);
    assert_memory_not_equal(changed, abbrev->text, abbrev->length);
    abbrev->text = changed;
    program.sections.aranges = (struct slice){0};
    assert_programs_agree(&program, &plain);
    free(changed);
    debug_program_close(&program);
    debug_program_close(&plain);
}

static void nobody_is_at_the_addresses_of_what_the_linker_threw_away(void **state)
{
    (void)state;
    struct debug_program program;
    open_program(&program, "gcc-collected");
    struct answers answers = answers_begin(0, 0x200);
    assert_int_equal(look_up(&program, &answers), 0);
    assert_int_equal(answers.known, 0);
    answers_free(&answers);
    debug_program_close(&program);
}

static void inlined_calls_have_the_lines_they_were_called_from(void **state)
{
    (void)state;
    struct debug_program program;
    open_program(&program, "gcc");
    struct answers answers = every_byte(&program);
    unsigned chains = 0;
    for (size_t i = 0; i < answers.count; i++) {
        const char *text = answers.texts[i];
        if (!text || strncmp(text, "twice ", 6) != 0 || !strstr(text, "\nshapes "))
            continue;
        assert_non_null(strstr(text, "shapes.c:15\nshapes "));
        assert_non_null(strstr(text, "shapes.c:27\n"));
        chains++;
    }
    assert_true(chains > 0);
    answers_free(&answers);
    debug_program_close(&program);
}

static bool note_lambda(void *data, size_t index, const struct dwarf_call *calls, size_t count)
{
    char(*names)[100] = data;
    (void)index;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        if (calls[i].lambda.length == 0)
            continue;
        assert_true(slice_is(calls[i].name, "operator()"));
        while (names[at][0] && !slice_equal(calls[i].lambda, slice_of(names[at])))
            at++;
        assert_true(at < 9);
        snprintf(names[at], sizeof names[at], "%.*s", (int)calls[i].lambda.length, calls[i].lambda.text);
    }
    return true;
}

static bool has_name(char (*names)[100], const char *name)
{
    for (size_t i = 0; names[i][0]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* In each form: entries are found in other units and files, or in no order. */
static void lambdas_without_a_linkage_name_are_told_apart_by_what_they_are_in(void **state)
{
    (void)state;
    static const char *const programs[] = {"gcc",       "gcc-2",        "gcc-4",   "gcc-wide", "gcc-types",
                                           "gcc-split", "gcc-packed-4", "gcc-lto", "gcc-dwz",  "gcc-shared"};
    static const char *const lambdas[] = {
        "scene::outer(int)::{lambda#1}::operator()",
        "scene::draw_all::{lambda#1}::operator()",
        "scene::weigh_twice::{lambda#1}::operator()",
        "scene::weigh_twice::{lambda#2}::operator()",
        "scene::weigh_twice::{lambda#2}::operator()::{lambda#1}::operator()",
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct debug_program program;
        struct error error = {0};
        char names[10][100] = {{0}};
        size_t damaged;
        open_program(&program, programs[i]);
        struct answers answers = answers_begin(program.text, program.code.length);
        assert_int_equal(dwarf_lookup(&program.sections, &program.files, answers.addresses, answers.count, note_lambda, names,
                                      &damaged, &error),
                         0);
        for (size_t k = 0; k < sizeof lambdas / sizeof *lambdas; k++)
            assert_true(has_name(names, lambdas[k]));
        answers_free(&answers);
        debug_program_close(&program);
    }
}

static void a_split_file_that_is_gone_leaves_the_lines(void **state)
{
    (void)state;
    struct debug_program program;
    open_program(&program, "gcc-split");
    program.files.split = NULL;
    struct answers answers = every_byte(&program);
    for (size_t i = 0; i < answers.count; i++)
        if (answers.texts[i])
            assert_int_equal(strncmp(answers.texts[i], "?? /", 4), 0);
    answers_free(&answers);
    debug_program_close(&program);
}

static void each_skeleton_asks_for_its_file_once(void **state)
{
    (void)state;
    struct debug_program program;
    open_program(&program, "gcc-split");
    struct answers answers = every_byte(&program);
    assert_int_equal(program.split_calls, 3);
    answers_free(&answers);
    debug_program_close(&program);
}

static void whoever_has_found_enough_ends_the_lookup(void **state)
{
    (void)state;
    struct debug_program program;
    open_program(&program, "gcc");
    struct answers answers = answers_begin(program.text, program.code.length);
    answers.cancel_after = 7;
    assert_int_equal(look_up(&program, &answers), -ECANCELED);
    assert_int_equal(answers.known, 7);
    answers_free(&answers);
    debug_program_close(&program);
}

static void no_sections_give_no_answers(void **state)
{
    (void)state;
    struct debug_program program = {0};
    struct answers answers = answers_begin(0x1000, 16), none = {0};
    assert_int_equal(look_up(&program, &answers), 0);
    assert_int_equal(answers.known, 0);
    assert_int_equal(look_up(&program, &none), 0);
    answers_free(&answers);
}

/* Every section, cut at many places, each in memory of exactly that size. */
static void sections_that_are_cut_cost_names_and_nothing_else(void **state)
{
    (void)state;
    struct debug_program program;
    open_program(&program, "gcc-4");
    struct slice *sections[] = {
        &program.sections.info, &program.sections.abbrev, &program.sections.line,    &program.sections.str,
        &program.sections.addr, &program.sections.ranges, &program.sections.aranges,
    };
    size_t damaged = 0;
    for (size_t s = 0; s < sizeof sections / sizeof *sections; s++) {
        struct slice whole = *sections[s];
        for (size_t length = 0; length < whole.length; length += 1 + whole.length / 97) {
            char *bytes = malloc(length > 0 ? length : 1);
            memcpy(bytes, whole.text, length);
            *sections[s] = (struct slice){bytes, length};
            struct answers answers = answers_begin(program.text, program.code.length);
            assert_int_equal(look_up(&program, &answers), 0);
            damaged += answers.damaged;
            answers_free(&answers);
            free(bytes);
        }
        *sections[s] = whole;
    }
    assert_true(damaged > 0);
    debug_program_close(&program);
}

static bool count_only(void *data, size_t index, const struct dwarf_call *calls, size_t count)
{
    size_t *known = data;
    (void)index;
    (void)calls;
    *known += count > 0;
    return true;
}

static int attempt(void *data, struct error *error)
{
    const struct debug_program *program = data;
    uint64_t addresses[64];
    size_t damaged, known = 0;
    for (size_t i = 0; i < 64; i++)
        addresses[i] = program->text + i * (program->code.length / 64);
    int result = dwarf_lookup(&program->sections, &program->files, addresses, 64, count_only, &known, &damaged, error);
    assert_true(result != 0 || known > 10);
    return result;
}

static void running_out_of_memory_is_an_error_and_nothing_worse(void **state)
{
    (void)state;
    struct debug_program program;
    const char *names[] = {"gcc", "gcc-shared"};
    for (size_t i = 0; i < 2; i++) {
        open_program(&program, names[i]);
        assert_true(assert_survives_failing_allocations(attempt, &program) > 10);
        debug_program_close(&program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_2_agrees_with_llvm_symbolizer),
        cmocka_unit_test(version_3_agrees_with_llvm_symbolizer),
        cmocka_unit_test(version_4_agrees_with_llvm_symbolizer),
        cmocka_unit_test(version_5_agrees_with_llvm_symbolizer),
        cmocka_unit_test(version_4_of_clang_agrees_with_llvm_symbolizer),
        cmocka_unit_test(version_5_of_clang_agrees_with_llvm_symbolizer),
        cmocka_unit_test(what_the_linker_threw_away_answers_nowhere),
        cmocka_unit_test(what_the_linker_threw_away_answers_nowhere_in_version_4),
        cmocka_unit_test(what_the_linker_threw_away_answers_nowhere_with_clang),
        cmocka_unit_test(addresses_of_32_bits_agree_with_llvm_symbolizer),
        cmocka_unit_test(link_time_optimisation_agrees_with_llvm_symbolizer),
        cmocka_unit_test(large_units_read_by_several_threads_agree_with_llvm_symbolizer),
        cmocka_unit_test(offsets_of_64_bits_give_the_same),
        cmocka_unit_test(type_units_give_the_same),
        cmocka_unit_test(type_sections_give_the_same),
        cmocka_unit_test(split_units_give_the_same),
        cmocka_unit_test(split_units_of_version_4_give_the_same),
        cmocka_unit_test(split_units_of_clang_give_the_same),
        cmocka_unit_test(split_units_of_clang_in_version_4_give_the_same),
        cmocka_unit_test(a_package_of_split_units_gives_the_same),
        cmocka_unit_test(a_package_of_split_units_of_version_4_gives_the_same),
        cmocka_unit_test(partial_units_give_the_same),
        cmocka_unit_test(an_alternate_file_gives_the_same),
        cmocka_unit_test(without_aranges_the_first_entries_say_what_is_theirs),
        cmocka_unit_test(units_that_do_not_say_what_is_theirs_are_asked_for_everything),
        cmocka_unit_test(nobody_is_at_the_addresses_of_what_the_linker_threw_away),
        cmocka_unit_test(inlined_calls_have_the_lines_they_were_called_from),
        cmocka_unit_test(lambdas_without_a_linkage_name_are_told_apart_by_what_they_are_in),
        cmocka_unit_test(a_split_file_that_is_gone_leaves_the_lines),
        cmocka_unit_test(each_skeleton_asks_for_its_file_once),
        cmocka_unit_test(whoever_has_found_enough_ends_the_lookup),
        cmocka_unit_test(no_sections_give_no_answers),
        cmocka_unit_test(sections_that_are_cut_cost_names_and_nothing_else),
        cmocka_unit_test(running_out_of_memory_is_an_error_and_nothing_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
