/* Each command with the Nth allocation failing, for N = 1, 2, 3 … until it gets through: it says so and ends, every time. */
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "common/memory.h"
#include "server/page_files.h"
#include "support/session_draw.h"

enum { MOST_ALLOCATIONS = 20000 };

/* What a command prints is of no interest here. */
static int run_quietly(const struct command *command, int count, char **arguments)
{
    fflush(stdout);
    int saved[2] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    int status = command->run(command, count, arguments);
    fflush(stdout);
    dup2(saved[0], STDOUT_FILENO);
    dup2(saved[1], STDERR_FILENO);
    close(saved[0]);
    close(saved[1]);
    close(nowhere);
    return status;
}

static void assert_survives(const struct command *command, int count, char **arguments)
{
    unsigned long n = 1;
    for (;; n++) {
        memory_fail_after(n);
        int status = run_quietly(command, count, arguments);
        memory_fail_after(0);
        if (status == EXIT_OK)
            break;
        assert_int_equal(status, EXIT_DATA);
        assert_true(n < MOST_ALLOCATIONS);
    }
    assert_true(n > 1);
}

#define APP TEST_DATA "/cli/app.json"
#define TRACE TEST_DATA "/cli/trace.json"

#define SURVIVES(command, ...)                                                                                                 \
    do {                                                                                                                       \
        char *arguments[] = {__VA_ARGS__};                                                                                     \
        assert_survives(command, (int)(sizeof arguments / sizeof *arguments), arguments);                                      \
    } while (0)

static void info_survives(void **state)
{
    (void)state;
    SURVIVES(&info_command, APP);
    SURVIVES(&info_command, APP, "--json");
}

static void tree_survives(void **state)
{
    (void)state;
    SURVIVES(&tree_command, APP, "--thread", "all", "--limit", "5");
    SURVIVES(&tree_command, APP, "--json", "--invert", "--select", "draw;run", "--transform", "merge-function:main");
}

static void butterfly_survives(void **state)
{
    (void)state;
    SURVIVES(&butterfly_command, APP, "draw", "--thread", "all", "--during", "Frame");
    SURVIVES(&butterfly_command, APP, "libc.so.6", "--group", "library", "--json", "--thread", "/./");
}

static void functions_survives(void **state)
{
    (void)state;
    SURVIVES(&functions_command, APP, "--group", "class", "--sort", "name", "--match", "case:a");
    SURVIVES(&functions_command, APP, "--exclude-idle");
    SURVIVES(&functions_command, APP, "--json", "--search", "draw");
    SURVIVES(&functions_command, APP, "--search", "/^d/, -lib:x", "-T", "merge-matching:/a/");
}

static void lines_survives(void **state)
{
    (void)state;
    SURVIVES(&lines_command, APP, "--function", "onClick");
    SURVIVES(&lines_command, APP, "--json", "--file", "draw.c");
}

static void lines_of_instructions_survives(void **state)
{
    (void)state;
#ifdef __x86_64__
    char folder[] = "/tmp/sonde-memory-XXXXXX", command[600];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command,
             "cd %s && as -g " TEST_DATA "/cli/blend.s -o blend.o && ld -shared -Ttext=0x1000 blend.o -o blend.so", folder);
    assert_int_equal(system(command), 0);
    SURVIVES(&lines_command, TEST_DATA "/cli/blend.json", "--function", "draw", "--asm", "--limit", "2", "--symbol-dir",
             folder);
    SURVIVES(&lines_command, TEST_DATA "/cli/blend.json", "--function", "draw", "--asm", "--json", "--symbol-dir", folder);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
#else
    skip(); /* the assembler here is for another CPU */
#endif
}

static void calls_survives(void **state)
{
    (void)state;
    SURVIVES(&calls_command, APP, "--search", "draw", "--limit", "3");
    SURVIVES(&calls_command, APP, "--transform", "filter-samples:outside-marker:GC", "--select", "main;run", "--exclude-idle");
    SURVIVES(&calls_command, TRACE, "--json", "--thread", "all");
    SURVIVES(&calls_command, TRACE, "--tree", "bottom-up", "--group", "frame");
    SURVIVES(&calls_command, TRACE, "--tree", "top-down", "--json", "--limit", "3");
    SURVIVES(&calls_command, APP, "--sort", "self", "--reverse", "--limit", "3");
}

static void markers_survives(void **state)
{
    (void)state;
    SURVIVES(&markers_command, APP);
    SURVIVES(&markers_command, APP, "--list", "--thread", "all", "--search", "frame,-name:click");
    SURVIVES(&markers_command, APP, "--list", "--json", "--transform", "merge-function:run");
    SURVIVES(&markers_command, APP, "--group", "number", "--sort", "p95", "--histogram");
    SURVIVES(&markers_command, APP, "--group", "thread", "--json", "--histogram", "--min-duration", "1ms");
}

static void convert_survives(void **state)
{
    (void)state;
    SURVIVES(&convert_command, APP, "-o", "-", "--to", "processed");
    SURVIVES(&convert_command, APP, "-o", "-", "--to", "folded");
}

static void report_survives(void **state)
{
    (void)state;
    if (!page_file_find(&page_files, SLICE("/report.html")))
        skip();
    SURVIVES(&report_command, APP, "-o", "-", "--thread", "main", "--range", "0,0.005", "--transform", "merge-function:run");
}

static void symbolicate_survives(void **state)
{
    (void)state;
    SURVIVES(&symbolicate_command, APP, "-o", "-", "--no-cache");
}

/* The frames are at no place of this program, but in its file, so that its symbols are read. */
static void recover_survives(void **state)
{
    (void)state;
    char folder[64], path[PATH_MAX], text[PATH_MAX + 300], own[PATH_MAX];
    assert_non_null(realpath("/proc/self/exe", own));
    snprintf(text, sizeof text,
             "process app arguments=app\nthread 1 Main tid=1 main sampled\nmodule 1 %s 0x10000-0x90000 bias=0x10000\n"
             "sample 1 1ms 0x10500 label:a\nlook 1 5ms waiting cpu=1ms ready=1ms runs=1 0x10600\nmarker 1 m instant=1ms\n",
             own);
    session_draw(session_folder_make(folder), text, path);
    SURVIVES(&recover_command, folder, "-o", "-");
    SURVIVES(&recover_command, path, "-o", "-", "--gecko");
    SURVIVES(&tree_command, folder);
    SURVIVES(&info_command, folder);
    session_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info_survives),        cmocka_unit_test(tree_survives),
        cmocka_unit_test(butterfly_survives),   cmocka_unit_test(functions_survives),
        cmocka_unit_test(lines_survives),       cmocka_unit_test(lines_of_instructions_survives),
        cmocka_unit_test(calls_survives),       cmocka_unit_test(markers_survives),
        cmocka_unit_test(convert_survives),     cmocka_unit_test(report_survives),
        cmocka_unit_test(symbolicate_survives), cmocka_unit_test(recover_survives),
    };
    return cmocka_run_group_tests_name("cli/memory", tests, NULL, NULL);
}
