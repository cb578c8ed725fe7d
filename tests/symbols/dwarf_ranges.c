/* Lists of ranges, written by hand: what compilers here do not write, and what other linkers leave in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/dwarf/ranges.h"

struct list {
    uint8_t bytes[512];
    size_t length;
};

static void add(struct list *list, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        list->bytes[list->length++] = (uint8_t)(value >> 8 * i);
}

/* Numbers below 128: a byte each. */
#define RLE(list, kind, ...)                                                                                                   \
    do {                                                                                                                       \
        const uint8_t bytes_[] = {kind, __VA_ARGS__};                                                                          \
        memcpy((list)->bytes + (list)->length, bytes_, sizeof bytes_);                                                         \
        (list)->length += sizeof bytes_;                                                                                       \
    } while (0)

static void pair(struct list *list, uint64_t start, uint64_t end, size_t size)
{
    add(list, start, size);
    add(list, end, size);
}

/* The ranges as text: "1000-1010 1020-1030". */
static const char *ranges_of(const struct list *list, uint8_t version, uint8_t address_size, uint64_t base,
                             const struct list *addresses)
{
    static char text[400];
    struct dwarf_file file = {0};
    struct slice bytes = {(const char *)list->bytes, list->length};
    if (version < 5)
        file.sections.ranges = bytes;
    else
        file.sections.rnglists = bytes;
    if (addresses)
        file.sections.addr = (struct slice){(const char *)addresses->bytes, addresses->length};
    struct dwarf_unit unit = {.file = &file, .head.sizes = {version, address_size, 4}, .base_address = base};
    struct dwarf_value at = {.form = FORM_sec_offset}, none = {0};
    struct dwarf_work work = {1000};
    struct dwarf_ranges ranges;
    uint64_t start, end;
    size_t length = 0;
    *text = '\0';
    dwarf_ranges_begin(&ranges, &unit, none, none, at, &work);
    while (dwarf_ranges_next(&ranges, &start, &end))
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%llx-%llx", length > 0 ? " " : "",
                                   (unsigned long long)start, (unsigned long long)end);
    if (ranges.damaged)
        snprintf(text + length, sizeof text - length, "%sdamaged", length > 0 ? " " : "");
    return text;
}

static void old_lists_count_from_the_unit_or_from_the_base_they_select(void **state)
{
    (void)state;
    struct list list = {0};
    pair(&list, 0x10, 0x20, 8);
    pair(&list, UINT64_MAX, 0x5000, 8);
    pair(&list, 0, 8, 8);
    pair(&list, UINT64_MAX, 0, 8);
    pair(&list, 0x9000, 0x9004, 8);
    pair(&list, 0, 0, 8);
    pair(&list, 0x10, 0x20, 8);
    assert_string_equal(ranges_of(&list, 4, 8, 0x1000, NULL), "1010-1020 5000-5008 9000-9004");
}

static void old_lists_of_32_bits_wrap_around(void **state)
{
    (void)state;
    struct list list = {0};
    pair(&list, 0x10, 0x20, 4);
    pair(&list, UINT32_MAX, 0x5000, 4);
    pair(&list, 0xfffff000, 0xfffff010, 4);
    pair(&list, 0, 0, 4);
    assert_string_equal(ranges_of(&list, 4, 4, 0x1000, NULL), "1010-1020 4000-4010");
}

static void every_kind_of_entry_of_version_5_is_read(void **state)
{
    (void)state;
    struct list list = {0}, addresses = {0};
    add(&addresses, 0x2000, 8);
    add(&addresses, 0x2040, 8);
    RLE(&list, RLE_offset_pair, 0x10, 0x20);
    RLE(&list, RLE_base_addressx, 1);
    RLE(&list, RLE_offset_pair, 1, 2);
    RLE(&list, RLE_startx_endx, 0, 1);
    RLE(&list, RLE_startx_length, 1, 5);
    RLE(&list, RLE_base_address);
    add(&list, 0x7000, 8);
    RLE(&list, RLE_offset_pair, 3, 4);
    RLE(&list, RLE_start_end);
    pair(&list, 0x8000, 0x8008, 8);
    RLE(&list, RLE_start_length);
    add(&list, 0x9000, 8);
    RLE(&list, 16, RLE_end_of_list);
    assert_string_equal(ranges_of(&list, 5, 8, 0x1000, &addresses),
                        "1010-1020 2041-2042 2000-2040 2040-2045 7003-7004 8000-8008 9000-9010");
}

static void ranges_that_linkers_mark_as_dead_are_left_out(void **state)
{
    (void)state;
    struct list old = {0}, list = {0};
    pair(&old, 1, 1, 8); /* ld */
    pair(&old, 0, 0x40, 8);
    pair(&old, UINT64_MAX - 1, UINT64_MAX - 1, 8); /* lld */
    pair(&old, UINT64_MAX, UINT64_MAX - 1, 8);
    pair(&old, 0x10, 0x20, 8);
    pair(&old, UINT64_MAX, 0x3000, 8);
    pair(&old, 0x10, 0x20, 8);
    pair(&old, 0, 0, 8);
    assert_string_equal(ranges_of(&old, 4, 8, 0, NULL), "3010-3020");
    RLE(&list, RLE_start_length);
    add(&list, 0, 8);
    RLE(&list, 0x40, RLE_start_length);
    add(&list, UINT64_MAX, 8);
    RLE(&list, 0x40, RLE_base_address);
    add(&list, 0, 8);
    RLE(&list, RLE_offset_pair, 0x10, 0x20);
    RLE(&list, RLE_start_length);
    add(&list, 0x3000, 8);
    RLE(&list, 1, RLE_end_of_list);
    assert_string_equal(ranges_of(&list, 5, 8, 0, NULL), "3000-3001");
}

static void lists_without_an_end_are_damaged_after_what_they_have(void **state)
{
    (void)state;
    struct list old = {0}, list = {0};
    pair(&old, 0x10, 0x20, 8);
    assert_string_equal(ranges_of(&old, 4, 8, 0x1000, NULL), "1010-1020 damaged");
    RLE(&list, RLE_offset_pair, 0x10, 0x20);
    RLE(&list, 99, 1);
    assert_string_equal(ranges_of(&list, 5, 8, 0x1000, NULL), "1010-1020 damaged");
    list.length = 0;
    RLE(&list, RLE_startx_length, 7, 1);
    assert_string_equal(ranges_of(&list, 5, 8, 0x1000, NULL), "damaged");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_lists_count_from_the_unit_or_from_the_base_they_select),
        cmocka_unit_test(old_lists_of_32_bits_wrap_around),
        cmocka_unit_test(every_kind_of_entry_of_version_5_is_read),
        cmocka_unit_test(ranges_that_linkers_mark_as_dead_are_left_out),
        cmocka_unit_test(lists_without_an_end_are_damaged_after_what_they_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
