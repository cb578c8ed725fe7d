/* Frames of V8's interpreter on a stack that is drawn: words of memory, and the native frames that a walk has found there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/v8/walk.h"

/* The trampoline and the handlers, at two places, and in the copy of a worker. */
enum { ENTRY = 0x1000, HANDLERS = 0x2000, OTHER_ENTRY = 0x11000, OTHER_HANDLERS = 0x12000, LENGTH = 0x100 };
enum { COPY_ENTRY = 0x21000, COPY_HANDLERS = 0x22000 };
enum { OTHER_CODE = 0x5000, RESUME = 0x6000, ARRAY = 0x70001, CONTEXT = 0x80001, TYPE = 34 };

enum { WORDS = 64, FRAME_WORDS = 8 };
static uint64_t stack[WORDS];
static struct raw_stack raw;

static const struct v8_layout layout = {
    .words = {.context_or_type = -8,
              .bytecode_array = -32,
              .bytecode_offset = -40,
              .object_tag = 1,
              .object_tag_mask = 3,
              .smi_shift = 32},
    .places = {{{ENTRY, ENTRY + LENGTH}, {HANDLERS, HANDLERS + LENGTH}, {RESUME}},
               {{OTHER_ENTRY, OTHER_ENTRY + LENGTH}, {OTHER_HANDLERS, OTHER_HANDLERS + LENGTH}, {0}}},
};

/* Frame `number`, the youngest is 0: eight words, of which the last two are the caller's. */
static uint64_t sp_of(uint32_t number)
{
    return (uintptr_t)&stack[number * FRAME_WORDS];
}

static void draw_frame(uint32_t number, uint64_t pc, bool exact, uint64_t context_or_type, uint64_t offset)
{
    uint64_t *frame = &stack[number * FRAME_WORDS];
    raw.native[number] = (struct unwind_frame){.pc = pc, .sp = sp_of(number) & INT64_MAX, .exact = exact};
    raw.native_count = number + 1;
    frame[5] = context_or_type;
    frame[2] = ARRAY;
    frame[1] = offset;
}

static int begin(void **state)
{
    (void)state;
    memset(stack, 0, sizeof stack);
    raw.native_count = raw.runtime_count = 0;
    raw.cut = false;
    return 0;
}

static void walk_with_copy(const struct v8_interpreter *copy)
{
    struct unwind_memory memory = {.start = (uintptr_t)stack, .end = (uintptr_t)(stack + WORDS)};
    struct runtime_walk thread = {.raw = &raw, .memory = &memory, .thread = {.copy = copy}};
    v8_walk(&layout, &thread);
}

static void walk(void)
{
    walk_with_copy(NULL);
}

static void expect(uint32_t frame, uint64_t bytecode)
{
    assert_int_equal(raw.runtime_count, 1);
    assert_int_equal(raw.runtime[0].stack_address, sp_of(frame));
    assert_int_equal(raw.runtime[0].runtime, RUNTIME_V8);
    assert_int_equal(raw.runtime[0].number, bytecode);
    assert_int_equal(raw.runtime[0].position, 0);
}

static void a_frame_whose_optimised_code_was_given_up_is_its_function(void **state)
{
    (void)state;
    draw_frame(0, OTHER_CODE, true, TYPE, 0);
    draw_frame(1, RESUME, false, CONTEXT, UINT64_C(53) << 32);
    draw_frame(2, OTHER_CODE, false, CONTEXT, UINT64_C(53) << 32);
    draw_frame(3, RESUME + 1, false, CONTEXT, UINT64_C(53) << 32);
    draw_frame(4, OTHER_CODE, false, CONTEXT, UINT64_C(53) << 32);
    walk();
    expect(1, ARRAY + 53);
}

static void a_frame_that_returns_to_the_trampoline_is_its_function(void **state)
{
    (void)state;
    draw_frame(0, OTHER_CODE, true, TYPE, 0);
    draw_frame(1, ENTRY + 16, false, CONTEXT, UINT64_C(53) << 32);
    draw_frame(2, OTHER_CODE, false, CONTEXT, UINT64_C(53) << 32);
    walk();
    expect(1, ARRAY + 53);
}

static void the_other_mapping_counts_as_well(void **state)
{
    (void)state;
    draw_frame(0, OTHER_ENTRY + LENGTH, false, CONTEXT, UINT64_C(53) << 32); /* behind a call that is its last instruction */
    draw_frame(1, OTHER_CODE, false, CONTEXT, 0);
    walk();
    expect(0, ARRAY + 53);
}

static void the_copy_of_a_worker_counts_on_its_own_thread_alone(void **state)
{
    (void)state;
    static const struct v8_interpreter copy = {{COPY_ENTRY, COPY_ENTRY + LENGTH}, {COPY_HANDLERS, COPY_HANDLERS + LENGTH}, {0}};
    draw_frame(0, COPY_ENTRY + 0x10, false, CONTEXT, UINT64_C(53) << 32);
    draw_frame(1, OTHER_CODE, false, CONTEXT, 0);
    walk();
    assert_int_equal(raw.runtime_count, 0);
    walk_with_copy(&copy);
    expect(0, ARRAY + 53);
}

static void a_handler_without_a_frame_is_in_that_of_the_function(void **state)
{
    (void)state;
    draw_frame(0, HANDLERS, true, CONTEXT, UINT64_C(60) << 32);
    draw_frame(1, OTHER_CODE, false, CONTEXT, 0);
    walk();
    expect(0, ARRAY + 60);
}

static void a_handler_with_a_frame_is_called_by_the_function(void **state)
{
    (void)state;
    draw_frame(0, OTHER_HANDLERS + 8, true, TYPE, 0);
    draw_frame(1, ENTRY + 16, false, CONTEXT, UINT64_C(60) << 32);
    draw_frame(2, OTHER_CODE, false, CONTEXT, 0);
    walk();
    expect(1, ARRAY + 60);
}

static void a_frame_that_is_not_made_yet_is_none(void **state)
{
    (void)state;
    draw_frame(0, ENTRY + 4, true, CONTEXT, UINT64_C(60) << 32); /* in the trampoline itself */
    draw_frame(1, OTHER_CODE, false, CONTEXT, 0);
    walk();
    assert_int_equal(raw.runtime_count, 0);
    /* A handler that has just pushed its frame pointer: what would be the words of its frame is below the stack. */
    begin(state);
    draw_frame(0, HANDLERS, true, CONTEXT, UINT64_C(60) << 32);
    draw_frame(1, OTHER_CODE, false, CONTEXT, 0);
    raw.native[0].sp = (sp_of(1) - 16) & INT64_MAX;
    walk();
    assert_int_equal(raw.runtime_count, 0);
}

static void words_that_make_no_sense_are_no_frame(void **state)
{
    (void)state;
    draw_frame(0, ENTRY + 16, false, CONTEXT, 53); /* no small integer */
    draw_frame(1, ENTRY + 16, false, TYPE, UINT64_C(53) << 32);
    draw_frame(2, ENTRY + 16, false, CONTEXT, UINT64_C(53) << 32);
    stack[2 * FRAME_WORDS + 2] = ARRAY + 1; /* no pointer */
    draw_frame(3, OTHER_CODE, false, CONTEXT, 0);
    walk();
    assert_int_equal(raw.runtime_count, 0);
}

static void memory_that_cannot_be_read_is_no_frame(void **state)
{
    (void)state;
    draw_frame(0, ENTRY + 16, false, CONTEXT, UINT64_C(53) << 32);
    draw_frame(1, OTHER_CODE, false, CONTEXT, 0);
    struct unwind_memory memory = {0};
    struct runtime_walk thread = {.raw = &raw, .memory = &memory};
    v8_walk(&layout, &thread);
    assert_int_equal(raw.runtime_count, 0);
}

static void the_oldest_frame_has_no_known_frame_pointer(void **state)
{
    (void)state;
    draw_frame(0, ENTRY + 16, false, CONTEXT, UINT64_C(53) << 32);
    walk();
    assert_int_equal(raw.runtime_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_frame_whose_optimised_code_was_given_up_is_its_function, begin),
        cmocka_unit_test_setup(a_frame_that_returns_to_the_trampoline_is_its_function, begin),
        cmocka_unit_test_setup(the_other_mapping_counts_as_well, begin),
        cmocka_unit_test_setup(the_copy_of_a_worker_counts_on_its_own_thread_alone, begin),
        cmocka_unit_test_setup(a_handler_without_a_frame_is_in_that_of_the_function, begin),
        cmocka_unit_test_setup(a_handler_with_a_frame_is_called_by_the_function, begin),
        cmocka_unit_test_setup(a_frame_that_is_not_made_yet_is_none, begin),
        cmocka_unit_test_setup(words_that_make_no_sense_are_no_frame, begin),
        cmocka_unit_test_setup(memory_that_cannot_be_read_is_no_frame, begin),
        cmocka_unit_test_setup(the_oldest_frame_has_no_known_frame_pointer, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
