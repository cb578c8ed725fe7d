/* The symbolication API: instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void asm_answers_with_instructions_in_both_syntaxes(void **state)
{
    (void)state;
    assert_string_equal(ask("/asm/v1", BLEND_ASM("0x1000", "0xf") "}"),
                        "{\"startAddress\":\"0x1000\",\"size\":\"0xf\",\"arch\":\"x86_64\",\"syntax\":[\"Intel\",\"AT&T\"],"
                        "\"instructions\":[[0,\"push rbx\",\"pushq %rbx\"],[1,\"mov edi, 1\",\"movl $1, %edi\"],"
                        "[6,\"call 0x1010 <draw>\",\"callq 0x1010 <draw>\"],[11,\"mov ebx, eax\",\"movl %eax, %ebx\"],"
                        "[13,\"pop rbx\",\"popq %rbx\"],[14,\"ret\",\"retq\"]]}");
}

static void asm_goes_on_to_the_end_of_the_function(void **state)
{
    (void)state;
    const char *answer = ask("/asm/v1", BLEND_ASM("0x1018", "0x1") ",\"continueUntilFunctionEnd\":true}");
    assert_says(answer, "{\"startAddress\":\"0x1018\",\"size\":\"0x4a\",");
    assert_says(answer, ",[14,\"jne 0x1012 <draw+0x2>\",\"jne 0x1012 <draw+0x2>\"],");
}

static void asm_shows_the_whole_instruction_that_begins_in_the_range(void **state)
{
    (void)state;
    assert_says(ask("/asm/v1", BLEND_ASM("0x1018", "0x1") "}"), "\"size\":\"0x6\",");
    assert_says(ask("/asm/v1", BLEND_ASM("0x1018", "0x0") "}"), "\"size\":\"0x0\",");
}

static void asm_goes_on_after_what_is_no_instruction(void **state)
{
    (void)state;
    assert_says(ask("/asm/v1", BLEND_ASM("0x105e", "0x4") "}"),
                "[[0,\"add eax, edx\",\"addl %edx, %eax\"],[2,\"(bad)\",\"(bad)\"],[3,\"ret\",\"retq\"]]");
}

static void asm_keeps_to_instructions_after_one_that_it_does_not_know(void **state)
{
    (void)state;
    assert_says(ask("/asm/v1", BLEND_ASM("0x102b", "0x6") "}"), "[[0,\"(unknown)\",\"(unknown)\"],[5,\"add eax, edx\"");
}

static void asm_finds_modules_by_any_of_their_names(void **state)
{
    (void)state;
    assert_says(ask("/asm/v1", "{\"name\":\"libblend.so\",\"codeId\":\"" BLEND_CODE_ID
                               "\",\"debugName\":null,\"debugId\":null,\"startAddress\":\"0x100e\",\"size\":\"0x1\"}"),
                "\"ret\"");
    assert_refused(ask("/asm/v1", "{\"name\":\"libblend.so\",\"codeId\":\"%s\",\"startAddress\":\"0x100e\",\"size\":\"0x1\"}",
                       program_code_id));
    assert_refused(ask("/asm/v1", "{\"startAddress\":\"0x100e\",\"size\":\"0x1\"}"));
}

static void asm_ends_with_the_code(void **state)
{
    (void)state;
    assert_says(ask("/asm/v1", BLEND_ASM("0x1000", "0xffffffffffffffff") "}"), "\"size\":\"0x62\",");
    assert_refused(ask("/asm/v1", BLEND_ASM("0x9000", "0x10") "}"));
    assert_refused(ask("/asm/v1", BLEND_ASM("0xffffffffffffffff", "0x10") "}"));
}

static void asm_names_a_module_that_was_rebuilt(void **state)
{
    (void)state;
    struct api_module rebuilt = modules[0];
    rebuilt.breakpad_id = SLICE("000000000000000000000000000000000");
    rebuilt.code_id = SLICE("00000000000000000000000000000000");
    struct symbol_api own = {&search, &sources, &rebuilt, 1, 0};
    struct text_buffer answer = {0};
    assert_int_equal(symbol_api_answer(&own, SLICE("/asm/v1"),
                                       SLICE("{\"name\":\"libblend.so\",\"startAddress\":\"0x1000\",\"size\":\"0x1\"}"),
                                       &answer),
                     0);
    text_add_char(&answer, '\0');
    assert_refused(answer.bytes.items);
    assert_says(answer.bytes.items, "libblend.so was rebuilt since the recording");
    text_free(&answer);
}

static void asm_of_aarch64_has_one_syntax(void **state)
{
    (void)state;
#ifdef ARM
    struct api_module arm = {.name = SLICE("libarm.so"), .path = SLICE(ARM)};
    struct symbol_api own = {&search, &sources, &arm, 1, 0};
    struct text_buffer answer = {0};
    assert_int_equal(symbol_api_answer(&own, SLICE("/asm/v1"),
                                       SLICE("{\"name\":\"libarm.so\",\"startAddress\":\"0x1002\",\"size\":\"0x24\"}"),
                                       &answer),
                     0);
    text_add_char(&answer, '\0');
    assert_string_equal(answer.bytes.items,
                        "{\"startAddress\":\"0x1000\",\"size\":\"0x24\",\"arch\":\"aarch64\",\"syntax\":[\"ARM\"],"
                        "\"instructions\":[[0,\"stp x29, x30, [sp, #-0x10]!\"],[4,\"movz w0, #0x1\"],"
                        "[8,\"bl #0x1014 <draw>\"],[12,\"ldp x29, x30, [sp], #0x10\"],[16,\"ret\"],"
                        "[20,\"add w0, w0, w0, lsl #2\"],[24,\"cbnz w0, #0x1014 <draw>\"],[28,\"(bad)\"],[32,\"ret\"]]}");
    text_free(&answer);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asm_answers_with_instructions_in_both_syntaxes),
        cmocka_unit_test(asm_goes_on_to_the_end_of_the_function),
        cmocka_unit_test(asm_shows_the_whole_instruction_that_begins_in_the_range),
        cmocka_unit_test(asm_goes_on_after_what_is_no_instruction),
        cmocka_unit_test(asm_keeps_to_instructions_after_one_that_it_does_not_know),
        cmocka_unit_test(asm_finds_modules_by_any_of_their_names),
        cmocka_unit_test(asm_ends_with_the_code),
        cmocka_unit_test(asm_names_a_module_that_was_rebuilt),
        cmocka_unit_test(asm_of_aarch64_has_one_syntax),
    };
    return cmocka_run_group_tests_name("symbols/api_asm", tests, find_modules, forget_answer);
}
