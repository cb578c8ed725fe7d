/* One test for each instruction of call frame programs, and for programs that make no sense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "frame_bytes.h"
#include "unwind/cfa_program.h"

enum { FUNCTION = 0x1000, LENGTH = 0x100000 };

/* The CIE of most code on x86-64: cfa = r7 + 8, r16 at cfa − 8. Numbers are those of registers on both CPUs. */
#define COMMON BYTES(0x0c, 7, 8, 0x90, 1)

/* Runs both programs for an address in the function. */
static bool run(struct piece common, struct piece program, uint64_t offset, struct cfa_row *row)
{
    struct frame_bytes bytes = {0};
    size_t cie = frame_bytes_cie(&bytes, 1, "", common);
    size_t fde = frame_bytes_fde(&bytes, cie, FUNCTION, LENGTH, program);
    struct eh_frame_table table = frame_bytes_table(&bytes);
    struct frame_description description;
    assert_true(eh_frame_read(&table, fde, &description));
    return cfa_program_run(&table, &description, FUNCTION + offset, row);
}

static void expect_cfa(const struct cfa_row *row, unsigned number, int offset)
{
    assert_false(row->cfa_is_expression);
    assert_int_equal(row->cfa_register, number);
    assert_int_equal(row->cfa_operand, offset);
}

static void expect_place(const struct cfa_row *row, unsigned number, enum register_place place, int operand)
{
    assert_int_equal(row->place[number], place);
    assert_int_equal(row->operand[number], operand);
}

static struct cfa_row row;

static void an_empty_program_leaves_the_row_of_the_cie(void **state)
{
    (void)state;
    assert_true(run(COMMON, BYTES(), 0, &row));
    expect_cfa(&row, 7, 8);
    expect_place(&row, 16, PLACE_AT, -8);
    expect_place(&row, 3, PLACE_SAME, 0);
}

static void a_program_that_never_says_the_cfa_is_refused(void **state)
{
    (void)state;
    assert_false(run(BYTES(), BYTES(0x90, 1), 0, &row));
}

/* The row before the advance holds up to the address where the next one starts, for each width of the distance. */
static void rows_start_where_the_program_advances_to(void **state)
{
    (void)state;
    static const struct {
        uint8_t program[12];
        uint8_t length;
        uint64_t distance;
    } cases[] = {
        {{0x40 | 5, 0x0e, 16}, 3, 5},
        {{0x02, 200, 0x0e, 16}, 4, 200},
        {{0x03, 0x34, 0x12, 0x0e, 16}, 5, 0x1234},
        {{0x04, 0x34, 0x12, 0x01, 0, 0x0e, 16}, 7, 0x11234},
        {{0x1d, 0x34, 0x12, 0x02, 0, 0, 0, 0, 0, 0x0e, 16}, 11, 0x21234},
        {{0x01, 0x45, 0x10, 0, 0, 0, 0, 0, 0, 0x0e, 16}, 11, 0x45},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct piece program = {cases[i].program, cases[i].length};
        assert_true(run(COMMON, program, cases[i].distance - 1, &row));
        expect_cfa(&row, 7, 8);
        assert_true(run(COMMON, program, cases[i].distance, &row));
        expect_cfa(&row, 7, 16);
    }
}

static void distances_are_multiplied_by_the_code_factor(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    size_t cie = frame_bytes_cie(&bytes, 1, "", COMMON);
    size_t fde = frame_bytes_fde(&bytes, cie, FUNCTION, LENGTH, BYTES(0x40 | 5, 0x0e, 16));
    struct eh_frame_table table = frame_bytes_table(&bytes);
    struct frame_description description;
    assert_true(eh_frame_read(&table, fde, &description));
    description.code_factor = 4;
    assert_true(cfa_program_run(&table, &description, FUNCTION + 19, &row));
    expect_cfa(&row, 7, 8);
    assert_true(cfa_program_run(&table, &description, FUNCTION + 20, &row));
    expect_cfa(&row, 7, 16);
    description.code_factor = UINT64_MAX; /* what overflows lies behind every address */
    assert_true(cfa_program_run(&table, &description, FUNCTION + 20, &row));
    expect_cfa(&row, 7, 8);
}

static void the_cfa_is_defined_in_every_way(void **state)
{
    (void)state;
    assert_true(run(COMMON, BYTES(0x0c, 6, 16), 0, &row));
    expect_cfa(&row, 6, 16);
    assert_true(run(COMMON, BYTES(0x12, 6, 0x7e), 0, &row)); /* −2 words of −8 */
    expect_cfa(&row, 6, 16);
    assert_true(run(COMMON, BYTES(0x0d, 3), 0, &row));
    expect_cfa(&row, 3, 8);
    assert_true(run(COMMON, BYTES(0x0e, 0x80, 0x01), 0, &row));
    expect_cfa(&row, 7, 128);
    assert_true(run(COMMON, BYTES(0x13, 0x7d), 0, &row));
    expect_cfa(&row, 7, 24);
}

static void registers_are_saved_in_every_way(void **state)
{
    (void)state;
    assert_true(run(COMMON, BYTES(0x86, 2), 0, &row));
    expect_place(&row, 6, PLACE_AT, -16);
    assert_true(run(COMMON, BYTES(0x05, 12, 3), 0, &row));
    expect_place(&row, 12, PLACE_AT, -24);
    assert_true(run(COMMON, BYTES(0x11, 12, 0x7e), 0, &row));
    expect_place(&row, 12, PLACE_AT, 16);
    assert_true(run(COMMON, BYTES(0x2f, 12, 2), 0, &row));
    expect_place(&row, 12, PLACE_AT, 16);
    assert_true(run(COMMON, BYTES(0x14, 12, 2), 0, &row));
    expect_place(&row, 12, PLACE_IS, -16);
    assert_true(run(COMMON, BYTES(0x15, 12, 0x7e), 0, &row));
    expect_place(&row, 12, PLACE_IS, 16);
    assert_true(run(COMMON, BYTES(0x09, 16, 1), 0, &row));
    expect_place(&row, 16, PLACE_REGISTER, 1);
    assert_true(run(COMMON, BYTES(0x07, 16), 0, &row));
    expect_place(&row, 16, PLACE_UNDEFINED, 0);
    assert_true(run(COMMON, BYTES(0x86, 2, 0x08, 6), 0, &row));
    expect_place(&row, 6, PLACE_SAME, 0);
}

/* What is kept of an expression is where its length stands in the table. */
static void expressions_are_kept_by_their_place(void **state)
{
    (void)state;
    struct frame_bytes bytes = {0};
    size_t cie = frame_bytes_cie(&bytes, 1, "", COMMON);
    size_t fde = frame_bytes_fde(&bytes, cie, FUNCTION, LENGTH,
                                 BYTES(0x0f, 3, 0x77, 8, 0x06, 0x10, 6, 2, 0x76, 0, 0x16, 3, 1, 0x31, 0x0e, 99, 0x0d, 5));
    struct eh_frame_table table = frame_bytes_table(&bytes);
    struct frame_description description;
    assert_true(eh_frame_read(&table, fde, &description));
    assert_true(cfa_program_run(&table, &description, FUNCTION, &row));
    size_t program = (size_t)(description.program.at - table.bytes);
    assert_true(row.cfa_is_expression);
    assert_int_equal(row.cfa_operand, program + 1); /* no effect had the offset 99 and register 5 */
    expect_place(&row, 6, PLACE_AT_EXPRESSION, (int)program + 7);
    expect_place(&row, 3, PLACE_IS_EXPRESSION, (int)program + 12);
}

static void a_plain_cfa_can_follow_an_expression(void **state)
{
    (void)state;
    assert_true(run(COMMON, BYTES(0x0f, 1, 0x31, 0x0c, 6, 16), 0, &row));
    expect_cfa(&row, 6, 16);
    assert_true(run(COMMON, BYTES(0x0f, 1, 0x31, 0x12, 6, 0x7e), 0, &row));
    expect_cfa(&row, 6, 16);
}

/* Every kind of place, changed and changed back to what the CIE says. */
static void restore_goes_back_to_the_row_of_the_cie(void **state)
{
    (void)state;
    assert_true(run(BYTES(0x0c, 7, 8, 0x83, 5), BYTES(0x83, 2, 0xc3), 0, &row));
    expect_place(&row, 3, PLACE_AT, -40);
    assert_true(run(BYTES(0x0c, 7, 8, 0x07, 3), BYTES(0x83, 2, 0x06, 3), 0, &row));
    expect_place(&row, 3, PLACE_UNDEFINED, 0);
    assert_true(run(BYTES(0x0c, 7, 8, 0x14, 3, 2), BYTES(0x07, 3, 0xc3), 0, &row));
    expect_place(&row, 3, PLACE_IS, -16);
    assert_true(run(BYTES(0x0c, 7, 8, 0x09, 3, 6), BYTES(0x83, 2, 0xc3), 0, &row));
    expect_place(&row, 3, PLACE_REGISTER, 6);
    assert_true(run(BYTES(0x0c, 7, 8, 0x10, 3, 1, 0x31), BYTES(0x83, 2, 0xc3), 0, &row));
    assert_int_equal(row.place[3], PLACE_AT_EXPRESSION);
    assert_true(run(BYTES(0x0c, 7, 8, 0x16, 3, 1, 0x31), BYTES(0x83, 2, 0xc3), 0, &row));
    assert_int_equal(row.place[3], PLACE_IS_EXPRESSION);
}

static void restore_without_a_rule_of_the_cie_gives_the_same_value(void **state)
{
    (void)state;
    assert_true(run(COMMON, BYTES(0x83, 2, 0xc3), 0, &row));
    expect_place(&row, 3, PLACE_SAME, 0);
}

static void a_remembered_row_comes_back_with_its_cfa(void **state)
{
    (void)state;
    struct piece program = BYTES(0x83, 2, 0x0e, 16, 0x0a, 0x41, 0xc3, 0x0c, 6, 8, 0x41, 0x0b);
    assert_true(run(COMMON, program, 0, &row));
    expect_cfa(&row, 7, 16);
    expect_place(&row, 3, PLACE_AT, -16);
    assert_true(run(COMMON, program, 1, &row));
    expect_cfa(&row, 6, 8);
    expect_place(&row, 3, PLACE_SAME, 0);
    assert_true(run(COMMON, program, 2, &row));
    expect_cfa(&row, 7, 16);
    expect_place(&row, 3, PLACE_AT, -16);
}

static void rows_are_remembered_four_deep(void **state)
{
    (void)state;
    struct piece four =
        BYTES(0x0a, 0x0e, 16, 0x0a, 0x0e, 24, 0x0a, 0x0e, 32, 0x0a, 0x0e, 40, 0x41, 0x0b, 0x41, 0x0b, 0x0b, 0x0b);
    assert_true(run(COMMON, four, 0, &row));
    expect_cfa(&row, 7, 40);
    assert_true(run(COMMON, four, 1, &row));
    expect_cfa(&row, 7, 32);
    assert_true(run(COMMON, four, 2, &row));
    expect_cfa(&row, 7, 8);
    assert_false(run(COMMON, BYTES(0x0a, 0x0a, 0x0a, 0x0a, 0x0a), 0, &row));
}

static void a_row_that_was_not_remembered_cannot_come_back(void **state)
{
    (void)state;
    assert_false(run(COMMON, BYTES(0x0b), 0, &row));
    assert_false(run(COMMON, BYTES(0x0a, 0x0b, 0x0b), 0, &row));
}

static void the_size_of_arguments_is_skipped(void **state)
{
    (void)state;
    assert_true(run(COMMON, BYTES(0x2e, 0x90, 0x01, 0x0e, 24), 0, &row));
    expect_cfa(&row, 7, 24);
}

static void registers_that_no_address_depends_on_are_left_out(void **state)
{
    (void)state;
    assert_true(run(COMMON, BYTES(0x05, 60, 3, 0x07, 70, 0x06, 80, 0x08, 90, 0x0e, 24), 0, &row));
    expect_cfa(&row, 7, 24);
}

static void the_cfa_cannot_be_in_such_a_register(void **state)
{
    (void)state;
    assert_false(run(COMMON, BYTES(0x0d, 60), 0, &row));
}

/* The number that SPARC uses for its register windows. */
static void opcode_2d_toggles_the_signature_on_aarch64_and_is_unknown_elsewhere(void **state)
{
    (void)state;
#ifdef __aarch64__
    assert_true(run(COMMON, BYTES(0x2d, 0x41, 0x2d), 0, &row));
    assert_true(row.return_signed);
    expect_place(&row, 30, PLACE_SAME, 0);
    assert_true(run(COMMON, BYTES(0x2d, 0x41, 0x2d), 1, &row));
    assert_false(row.return_signed);
#else
    assert_false(run(COMMON, BYTES(0x2d), 0, &row));
#endif
}

static void unknown_instructions_are_refused(void **state)
{
    (void)state;
    static const uint8_t unknown[] = {0x17, 0x1c, 0x1e, 0x20, 0x2b, 0x30, 0x3f};
    for (size_t i = 0; i < sizeof unknown; i++)
        assert_false(run(COMMON, (struct piece){&unknown[i], 1}, 0, &row));
}

static void what_stands_behind_the_address_is_not_looked_at(void **state)
{
    (void)state;
    assert_true(run(COMMON, BYTES(0x0e, 16, 0x45, 0x3f), 4, &row));
    expect_cfa(&row, 7, 16);
    assert_false(run(COMMON, BYTES(0x0e, 16, 0x45, 0x3f), 5, &row));
}

static void programs_that_are_cut_off_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[3];
        uint8_t length;
    } cut[] = {{{0x0c}, 1},    {{0x0c, 7}, 2},    {{0x0e}, 1}, {{0x86}, 1},          {{0x05, 6}, 2},    {{0x02}, 1},
               {{0x03, 1}, 2}, {{0x04, 1, 1}, 3}, {{0x0f}, 1}, {{0x0f, 5, 0x77}, 3}, {{0x10, 6, 2}, 3}, {{0x16, 6}, 2},
               {{0x01}, 1},    {{0x0e, 0x80}, 2}, {{0x2e}, 1}, {{0x12, 7, 0xff}, 3}, {{0x09, 1}, 2}};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
        assert_false(run(COMMON, (struct piece){cut[i].bytes, cut[i].length}, LENGTH - 1, &row));
}

static void offsets_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    assert_false(run(COMMON, BYTES(0x0e, 0x80, 0x80, 0x80, 0x80, 0x08), 0, &row)); /* 2 to 31 */
    assert_true(run(COMMON, BYTES(0x0e, 0xff, 0xff, 0xff, 0xff, 0x07), 0, &row));  /* one less */
    assert_false(run(COMMON, BYTES(0x86, 0x80, 0x80, 0x80, 0x80, 0x10), 0, &row)); /* 2 to 32, by −8 */
    assert_false(run(COMMON, BYTES(0x0e, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01), 0, &row));
}

static void the_program_of_a_cie_restores_nothing(void **state)
{
    (void)state;
    assert_false(run(BYTES(0x0c, 7, 8, 0xc3), BYTES(), 0, &row));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_program_leaves_the_row_of_the_cie),
        cmocka_unit_test(a_program_that_never_says_the_cfa_is_refused),
        cmocka_unit_test(rows_start_where_the_program_advances_to),
        cmocka_unit_test(distances_are_multiplied_by_the_code_factor),
        cmocka_unit_test(the_cfa_is_defined_in_every_way),
        cmocka_unit_test(registers_are_saved_in_every_way),
        cmocka_unit_test(expressions_are_kept_by_their_place),
        cmocka_unit_test(a_plain_cfa_can_follow_an_expression),
        cmocka_unit_test(restore_goes_back_to_the_row_of_the_cie),
        cmocka_unit_test(restore_without_a_rule_of_the_cie_gives_the_same_value),
        cmocka_unit_test(a_remembered_row_comes_back_with_its_cfa),
        cmocka_unit_test(rows_are_remembered_four_deep),
        cmocka_unit_test(a_row_that_was_not_remembered_cannot_come_back),
        cmocka_unit_test(the_size_of_arguments_is_skipped),
        cmocka_unit_test(registers_that_no_address_depends_on_are_left_out),
        cmocka_unit_test(the_cfa_cannot_be_in_such_a_register),
        cmocka_unit_test(opcode_2d_toggles_the_signature_on_aarch64_and_is_unknown_elsewhere),
        cmocka_unit_test(unknown_instructions_are_refused),
        cmocka_unit_test(what_stands_behind_the_address_is_not_looked_at),
        cmocka_unit_test(programs_that_are_cut_off_are_refused),
        cmocka_unit_test(offsets_that_do_not_fit_are_refused),
        cmocka_unit_test(the_program_of_a_cie_restores_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
