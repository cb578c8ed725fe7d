#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "frame_bytes.h"
#include "unwind/eh_frame_index.h"

#include <stdlib.h>

static void an_empty_table_has_no_entries(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    struct eh_frame_table table = frame_bytes_table(&bytes);
    size_t next = 77;
    assert_int_equal(eh_frame_entry(&table, 0, &next), EH_FRAME_END);
    assert_int_equal(next, 0);
    assert_int_equal(eh_frame_length(&table), 0);
    assert_int_equal(eh_frame_index_count(&table), 0);
}

static void a_terminator_ends_the_table(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    size_t cie = frame_bytes_cie(&bytes, 1, "", BYTES());
    frame_bytes_fde(&bytes, cie, 0x1000, 0x100, BYTES());
    size_t length = bytes.length;
    frame_bytes_u32(&bytes, 0);
    frame_bytes_fde(&bytes, cie, 0x2000, 0x100, BYTES());
    struct eh_frame_table table = frame_bytes_table(&bytes);
    assert_int_equal(eh_frame_length(&table), length);
    assert_int_equal(eh_frame_index_count(&table), 1);
}

static void a_length_that_is_cut_off_is_bad(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    frame_bytes_put(&bytes, "\x10\x00\x00", 3);
    struct eh_frame_table table = frame_bytes_table(&bytes);
    size_t next;
    assert_int_equal(eh_frame_entry(&table, 0, &next), EH_FRAME_BAD);

    bytes.length = 0;
    frame_bytes_u32(&bytes, UINT32_MAX);
    frame_bytes_u32(&bytes, 16); /* half of a length of 8 bytes */
    table = frame_bytes_table(&bytes);
    assert_int_equal(eh_frame_entry(&table, 0, &next), EH_FRAME_BAD);
}

static void an_id_that_is_cut_off_is_bad(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    size_t next;
    frame_bytes_u32(&bytes, 3);
    frame_bytes_put(&bytes, "abcdef", 6);
    struct eh_frame_table table = frame_bytes_table(&bytes);
    assert_int_equal(eh_frame_entry(&table, 0, &next), EH_FRAME_BAD);
}

static void an_entry_longer_than_the_table_is_bad(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    size_t cie = frame_bytes_cie(&bytes, 1, "", BYTES());
    struct frame_bytes cut;
    frame_bytes_fde(&bytes, cie, 0x1000, 0x100, BYTES());
    for (cut = bytes; cut.length > 0; cut.length--) {
        /* On the heap, so that a read past the end is seen. */
        uint8_t *copy = malloc(cut.length);
        memcpy(copy, cut.data, cut.length);
        struct eh_frame_table table = {.bytes = copy, .length = cut.length, .address = FRAME_BYTES_ADDRESS};
        assert_int_equal(eh_frame_index_count(&table), cut.length == bytes.length);
        free(copy);
    }
}

static void a_lone_cie_is_no_function(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    frame_bytes_cie(&bytes, 1, "", BYTES(0x0c, 7, 8));
    struct eh_frame_table table = frame_bytes_table(&bytes);
    struct frame_description description;
    size_t next;
    assert_int_equal(eh_frame_entry(&table, 0, &next), EH_FRAME_CIE);
    assert_int_equal(next, bytes.length);
    assert_int_equal(eh_frame_index_count(&table), 0);
    assert_false(eh_frame_read(&table, 0, &description));
}

static void an_fde_is_read_with_its_cie(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    size_t cie = frame_bytes_cie(&bytes, 1, "", BYTES(0x0c, 7, 8));
    size_t fde = frame_bytes_fde(&bytes, cie, 0x1000, 0x100, BYTES(0x0e, 16, 0));
    struct eh_frame_table table = frame_bytes_table(&bytes);
    struct frame_description description;
    assert_true(eh_frame_read(&table, fde, &description));
    assert_int_equal(description.start, 0x1000);
    assert_int_equal(description.length, 0x100);
    assert_int_equal(description.code_factor, 1);
    assert_int_equal(description.data_factor, -8);
    assert_int_equal(description.return_register, 16);
    assert_false(description.signal_frame);
    assert_int_equal(byte_reader_left(&description.common_program), 3);
    assert_memory_equal(description.common_program.at, "\x0c\x07\x08", 3);
    assert_int_equal(byte_reader_left(&description.program), 3);
    assert_memory_equal(description.program.at, "\x0e\x10\x00", 3);
}

static void several_fdes_share_a_cie_and_several_cies_are_told_apart(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    size_t first = frame_bytes_cie(&bytes, 1, "", BYTES(0x0c, 7, 8));
    size_t second = frame_bytes_cie(&bytes, 3, "", BYTES(0x0c, 6, 16));
    size_t fdes[] = {
        frame_bytes_fde(&bytes, first, 0x1000, 0x100, BYTES()),
        frame_bytes_fde(&bytes, second, 0x2000, 0x100, BYTES()),
        frame_bytes_fde(&bytes, first, 0x3000, 0x100, BYTES()),
    };
    struct eh_frame_table table = frame_bytes_table(&bytes);
    static const uint8_t registers[] = {7, 6, 7};
    for (size_t i = 0; i < 3; i++) {
        struct frame_description description;
        assert_true(eh_frame_read(&table, fdes[i], &description));
        assert_int_equal(description.start, 0x1000 * (i + 1));
        assert_int_equal(description.common_program.at[1], registers[i]);
    }
}

static void a_cie_may_stand_behind_its_fde(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    size_t fde = frame_bytes_fde(&bytes, 0, 0x1000, 0x100, BYTES());
    size_t cie = frame_bytes_cie(&bytes, 1, "", BYTES(0x0c, 7, 8));
    uint32_t distance = (uint32_t)(fde + 4 - cie);
    memcpy(bytes.data + fde + 4, &distance, sizeof distance);
    struct eh_frame_table table = frame_bytes_table(&bytes);
    struct frame_description description;
    assert_true(eh_frame_read(&table, fde, &description));
    assert_int_equal(description.start, 0x1000);
}

static void a_cie_pointer_out_of_the_table_is_refused(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    size_t cie = frame_bytes_cie(&bytes, 1, "", BYTES());
    size_t fde = frame_bytes_fde(&bytes, cie, 0x1000, 0x100, BYTES());
    struct eh_frame_table table = frame_bytes_table(&bytes);
    struct frame_description description;
    static const uint32_t wrong[] = {1000000, 0x80000000, (uint32_t)-1000000, 4, 1};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(bytes.data + fde + 4, &wrong[i], sizeof wrong[i]);
        assert_false(eh_frame_read(&table, fde, &description));
    }
}

static void lengths_of_eight_bytes_are_read(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    size_t cie = frame_bytes_cie(&bytes, 1, "", BYTES());
    size_t fde = bytes.length;
    frame_bytes_u32(&bytes, UINT32_MAX);
    frame_bytes_u64(&bytes, 4 + 16 + 1);
    frame_bytes_u32(&bytes, (uint32_t)(bytes.length - cie));
    frame_bytes_u64(&bytes, 0x1000);
    frame_bytes_u64(&bytes, 0x100);
    frame_bytes_u8(&bytes, 0);
    struct eh_frame_table table = frame_bytes_table(&bytes);
    struct frame_description description;
    size_t next;
    assert_int_equal(eh_frame_entry(&table, fde, &next), EH_FRAME_FDE);
    assert_int_equal(next, bytes.length);
    assert_true(eh_frame_read(&table, fde, &description));
    assert_int_equal(description.length, 0x100);
    assert_int_equal(byte_reader_left(&description.program), 1);
}

static bool is_read(uint8_t version, const char *augmentation)
{
    struct frame_bytes bytes = {0};
    size_t cie = frame_bytes_cie(&bytes, version, augmentation, BYTES(0, 0));
    size_t fde = frame_bytes_fde(&bytes, cie, 0x1000, 0x100, BYTES());
    struct eh_frame_table table = frame_bytes_table(&bytes);
    struct frame_description description;
    return eh_frame_read(&table, fde, &description);
}

static void versions_1_3_and_4_are_known(void **state)
{
    (void)state;
    for (unsigned version = 0; version < 256; version++)
        assert_int_equal(is_read((uint8_t)version, ""), version == 1 || version == 3 || version == 4);
}

static void other_address_sizes_and_segments_are_refused(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    struct frame_description description;
    size_t cie = frame_bytes_cie(&bytes, 4, "", BYTES());
    size_t fde = frame_bytes_fde(&bytes, cie, 0x1000, 0x100, BYTES());
    struct eh_frame_table table = frame_bytes_table(&bytes);
    assert_true(eh_frame_read(&table, fde, &description));
    enum { ADDRESS_SIZE_AT = 10, SEGMENT_SIZE_AT };
    bytes.data[cie + ADDRESS_SIZE_AT] = 4;
    assert_false(eh_frame_read(&table, fde, &description));
    bytes.data[cie + ADDRESS_SIZE_AT] = 8;
    bytes.data[cie + SEGMENT_SIZE_AT] = 1;
    assert_false(eh_frame_read(&table, fde, &description));
}

static void the_return_register_is_a_byte_in_version_1_and_uleb128_later(void **state)
{
    (void)state;
    for (uint8_t version = 1; version <= 3; version += 2) {
        struct frame_bytes bytes = {0};
        size_t cie = frame_bytes_cie_start(&bytes, version, "");
        bytes.data[bytes.length - 1] = 0x90;
        frame_bytes_u8(&bytes, 0x01);
        frame_bytes_close(&bytes, cie);
        size_t fde = frame_bytes_fde(&bytes, cie, 0x1000, 0x100, BYTES());
        struct eh_frame_table table = frame_bytes_table(&bytes);
        struct frame_description description;
        assert_true(eh_frame_read(&table, fde, &description));
        assert_int_equal(description.return_register, 0x90);
        assert_int_equal(byte_reader_left(&description.common_program), version == 1 ? 1 : 0);
    }
}

static void an_unknown_augmentation_refuses_its_functions_alone(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    size_t unknown = frame_bytes_cie_with(&bytes, "zX", BYTES(1, 2), BYTES());
    size_t known = frame_bytes_cie(&bytes, 1, "", BYTES());
    size_t other = frame_bytes_cie(&bytes, 1, "eh", BYTES());
    size_t fdes[] = {
        frame_bytes_fde(&bytes, unknown, 0x1000, 0x100, BYTES()),
        frame_bytes_fde(&bytes, known, 0x2000, 0x100, BYTES()),
        frame_bytes_fde(&bytes, other, 0x3000, 0x100, BYTES()),
    };
    struct eh_frame_table table = frame_bytes_table(&bytes);
    struct frame_description description;
    assert_false(eh_frame_read(&table, fdes[0], &description));
    assert_true(eh_frame_read(&table, fdes[1], &description));
    assert_false(eh_frame_read(&table, fdes[2], &description));
    struct eh_frame_index_row rows[3];
    assert_int_equal(eh_frame_index_build(&table, rows, 3), 1);
}

/* The FDE of a CIE with a z has augmentation data, too: here a pointer to an exception table, of 4 bytes. */
static size_t fde_with_data(struct frame_bytes *bytes, size_t cie, uint32_t function)
{
    size_t start = bytes->length;
    frame_bytes_u32(bytes, 0);
    frame_bytes_u32(bytes, (uint32_t)(bytes->length - cie));
    frame_bytes_u32(bytes, function);
    frame_bytes_u32(bytes, 0x100);
    frame_bytes_u8(bytes, 4);
    frame_bytes_u32(bytes, 0xabcdef);
    frame_bytes_u8(bytes, 0x0e);
    frame_bytes_u8(bytes, 32);
    frame_bytes_close(bytes, start);
    return start;
}

static void every_letter_of_an_augmentation_is_known(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    size_t cie = frame_bytes_cie_with(
        &bytes, "zSLPRB", BYTES(POINTER_U32, POINTER_INDIRECT | POINTER_TO_HERE | POINTER_S32, 1, 2, 3, 4, POINTER_U32),
        BYTES(0x0c, 7, 8));
    size_t fde = fde_with_data(&bytes, cie, 0x1000);
    struct eh_frame_table table = frame_bytes_table(&bytes);
    struct frame_description description;
    assert_true(eh_frame_read(&table, fde, &description));
    assert_true(description.signal_frame);
    assert_true(description.b_key);
    assert_int_equal(description.pointer_encoding, POINTER_U32);
    assert_int_equal(description.start, 0x1000);
    assert_int_equal(byte_reader_left(&description.common_program), 3);
    assert_memory_equal(description.program.at, "\x0e\x20", 2);
}

static void an_empty_z_has_no_data(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    size_t cie = frame_bytes_cie_with(&bytes, "z", BYTES(), BYTES(0x0c, 7, 8));
    size_t fde = bytes.length;
    frame_bytes_u32(&bytes, 0);
    frame_bytes_u32(&bytes, (uint32_t)(bytes.length - cie));
    frame_bytes_u64(&bytes, 0x1000);
    frame_bytes_u64(&bytes, 0x100);
    frame_bytes_u8(&bytes, 0);
    frame_bytes_close(&bytes, fde);
    struct eh_frame_table table = frame_bytes_table(&bytes);
    struct frame_description description;
    assert_true(eh_frame_read(&table, fde, &description));
    assert_int_equal(byte_reader_left(&description.program), 0);
}

static void augmentation_data_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    struct frame_description description;
    /* Longer than the CIE. */
    size_t cie = frame_bytes_cie_start(&bytes, 1, "zR");
    frame_bytes_u8(&bytes, 100);
    frame_bytes_close(&bytes, cie);
    size_t fde = frame_bytes_fde(&bytes, cie, 0x1000, 0x100, BYTES(0));
    struct eh_frame_table table = frame_bytes_table(&bytes);
    assert_false(eh_frame_read(&table, fde, &description));
    /* Shorter than the letters need. */
    bytes.length = 0;
    cie = frame_bytes_cie_with(&bytes, "zLR", BYTES(POINTER_U32), BYTES());
    fde = frame_bytes_fde(&bytes, cie, 0x1000, 0x100, BYTES(0));
    table = frame_bytes_table(&bytes);
    assert_false(eh_frame_read(&table, fde, &description));
}

static uint64_t pointer(uint8_t encoding, struct piece bytes, uint64_t address, uint64_t data, size_t *used)
{
    struct byte_reader in = byte_reader_of(bytes.bytes, bytes.length);
    uint64_t value = eh_frame_pointer(&in, encoding, address, data);
    *used = in.failed ? SIZE_MAX : (size_t)(in.at - bytes.bytes);
    return value;
}

static void pointers_of_every_encoding_are_read(void **state)
{
    (void)state;
    struct piece bytes = BYTES(0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);
    size_t used;
    assert_true(pointer(POINTER_ABSOLUTE, bytes, 0, 0, &used) == (uint64_t)-8 && used == 8);
    assert_true(pointer(POINTER_U64, bytes, 0, 0, &used) == (uint64_t)-8 && used == 8);
    assert_true(pointer(POINTER_S64, bytes, 0, 0, &used) == (uint64_t)-8 && used == 8);
    assert_true(pointer(POINTER_U32, bytes, 0, 0, &used) == 0xfffffff8 && used == 4);
    assert_true(pointer(POINTER_S32, bytes, 0, 0, &used) == (uint64_t)-8 && used == 4);
    assert_true(pointer(POINTER_U16, bytes, 0, 0, &used) == 0xfff8 && used == 2);
    assert_true(pointer(POINTER_S16, bytes, 0, 0, &used) == (uint64_t)-8 && used == 2);
    assert_true(pointer(POINTER_ULEB, bytes, 0, 0, &used) == 0x7ffffffffffffff8 && used == 9);
    assert_true(pointer(POINTER_SLEB, bytes, 0, 0, &used) == (uint64_t)-8 && used == 9);
    assert_true(pointer(POINTER_TO_HERE | POINTER_S32, bytes, 0x1000, 0, &used) == 0xff8 && used == 4);
    assert_true(pointer(POINTER_TO_DATA | POINTER_S32, bytes, 0x1000, 0x2000, &used) == 0x1ff8 && used == 4);
    assert_true(pointer(POINTER_TO_TEXT | POINTER_U32, bytes, 0x1000, 0x2000, &used) == 0xfffffff8 && used == 4);
    assert_true(pointer(POINTER_NONE, bytes, 0, 0, &used) == 0 && used == 0);
}

static void an_aligned_pointer_starts_at_a_multiple_of_8(void **state)
{
    (void)state;
    struct piece bytes = BYTES(9, 9, 9, 1, 2, 0, 0, 0, 0, 0, 0);
    size_t used;
    assert_true(pointer(POINTER_ALIGNED, bytes, 0x1005, 0, &used) == 0x201 && used == 11);
}

static void pointers_that_need_other_memory_or_are_cut_off_are_refused(void **state)
{
    (void)state;
    struct piece bytes = BYTES(1, 2, 3, 4, 5, 6, 7);
    size_t used;
    static const uint8_t refused[] = {
        POINTER_ABSOLUTE, POINTER_U64, POINTER_INDIRECT | POINTER_U32, POINTER_TO_FUNCTION | POINTER_U32, 0x05, 0x0d, 0x70};
    for (size_t i = 0; i < sizeof refused; i++) {
        pointer(refused[i], bytes, 0x1000, 0, &used);
        assert_true(used == SIZE_MAX);
    }
}

/* --- the index -------------------------------------------------------------------------------------------------------- */

static void functions_are_found_by_any_address_in_them_and_no_other(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    size_t cie = frame_bytes_cie(&bytes, 1, "", BYTES());
    frame_bytes_fde(&bytes, cie, 0x3000, 0x80, BYTES());
    frame_bytes_fde(&bytes, cie, 0x1000, 0x100, BYTES());
    frame_bytes_fde(&bytes, cie, 0x1100, 0x10, BYTES());
    frame_bytes_fde(&bytes, cie, 0x2000, 0, BYTES()); /* empty: left out */
    struct eh_frame_table table = frame_bytes_table(&bytes);
    struct eh_frame_index_row rows[8];
    table.index_address = table.address;
    assert_int_equal(eh_frame_index_count(&table), 4);
    table.index_count = eh_frame_index_build(&table, rows, 8);
    table.index = rows;
    assert_int_equal(table.index_count, 3);
    static const struct {
        uint64_t address, start;
    } expected[] = {{0xfff, 0},  {0x1000, 0x1000}, {0x10ff, 0x1000}, {0x1100, 0x1100}, {0x110f, 0x1100},
                    {0x1110, 0}, {0x2000, 0},      {0x2fff, 0},      {0x3000, 0x3000}, {0x307f, 0x3000},
                    {0x3080, 0}, {0, 0},           {UINT64_MAX, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct frame_description description;
        bool found = eh_frame_find(&table, expected[i].address, &description);
        assert_int_equal(found, expected[i].start != 0);
        if (found)
            assert_int_equal(description.start, expected[i].start);
    }
}

static void an_index_that_points_out_of_the_table_finds_nothing(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    size_t cie = frame_bytes_cie(&bytes, 1, "", BYTES());
    frame_bytes_fde(&bytes, cie, 0x1000, 0x100, BYTES());
    struct eh_frame_table table = frame_bytes_table(&bytes);
    table.index_address = table.address;
    static const int32_t wrong[] = {-4, INT32_MIN, INT32_MAX, 1000, 3};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct eh_frame_index_row row = {0x1000 - FRAME_BYTES_ADDRESS, wrong[i]};
        struct frame_description description;
        table.index = &row;
        table.index_count = 1;
        assert_false(eh_frame_find(&table, 0x1000, &description));
    }
}

static void many_functions_in_any_order_are_sorted(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    size_t cie = frame_bytes_cie(&bytes, 1, "", BYTES());
    enum { COUNT = 30 };
    for (unsigned i = 0; i < COUNT; i++)
        frame_bytes_fde(&bytes, cie, 0x1000 + (uint64_t)(i * 17 % COUNT) * 16, 16, BYTES());
    struct eh_frame_table table = frame_bytes_table(&bytes);
    struct eh_frame_index_row rows[COUNT];
    table.index_address = table.address;
    assert_int_equal(eh_frame_index_build(&table, rows, COUNT), COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(rows[i].function, 0x1000 + i * 16 - FRAME_BYTES_ADDRESS);
}

/* A table of `count` functions of all sizes, with gaps between some of them. */
struct large_table {
    uint8_t *bytes;
    struct eh_frame_index_row *rows;
    struct eh_frame_table table;
};

static void large_table_make(struct large_table *large, size_t count)
{
    struct frame_bytes piece = {0};
    size_t cie = frame_bytes_cie(&piece, 1, "", BYTES()), length = piece.length;
    enum { FDE_BYTES = 24 };
    large->bytes = malloc(piece.length + count * FDE_BYTES);
    large->rows = malloc(count * sizeof *large->rows);
    assert_true(large->bytes && large->rows);
    memcpy(large->bytes, piece.data, piece.length);
    uint64_t random = 1, function = 0x400000;
    for (size_t i = 0; i < count; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t bytes = 1 + (random >> 33) % (i % 1000 == 0 ? 100000 : i % 50 == 0 ? 4000 : 60);
        /* The CIE is farther away with each function. */
        struct frame_bytes entry = {0};
        frame_bytes_fde(&entry, cie - length, function, bytes, BYTES());
        assert_int_equal(entry.length, FDE_BYTES);
        memcpy(large->bytes + length, entry.data, FDE_BYTES);
        length += FDE_BYTES;
        function += bytes + (i % 7 == 0 ? (random >> 40) % 40 : 0);
    }
    large->table = (struct eh_frame_table){
        .bytes = large->bytes, .length = length, .address = FRAME_BYTES_ADDRESS, .index_address = FRAME_BYTES_ADDRESS};
    large->table.index_count = eh_frame_index_build(&large->table, large->rows, count);
    assert_int_equal(large->table.index_count, count);
    large->table.index = large->rows;
}

static void assert_same_answer(const struct eh_frame_table *table, const struct eh_frame_table *coarse, uint64_t address)
{
    struct frame_description expected, found;
    bool known = eh_frame_find(table, address, &expected);
    assert_int_equal(eh_frame_find(coarse, address, &found), known);
    if (known)
        assert_int_equal(found.start, expected.start);
}

static void a_coarse_index_leads_to_the_same_functions(void **state)
{
    (void)state;
    static const size_t counts[] = {EH_FRAME_COARSE_LEAST, 4 * EH_FRAME_COARSE_LOOKS, 45201};
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
        struct large_table large;
        large_table_make(&large, counts[n]);
        struct eh_frame_coarse coarse;
        assert_true(eh_frame_coarse_is_wanted(counts[n]));
        assert_true(eh_frame_coarse_make(&large.table, &coarse));
        struct eh_frame_table with = large.table;
        with.coarse = &coarse;
        struct frame_description description;
        for (size_t row = 0; row < counts[n]; row++) {
            uint64_t start = with.index_address + (uint64_t)with.index[row].function;
            assert_true(eh_frame_find(&with, start, &description));
            assert_int_equal(description.start, start);
            uint64_t end = description.start + description.length;
            assert_true(eh_frame_find(&with, end - 1, &description));
            assert_int_equal(description.start, start);
            assert_same_answer(&large.table, &with, start - 1);
            assert_same_answer(&large.table, &with, end);
        }
        static const uint64_t far[] = {0, 1, 0x3fffff, 0x400000, UINT64_C(1) << 40, UINT64_MAX};
        for (size_t i = 0; i < sizeof far / sizeof *far; i++)
            assert_same_answer(&large.table, &with, far[i]);
        for (size_t piece = 0; piece <= EH_FRAME_COARSE_PIECES; piece++)
            for (uint64_t around = 0; around < 3; around++)
                assert_same_answer(&large.table, &with, coarse.start + piece * coarse.bytes - 1 + around);
        free(large.bytes);
        free(large.rows);
    }
}

static void rows_that_are_not_sorted_do_no_harm_to_a_coarse_index(void **state)
{
    (void)state;
    struct large_table large;
    large_table_make(&large, 10000);
    struct eh_frame_coarse coarse;
    struct frame_description description;
    uint64_t random = 1;
    for (unsigned tries = 0; tries < 50; tries++) {
        for (size_t i = 0; i < 1000; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            large.rows[(random >> 32) % 10000].function = (int32_t)(random >> 20);
        }
        large.table.coarse = eh_frame_coarse_make(&large.table, &coarse) ? &coarse : NULL;
        for (uint64_t address = 0x3f0000; address < 0x600000; address += 997)
            if (eh_frame_find(&large.table, address, &description))
                assert_true(address >= description.start && address - description.start < description.length);
    }
    free(large.bytes);
    free(large.rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_table_has_no_entries),
        cmocka_unit_test(a_terminator_ends_the_table),
        cmocka_unit_test(a_length_that_is_cut_off_is_bad),
        cmocka_unit_test(an_id_that_is_cut_off_is_bad),
        cmocka_unit_test(an_entry_longer_than_the_table_is_bad),
        cmocka_unit_test(a_lone_cie_is_no_function),
        cmocka_unit_test(an_fde_is_read_with_its_cie),
        cmocka_unit_test(several_fdes_share_a_cie_and_several_cies_are_told_apart),
        cmocka_unit_test(a_cie_may_stand_behind_its_fde),
        cmocka_unit_test(a_cie_pointer_out_of_the_table_is_refused),
        cmocka_unit_test(lengths_of_eight_bytes_are_read),
        cmocka_unit_test(versions_1_3_and_4_are_known),
        cmocka_unit_test(other_address_sizes_and_segments_are_refused),
        cmocka_unit_test(the_return_register_is_a_byte_in_version_1_and_uleb128_later),
        cmocka_unit_test(an_unknown_augmentation_refuses_its_functions_alone),
        cmocka_unit_test(every_letter_of_an_augmentation_is_known),
        cmocka_unit_test(an_empty_z_has_no_data),
        cmocka_unit_test(augmentation_data_that_does_not_fit_is_refused),
        cmocka_unit_test(pointers_of_every_encoding_are_read),
        cmocka_unit_test(an_aligned_pointer_starts_at_a_multiple_of_8),
        cmocka_unit_test(pointers_that_need_other_memory_or_are_cut_off_are_refused),
        cmocka_unit_test(functions_are_found_by_any_address_in_them_and_no_other),
        cmocka_unit_test(an_index_that_points_out_of_the_table_finds_nothing),
        cmocka_unit_test(many_functions_in_any_order_are_sorted),
        cmocka_unit_test(a_coarse_index_leads_to_the_same_functions),
        cmocka_unit_test(rows_that_are_not_sorted_do_no_harm_to_a_coarse_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
