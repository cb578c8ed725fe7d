/* Frames written in assembly, so that every register is where the test says, and the rules made for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../frame_bytes.h"
#include "../walker.h"
#include "unwind/x86_64/rule.h"

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
            ".type " #name ", @function\n" #name ":\n"                                                                         \
            ".cfi_startproc\n" body ".cfi_endproc\n"                                                                           \
            ".size " #name ", . - " #name "\n"                                                                                 \
            ".popsection\n")

FUNCTION(sp_only, "sub $24, %rsp\n .cfi_adjust_cfa_offset 24\n"
                  "call *%rdi\n"
                  "add $24, %rsp\n .cfi_adjust_cfa_offset -24\n"
                  "ret\n");

FUNCTION(with_frame_pointer, "push %rbp\n .cfi_adjust_cfa_offset 8\n .cfi_offset %rbp, -16\n"
                             "mov %rsp, %rbp\n .cfi_def_cfa_register %rbp\n"
                             "sub $48, %rsp\n"
                             "call *%rdi\n"
                             "leave\n .cfi_def_cfa %rsp, 8\n"
                             "ret\n");

/* As _dl_runtime_resolve does: the stack is realigned, the CFA stays in rbx. */
FUNCTION(cfa_in_rbx, "push %rbx\n .cfi_adjust_cfa_offset 8\n .cfi_offset %rbx, -16\n"
                     "mov %rsp, %rbx\n .cfi_def_cfa_register %rbx\n"
                     "and $-64, %rsp\n"
                     "sub $64, %rsp\n"
                     "call *%rdi\n"
                     "mov %rbx, %rsp\n .cfi_def_cfa_register %rsp\n"
                     "pop %rbx\n .cfi_adjust_cfa_offset -8\n .cfi_restore %rbx\n"
                     "ret\n");

/* The CFA in a register that only the row of the callee below tells: r15, saved far from its usual place. */
FUNCTION(cfa_in_r15, "push %r15\n .cfi_adjust_cfa_offset 8\n .cfi_offset %r15, -16\n"
                     "mov %rsp, %r15\n .cfi_def_cfa_register %r15\n"
                     "and $-64, %rsp\n"
                     "call saves_r15_far_away\n"
                     "mov %r15, %rsp\n .cfi_def_cfa_register %rsp\n"
                     "pop %r15\n .cfi_adjust_cfa_offset -8\n .cfi_restore %r15\n"
                     "ret\n");
FUNCTION(saves_r15_far_away, "sub $504, %rsp\n .cfi_adjust_cfa_offset 504\n"
                             "mov %r15, 8(%rsp)\n .cfi_rel_offset %r15, 8\n"
                             "mov $77, %r15d\n"
                             "call *%rdi\n"
                             "mov 8(%rsp), %r15\n .cfi_restore %r15\n"
                             "add $504, %rsp\n .cfi_adjust_cfa_offset -504\n"
                             "ret\n");

/* All six registers that a callee gives back, saved and destroyed. */
FUNCTION(saves_all, "push %r15\n .cfi_adjust_cfa_offset 8\n .cfi_offset %r15, -16\n"
                    "push %r14\n .cfi_adjust_cfa_offset 8\n .cfi_offset %r14, -24\n"
                    "push %r13\n .cfi_adjust_cfa_offset 8\n .cfi_offset %r13, -32\n"
                    "push %r12\n .cfi_adjust_cfa_offset 8\n .cfi_offset %r12, -40\n"
                    "push %rbp\n .cfi_adjust_cfa_offset 8\n .cfi_offset %rbp, -48\n"
                    "push %rbx\n .cfi_adjust_cfa_offset 8\n .cfi_offset %rbx, -56\n"
                    "mov $1, %ebx\n mov $1, %ebp\n mov $1, %r12d\n mov $1, %r13d\n mov $1, %r14d\n mov $1, %r15d\n"
                    "sub $8, %rsp\n .cfi_adjust_cfa_offset 8\n"
                    "call *%rdi\n"
                    "add $8, %rsp\n .cfi_adjust_cfa_offset -8\n"
                    "pop %rbx\n .cfi_adjust_cfa_offset -8\n .cfi_restore %rbx\n"
                    "pop %rbp\n .cfi_adjust_cfa_offset -8\n .cfi_restore %rbp\n"
                    "pop %r12\n .cfi_adjust_cfa_offset -8\n .cfi_restore %r12\n"
                    "pop %r13\n .cfi_adjust_cfa_offset -8\n .cfi_restore %r13\n"
                    "pop %r14\n .cfi_adjust_cfa_offset -8\n .cfi_restore %r14\n"
                    "pop %r15\n .cfi_adjust_cfa_offset -8\n .cfi_restore %r15\n"
                    "ret\n");

/* Stops at its very first instruction, so that the byte before it belongs to another function, with another frame. */
FUNCTION(before_trap, "sub $104, %rsp\n .cfi_adjust_cfa_offset 104\n"
                      "call *%rdi\n"
                      ".balign 16\n");
FUNCTION(traps_at_once, "ud2\n"
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

static void the_cfa_is_followed_in_rbx(void **state)
{
    (void)state;
    walked_through(cfa_in_rbx, "cfa_in_rbx", "cfa_in_rbx ");
}

static void the_cfa_is_followed_in_a_register_that_a_callee_saved(void **state)
{
    (void)state;
    walked_through(cfa_in_r15, "saves_r15_far_away", "saves_r15_far_away cfa_in_r15 ");
}

/* Callers that need rbx and rbp are behind one that has destroyed them. */
static void through_all(void)
{
    saves_all(raise_signal);
}

static void rbx_under_all(void)
{
    cfa_in_rbx(through_all);
    __asm__ volatile("" ::: "memory");
}

static void registers_that_a_callee_destroyed_are_restored(void **state)
{
    (void)state;
    walker_catch_from_context(SIGUSR1, 0);
    with_frame_pointer(rbx_under_all);
    expect_names("saves_all", "saves_all ");
    const char *names = walked_names(&walker_result, "saves_all");
    assert_non_null(strstr(names, "cfa_in_rbx "));
    assert_non_null(strstr(names, "with_frame_pointer "));
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
}

/* Walks from inside the handler, through the signal frame; then goes on behind the ud2. */
static void walk_and_skip(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    struct unwind_registers registers;
    unwind_registers_here(&registers);
    walk(&registers, WALKER_WINDOW, WALKER_ROOM, &walker_result);
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

static void what_a_signal_interrupted_stands_at_its_pc(void **state)
{
    (void)state;
    walker_catch(SIGILL, walk_and_skip, 0);
    traps_at_once(NULL);
    expect_names("traps_at_once", "traps_at_once ");
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
    size_t i = 0;
    while (walker_result.frames[i].pc != (uint64_t)(uintptr_t)traps_at_once)
        i++;
    assert_true(walker_result.frames[i].exact);
    assert_true(walker_result.frames[i + 1].sp == walker_result.frames[i].sp + 8);
}

/* --- what is not known ------------------------------------------------------------------------------------------------ */

static void pc_and_sp_are_enough_where_no_frame_needs_more(void **state)
{
    (void)state;
    uint64_t stack[8] = {0};
    struct unwind_registers registers;
    struct walked walked;
    /* In sp_only behind its call, called by itself, called by nobody. */
    uint64_t pc = (uint64_t)(uintptr_t)sp_only + 6;
    stack[3] = pc;
    unwind_registers_from_pc_sp(&registers, pc, (uint64_t)(uintptr_t)stack);
    walk(&registers, WALKER_COPY, WALKER_ROOM, &walked);
    assert_string_equal(walked_names(&walked, "sp_only"), "sp_only sp_only");
    assert_int_equal(walked.end, UNWIND_COMPLETE);
    assert_true(walked.frames[1].sp == (uint64_t)(uintptr_t)&stack[4]);
}

static void a_frame_that_needs_a_register_that_is_not_known_ends_the_walk(void **state)
{
    (void)state;
    uint64_t stack[16] = {0};
    struct unwind_registers registers;
    struct walked walked;
    stack[3] = (uint64_t)(uintptr_t)with_frame_pointer + 10;
    unwind_registers_from_pc_sp(&registers, (uint64_t)(uintptr_t)sp_only + 6, (uint64_t)(uintptr_t)stack);
    walk(&registers, WALKER_COPY, WALKER_ROOM, &walked);
    assert_string_equal(walked_names(&walked, "sp_only"), "sp_only with_frame_pointer");
    assert_int_equal(walked.end, UNWIND_NO_REGISTER);
}

static void a_caller_below_its_callee_ends_the_walk(void **state)
{
    (void)state;
    uint64_t stack[16] = {0};
    struct unwind_registers registers;
    struct walked walked;
    unwind_registers_from_pc_sp(&registers, (uint64_t)(uintptr_t)with_frame_pointer + 10, (uint64_t)(uintptr_t)&stack[8]);
    registers.known |= 1 << 6;
    registers.value[6] = (uint64_t)(uintptr_t)&stack[2];
    walk(&registers, WALKER_COPY, WALKER_ROOM, &walked);
    assert_int_equal(walked.count, 1);
    assert_int_equal(walked.end, UNWIND_NO_PROGRESS);
}

/* --- code made at run time -------------------------------------------------------------------------------------------- */

/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
static const uint8_t generated_code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
static void (*generated)(void (*)(void));

static void call_generated(void)
{
    generated(raise_signal);
    __asm__ volatile("" ::: "memory");
}

static void code_made_at_run_time_is_passed_by_its_frame_pointer(void **state)
{
    (void)state;
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(code, MAP_FAILED);
    memcpy(code, generated_code, sizeof generated_code);
    assert_int_equal(mprotect(code, 4096, PROT_READ | PROT_EXEC), 0);
    *(void **)&generated = code;
    walker_catch_from_context(SIGUSR1, 0);
    /* Below a function that uses rbp for something else. */
    saves_all(call_generated);
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
    assert_non_null(strstr(walked_names(&walker_result, "?"), "saves_all"));
    bool met = false;
    for (size_t i = 0; i < walker_result.count; i++)
        met |= walker_result.frames[i].pc - (uint64_t)(uintptr_t)code < 4096;
    assert_true(met);
    munmap(code, 4096);
}

/* musl's code that returns from a handler has no tables; here a copy of it, in a module, without tables, too. */
__asm__(".pushsection .text\n"
        ".globl bare_signal_return\n"
        ".type bare_signal_return, @function\n"
        "nop\n"
        "bare_signal_return: mov $15, %rax\n syscall\n"
        ".size bare_signal_return, . - bare_signal_return\n"
        ".popsection\n");
void bare_signal_return(void);

static void signal_frames_without_tables_are_known_by_their_code(void **state)
{
    (void)state;
    static uint64_t stack[200];
    static uint64_t interrupted[8];
    interrupted[3] = 0;
    stack[(40 + 15 * 8) / 8] = (uint64_t)(uintptr_t)interrupted; /* rsp in the ucontext */
    stack[(40 + 16 * 8) / 8] = (uint64_t)(uintptr_t)sp_only + 6;
    struct unwind_registers registers;
    struct walked walked;
    unwind_registers_from_pc_sp(&registers, (uint64_t)(uintptr_t)bare_signal_return, (uint64_t)(uintptr_t)stack);
    walk(&registers, WALKER_COPY, WALKER_ROOM, &walked);
    assert_int_equal(walked.count, 2);
    assert_string_equal(walked_names(&walked, "bare_signal_return"), "bare_signal_return sp_only");
    assert_true(walked.frames[1].exact);
    assert_int_equal(walked.end, UNWIND_COMPLETE);
}

/* --- rules ------------------------------------------------------------------------------------------------------------- */

static struct unwind_rule rule_for(struct piece program, uint64_t address)
{
    static struct frame_bytes bytes;
    bytes.length = 0;
    size_t cie = frame_bytes_cie(&bytes, 1, "", BYTES(0x0c, 7, 8, 0x90, 1));
    size_t fde = frame_bytes_fde(&bytes, cie, 0x1000, 0x100, program);
    struct eh_frame_table table = frame_bytes_table(&bytes);
    struct frame_description description;
    struct cfa_row row;
    assert_true(eh_frame_read(&table, fde, &description));
    assert_true(cfa_program_run(&table, &description, address, &row));
    return rule_make(&table, &description, &row, address, &code_memory);
}

static void usual_rows_become_a_rule_of_8_bytes(void **state)
{
    (void)state;
    struct unwind_rule rule = rule_for(BYTES(0x0e, 64, 0x8f, 2, 0x8e, 3, 0x8d, 4, 0x8c, 5, 0x86, 6, 0x83, 15), 0x1000);
    assert_int_equal(rule.kind, RULE_FRAME);
    assert_int_equal(rule.cfa_register, 7);
    assert_int_equal(rule.offset, 64);
    assert_int_equal(rule.saved, 0x23456f);
}

static void rows_that_a_rule_cannot_hold_are_applied_as_they_are(void **state)
{
    (void)state;
    assert_int_equal(rule_for(BYTES(0x83, 16), 0x1000).kind, RULE_ROW);                  /* too far */
    assert_int_equal(rule_for(BYTES(0x11, 3, 0x7e), 0x1000).kind, RULE_ROW);             /* above the CFA */
    assert_int_equal(rule_for(BYTES(0x80, 2), 0x1000).kind, RULE_ROW);                   /* rax */
    assert_int_equal(rule_for(BYTES(0x09, 16, 1), 0x1000).kind, RULE_ROW);               /* the return address in rdx */
    assert_int_equal(rule_for(BYTES(0x0f, 3, 0x76, 0x78, 0x06), 0x1000).kind, RULE_ROW); /* the CFA in memory */
    assert_int_equal(rule_for(BYTES(0x90, 2), 0x1000).kind, RULE_ROW);                   /* the return address elsewhere */
}

static void an_undefined_return_address_is_the_end(void **state)
{
    (void)state;
    assert_int_equal(rule_for(BYTES(0x07, 16), 0x1000).kind, RULE_END);
}

static void the_stack_of_a_plt_stub_depends_on_how_far_it_has_got(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 32; i++) {
        struct unwind_rule rule =
            rule_for(BYTES(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22), 0x1000 + i);
        assert_int_equal(rule.kind, RULE_FRAME);
        assert_int_equal(rule.cfa_register, 7);
        assert_int_equal(rule.offset, i % 16 >= 11 ? 16 : 8);
    }
}

int main(void)
{
    walker_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cfa_is_followed_in_rbx),
        cmocka_unit_test(the_cfa_is_followed_in_a_register_that_a_callee_saved),
        cmocka_unit_test(registers_that_a_callee_destroyed_are_restored),
        cmocka_unit_test(what_a_signal_interrupted_stands_at_its_pc),
        cmocka_unit_test(pc_and_sp_are_enough_where_no_frame_needs_more),
        cmocka_unit_test(a_frame_that_needs_a_register_that_is_not_known_ends_the_walk),
        cmocka_unit_test(a_caller_below_its_callee_ends_the_walk),
        cmocka_unit_test(code_made_at_run_time_is_passed_by_its_frame_pointer),
        cmocka_unit_test(signal_frames_without_tables_are_known_by_their_code),
        cmocka_unit_test(usual_rows_become_a_rule_of_8_bytes),
        cmocka_unit_test(rows_that_a_rule_cannot_hold_are_applied_as_they_are),
        cmocka_unit_test(an_undefined_return_address_is_the_end),
        cmocka_unit_test(the_stack_of_a_plt_stub_depends_on_how_far_it_has_got),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    walker_stop();
    return failed;
}
