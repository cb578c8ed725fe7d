/* Lines as kernels write them, and lines that they do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "looker/proc_text.h"
#include "looker/prologue.h"

static void a_line_of_maps_is_read(void **state)
{
    (void)state;
    struct maps_line line;
    assert_true(maps_line_parse(SLICE("7f1c2a028000-7f1c2a1bd000 r-xp 00028000 fe:01 1835023                    "
                                      "/usr/lib/x86_64-linux-gnu/libc.so.6"),
                                &line));
    assert_int_equal(line.start, 0x7f1c2a028000);
    assert_int_equal(line.end, 0x7f1c2a1bd000);
    assert_int_equal(line.offset, 0x28000);
    assert_int_equal(line.inode, 1835023);
    assert_int_equal(line.device, UINT64_C(0xfe) << 32 | 1);
    assert_true(line.executable && line.readable && !line.deleted);
    assert_true(slice_is(line.path, "/usr/lib/x86_64-linux-gnu/libc.so.6"));
}

static void names_may_have_spaces_and_be_deleted(void **state)
{
    (void)state;
    struct maps_line line;
    assert_true(maps_line_parse(SLICE("1000-2000 r--p 00000000 00:1f 5 /a b (deleted)  (deleted)"), &line));
    assert_true(line.deleted && !line.executable);
    assert_true(slice_is(line.path, "/a b (deleted) "));
    assert_true(maps_line_parse(SLICE("1000-2000 r-xp 00000000 00:00 0                  [vdso]"), &line));
    assert_true(slice_is(line.path, "[vdso]"));
    assert_true(maps_line_parse(SLICE("1000-2000 rw-p 00000000 00:00 0 "), &line));
    assert_int_equal(line.path.length, 0);
}

static void what_is_no_line_of_maps_is_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "",
        "1000",
        "1000-",
        "1000-2000",
        "1000-2000 r-xp",
        "2000-1000 r-xp 0 00:00 0",
        "1000-1000 r-xp 0 00:00 0",
        "x-2000 r-xp 0 00:00 0",
        "1000-2000 r-xp 0 00:00 ",
        "1000-10000000000000000 r-xp 0 00:00 0",
    };
    struct maps_line line;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_false(maps_line_parse(slice_of(lines[i]), &line));
}

static void a_place_in_a_call_is_read(void **state)
{
    (void)state;
    struct syscall_line line;
    assert_true(syscall_line_parse(SLICE("0 0x4 0x7ffd1000 0x1 0x0 0x0 0x0 0x7ffd2000 0x7f12abcdef00\n"), &line));
    assert_false(line.running);
    assert_int_equal(line.number, 0);
    assert_int_equal(line.arguments[0], 4);
    assert_int_equal(line.arguments[1], 0x7ffd1000);
    assert_int_equal(line.arguments[5], 0);
    assert_int_equal(line.sp, 0x7ffd2000);
    assert_int_equal(line.pc, 0x7f12abcdef00);
    assert_true(syscall_line_parse(SLICE("-1 0x7ffd2000 0x55d0\n"), &line));
    assert_int_equal(line.number, -1);
    assert_int_equal(line.sp, 0x7ffd2000);
    assert_true(syscall_line_parse(SLICE("running\n"), &line));
    assert_true(line.running);
}

static void what_is_no_place_is_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "",
        "\n",
        "running",
        "0 0x4\n",
        "-1 0x1\n",
        "-1 0x1 0x2",
        "3 0x1 0x2\n",
        "-1 1 2 3 4 5 6 7 8\n",
        "- 1 2\n",
        "-1 0x 2\n",
        "1 1 2 3 4 5 6 7 8 9\n",
    };
    struct syscall_line line;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_false(syscall_line_parse(slice_of(lines[i]), &line));
}

static void figures_are_read(void **state)
{
    (void)state;
    struct schedstat_line line;
    assert_true(schedstat_line_parse(SLICE("18446744073709551615 2 3\n"), &line));
    assert_true(line.cpu_ns == UINT64_MAX && line.ready_ns == 2 && line.runs == 3);
    assert_false(schedstat_line_parse(SLICE("18446744073709551616 2 3\n"), &line));
    assert_false(schedstat_line_parse(SLICE("1 2\n"), &line));
    assert_false(schedstat_line_parse(SLICE("1 2 3"), &line));
    assert_false(schedstat_line_parse(SLICE(""), &line));
}

static void state_and_times_are_found_behind_any_name(void **state)
{
    (void)state;
    struct stat_line line;
    assert_true(stat_line_parse(SLICE("12 (a) R) S 1 12 12 0 -1 4194304 120 0 7 0 35 18 0 0 20\n"), &line));
    assert_true(line.state == 'S' && line.user_time == 35 && line.kernel_time == 18);
    assert_false(stat_line_parse(SLICE("12 (a) S 1 12 12 0 -1 4194304 120 0 7 0 35"), &line));
    assert_false(stat_line_parse(SLICE("12 (a) S 1 2"), &line));
    assert_false(stat_line_parse(SLICE("12 (a"), &line));
    assert_false(stat_line_parse(SLICE("12 (a)"), &line));
    assert_false(stat_line_parse(SLICE(""), &line));
}

static void how_often_a_thread_began_to_wait_is_found_in_its_status(void **state)
{
    (void)state;
    uint64_t waits = 0;
    assert_true(status_waits(SLICE("Name:\tx\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n"), &waits));
    assert_int_equal(waits, 12);
    assert_false(status_waits(SLICE("Name:\tx\nnonvoluntary_ctxt_switches:\t3\n"), &waits));
    assert_false(status_waits(SLICE("Name:\tx\nvoluntary_ctxt_switches:\t12"), &waits));
    assert_false(status_waits(SLICE(""), &waits));
}

/* --- prologues ----------------------------------------------------------------------------------------------------------- */

#define READ(code, prologue) prologue_read(code, sizeof code, prologue)

static void what_is_taken_at_run_time_is_noticed(void **state)
{
    (void)state;
    static const uint8_t vla_gcc[] = {0x48, 0x83, 0xe0, 0xf0, 0x48, 0x29, 0xc4}; /* and $-16, %rax; sub %rax, %rsp */
    static const uint8_t vla_clang[] = {0x4c, 0x29, 0xf0, 0x48, 0x89, 0xc4};     /* sub %r14, %rax; mov %rax, %rsp */
    static const uint8_t from_r13[] = {0x4c, 0x89, 0xec};                        /* mov %r13, %rsp */
    static const uint8_t sub_r9[] = {0x49, 0x2b, 0xe1};                          /* sub %r9, %rsp */
    static const uint8_t fixed[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 32,
                                    0x48, 0x29, 0xc3, 0x48, 0x89, 0xec, 0x5d, 0xc3};
    assert_true(prologue_is_not_all(vla_gcc, sizeof vla_gcc));
    assert_true(prologue_is_not_all(vla_clang, sizeof vla_clang));
    assert_true(prologue_is_not_all(from_r13, sizeof from_r13));
    assert_true(prologue_is_not_all(sub_r9, sizeof sub_r9));
    assert_false(prologue_is_not_all(vla_gcc, sizeof vla_gcc - 1));
    assert_false(prologue_is_not_all(fixed, sizeof fixed)); /* … sub %rax, %rbx; mov %rbp, %rsp; pop %rbp; ret */
}

static void a_prologue_says_where_the_stack_pointer_is(void **state)
{
    (void)state;
    struct prologue prologue;
    static const uint8_t plain[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20, 0xe8, 0, 0, 0, 0};
    assert_true(READ(plain, &prologue));
    assert_true(prologue.before == 32 && prologue.align == 0 && prologue.after == 0);
    /* endbr64; push rbp; mov rbp, rsp; push r13; mov r13, rdi; push rbx; sub rsp, 0x1000; or $0, (rsp); sub rsp, 0x118 */
    static const uint8_t large[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5, 0x41, 0x55, 0x49, 0x89,
                                    0xfd, 0x53, 0x48, 0x81, 0xec, 0x00, 0x10, 0,    0,    0x48, 0x83, 0x0c,
                                    0x24, 0x00, 0x48, 0x81, 0xec, 0x18, 0x01, 0,    0,    0x74, 0};
    assert_true(READ(large, &prologue));
    assert_int_equal(prologue.before, 16 + 0x1000 + 0x118);
    /* push rbp; mov rbp, rsp; push r12; and rsp, -32; sub rsp, 0x60; push $1 behind it is an argument */
    static const uint8_t aligned[] = {0x55, 0x48, 0x89, 0xe5, 0x41, 0x54, 0x48, 0x83, 0xe4, 0xe0,
                                      0x48, 0x83, 0xec, 0x60, 0x89, 0xf8, 0x50, 0xe8, 0,    0};
    assert_true(READ(aligned, &prologue));
    assert_true(prologue.before == 8 && prologue.align == 32 && prologue.after == 0x60);
}

static void a_function_without_a_frame_pointer_has_no_such_prologue(void **state)
{
    (void)state;
    struct prologue prologue;
    static const uint8_t none[] = {0x48, 0x83, 0xec, 0x08, 0xe8, 0, 0, 0, 0},
                         unknown[] = {0xc5, 0xf8, 0x77, 0x55, 0x48, 0x89, 0xe5}, cut[] = {0x55, 0x48, 0x89};
    assert_false(READ(none, &prologue));
    assert_false(READ(unknown, &prologue));
    assert_false(READ(cut, &prologue));
    assert_false(prologue_read(none, 0, &prologue));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_of_maps_is_read),
        cmocka_unit_test(names_may_have_spaces_and_be_deleted),
        cmocka_unit_test(what_is_no_line_of_maps_is_refused),
        cmocka_unit_test(a_place_in_a_call_is_read),
        cmocka_unit_test(what_is_no_place_is_refused),
        cmocka_unit_test(figures_are_read),
        cmocka_unit_test(state_and_times_are_found_behind_any_name),
        cmocka_unit_test(how_often_a_thread_began_to_wait_is_found_in_its_status),
        cmocka_unit_test(a_prologue_says_where_the_stack_pointer_is),
        cmocka_unit_test(what_is_taken_at_run_time_is_noticed),
        cmocka_unit_test(a_function_without_a_frame_pointer_has_no_such_prologue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
