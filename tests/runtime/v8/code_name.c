/* What V8 calls its code, as V8 10 to 13 said it, and what is read of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "runtime/v8/code_name.h"

/* As "tier | name | file | line:column". */
static void expect(const char *text, bool is_wasm, const char *expected)
{
    char said[512];
    struct v8_code_name name;
    if (v8_code_name_read(slice_of(text), is_wasm, &name))
        snprintf(said, sizeof said, "%.*s | %.*s | %.*s | %u:%u", (int)frame_tier_name(name.tier).length,
                 frame_tier_name(name.tier).text, (int)name.name.length, name.name.text, (int)name.file.length, name.file.text,
                 name.line, name.column);
    else
        snprintf(said, sizeof said, "nothing");
    assert_string_equal(said, expected);
}

static void the_sign_before_a_name_is_the_tier(void **state)
{
    (void)state;
    expect("JS:~fib /a/b.js:12:13", false, "interpreter | fib | /a/b.js | 12:13");
    expect("JS:^fib /a/b.js:12:13", false, "baseline | fib | /a/b.js | 12:13");
    expect("JS:+fib /a/b.js:12:13", false, "mid-tier | fib | /a/b.js | 12:13");
    expect("JS:*fib /a/b.js:12:13", false, "optimised | fib | /a/b.js | 12:13");
    expect("JS:*'fib /a/b.js:12:13", false, "optimised | fib | /a/b.js | 12:13");
    expect("LazyCompile:*fib /a/b.js:12:13", false, "optimised | fib | /a/b.js | 12:13");
    expect("Function:~fib /a/b.js:12:13", false, "interpreter | fib | /a/b.js | 12:13");
}

static void names_and_files_may_be_missing_or_have_spaces(void **state)
{
    (void)state;
    expect("JS:~ /a/b.js:1:1", false, "interpreter |  | /a/b.js | 1:1");
    expect("Script:~ node:fs:1:1", false, "interpreter |  | node:fs | 1:1");
    expect("JS:~get size /a/b.js:3:9", false, "interpreter | get size | /a/b.js | 3:9");
    expect("JS:~GET /users /a/b.js:3:9", false, "interpreter | GET /users | /a/b.js | 3:9");
    expect("JS:~run /my files/b.js:3:9", false, "interpreter | run | /my files/b.js | 3:9");
    expect("JS:~ /my files/b.js:3:9", false, "interpreter |  | /my files/b.js | 3:9");
    expect("JS:~run file:///a/b.mjs:3:9", false, "interpreter | run | file:///a/b.mjs | 3:9");
    expect("JS:~run evalmachine.<anonymous>:3:9", false, "interpreter | run | evalmachine.<anonymous> | 3:9");
    expect("Eval:~ :1:1", false, "interpreter |  |  | 1:1");
    expect("JS:~anonymous :1:20", false, "interpreter | anonymous |  | 1:20");
    expect("LazyCompile:~run /a/b.js:3", false, "interpreter | run | /a/b.js | 3:0");
    expect("JS:~run", false, "interpreter | run |  | 0:0");
    expect("JS:~", false, "interpreter |  |  | 0:0");
    expect("JS:~run /a/b.js:99999999999:1", false, "interpreter | run | /a/b.js:99999999999 | 1:0");
}

static void other_code_keeps_its_name(void **state)
{
    (void)state;
    expect("Builtin:ArrayMap", false, "builtin | Builtin:ArrayMap |  | 0:0");
    expect("BytecodeHandler:LdaZero", false, "builtin | BytecodeHandler:LdaZero |  | 0:0");
    expect("RegExp:[a-z]+ /x:1:1", false, " | RegExp:[a-z]+ /x:1:1 |  | 0:0");
}

static void functions_of_wasm_have_their_names_and_tiers(void **state)
{
    (void)state;
    expect("JS:fib-0-liftoff", true, "wasm baseline | fib |  | 0:0");
    expect("JS:fib-0-turbofan", true, "wasm optimised | fib |  | 0:0");
    expect("Function:run-2-12-turbofan", true, "wasm optimised | run-2 |  | 0:0");
    expect("JS:wasm-function[0]-0-turbofan", true, "wasm optimised | wasm-function[0] |  | 0:0");
    expect("wasm-function[3]", true, "wasm | wasm-function[3] |  | 0:0");
    expect("-0-turbofan", true, "wasm optimised | -0 |  | 0:0");
    expect("-turbofan", true, "nothing");
}

static void a_function_without_a_tier_says_nothing(void **state)
{
    (void)state;
    expect("JS: :1:1", false, "nothing");
    expect("", false, "nothing");
    expect("", true, "nothing");
}

static void the_interpreters_own_code_is_told_apart(void **state)
{
    (void)state;
    struct v8_code_name name;
    assert_true(v8_code_name_read(SLICE("Builtin:InterpreterEntryTrampoline"), false, &name));
    assert_true(name.is_entry && !name.is_handler);
    assert_true(v8_code_name_read(SLICE("Builtin:InterpreterEntryTrampolineForProfiling"), false, &name));
    assert_false(name.is_entry || name.is_handler);
    assert_true(v8_code_name_read(SLICE("BytecodeHandler:Star"), false, &name));
    assert_true(name.is_handler && !name.is_entry);
}

static void expect_address(const char *file, size_t room, const char *expected)
{
    char out[64];
    size_t length = v8_script_address(slice_of(file), out, room);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(out, expected, length);
}

static void paths_become_addresses(void **state)
{
    (void)state;
    expect_address("/a/b.js", 64, "file:///a/b.js");
    expect_address("/a/50%.js", 64, "file:///a/50%25.js");
    expect_address("node:fs", 64, "node:fs");
    expect_address("file:///a/b%20c.mjs", 64, "file:///a/b%20c.mjs");
    expect_address("", 64, "");
    expect_address("/a/b.js", 9, "file:///a");
    expect_address("/%", 9, "file:///");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sign_before_a_name_is_the_tier),
        cmocka_unit_test(names_and_files_may_be_missing_or_have_spaces),
        cmocka_unit_test(other_code_keeps_its_name),
        cmocka_unit_test(functions_of_wasm_have_their_names_and_tiers),
        cmocka_unit_test(a_function_without_a_tier_says_nothing),
        cmocka_unit_test(the_interpreters_own_code_is_told_apart),
        cmocka_unit_test(paths_become_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
