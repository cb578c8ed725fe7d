/* Code that a runtime made, in the middle of a stack: its hook says who called it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "walker.h"

#include <string.h>

/* No code is there, so nobody but the hook can answer for it. */
enum { RUNTIME_START = 0x10000, RUNTIME_END = 0x20000 };

static struct {
    struct unwind_registers caller; /* what it answers with … */
    enum unwind_end end;            /* … if this is UNWIND_GOES_ON */
    unsigned asked, exact;
    uint64_t last_pc;
} hook; /* asked again, it leads further up */

static enum unwind_end step(void *data, struct unwind_registers *registers, struct unwind_memory *memory, bool exact)
{
    (void)memory;
    assert_ptr_equal(data, &hook);
    hook.asked++;
    hook.exact += exact;
    hook.last_pc = registers->value[UNWIND_PC];
    if (hook.end == UNWIND_GOES_ON)
        *registers = hook.caller;
    hook.caller.value[UNWIND_SP] += 16;
    return hook.end;
}

static uint64_t stack[64];

/* A frame of the runtime's code, whose stack pointer is below everything of the stack that this is called on. */
static struct unwind_registers runtime_frame(uint64_t pc)
{
    struct unwind_registers registers;
    unwind_registers_here(&registers);
    hook.caller = registers;
    registers.value[UNWIND_PC] = pc;
    registers.value[UNWIND_SP] -= 64;
    return registers;
}

static struct walked result;

static int begin(void **state)
{
    (void)state;
    memset(&hook, 0, sizeof hook);
    hook.end = UNWIND_GOES_ON;
    walker.hook = (struct unwind_hook){RUNTIME_START, RUNTIME_END, step, &hook};
    return 0;
}

static int end(void **state)
{
    (void)state;
    walker.hook = (struct unwind_hook){0};
    return 0;
}

__attribute__((noinline)) static void code_of_a_runtime_is_left_as_its_hook_says(void **state)
{
    (void)state;
    struct unwind_registers registers = runtime_frame(RUNTIME_START + 8);
    walk(&registers, WALKER_WINDOW, WALKER_ROOM, &result);
    assert_int_equal(result.end, UNWIND_COMPLETE);
    assert_int_equal(hook.asked, 1);
    assert_int_equal(result.frames[0].pc, RUNTIME_START + 8);
    assert_int_equal(result.frames[1].pc, hook.caller.value[UNWIND_PC]);
    assert_int_equal(result.frames[1].sp, hook.caller.value[UNWIND_SP] - 16);
    assert_false(result.frames[1].exact);
    assert_string_equal(walked_names(&result, "main"), "main");
}

static void only_what_was_interrupted_stands_at_its_pc(void **state)
{
    (void)state;
    struct unwind_registers registers = runtime_frame(RUNTIME_START);
    hook.caller = registers;
    hook.caller.value[UNWIND_PC] = RUNTIME_START + 16;
    hook.caller.value[UNWIND_SP] += 16;
    walk(&registers, WALKER_WINDOW, 2, &result);
    assert_int_equal(result.end, UNWIND_NO_ROOM);
    assert_int_equal(hook.asked, 2);
    assert_int_equal(hook.exact, 1);
}

/* The call is the last instruction of the code, the return address the first byte behind it. */
static void a_return_address_behind_the_last_call_is_the_runtimes(void **state)
{
    (void)state;
    struct unwind_registers registers = runtime_frame(RUNTIME_START);
    hook.caller = registers;
    hook.caller.value[UNWIND_PC] = RUNTIME_END;
    hook.caller.value[UNWIND_SP] += 16;
    walk(&registers, WALKER_WINDOW, 2, &result);
    assert_int_equal(hook.asked, 2);
    assert_int_equal(hook.last_pc, RUNTIME_END);
}

static void code_outside_of_the_range_is_none_of_the_hooks(void **state)
{
    (void)state;
    struct unwind_registers registers = runtime_frame(RUNTIME_END);
    walk(&registers, WALKER_WINDOW, WALKER_ROOM, &result);
    registers = runtime_frame(RUNTIME_START - 1);
    walk(&registers, WALKER_WINDOW, WALKER_ROOM, &result);
    assert_int_equal(hook.asked, 0);
}

static void a_hook_can_end_the_stack(void **state)
{
    (void)state;
    static const enum unwind_end ends[] = {UNWIND_COMPLETE, UNWIND_UNREADABLE};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct unwind_registers registers = runtime_frame(RUNTIME_START);
        hook.end = ends[i];
        walk(&registers, WALKER_WINDOW, WALKER_ROOM, &result);
        assert_int_equal(result.end, ends[i]);
        assert_int_equal(result.count, 1);
    }
}

static void where_the_hook_knows_nothing_the_frame_pointer_is_followed(void **state)
{
    (void)state;
    uint64_t start = (uint64_t)(uintptr_t)stack;
    struct unwind_registers registers = runtime_frame(RUNTIME_START);
    registers.known = UNWIND_ALL_KNOWN;
    registers.value[UNWIND_SP] = start;
    registers.value[UNWIND_FP] = start + 16;
    stack[2] = start + 48;
    stack[3] = RUNTIME_START + 5;
    hook.end = UNWIND_NO_RULE;
    walk(&registers, WALKER_COPY, WALKER_ROOM, &result);
    assert_int_equal(result.end, UNWIND_COMPLETE);
    assert_int_equal(result.count, 2);
    assert_int_equal(result.frames[1].pc, RUNTIME_START + 5);
    assert_int_equal(result.frames[1].sp, start + 32);
}

static void a_hook_that_does_not_lead_up_ends_the_walk(void **state)
{
    (void)state;
    struct unwind_registers registers = runtime_frame(RUNTIME_START);
    hook.caller = registers;
    hook.caller.value[UNWIND_PC]++;
    walk(&registers, WALKER_WINDOW, WALKER_ROOM, &result);
    assert_int_equal(result.end, UNWIND_NO_PROGRESS);
    assert_int_equal(hook.asked, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(code_of_a_runtime_is_left_as_its_hook_says, begin, end),
        cmocka_unit_test_setup_teardown(only_what_was_interrupted_stands_at_its_pc, begin, end),
        cmocka_unit_test_setup_teardown(a_return_address_behind_the_last_call_is_the_runtimes, begin, end),
        cmocka_unit_test_setup_teardown(code_outside_of_the_range_is_none_of_the_hooks, begin, end),
        cmocka_unit_test_setup_teardown(a_hook_can_end_the_stack, begin, end),
        cmocka_unit_test_setup_teardown(where_the_hook_knows_nothing_the_frame_pointer_is_followed, begin, end),
        cmocka_unit_test_setup_teardown(a_hook_that_does_not_lead_up_ends_the_walk, begin, end),
    };
    walker_start();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    walker_stop();
    return failed;
}
