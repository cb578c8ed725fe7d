/* Which symbol an address belongs to; labels.S is what is asked about. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/memory.h"
#include "common/vec.h"
#include "symbols/elf_symbols.h"

static struct elf_file *labels;
static uint64_t first; /* where labels.S begins */

static int open_labels(void **state)
{
    (void)state;
    struct error error = {0};
    assert_int_equal(elf_file_open(NULL, LABELS, &labels, &error), 0);
    const struct elf_section *text = elf_file_section_named(labels, ".text");
    assert_non_null(text);
    first = text->address;
    return 0;
}

static int close_labels(void **state)
{
    (void)state;
    elf_file_close(labels);
    return 0;
}

static struct elf_symbol find(uint64_t offset)
{
    struct elf_symbol found;
    enum elf_symbol_tables tables;
    struct error error = {0};
    uint64_t address = first + offset;
    assert_int_equal(elf_symbols_find(labels, NULL, &address, 1, &found, &tables, &error), 0);
    assert_int_equal(tables, ELF_ALL_SYMBOLS);
    return found;
}

static void assert_symbol(uint64_t offset, const char *name, uint64_t start, uint64_t size)
{
    struct elf_symbol found = find(offset);
    assert_int_equal(found.name.length, strlen(name));
    assert_memory_equal(found.name.text, name, found.name.length);
    assert_int_equal(found.start - first, start);
    assert_int_equal(found.size, size);
}

static void assert_nothing(uint64_t offset)
{
    assert_int_equal(find(offset).name.length, 0);
}

static void a_label_without_a_type_is_a_function_up_to_the_next_symbol(void **state)
{
    (void)state;
    assert_symbol(0, "first", 0, 16);
    assert_symbol(15, "first", 0, 16);
}

static void the_innermost_function_with_a_size_is_taken(void **state)
{
    (void)state;
    assert_symbol(16, "outer", 16, 32);
    assert_symbol(31, "outer", 16, 32);
    assert_symbol(32, "inner", 32, 8);
    assert_symbol(39, "inner", 32, 8);
}

static void a_label_inside_a_function_does_not_hide_it(void **state)
{
    (void)state;
    assert_symbol(40, "outer", 16, 32);
    assert_symbol(47, "outer", 16, 32);
}

static void code_behind_the_end_of_a_function_is_nobodys(void **state)
{
    (void)state;
    assert_symbol(51, "short", 48, 4);
    assert_nothing(52);
    assert_nothing(63);
}

static void of_several_names_the_one_people_use_is_taken(void **state)
{
    (void)state;
    assert_symbol(64, "allocate", 64, 16);
    assert_symbol(79, "allocate", 64, 16);
}

static void of_several_sizes_the_largest_is_taken(void **state)
{
    (void)state;
    assert_symbol(80, "whole", 80, 32);
    assert_symbol(82, "whole", 80, 32);
    assert_symbol(111, "whole", 80, 32);
}

static void a_function_without_a_size_reaches_to_the_next_symbol(void **state)
{
    (void)state;
    assert_symbol(112, "by_hand", 112, 32);
    assert_symbol(143, "by_hand", 112, 32);
    assert_symbol(144, "by_hand_too", 144, 16);
}

static void a_function_that_chooses_another_has_its_name(void **state)
{
    (void)state;
    assert_symbol(160, "chosen", 160, 16);
}

static void the_last_function_ends_with_its_section(void **state)
{
    (void)state;
    const struct elf_section *text = elf_file_section_named(labels, ".text");
    uint64_t end = text->address + text->size - first;
    assert_symbol(176, "last", 176, end - 176);
    assert_nothing(end);
    assert_nothing(UINT64_MAX - first);
}

static void data_has_no_functions(void **state)
{
    (void)state;
    const struct elf_section *data = elf_file_section_named(labels, ".data");
    assert_non_null(data);
    for (uint64_t i = 0; i < data->size; i++)
        assert_nothing(data->address + i - first);
}

/* One by one, and all at once, with each step between them: the batch must not matter. */
static void a_batch_is_answered_as_its_addresses_are_alone(void **state)
{
    (void)state;
    for (uint64_t step = 1; step < 40; step++) {
        VEC(uint64_t) addresses = {0};
        for (uint64_t offset = 0; offset < 260; offset += step)
            assert_true(vec_push(&addresses, first + offset));
        struct elf_symbol *found = memory_array(addresses.count, sizeof *found);
        enum elf_symbol_tables tables;
        struct error error = {0};
        assert_int_equal(elf_symbols_find(labels, NULL, addresses.items, addresses.count, found, &tables, &error), 0);
        for (size_t i = 0; i < addresses.count; i++) {
            struct elf_symbol alone = find(addresses.items[i] - first);
            assert_true(slice_equal(found[i].name, alone.name));
            assert_int_equal(found[i].start, alone.start);
            assert_int_equal(found[i].size, alone.size);
        }
        memory_release(found);
        vec_free(&addresses);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_label_without_a_type_is_a_function_up_to_the_next_symbol),
        cmocka_unit_test(the_innermost_function_with_a_size_is_taken),
        cmocka_unit_test(a_label_inside_a_function_does_not_hide_it),
        cmocka_unit_test(code_behind_the_end_of_a_function_is_nobodys),
        cmocka_unit_test(of_several_names_the_one_people_use_is_taken),
        cmocka_unit_test(of_several_sizes_the_largest_is_taken),
        cmocka_unit_test(a_function_without_a_size_reaches_to_the_next_symbol),
        cmocka_unit_test(a_function_that_chooses_another_has_its_name),
        cmocka_unit_test(the_last_function_ends_with_its_section),
        cmocka_unit_test(data_has_no_functions),
        cmocka_unit_test(a_batch_is_answered_as_its_addresses_are_alone),
    };
    return cmocka_run_group_tests(tests, open_labels, close_labels);
}
