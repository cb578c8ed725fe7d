/* Text of `perf script` about this very program, and what symbols make of it: unknown functions get names, others keep theirs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/text_buffer.h"
#include "import/perf_script.h"
#include "symbols/elf_file.h"
#include "symbols/symbolicate.h"

#include "support/import_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Functions of which nothing is inlined and that stay where they are. */
__attribute__((noinline, noclone, used)) static void first_function(void)
{
    __asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop");
}

__attribute__((noinline, noclone, used)) static void second_function(void)
{
    __asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop");
}

static uint64_t address_of_offset(void *context, struct slice path, uint64_t offset)
{
    (void)context;
    struct error error = {0};
    struct elf_file *file;
    assert_int_equal(elf_file_open(NULL, path.text, &file, &error), 0);
    uint64_t address = elf_file_address_of_offset(file, offset);
    elf_file_close(file);
    return address;
}

static int import(struct byte_source *source, struct profile *profile, struct error *error)
{
    struct import_options options = {.files = {address_of_offset, NULL}};
    return perf_script_import_with(&options, source, profile, error);
}

/* What perf would say of our maps. */
static void add_maps(struct text_buffer *text, char *program, size_t room)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    ssize_t length = readlink("/proc/self/exe", program, room - 1);
    assert_true(length > 0);
    program[length] = '\0';
    char line[PATH_MAX + 200], protection[8], path[PATH_MAX], record[PATH_MAX + 200];
    while (fgets(line, sizeof line, maps)) {
        uint64_t start, end, offset;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4095[^\n]", &start, &end, protection, &offset,
                   path) != 5 ||
            strcmp(path, program) != 0)
            continue;
        snprintf(record, sizeof record,
                 "app 7/7 1.0: PERF_RECORD_MMAP2 7/7: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64 " fe:00 1 2]: %s %s\n", start,
                 end - start, offset, protection, path);
        text_add(text, slice_of(record));
    }
    fclose(maps);
}

static void add_frame(struct text_buffer *text, void (*function)(void), unsigned offset, const char *symbol,
                      const char *program)
{
    char line[PATH_MAX + 200];
    snprintf(line, sizeof line, "app 7/7 1.5: 1 cycles: %" PRIx64 " %s (%s)\n", (uint64_t)(uintptr_t)function + offset, symbol,
             program);
    text_add(text, slice_of(line));
}

static void symbolicate(struct text_buffer *text, struct profile *profile, struct symbol_report *report)
{
    struct symbol_search search = {0};
    struct symbolicate_options options = {.search = &search};
    struct error error = {0};
    assert_false(text->failed);
    assert_imports(import, text_slice(text), profile);
    assert_int_equal(symbolicate_profile(profile, &options, report, &error), 0);
}

static void what_perf_called_unknown_gets_a_name_and_others_keep_theirs(void **state)
{
    (void)state;
    struct text_buffer text = {0};
    struct profile profile;
    char program[PATH_MAX];
    add_maps(&text, program, sizeof program);
    add_frame(&text, first_function, 4, "[unknown]", program);
    add_frame(&text, second_function, 4, "as perf calls it+0x4", program);
    add_frame(&text, second_function, 6, "[unknown]", program);
    symbolicate(&text, &profile, NULL);
    assert_samples(&profile, 0, "1500 first_function\n1500 as perf calls it\n1500 second_function\n");
    assert_true(profile.meta.symbolicated);
    profile_free(&profile);
    text_free(&text);
}

static void inlined_calls_that_perf_named_stay_as_they_are(void **state)
{
    (void)state;
    struct text_buffer text = {0};
    struct profile profile;
    char program[PATH_MAX], sample[2 * PATH_MAX];
    add_maps(&text, program, sizeof program);
    uint64_t address = (uint64_t)(uintptr_t)second_function + 4;
    snprintf(sample, sizeof sample,
             "app 7/7 1.5: 1 cycles:\n\t%" PRIx64 " inner+0x4 (inlined)\n\t%" PRIx64 " outer+0x4 (%s)\n\n", address, address,
             program);
    text_add(&text, slice_of(sample));
    add_frame(&text, first_function, 4, "[unknown]", program);
    symbolicate(&text, &profile, NULL);
    assert_samples(&profile, 0, "1500 outer;inner\n1500 first_function\n");
    profile_free(&profile);
    text_free(&text);
}

static void a_file_whose_functions_are_elsewhere_is_another_build(void **state)
{
    (void)state;
    struct text_buffer text = {0};
    struct profile profile;
    struct symbol_report report = {0};
    char program[PATH_MAX];
    add_maps(&text, program, sizeof program);
    add_frame(&text, first_function, 4, "moved+0x2", program);
    add_frame(&text, second_function, 4, "[unknown]", program);
    symbolicate(&text, &profile, &report);
    assert_samples(&profile, 0, "1500 moved\n1500 [unknown]\n");
    assert_int_equal(report.modules.count, 1);
    assert_int_equal(report.modules.items[0].outcome.status, SYMBOLS_OTHER_BUILD);
    symbol_report_free(&report);
    profile_free(&profile);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_perf_called_unknown_gets_a_name_and_others_keep_theirs),
        cmocka_unit_test(inlined_calls_that_perf_named_stay_as_they_are),
        cmocka_unit_test(a_file_whose_functions_are_elsewhere_is_another_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
