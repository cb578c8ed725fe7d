#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "frame_bytes.h"
#include "unwind/cfa_expression.h"

static uint64_t words[4] = {0x1122334455667788, 2, 3, 4};
static struct unwind_registers registers;
static uint64_t result;

static enum unwind_end evaluate_from(const uint64_t *first, struct piece program)
{
    struct unwind_memory memory = {.start = (uint64_t)(uintptr_t)words, .end = (uint64_t)(uintptr_t)(words + 4)};
    unwind_registers_from_pc_sp(&registers, 0x1000, (uint64_t)(uintptr_t)words);
    registers.known |= 1 << 6;
    registers.value[6] = 100;
    return cfa_expression_evaluate(byte_reader_of(program.bytes, program.length), &registers, &memory, first, &result);
}

static enum unwind_end evaluate(struct piece program)
{
    return evaluate_from(NULL, program);
}

static void expect(struct piece program, uint64_t expected)
{
    assert_int_equal(evaluate(program), UNWIND_GOES_ON);
    assert_true(result == expected);
}

static void refuse(struct piece program)
{
    assert_int_equal(evaluate(program), UNWIND_NO_RULE);
}

static void constants_of_every_width_are_pushed(void **state)
{
    (void)state;
    expect(BYTES(0x30), 0);
    expect(BYTES(0x4f), 31);
    expect(BYTES(0x08, 0xff), 0xff);
    expect(BYTES(0x09, 0xff), (uint64_t)-1);
    expect(BYTES(0x0a, 0xfe, 0xff), 0xfffe);
    expect(BYTES(0x0b, 0xfe, 0xff), (uint64_t)-2);
    expect(BYTES(0x0c, 0xfe, 0xff, 0xff, 0xff), 0xfffffffe);
    expect(BYTES(0x0d, 0xfe, 0xff, 0xff, 0xff), (uint64_t)-2);
    expect(BYTES(0x0e, 1, 2, 0, 0, 0, 0, 0, 0), 0x201);
    expect(BYTES(0x0f, 1, 2, 0, 0, 0, 0, 0, 0x80), 0x8000000000000201);
    expect(BYTES(0x03, 1, 2, 0, 0, 0, 0, 0, 0), 0x201);
    expect(BYTES(0x10, 0x80, 0x01), 128);
    expect(BYTES(0x11, 0x80, 0x7f), (uint64_t)-128);
}

static void registers_are_read_with_an_offset(void **state)
{
    (void)state;
    expect(BYTES(0x76, 5), 105);
    expect(BYTES(0x76, 0x7b), 95);
    expect(BYTES(0x92, 6, 0x7b), 95);
}

static void an_unknown_register_is_not_a_wrong_expression(void **state)
{
    (void)state;
    assert_int_equal(evaluate(BYTES(0x73, 0)), UNWIND_NO_REGISTER);
    refuse(BYTES(0x92, 0x80, 0x01, 0));
}

static void memory_is_read_where_it_can_be(void **state)
{
    (void)state;
    struct piece at_sp = {(const uint8_t[]){0x70 + UNWIND_SP, 8, 0x06}, 3};
    expect(at_sp, 2);
    struct piece one = {(const uint8_t[]){0x70 + UNWIND_SP, 0, 0x94, 1}, 4};
    expect(one, 0x88);
    struct piece four = {(const uint8_t[]){0x70 + UNWIND_SP, 0, 0x94, 4}, 4};
    expect(four, 0x55667788);
    struct piece eight = {(const uint8_t[]){0x70 + UNWIND_SP, 0, 0x94, 8}, 4};
    expect(eight, words[0]);
    refuse((struct piece){(const uint8_t[]){0x70 + UNWIND_SP, 0, 0x94, 9}, 4});
    refuse((struct piece){(const uint8_t[]){0x70 + UNWIND_SP, 0, 0x94, 0}, 4});
    struct piece behind = {(const uint8_t[]){0x70 + UNWIND_SP, 32, 0x06}, 3};
    assert_int_equal(evaluate(behind), UNWIND_UNREADABLE);
}

static void the_stack_is_rearranged(void **state)
{
    (void)state;
    expect(BYTES(0x31, 0x12, 0x22), 2);                  /* dup */
    expect(BYTES(0x31, 0x32, 0x13), 1);                  /* drop */
    expect(BYTES(0x31, 0x32, 0x14), 1);                  /* over */
    expect(BYTES(0x31, 0x32, 0x33, 0x15, 2), 1);         /* pick */
    expect(BYTES(0x35, 0x32, 0x16, 0x1c), (uint64_t)-3); /* swap, minus: 2 − 5 */
    expect(BYTES(0x31, 0x32, 0x33, 0x17), 2);            /* rot: 1 2 3 becomes 3 1 2 */
    expect(BYTES(0x31, 0x32, 0x33, 0x17, 0x13), 1);
    expect(BYTES(0x31, 0x32, 0x33, 0x17, 0x13, 0x13), 3);
}

static void numbers_are_computed(void **state)
{
    (void)state;
    expect(BYTES(0x09, 0xfb, 0x19), 5);                     /* abs */
    expect(BYTES(0x3f, 0x36, 0x1a), 6);                     /* and */
    expect(BYTES(0x09, 0xf9, 0x32, 0x1b), (uint64_t)-3);    /* div, signed */
    expect(BYTES(0x39, 0x32, 0x1c), 7);                     /* minus */
    expect(BYTES(0x39, 0x34, 0x1d), 1);                     /* mod */
    expect(BYTES(0x39, 0x34, 0x1e), 36);                    /* mul */
    expect(BYTES(0x31, 0x1f), (uint64_t)-1);                /* neg */
    expect(BYTES(0x31, 0x20), ~(uint64_t)1);                /* not */
    expect(BYTES(0x31, 0x34, 0x21), 5);                     /* or */
    expect(BYTES(0x31, 0x34, 0x22), 5);                     /* plus */
    expect(BYTES(0x31, 0x23, 0x80, 0x01), 129);             /* plus_uconst */
    expect(BYTES(0x31, 0x34, 0x24), 16);                    /* shl */
    expect(BYTES(0x09, 0xf0, 0x34, 0x25), UINT64_MAX >> 4); /* shr */
    expect(BYTES(0x09, 0xf0, 0x34, 0x26), (uint64_t)-1);    /* shra */
    expect(BYTES(0x37, 0x32, 0x27), 5);                     /* xor */
    expect(BYTES(0x96, 0x31), 1);                           /* nop */
}

static void comparisons_are_signed(void **state)
{
    (void)state;
    static const struct {
        uint8_t opcode, less, equal, greater;
    } cases[] = {{0x29, 0, 1, 0}, {0x2a, 0, 1, 1}, {0x2b, 0, 0, 1}, {0x2c, 1, 1, 0}, {0x2d, 1, 0, 0}, {0x2e, 1, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t opcode = cases[i].opcode;
        expect(BYTES(0x09, 0xff, 0x31, opcode), cases[i].less); /* −1 and 1 */
        expect(BYTES(0x31, 0x31, opcode), cases[i].equal);
        expect(BYTES(0x31, 0x09, 0xff, opcode), cases[i].greater);
    }
}

static void branches_jump_inside_the_expression(void **state)
{
    (void)state;
    expect(BYTES(0x35, 0x2f, 1, 0, 0x36, 0x12, 0x22), 10);       /* skip over lit6 */
    expect(BYTES(0x35, 0x31, 0x28, 1, 0, 0x36, 0x12, 0x22), 10); /* taken */
    expect(BYTES(0x35, 0x30, 0x28, 1, 0, 0x36, 0x12, 0x22), 12); /* not taken */
    refuse(BYTES(0x2f, 1, 0));                                   /* past the end */
    refuse(BYTES(0x2f, 0xfc, 0xff));                             /* before the start */
}

static void an_expression_that_never_ends_is_stopped(void **state)
{
    (void)state;
    refuse(BYTES(0x2f, 0xfd, 0xff));
}

static void the_stack_holds_16_numbers(void **state)
{
    (void)state;
    uint8_t program[EXPRESSION_STACK_MAX + 1];
    memset(program, 0x31, sizeof program);
    expect((struct piece){program, EXPRESSION_STACK_MAX}, 1);
    refuse((struct piece){program, EXPRESSION_STACK_MAX + 1});
}

static void an_empty_stack_gives_nothing(void **state)
{
    (void)state;
    refuse(BYTES());
    refuse(BYTES(0x13));
    refuse(BYTES(0x22));
    refuse(BYTES(0x31, 0x22));
    refuse(BYTES(0x12));
    refuse(BYTES(0x31, 0x15, 1));
    refuse(BYTES(0x31, 0x32, 0x17));
    refuse(BYTES(0x06));
}

static void what_has_no_result_is_refused(void **state)
{
    (void)state;
    refuse(BYTES(0x31, 0x30, 0x1b));                                  /* 1 / 0 */
    refuse(BYTES(0x31, 0x30, 0x1d));                                  /* 1 mod 0 */
    refuse(BYTES(0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x09, 0xff, 0x1b)); /* the least number / −1 */
    expect(BYTES(0x31, 0x08, 63, 0x24), (uint64_t)1 << 63);
    refuse(BYTES(0x31, 0x08, 64, 0x24));
    refuse(BYTES(0x31, 0x08, 64, 0x25));
    refuse(BYTES(0x31, 0x09, 0xff, 0x26));
}

static void unknown_operations_and_cut_off_operands_are_refused(void **state)
{
    (void)state;
    static const uint8_t unknown[] = {0x00, 0x01, 0x50, 0x90, 0x91, 0x9c, 0xe0, 0xff};
    for (size_t i = 0; i < sizeof unknown; i++)
        refuse(BYTES(0x31, 0x31, unknown[i]));
    refuse(BYTES(0x08));
    refuse(BYTES(0x0e, 1, 2, 3));
    refuse(BYTES(0x10, 0x80));
    refuse(BYTES(0x76));
    refuse(BYTES(0x31, 0x28, 1));
}

static void the_cfa_can_be_the_first_number(void **state)
{
    (void)state;
    uint64_t cfa = 1000;
    assert_int_equal(evaluate_from(&cfa, BYTES(0x38, 0x1c)), UNWIND_GOES_ON);
    assert_int_equal(result, 992);
}

/* breg7 (rsp) 8; breg16 (rip) 0; lit15; and; lit11; ge; lit3; shl; plus — as every lazily bound PLT has it. */
static void the_expression_of_plt_stubs_is_evaluated(void **state)
{
    (void)state;
    struct piece program = {
        (const uint8_t[]){0x70 + UNWIND_SP, 8, 0x92, UNWIND_PC, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}, 12};
    uint64_t sp = (uint64_t)(uintptr_t)words;
    for (uint64_t pc = 0; pc < 16; pc++) {
        struct unwind_memory memory = {0};
        unwind_registers_from_pc_sp(&registers, 0x1000 + pc, sp);
        assert_int_equal(
            cfa_expression_evaluate(byte_reader_of(program.bytes, program.length), &registers, &memory, NULL, &result),
            UNWIND_GOES_ON);
        assert_true(result == sp + (pc >= 11 ? 16 : 8));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_of_every_width_are_pushed),
        cmocka_unit_test(registers_are_read_with_an_offset),
        cmocka_unit_test(an_unknown_register_is_not_a_wrong_expression),
        cmocka_unit_test(memory_is_read_where_it_can_be),
        cmocka_unit_test(the_stack_is_rearranged),
        cmocka_unit_test(numbers_are_computed),
        cmocka_unit_test(comparisons_are_signed),
        cmocka_unit_test(branches_jump_inside_the_expression),
        cmocka_unit_test(an_expression_that_never_ends_is_stopped),
        cmocka_unit_test(the_stack_holds_16_numbers),
        cmocka_unit_test(an_empty_stack_gives_nothing),
        cmocka_unit_test(what_has_no_result_is_refused),
        cmocka_unit_test(unknown_operations_and_cut_off_operands_are_refused),
        cmocka_unit_test(the_cfa_can_be_the_first_number),
        cmocka_unit_test(the_expression_of_plt_stubs_is_evaluated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
