/* Symbols of the kernel, from its own list of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbols/kallsyms.h"
#include "symbols/module.h"

#include <stdio.h>
#include <string.h>

static const char list[] = "ffffffff81000000 T _text\n"
                           "ffffffff81000000 T startup_64\n"
                           "ffffffff81000100 t __do_work\n"
                           "ffffffff81000100 T do_work\n"
                           "not a line\n"
                           "ffffffff81000200 D some_data\n"
                           "ffffffffc0000000 t ext4_read\t[ext4]\n"
                           "ffffffff81000180 W weak\n";

static void assert_at(uint64_t address, const char *name)
{
    struct kernel_symbol found;
    kallsyms_find(slice_of(list), &address, 1, &found);
    assert_true(slice_equal(found.name, slice_of(name)));
}

static void an_address_is_in_the_last_function_before_it(void **state)
{
    (void)state;
    assert_at(0xffffffff80ffffff, "");
    assert_at(0xffffffff81000000, "startup_64");
    assert_at(0xffffffff810000ff, "startup_64");
    assert_at(0xffffffff81000150, "do_work");
    assert_at(0xffffffff81000190, "weak");
}

static void data_is_no_function(void **state)
{
    (void)state;
    assert_at(0xffffffff81000200, "");
    assert_at(0xffffffff90000000, "");
}

static void many_addresses_at_once_are_found_as_one_by_one(void **state)
{
    (void)state;
    uint64_t addresses[64];
    struct kernel_symbol all[64], one;
    for (size_t i = 0; i < 64; i++)
        addresses[i] = 0xffffffff80fffff0 + i * 16;
    kallsyms_find(slice_of(list), addresses, 64, all);
    for (size_t i = 0; i < 64; i++) {
        kallsyms_find(slice_of(list), &addresses[i], 1, &one);
        assert_true(slice_equal(all[i].name, one.name));
        assert_int_equal(all[i].start, one.start);
    }
}

static void functions_of_modules_say_so(void **state)
{
    (void)state;
    struct kernel_symbol found;
    uint64_t address = 0xffffffffc0000010;
    kallsyms_find(slice_of(list), &address, 1, &found);
    assert_true(slice_is(found.name, "ext4_read"));
    assert_true(slice_is(found.module, "[ext4]"));
}

static void a_kernel_that_hides_its_addresses_has_none(void **state)
{
    (void)state;
    assert_int_equal(kallsyms_base(SLICE("0000000000000000 T _text\n")), 0);
    assert_int_equal(kallsyms_base(slice_of(list)), 0xffffffff81000000);
}

/* Which kernel it was has to be known: wrong names are worse than none. */
static void a_kernel_without_a_build_id_is_not_taken_for_the_running_one(void **state)
{
    (void)state;
    struct symbol_search search = {0};
    uint64_t address = 0xffffffff81000150;
    struct symbol_request request = {
        .path = SLICE("[kernel.kallsyms]"), .name = SLICE("[kernel.kallsyms]"), .addresses = &address, .address_count = 1};
    struct symbol_answers answers = {0};
    struct symbol_outcome outcome;
    struct error error = {0};
    assert_int_equal(module_symbols(&search, &request, &answers, &outcome, &error), 0);
    assert_int_equal(outcome.status, SYMBOLS_OTHER_BUILD);
    assert_non_null(strstr(outcome.detail, "does not say"));
    assert_int_equal(answers.rows.count, 0);
}

/* The build id of the running kernel; what its tools print. Empty where it cannot be had. */
static struct slice running_kernel(char bytes[64])
{
    char notes[4096];
    FILE *file = fopen("/sys/kernel/notes", "rb");
    size_t length = file ? fread(notes, 1, sizeof notes, file) : 0;
    if (file)
        fclose(file);
    const char *name = length > 0 ? memmem(notes, length, "\3\0\0\0GNU", 8) : NULL;
    if (!name)
        return SLICE("");
    unsigned size;
    memcpy(&size, name - 4, sizeof size);
    memcpy(bytes, name + 8, size < 64 ? size : 64);
    return (struct slice){bytes, size < 64 ? size : 64};
}

static void the_running_kernel_has_names_where_it_shows_its_addresses(void **state)
{
    (void)state;
    char id[64], line[300], wanted[200] = "";
    uint64_t base = 0, start = 0;
    struct slice build_id = running_kernel(id);
    FILE *file = fopen("/proc/kallsyms", "r");
    while (file && fgets(line, sizeof line, file)) {
        char name[200], type;
        unsigned long long address;
        if (sscanf(line, "%llx %c %199s", &address, &type, name) != 3)
            continue;
        if (strcmp(name, "_text") == 0)
            base = address;
        if (strcmp(name, "schedule") == 0) {
            start = address;
            strcpy(wanted, name);
        }
    }
    if (file)
        fclose(file);
    if (build_id.length == 0 || base == 0 || start == 0) {
        print_message("the kernel hides its addresses or its build id here\n");
        skip();
    }
    struct symbol_search search = {0};
    uint64_t addresses[] = {start + 1 - base, start + 1};
    struct symbol_request request = {.path = SLICE("[kernel.kallsyms]"),
                                     .name = SLICE("[kernel.kallsyms]"),
                                     .build_id = build_id,
                                     .addresses = addresses,
                                     .address_count = 2};
    struct symbol_answers answers = {0};
    struct symbol_outcome outcome;
    struct error error = {0};
    assert_int_equal(module_symbols(&search, &request, &answers, &outcome, &error), 0);
    assert_int_equal(outcome.status, SYMBOLS_NAMES_ONLY);
    assert_true(answers.rows.count > 0);
    assert_true(slice_equal(symbol_text(&answers, answers.rows.items[0].symbol), slice_of(wanted)));
    assert_int_equal(answers.rows.items[0].symbol_start, start - base);
    symbol_answers_free(&answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_in_the_last_function_before_it),
        cmocka_unit_test(data_is_no_function),
        cmocka_unit_test(many_addresses_at_once_are_found_as_one_by_one),
        cmocka_unit_test(functions_of_modules_say_so),
        cmocka_unit_test(a_kernel_that_hides_its_addresses_has_none),
        cmocka_unit_test(a_kernel_without_a_build_id_is_not_taken_for_the_running_one),
        cmocka_unit_test(the_running_kernel_has_names_where_it_shows_its_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
