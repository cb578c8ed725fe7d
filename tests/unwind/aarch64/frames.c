/* Frames written in assembly, so that every register is where the test says, and the rules made for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../frame_bytes.h"
#include "../walker.h"
#include "unwind/aarch64/rule.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

static uint8_t copied[UNWIND_COPY_BYTES];
static const struct unwind_memory code_memory = {.copy = copied};

/* FUNCTION(name, body): called as name(then), calls then() where the body says so. */
#define FUNCTION(name, body)                                                                                                   \
    void name(void (*then)(void));                                                                                             \
    __asm__(".pushsection .text\n"                                                                                             \
            ".balign 16\n"                                                                                                     \
            ".globl " #name "\n"                                                                                               \
            ".type " #name ", %function\n" #name ":\n"                                                                         \
            ".cfi_startproc\n"                                                                                                 \
            "hint #34\n" body ".cfi_endproc\n"                                                                                 \
            ".size " #name ", . - " #name "\n"                                                                                 \
            ".popsection\n")

FUNCTION(with_record, "stp x29, x30, [sp, #-32]!\n .cfi_def_cfa_offset 32\n .cfi_offset 29, -32\n .cfi_offset 30, -24\n"
                      "mov x29, sp\n"
                      "blr x0\n"
                      "ldp x29, x30, [sp], #32\n .cfi_restore 29\n .cfi_restore 30\n .cfi_def_cfa_offset 0\n"
                      "ret\n");

/* The CFA relative to x29, as in functions with alloca. */
FUNCTION(with_alloca, "stp x29, x30, [sp, #-48]!\n .cfi_def_cfa_offset 48\n .cfi_offset 29, -48\n .cfi_offset 30, -40\n"
                      "mov x29, sp\n .cfi_def_cfa_register 29\n"
                      "str x19, [sp, #16]\n .cfi_offset 19, -32\n"
                      "mov x19, #77\n"
                      "sub sp, sp, #4096\n"
                      "blr x0\n"
                      "mov sp, x29\n .cfi_def_cfa_register 31\n"
                      "ldr x19, [sp, #16]\n .cfi_restore 19\n"
                      "ldp x29, x30, [sp], #48\n .cfi_restore 29\n .cfi_restore 30\n .cfi_def_cfa_offset 0\n"
                      "ret\n");

/* x30 alone, without a frame pointer. */
FUNCTION(without_record, "str x30, [sp, #-16]!\n .cfi_def_cfa_offset 16\n .cfi_offset 30, -16\n"
                         "blr x0\n"
                         "ldr x30, [sp], #16\n .cfi_restore 30\n .cfi_def_cfa_offset 0\n"
                         "ret\n");

/* The return address is signed before it goes to the stack. */
uint64_t signed_address; /* as it goes to the stack */
FUNCTION(signs, "hint #25\n .cfi_negate_ra_state\n"
                "adrp x9, :got:signed_address\n"
                "ldr x9, [x9, :got_lo12:signed_address]\n"
                "str x30, [x9]\n"
                "stp x29, x30, [sp, #-16]!\n .cfi_def_cfa_offset 16\n .cfi_offset 29, -16\n .cfi_offset 30, -8\n"
                "mov x29, sp\n"
                "blr x0\n"
                "ldp x29, x30, [sp], #16\n .cfi_restore 29\n .cfi_restore 30\n .cfi_def_cfa_offset 0\n"
                "hint #29\n .cfi_negate_ra_state\n"
                "ret\n");

/* Interrupted before it has taken any stack: the return address is in x30 alone. */
FUNCTION(leaf_that_traps, "brk #1\n"
                          "ret\n");

static void raise_signal(void)
{
    raise(SIGUSR1);
    __asm__ volatile("" ::: "memory");
}

static void expect_names(const char *first, const char *expected)
{
    const char *names = walked_names(&walker_result, first);
    if (strncmp(names, expected, strlen(expected)) != 0)
        fail_msg("expected %s …, got %s", expected, names);
}

static void walked_through(void (*function)(void (*)(void)), const char *first, const char *expected)
{
    walker_catch_from_context(SIGUSR1, 0);
    function(raise_signal);
    expect_names(first, expected);
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
}

static void frames_with_a_record_are_passed(void **state)
{
    (void)state;
    walked_through(with_record, "with_record", "with_record ");
}

static void a_cfa_relative_to_the_frame_pointer_is_followed(void **state)
{
    (void)state;
    walked_through(with_alloca, "with_alloca", "with_alloca ");
}

static void frames_without_a_record_are_passed(void **state)
{
    (void)state;
    walked_through(without_record, "without_record", "without_record ");
}

static void signatures_are_stripped(void **state)
{
    (void)state;
    walked_through(signs, "signs", "signs ");
    if (signed_address >> 48 == 0)
        skip(); /* this processor signs nothing */
    for (size_t i = 0; i < walker_result.count; i++)
        assert_true(walker_result.frames[i].pc >> 48 == 0);
}

static void all_kinds_on_one_stack_inner(void)
{
    without_record(raise_signal);
    __asm__ volatile("" ::: "memory");
}

static void all_kinds_on_one_stack_outer(void)
{
    signs(all_kinds_on_one_stack_inner);
    __asm__ volatile("" ::: "memory");
}

static void all_kinds_on_one_stack_are_passed(void **state)
{
    (void)state;
    walker_catch_from_context(SIGUSR1, 0);
    with_alloca(all_kinds_on_one_stack_outer);
    const char *names = walked_names(&walker_result, "without_record");
    assert_non_null(strstr(names, "without_record "));
    assert_non_null(strstr(names, " signs "));
    assert_non_null(strstr(names, " with_alloca "));
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
}

static bool from_inside;

static void walk_and_skip(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    struct unwind_registers registers;
    if (from_inside)
        unwind_registers_here(&registers);
    else
        unwind_registers_from_context(&registers, context);
    walk(&registers, WALKER_WINDOW, WALKER_ROOM, &walker_result);
    ((ucontext_t *)context)->uc_mcontext.pc += 4;
}

static void trap_in_leaf(void)
{
    walker_catch(SIGTRAP, walk_and_skip, 0);
    leaf_that_traps(NULL);
}

static void the_caller_of_a_leaf_is_in_x30(void **state)
{
    (void)state;
    from_inside = false;
    with_record(trap_in_leaf);
    expect_names("leaf_that_traps", "leaf_that_traps ");
    assert_non_null(strstr(walked_names(&walker_result, "leaf_that_traps"), "with_record "));
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
    assert_true(walker_result.frames[0].sp == walker_result.frames[1].sp);
}

/* Through the signal frame, x30 comes from the interrupted registers. */
static void a_leaf_that_a_signal_interrupted_is_passed(void **state)
{
    (void)state;
    from_inside = true;
    with_record(trap_in_leaf);
    expect_names("leaf_that_traps", "leaf_that_traps ");
    assert_non_null(strstr(walked_names(&walker_result, "leaf_that_traps"), "with_record "));
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
}

/* As programs install handlers: the emulator has them return to a page that belongs to no module. */
static void catch_plainly(void)
{
    struct sigaction action = {.sa_sigaction = walk_and_skip, .sa_flags = SA_SIGINFO};
    assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
    leaf_that_traps(NULL);
}

static void a_signal_frame_outside_all_modules_is_passed(void **state)
{
    (void)state;
    from_inside = true;
    with_record(catch_plainly);
    expect_names("leaf_that_traps", "leaf_that_traps ");
    assert_non_null(strstr(walked_names(&walker_result, "leaf_that_traps"), "with_record "));
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
}

static void what_handlers_return_to_is_known_at_each_of_its_instructions(void **state)
{
    (void)state;
    static const uint32_t code[] = {0xd503201f, 0xd2801168, 0xd4000001, 0xd503201f};
    uint64_t start = (uint64_t)(uintptr_t)code;
    assert_int_equal(rule_without_tables(start, &code_memory).kind, RULE_NONE);
    assert_int_equal(rule_without_tables(start + 3, &code_memory).kind, RULE_SIGNAL); /* as a caller, a byte before it */
    assert_int_equal(rule_without_tables(start + 4, &code_memory).kind, RULE_SIGNAL);
    assert_int_equal(rule_without_tables(start + 8, &code_memory).kind, RULE_SIGNAL);
    assert_int_equal(rule_without_tables(start + 12, &code_memory).kind, RULE_NONE);
}

static void stubs_of_the_plt_are_known_without_tables(void **state)
{
    (void)state;
    /* The first stub, one with bti and one without, and the end of what could be one. */
    static const uint32_t code[] = {0xa9bf7bf0, 0xb0000090, 0xf947fe11, 0x913fe210, 0xd61f0220, 0xd503201f, 0xd503245f,
                                    0xb0000090, 0xf9400211, 0x91000210, 0xd61f0220, 0xb0000090, 0xf9400611, 0x91002210,
                                    0xd61f0220, 0xb0000090, 0x91002210, 0xd61f0220, 0xd503201f, 0xd503201f, 0xd503201f};
    for (size_t i = 0; i < sizeof code / sizeof *code; i++) {
        struct unwind_rule rule = rule_without_tables((uint64_t)(uintptr_t)&code[i], &code_memory);
        bool stub = i != 5 && i != 15 && i < 18;
        assert_int_equal(rule.kind, stub ? RULE_FRAME : RULE_NONE);
        if (!stub)
            continue;
        assert_int_equal(rule.cfa_register, UNWIND_SP);
        assert_int_equal(rule.offset, i >= 1 && i <= 4 ? 2 : 0);
        assert_true(rule.lr == 0 && rule.fp == 0);
    }
}

/* --- code made at run time -------------------------------------------------------------------------------------------- */

/* stp x29, x30, [sp, #-32]!; mov x29, sp; blr x0; ldp x29, x30, [sp], #32; ret */
static const uint32_t generated_code[] = {0xa9be7bfd, 0x910003fd, 0xd63f0000, 0xa8c27bfd, 0xd65f03c0};
static void (*generated)(void (*)(void));

static void call_generated(void)
{
    generated(raise_signal);
    __asm__ volatile("" ::: "memory");
}

/* Behind it the stack pointer is not known, until a rule relative to the frame pointer gives it again. */
static void code_made_at_run_time_is_passed_by_its_frame_pointer(void **state)
{
    (void)state;
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(code, MAP_FAILED);
    memcpy(code, generated_code, sizeof generated_code);
    assert_int_equal(mprotect(code, 4096, PROT_READ | PROT_EXEC), 0);
    __builtin___clear_cache(code, (char *)code + sizeof generated_code);
    *(void **)&generated = code;
    walker_catch_from_context(SIGUSR1, 0);
    with_alloca(call_generated);
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
    assert_non_null(strstr(walked_names(&walker_result, "?"), "with_alloca"));
    bool met = false;
    for (size_t i = 0; i < walker_result.count; i++)
        met |= walker_result.frames[i].pc - (uint64_t)(uintptr_t)code < 4096;
    assert_true(met);
    munmap(code, 4096);
}

/* --- rules ------------------------------------------------------------------------------------------------------------- */

static struct unwind_rule rule_for(struct piece program)
{
    static struct frame_bytes bytes;
    bytes.length = 0;
    size_t cie = frame_bytes_cie(&bytes, 1, "", BYTES(0x0c, 31, 0));
    bytes.data[cie + 12] = 30; /* the return register */
    size_t fde = frame_bytes_fde(&bytes, cie, 0x1000, 0x100, program);
    struct eh_frame_table table = frame_bytes_table(&bytes);
    struct frame_description description;
    struct cfa_row row;
    assert_true(eh_frame_read(&table, fde, &description));
    assert_int_equal(description.return_register, 30);
    assert_true(cfa_program_run(&table, &description, 0x1000, &row));
    return rule_make(&table, &description, &row, 0x1000, &code_memory);
}

static void usual_rows_become_a_rule_of_8_bytes(void **state)
{
    (void)state;
    struct unwind_rule rule = rule_for(BYTES(0x0c, 29, 64, 0x80 | 29, 8, 0x80 | 30, 7));
    assert_int_equal(rule.kind, RULE_FRAME);
    assert_int_equal(rule.cfa_register, 29);
    assert_int_equal(rule.offset, 8);
    assert_int_equal(rule.fp, 8);
    assert_int_equal(rule.lr, 7);
    assert_false(rule.others_saved);
    rule = rule_for(BYTES(0x0e, 64, 0x80 | 19, 6));
    assert_int_equal(rule.cfa_register, 31);
    assert_true(rule.others_saved);
    assert_int_equal(rule.lr, 0);
    assert_int_equal(rule_for(BYTES(0x05, 72, 2)).kind, RULE_FRAME); /* a vector register: of no use here */
}

static void rows_that_a_rule_cannot_hold_are_applied_as_they_are(void **state)
{
    (void)state;
    assert_int_equal(rule_for(BYTES(0x0f, 3, 0x8d, 0x78, 0x06)).kind, RULE_ROW); /* the CFA in memory */
    assert_int_equal(rule_for(BYTES(0x80 | 3, 2)).kind, RULE_ROW);               /* x3 */
    assert_int_equal(rule_for(BYTES(0x09, 30, 9)).kind, RULE_ROW);               /* the return address in x9 */
    assert_int_equal(rule_for(BYTES(0x0e, 12)).kind, RULE_ROW);                  /* not a multiple of 8 */
}

static void an_undefined_return_address_is_the_end(void **state)
{
    (void)state;
    assert_int_equal(rule_for(BYTES(0x07, 30)).kind, RULE_END);
}

int main(void)
{
    walker_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_with_a_record_are_passed),
        cmocka_unit_test(a_cfa_relative_to_the_frame_pointer_is_followed),
        cmocka_unit_test(frames_without_a_record_are_passed),
        cmocka_unit_test(signatures_are_stripped),
        cmocka_unit_test(all_kinds_on_one_stack_are_passed),
        cmocka_unit_test(the_caller_of_a_leaf_is_in_x30),
        cmocka_unit_test(a_leaf_that_a_signal_interrupted_is_passed),
        cmocka_unit_test(a_signal_frame_outside_all_modules_is_passed),
        cmocka_unit_test(what_handlers_return_to_is_known_at_each_of_its_instructions),
        cmocka_unit_test(stubs_of_the_plt_are_known_without_tables),
        cmocka_unit_test(code_made_at_run_time_is_passed_by_its_frame_pointer),
        cmocka_unit_test(usual_rows_become_a_rule_of_8_bytes),
        cmocka_unit_test(rows_that_a_rule_cannot_hold_are_applied_as_they_are),
        cmocka_unit_test(an_undefined_return_address_is_the_end),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    walker_stop();
    return failed;
}
