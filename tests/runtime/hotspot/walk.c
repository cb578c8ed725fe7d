/* The walker of HotSpot, on drawn memory: every kind of frame, and every place in it where a thread can be interrupted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/drawn_hotspot.h"

#include <stdlib.h>
#include <string.h>

static uint64_t one, two, three;

static int begin(void **state)
{
    draw_vm(*state && strcmp(*state, "17") == 0 ? DRAWN_17 : DRAWN_25);
    one = draw_method("a/One", "run", "()V", "One.java", 20);
    two = draw_method("a/Two", "run", "()V", "Two.java", 30);
    three = draw_method("a/Three", "run", "()V", "Three.java", 40);
    return 0;
}

/* At its place (the word that rbp points to): a frame of the interpreter, whose caller goes on at `pc`, with its stack from
 * `callers` on. */
static void draw_interpreted(size_t fp, uint64_t method, size_t bci, size_t callers, uint64_t callers_fp, uint64_t pc)
{
    draw_word(fp - 8, drawn_bytecodes(method) + bci);
    draw_word(fp - 3, method);
    draw_word(fp - 1, drawn_stack(callers));
    draw_word(fp, callers_fp);
    draw_word(fp + 1, pc);
}

/* The call stub's frame, behind which native code ends the stack. */
static void draw_call_stub(size_t fp)
{
    draw_word(fp, 0);
    draw_word(fp + 1, 0);
}

static void expect_end(size_t native)
{
    assert_int_equal(drawn_end, UNWIND_COMPLETE);
    assert_int_equal(drawn_native_count, native);
}

static void frames_of_the_interpreter_say_method_bytecode_and_caller(void **state)
{
    (void)state;
    draw_interpreted(20, one, 3, 24, drawn_stack(40), drawn_interpreter() + 5);
    draw_interpreted(40, two, 7, 50, drawn_stack(60), drawn_call_stub());
    draw_call_stub(60);
    struct drawn_registers registers = {.pc = drawn_interpreter(), .sp = drawn_stack(4), .fp = drawn_stack(20)};
    assert_string_equal(walk_drawn(&registers), "a.One.run interpreter 3 @4\n"
                                                "a.Two.run interpreter 7 @24\n");
    expect_end(3);
    assert_int_equal(drawn_native[2].pc, drawn_call_stub());
    assert_int_equal(drawn_native[2].sp, drawn_stack(50));
}

/* It is written into the frame at the next call only. */
static void the_bytecode_of_an_interrupted_method_is_in_a_register(void **state)
{
    (void)state;
    draw_interpreted(20, one, 3, 24, drawn_stack(40), drawn_call_stub());
    draw_call_stub(40);
    struct drawn_registers registers = {
        .pc = drawn_interpreter(), .sp = drawn_stack(4), .fp = drawn_stack(20), .r13 = drawn_bytecodes(one) + 9};
    assert_string_equal(walk_drawn(&registers), "a.One.run interpreter 9 @4\n");
}

/* It takes its last argument off the stack, and the return address takes its place. */
static void a_call_through_a_method_handle_leads_to_its_caller(void **state)
{
    (void)state;
    draw_interpreted(20, one, 3, 21, drawn_stack(40), drawn_call_stub());
    draw_call_stub(40);
    struct drawn_registers registers = {.pc = drawn_interpreter(), .sp = drawn_stack(4), .fp = drawn_stack(20)};
    assert_string_equal(walk_drawn(&registers), "a.One.run interpreter 3 @4\n");
    expect_end(2);
}

/* Before its frame is made a method is in rbx, and its caller's stack pointer in r13. */
static void a_method_that_is_being_entered_is_the_youngest_frame(void **state)
{
    (void)state;
    const char *expected = "a.One.run interpreter 0 @4\n"
                           "a.Two.run interpreter 7 @10\n";
    draw_interpreted(30, two, 7, 50, drawn_stack(60), drawn_call_stub());
    draw_call_stub(60);
    uint64_t entry = drawn_method_entry() + 16, back = drawn_interpreter() + 5;
    struct drawn_registers registers = {
        .pc = entry, .sp = drawn_stack(4), .fp = drawn_stack(30), .rbx = one, .r13 = drawn_stack(10)};
    draw_word(4, back); /* nothing has happened yet */
    assert_string_equal(walk_drawn(&registers), expected);
    expect_end(3);
    draw_word(4, 0); /* locals are being put there */
    registers.rax = back;
    assert_string_equal(walk_drawn(&registers), expected);
    expect_end(3);
    draw_word(6, drawn_stack(30)); /* the frame has begun */
    draw_word(7, back);
    registers.rax = 0;
    registers.fp = drawn_stack(6);
    assert_string_equal(walk_drawn(&registers), expected);
    expect_end(3);
    draw_word(5, drawn_stack(10)); /* the caller's stack pointer is kept in it, and r13 the bytecode */
    registers.r13 = drawn_bytecodes(one);
    registers.sp = drawn_stack(5);
    assert_string_equal(walk_drawn(&registers), "a.One.run interpreter 0 @5\n"
                                                "a.Two.run interpreter 7 @10\n");
    expect_end(3);
}

/* There, after a call, the registers are what the callee left. */
static void behind_a_call_registers_of_the_callee_are_no_entry(void **state)
{
    (void)state;
    draw_interpreted(30, two, 7, 50, drawn_stack(60), drawn_call_stub());
    draw_call_stub(60);
    draw_word(4, drawn_interpreter() + 5);
    struct drawn_registers registers = {
        .pc = drawn_interpreter() + 9, .sp = drawn_stack(4), .fp = drawn_stack(30), .rbx = one, .r13 = drawn_stack(5)};
    assert_string_equal(walk_drawn(&registers), "a.Two.run interpreter 7 @4\n");
}

static void what_is_no_method_is_left_by_the_frame_pointer(void **state)
{
    (void)state;
    draw_interpreted(20, one, 3, 24, drawn_stack(40), drawn_call_stub());
    draw_word(17, drawn_stack(100));
    draw_call_stub(40);
    struct drawn_registers registers = {.pc = drawn_interpreter(), .sp = drawn_stack(4), .fp = drawn_stack(20)};
    assert_string_equal(walk_drawn(&registers), "");
    expect_end(2);
}

/* The return address above a frame of 6 words, which begins at `sp`. */
static void draw_return(size_t sp, size_t words, uint64_t pc, uint64_t fp)
{
    draw_word(sp + words - 1, pc);
    draw_word(sp + words - 2, fp);
}

static void compiled_code_is_left_by_the_size_of_its_frame(void **state)
{
    (void)state;
    uint64_t optimised = draw_code(
        &(struct drawn_code){.blob = "nmethod", .frame_words = 6, .method = one, .level = 4, .pc = 40, .scopes = {{one, 11}}});
    uint64_t baseline = draw_code(
        &(struct drawn_code){.blob = "nmethod", .frame_words = 8, .method = two, .level = 3, .pc = 50, .scopes = {{two, 12}}});
    draw_return(4, 6, baseline + 50, 12345);
    draw_return(10, 8, drawn_call_stub(), drawn_stack(40));
    draw_call_stub(40);
    struct drawn_registers registers = {.pc = optimised + 39, .sp = drawn_stack(4), .fp = 77};
    assert_string_equal(walk_drawn(&registers), "a.One.run optimised 11 @4\n"
                                                "a.Two.run baseline 12 @10\n");
    expect_end(3);
}

static void inlined_calls_stand_at_the_place_of_their_caller(void **state)
{
    (void)state;
    uint64_t code = draw_code(&(struct drawn_code){.blob = "nmethod",
                                                   .frame_words = 6,
                                                   .method = three,
                                                   .level = 4,
                                                   .pc = 40,
                                                   .scopes = {{one, 5}, {two, 300}, {three, 0}}});
    draw_return(4, 6, drawn_call_stub(), drawn_stack(40));
    draw_call_stub(40);
    struct drawn_registers registers = {.pc = code + 39, .sp = drawn_stack(4), .fp = 77};
    const char *expected = "a.One.run inlined 5 @4\n"
                           "a.Two.run inlined 300 @4\n"
                           "a.Three.run optimised 0 @4\n";
    assert_string_equal(walk_drawn(&registers), expected);
    assert_string_equal(walk_drawn(&registers), expected); /* as remembered */
}

/* A descriptor stands at the end of an instruction: that of a call is where it returns to. */
static void descriptors_are_of_calls_and_of_what_was_interrupted(void **state)
{
    (void)state;
    uint64_t code = draw_code(
        &(struct drawn_code){.blob = "nmethod", .frame_words = 6, .method = one, .level = 4, .pc = 40, .scopes = {{one, 11}}});
    draw_return(4, 6, code + 40, 0);
    draw_return(10, 6, drawn_call_stub(), drawn_stack(40));
    draw_call_stub(40);
    struct drawn_registers registers = {.pc = code + 40, .sp = drawn_stack(4)};
    assert_string_equal(walk_drawn(&registers), "a.One.run optimised ? @4\n"
                                                "a.One.run optimised 11 @10\n");
}

/* 16 bytes of nops, then its entry: push %rbp; sub $0x20, %rsp; …; add $0x20, %rsp; pop %rbp; poll; ja; ret */
static const char framed[] = "90 90 90 90 90 90 90 90 90 90 90 90 90 90 90 90 "
                             "55 48 83 ec 20 90 90 90 48 83 c4 20 5d 49 3b 67 18 0f 87 00 00 00 00 c3";

static void expect_left(uint64_t pc, size_t sp, uint64_t fp)
{
    struct drawn_registers registers = {.pc = pc, .sp = drawn_stack(sp), .fp = fp};
    assert_string_equal(walk_drawn(&registers) + strcspn(walk_drawn(&registers), "@"), sp == 4   ? "@4\n"
                                                                                       : sp == 8 ? "@8\n"
                                                                                                 : "@9\n");
    expect_end(2);
    assert_int_equal(drawn_native[1].pc, drawn_call_stub());
    assert_int_equal(drawn_native[1].sp, drawn_stack(10));
}

/* Its frame: words 4 to 9, the return address in 9, the caller's rbp in 8. */
static void a_frame_that_is_half_made_or_half_gone_is_left_as_it_is(void **state)
{
    (void)state;
    uint64_t code = draw_code(&(struct drawn_code){
        .blob = "nmethod", .frame_words = 6, .frame_complete = 21, .method = one, .level = 4, .bytes = framed, .entry = 16});
    draw_return(4, 6, drawn_call_stub(), drawn_stack(40));
    draw_call_stub(40);
    uint64_t callers_fp = drawn_stack(40), other = 99;
    expect_left(code + 8, 9, callers_fp);  /* looks which class it was called for */
    expect_left(code + 16, 9, callers_fp); /* push */
    expect_left(code + 17, 8, other);      /* sub */
    expect_left(code + 21, 4, other);
    expect_left(code + 24, 4, other);      /* add */
    expect_left(code + 28, 8, other);      /* pop */
    expect_left(code + 29, 9, callers_fp); /* poll */
    expect_left(code + 33, 9, callers_fp); /* ja */
    expect_left(code + 39, 9, callers_fp); /* ret */
}

/* The other compiler makes its frame at once, and saves rbp then: sub $0x28, %rsp; mov %rbp, 0x20(%rsp). */
static void a_frame_that_has_not_saved_the_frame_pointer_leaves_it(void **state)
{
    (void)state;
    uint64_t code = draw_code(&(struct drawn_code){.blob = "nmethod",
                                                   .frame_words = 6,
                                                   .frame_complete = 28,
                                                   .method = one,
                                                   .level = 4,
                                                   .bytes = "90 90 90 90 90 90 90 90 90 90 90 90 90 90 90 90 "
                                                            "48 81 ec 28 00 00 00 48 89 6c 24 20 90",
                                                   .entry = 16});
    draw_return(4, 6, drawn_call_stub(), 12345);
    draw_call_stub(40);
    expect_left(code + 16, 9, drawn_stack(40));
    expect_left(code + 23, 4, drawn_stack(40));
    draw_return(4, 6, drawn_call_stub(), drawn_stack(40));
    expect_left(code + 28, 4, 99);
}

/* As code that compares strings does, without a word in any table. */
static void a_register_that_is_kept_below_the_frame_is_passed(void **state)
{
    (void)state;
    uint64_t code = draw_code(&(struct drawn_code){.blob = "nmethod", .frame_words = 6, .method = one, .level = 4});
    draw_return(6, 6, drawn_call_stub(), drawn_stack(40));
    draw_call_stub(40);
    struct drawn_registers registers = {.pc = code + 20, .sp = drawn_stack(6), .fp = 99};
    for (size_t pushed = 0; pushed <= 2; pushed++) {
        registers.sp = drawn_stack(6 - pushed);
        walk_drawn(&registers);
        expect_end(2);
        assert_int_equal(drawn_native[1].sp, drawn_stack(12));
    }
}

/* sub $0x60, %rsp; three nops; call …; nops: behind the code of the method, the collector is asked with registers on the stack.
 */
static void what_a_barrier_keeps_below_the_frame_is_passed(void **state)
{
    (void)state;
    uint64_t code = draw_code(&(struct drawn_code){.blob = "nmethod",
                                                   .frame_words = 6,
                                                   .method = one,
                                                   .level = 4,
                                                   .bytes = "90 90 90 90 90 90 90 90 48 81 ec 60 00 00 00 90 90 90 "
                                                            "e8 00 00 00 00 90 90 90 90"});
    draw_return(16, 6, drawn_call_stub(), drawn_stack(40));
    draw_call_stub(40);
    draw_word(9, 99); /* where the frame would end without them */
    draw_word(3, code + 23);
    struct drawn_registers registers = {.pc = code + 17, .sp = drawn_stack(4), .fp = 99};
    assert_string_equal(walk_drawn(&registers), "a.One.run optimised ? @4\n");
    expect_end(2);
    assert_int_equal(drawn_native[1].sp, drawn_stack(22));
    uint64_t leaf = draw_code(&(struct drawn_code){.blob = "slow_stub", .frame_words = 1});
    registers = (struct drawn_registers){.pc = leaf, .sp = drawn_stack(3), .fp = 99};
    assert_string_equal(walk_drawn(&registers), "a.One.run optimised ? @4\n");
    expect_end(3);
    assert_int_equal(drawn_native[2].sp, drawn_stack(22));
    /* Nobody is there. */
    draw_word(21, 99);
    walk_drawn(&registers);
    assert_int_not_equal(drawn_end, UNWIND_COMPLETE);
}

static void code_that_is_no_method_has_its_own_name(void **state)
{
    (void)state;
    uint64_t caller = draw_code(&(struct drawn_code){.blob = "nmethod", .frame_words = 6, .method = one, .level = 4});
    uint64_t sized = draw_code(&(struct drawn_code){.blob = "slow_stub", .frame_words = 4});
    draw_return(8, 6, drawn_call_stub(), drawn_stack(40));
    draw_call_stub(40);
    draw_return(4, 4, caller + 20, 5);
    struct drawn_registers registers = {.pc = sized + 9, .sp = drawn_stack(4), .fp = 3};
    assert_string_equal(walk_drawn(&registers), "a.One.run optimised ? @8\n");
    assert_string_equal(drawn_builtins(), "slow_stub @4\ncall_stub @14\n");
}

static void a_frame_that_is_to_be_given_up_says_where_it_stood(void **state)
{
    (void)state;
    uint64_t callee = draw_code(&(struct drawn_code){.blob = "nmethod", .frame_words = 6, .method = one, .level = 4});
    uint64_t code = draw_code(&(struct drawn_code){
        .blob = "nmethod", .frame_words = 6, .method = two, .level = 4, .pc = 40, .deopt = 100, .scopes = {{two, 11}}});
    draw_return(4, 6, code + 100, 0);
    draw_return(10, 6, drawn_call_stub(), drawn_stack(40));
    draw_word(10, code + 40); /* all that is drawn keeps it in the lowest word of the frame */
    draw_call_stub(40);
    struct drawn_registers registers = {.pc = callee + 20, .sp = drawn_stack(4)};
    assert_string_equal(walk_drawn(&registers), "a.One.run optimised ? @4\n"
                                                "a.Two.run optimised 11 @10\n");
}

static void a_wrapper_of_a_native_method_is_its_method(void **state)
{
    (void)state;
    uint64_t code = draw_code(
        &(struct drawn_code){.blob = "native nmethod", .frame_words = 6, .method = one, .level = 4, .frame_complete = 1});
    draw_return(4, 6, drawn_call_stub(), drawn_stack(40));
    draw_call_stub(40);
    struct drawn_registers registers = {.pc = code + 39, .sp = drawn_stack(4)};
    assert_string_equal(walk_drawn(&registers), "a.One.run native ? @4\n");
    expect_end(2);
}

static void stubs_are_left_by_size_by_frame_pointer_or_as_leaves(void **state)
{
    (void)state;
    uint64_t caller = draw_code(&(struct drawn_code){.blob = "nmethod", .frame_words = 6, .method = one, .level = 4});
    uint64_t sized = draw_code(&(struct drawn_code){.blob = "slow_stub", .frame_words = 4});
    uint64_t framed_stub = draw_code(&(struct drawn_code){.blob = "StubRoutines (2)", .bytes = "55 48 8b ec 90"});
    uint64_t leaf = draw_code(&(struct drawn_code){.blob = "StubRoutines (2)"});
    uint64_t vtable = draw_code(&(struct drawn_code){.blob = "vtable chunks"});
    uint64_t transition = draw_code(&(struct drawn_code){.blob = "InlineCacheBuffer"});
    draw_return(8, 6, drawn_call_stub(), drawn_stack(40));
    draw_call_stub(40);
    draw_return(4, 4, caller + 20, 5);
    const char *expected = "a.One.run optimised ? @8\n";
    struct drawn_registers registers = {.pc = sized + 9, .sp = drawn_stack(4), .fp = 3};
    assert_string_equal(walk_drawn(&registers), expected);
    registers = (struct drawn_registers){.pc = framed_stub + 9, .sp = drawn_stack(4), .fp = drawn_stack(6)};
    assert_string_equal(walk_drawn(&registers), expected);
    registers = (struct drawn_registers){.pc = framed_stub + 1, .sp = drawn_stack(6), .fp = 3};
    assert_string_equal(walk_drawn(&registers), expected);
    registers = (struct drawn_registers){.pc = leaf + 9, .sp = drawn_stack(7), .fp = drawn_stack(30)};
    assert_string_equal(walk_drawn(&registers), expected);
    registers = (struct drawn_registers){.pc = vtable + 9, .sp = drawn_stack(7), .fp = drawn_stack(30)};
    assert_string_equal(walk_drawn(&registers), expected);
    registers = (struct drawn_registers){.pc = transition + 9, .sp = drawn_stack(7), .fp = drawn_stack(30)};
    assert_string_equal(walk_drawn(&registers), expected);
    /* It has pushed two registers, one of which looks like a return address, but of code that did not call. */
    draw_word(5, caller + 20);
    draw_word(6, 99);
    draw_word(10, 0);
    registers = (struct drawn_registers){.pc = leaf + 9, .sp = drawn_stack(5), .fp = 3};
    assert_string_equal(walk_drawn(&registers), expected);
    expect_end(3);
}

/* What the collector is asked at the entry of compiled code: {the caller's rbp, −1, return address}. */
static void a_word_between_return_address_and_frame_pointer_is_passed(void **state)
{
    (void)state;
    uint64_t caller = draw_code(&(struct drawn_code){.blob = "nmethod", .frame_words = 6, .method = one, .level = 4});
    uint64_t barrier = draw_code(&(struct drawn_code){.blob = "StubRoutines (final stubs)"});
    draw_word(4, barrier + 9); /* of a call by the stub */
    draw_word(5, 77);
    draw_word(6, 12345);
    draw_word(7, UINT64_MAX);
    draw_word(8, caller + 20);
    draw_return(9, 6, drawn_call_stub(), drawn_stack(40));
    draw_call_stub(40);
    struct drawn_registers registers = {.pc = barrier + 12, .sp = drawn_stack(5), .fp = drawn_stack(6)};
    assert_string_equal(walk_drawn(&registers), "a.One.run optimised ? @9\n");
    expect_end(3);
    uint64_t leaf = draw_code(&(struct drawn_code){.blob = "slow_stub", .frame_words = 1});
    registers = (struct drawn_registers){.pc = leaf, .sp = drawn_stack(4), .fp = drawn_stack(6)};
    assert_string_equal(walk_drawn(&registers), "a.One.run optimised ? @9\n");
    expect_end(4);
}

static void a_stub_without_a_frame_that_has_called_is_left_by_its_return_address(void **state)
{
    (void)state;
    uint64_t caller = draw_code(&(struct drawn_code){.blob = "nmethod", .frame_words = 6, .method = one, .level = 4});
    uint64_t stub = draw_code(&(struct drawn_code){.blob = "C1 Runtime unwind_exception_blob"});
    uint64_t leaf = draw_code(&(struct drawn_code){.blob = "slow_stub", .frame_words = 1});
    draw_word(4, stub + 9);
    draw_word(5, 99);
    draw_word(6, caller + 20);
    draw_return(7, 6, drawn_call_stub(), drawn_stack(40));
    draw_call_stub(40);
    struct drawn_registers registers = {.pc = leaf, .sp = drawn_stack(4), .fp = 3};
    assert_string_equal(walk_drawn(&registers), "a.One.run optimised ? @7\n");
    expect_end(4);
}

/* As the VM makes it: from the interpreter; then from compiled code. Numbers are those of first bytes. */
static const char adapter_17[] =
    "48 8b 04 24 4c 8b dc 48 83 e4 f0 50 49 8b c3 41 ff e3 " /* 0 mov, 4 mov, 7 and, 11 push, 12 mov, 15 jmp */
    "90 4c 8b ec 48 8b 04 24 48 83 e4 f0 9c 90 49 8b e5 "    /* 18, 19 mov, 22 mov, 26 and, 30, 32 mov */
    "58 4c 8b ec 48 83 ec 20 48 89 04 24 90 ff e1 "          /* 35 pop, 36 mov, 39 sub, 43 mov, 47, 48 jmp */
    "90 90 90 90 90 90 90 90 90 90 90 90 90 90 90 90";
static const char adapter_25[] =
    "4c 8b dc 58 48 83 e4 f0 50 49 8b c3 41 ff e3 "          /* 0 mov, 3 pop, 4 and, 8 push, 9 mov, 12 jmp */
    "90 4c 8d 6c 24 08 58 48 83 ec 20 48 89 04 24 90 ff e1 " /* 15, 16 lea, 21 pop, 22 sub, 26 mov, 30 */
    "90 90 90 90 90 90 90 90 90 90 90 90 90 90 90 90";

/* The caller is compiled; its frame begins at word 10. */
static void expect_adapter_left(uint64_t pc, size_t sp, uint64_t rax, uint64_t r13)
{
    struct drawn_registers registers = {.pc = pc, .sp = drawn_stack(sp), .fp = 3, .rax = rax, .r13 = r13};
    assert_string_equal(strchr(walk_drawn(&registers), '@'), "@10\n");
    assert_int_equal(drawn_end, UNWIND_COMPLETE);
    assert_int_equal(drawn_native[drawn_native_count - 1].pc, drawn_call_stub());
    assert_int_equal(drawn_native[drawn_native_count - 1].sp, drawn_stack(16));
}

static void adapters_are_left_from_each_of_their_instructions(void **state)
{
    (void)state;
    bool is_17 = drawn_layout()->version < DRAWN_25;
    uint64_t adapter = draw_code(&(struct drawn_code){.blob = "I2C/C2I adapters", .bytes = is_17 ? adapter_17 : adapter_25});
    uint64_t caller = draw_code(&(struct drawn_code){.blob = "nmethod", .frame_words = 6, .method = one, .level = 4});
    uint64_t back = caller + 20, callers = drawn_stack(10), entered = drawn_stack(9), anything = drawn_stack(30);
    draw_return(10, 6, drawn_call_stub(), drawn_stack(40));
    draw_call_stub(40);
    draw_word(9, back);
    /* From the interpreter. */
    expect_adapter_left(adapter, 9, anything, callers);
    expect_adapter_left(adapter + (is_17 ? 11 : 8), 4, back, callers);
    expect_adapter_left(adapter + (is_17 ? 15 : 12), 3, anything, callers);
    /* From compiled code, r13 being anything before it is set. */
    expect_adapter_left(adapter + (is_17 ? 18 : 15), 9, 1, anything);
    expect_adapter_left(adapter + (is_17 ? 19 : 16), 9, 1, anything);
    if (is_17) {
        expect_adapter_left(adapter + 22, 9, 1, entered); /* the caller is told of the interpreter's entry */
        expect_adapter_left(adapter + 26, 9, back, entered);
        expect_adapter_left(adapter + 30, 3, anything, entered);
        expect_adapter_left(adapter + 35, 9, anything, entered);
    }
    draw_word(9, 77); /* The return address has been popped, and arguments are put there. */
    expect_adapter_left(adapter + (is_17 ? 36 : 22), 10, back, is_17 ? anything : callers);
    expect_adapter_left(adapter + (is_17 ? 39 : 22), 10, back, callers);
    expect_adapter_left(adapter + (is_17 ? 43 : 26), 6, back, callers);
    draw_word(6, back);
    expect_adapter_left(adapter + (is_17 ? 47 : 30), 6, 78, callers);
}

/* push %rbp; mov %rsp, %rbp; sub $0x20, %rsp; nop; leave; cmpq $0, 8(%r15); jne …; ret; jmp … */
static void a_wrapper_of_a_native_method_is_left_while_it_is_entered_and_left(void **state)
{
    (void)state;
    uint64_t code = draw_code(&(struct drawn_code){.blob = "native nmethod",
                                                   .frame_words = 6,
                                                   .frame_complete = 8,
                                                   .method = one,
                                                   .level = 4,
                                                   .bytes = "55 48 8b ec 48 83 ec 20 90 c9 "
                                                            "49 81 7f 08 00 00 00 00 0f 85 01 00 00 00 c3 e9 00 00 00 00"});
    draw_return(4, 6, drawn_call_stub(), drawn_stack(40));
    draw_call_stub(40);
    expect_left(code, 9, drawn_stack(40));
    expect_left(code + 1, 8, 99);
    expect_left(code + 4, 8, drawn_stack(8));
    expect_left(code + 8, 4, drawn_stack(8));
    for (size_t at = 10; at <= 25; at += at == 10 ? 8 : at == 18 ? 6 : 1)
        expect_left(code + at, 9, drawn_stack(40));
}

/* Native methods that are calls through method handles only jump on. */
static void a_wrapper_without_a_frame_is_left_at_once(void **state)
{
    (void)state;
    uint64_t code = draw_code(&(struct drawn_code){.blob = "native nmethod", .method = one, .level = 4});
    draw_word(8, 77);
    draw_word(9, drawn_call_stub());
    draw_word(10, 78);
    draw_call_stub(40);
    expect_left(code + 20, 9, drawn_stack(40));
}

/* mov $…, %r10; mov %r10, …(%r15); jmp …: the frame has gone before the poll. */
static void where_a_poll_before_a_return_goes_has_no_frame(void **state)
{
    (void)state;
    uint64_t code = draw_code(&(struct drawn_code){.blob = "nmethod",
                                                   .frame_words = 6,
                                                   .method = one,
                                                   .level = 4,
                                                   .bytes = "90 90 90 90 49 ba 01 02 03 04 05 06 00 00 4d 89 97 40 01 00 00 "
                                                            "e9 00 00 00 00"});
    draw_return(4, 6, drawn_call_stub(), drawn_stack(40));
    draw_call_stub(40);
    draw_word(14, 99);
    expect_left(code + 4, 9, drawn_stack(40));
    expect_left(code + 14, 9, drawn_stack(40));
    expect_left(code + 21, 9, drawn_stack(40));
}

static void older_frames_of_a_virtual_thread_are_said_to_be_missing(void **state)
{
    (void)state;
    if (drawn_layout()->version < DRAWN_25)
        return;
    draw_interpreted(20, one, 3, 24, 0, drawn_continuation());
    draw_return(24, 10, drawn_call_stub(), drawn_stack(50));
    draw_call_stub(50);
    struct drawn_registers registers = {.pc = drawn_interpreter(), .sp = drawn_stack(4), .fp = drawn_stack(20)};
    assert_string_equal(walk_drawn(&registers), "a.One.run interpreter 3 @4\n"
                                                "virtual thread @24\n");
    expect_end(3);
    /* While older ones are brought, the stub has them on the stack already: the thread knows where they end. */
    draw_return(30, 10, drawn_call_stub(), drawn_stack(50));
    draw_return(24, 10, 99, 99);
    registers.r15 = drawn_stack(60);
    draw_word(63, drawn_stack(30));
    assert_string_equal(walk_drawn(&registers), "a.One.run interpreter 3 @4\n"
                                                "virtual thread @24\n");
    expect_end(3);
    assert_int_equal(drawn_native[2].sp, drawn_stack(40));
}

static void free_and_unused_blocks_have_no_code(void **state)
{
    (void)state;
    uint64_t code = draw_code(&(struct drawn_code){.blob = "nmethod", .frame_words = 6, .method = one, .level = 4});
    struct hotspot_blob blob;
    walk_drawn(&(struct drawn_registers){.pc = code, .sp = drawn_stack(4)});
    assert_true(hotspot_blob_at(drawn_reader(), code + 100, &blob));
    assert_int_equal(blob.code, code);
    assert_false(hotspot_blob_at(drawn_reader(), code + 4096, &blob));
    uint64_t header = blob.start - drawn_layout()->size[SIZE_BLOCK] + drawn_layout()->field[BLOCK_USED].offset;
    *(uint8_t *)(uintptr_t)header = 0;
    assert_false(hotspot_blob_at(drawn_reader(), code + 100, &blob));
}

static void a_vm_that_has_no_code_yet_has_no_hook(void **state)
{
    (void)state;
    uint64_t *high = (uint64_t *)(uintptr_t)drawn_layout()->variable[VARIABLE_HIGH];
    *high = 0;
    struct hotspot_walk walk = {.reader = *drawn_reader(), .methods = drawn_methods()};
    struct unwind_hook hook = hotspot_hook(&walk);
    assert_int_equal(hook.start, hook.end);
}

#define BOTH(name)                                                                                                             \
    {#name " (17)", name, begin, NULL, (void *)"17"},                                                                          \
    {                                                                                                                          \
#name " (25)", name, begin, NULL, (void *)"25"                                                                         \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(frames_of_the_interpreter_say_method_bytecode_and_caller),
        BOTH(the_bytecode_of_an_interrupted_method_is_in_a_register),
        BOTH(a_call_through_a_method_handle_leads_to_its_caller),
        BOTH(a_method_that_is_being_entered_is_the_youngest_frame),
        BOTH(behind_a_call_registers_of_the_callee_are_no_entry),
        BOTH(what_is_no_method_is_left_by_the_frame_pointer),
        BOTH(compiled_code_is_left_by_the_size_of_its_frame),
        BOTH(inlined_calls_stand_at_the_place_of_their_caller),
        BOTH(descriptors_are_of_calls_and_of_what_was_interrupted),
        BOTH(a_frame_that_is_half_made_or_half_gone_is_left_as_it_is),
        BOTH(a_frame_that_has_not_saved_the_frame_pointer_leaves_it),
        BOTH(a_register_that_is_kept_below_the_frame_is_passed),
        BOTH(what_a_barrier_keeps_below_the_frame_is_passed),
        BOTH(code_that_is_no_method_has_its_own_name),
        BOTH(a_frame_that_is_to_be_given_up_says_where_it_stood),
        BOTH(a_wrapper_of_a_native_method_is_its_method),
        BOTH(stubs_are_left_by_size_by_frame_pointer_or_as_leaves),
        BOTH(a_word_between_return_address_and_frame_pointer_is_passed),
        BOTH(a_stub_without_a_frame_that_has_called_is_left_by_its_return_address),
        BOTH(adapters_are_left_from_each_of_their_instructions),
        BOTH(a_wrapper_of_a_native_method_is_left_while_it_is_entered_and_left),
        BOTH(a_wrapper_without_a_frame_is_left_at_once),
        BOTH(where_a_poll_before_a_return_goes_has_no_frame),
        BOTH(older_frames_of_a_virtual_thread_are_said_to_be_missing),
        BOTH(free_and_unused_blocks_have_no_code),
        BOTH(a_vm_that_has_no_code_yet_has_no_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
