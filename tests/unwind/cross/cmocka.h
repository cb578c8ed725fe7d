/* As much of cmocka as the tests of the unwinder use, for a CPU that cmocka is not installed for. Prints TAP. */
#ifndef SONDE_TESTS_UNWIND_CROSS_CMOCKA_H
#define SONDE_TESTS_UNWIND_CROSS_CMOCKA_H

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    int (*set_up)(void **state);
    int (*tear_down)(void **state);
};

#define cmocka_unit_test(function)                                                                                             \
    {                                                                                                                          \
#function, function, NULL, NULL                                                                                        \
    }
#define cmocka_unit_test_setup_teardown(function, set_up, tear_down)                                                           \
    {                                                                                                                          \
#function, function, set_up, tear_down                                                                                 \
    }

enum { CROSS_FAILED = 1, CROSS_SKIPPED = 2 };
static jmp_buf cross_end;

__attribute__((unused)) static void cross_check(int holds, const char *what, const char *file, int line)
{
    if (holds)
        return;
    printf("# %s:%d: %s\n", file, line, what);
    longjmp(cross_end, CROSS_FAILED);
}

#define assert_true(value) cross_check((value) ? 1 : 0, #value, __FILE__, __LINE__)
#define assert_false(value) assert_true(!(value))
#define assert_null(value) assert_true(!(value))
#define assert_non_null(value) assert_true((value) != NULL)
#define assert_int_equal(a, b) assert_true((long long)(a) == (long long)(b))
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))
#define assert_ptr_not_equal(a, b) assert_true((const void *)(a) != (const void *)(b))
#define assert_memory_equal(a, b, size) assert_true(memcmp(a, b, size) == 0)
#define assert_string_equal(a, b)                                                                                              \
    do {                                                                                                                       \
        const char *cross_a = (a), *cross_b = (b);                                                                             \
        if (strcmp(cross_a, cross_b) != 0)                                                                                     \
            printf("# '%s' is not '%s'\n", cross_a, cross_b);                                                                  \
        assert_true(strcmp(cross_a, cross_b) == 0);                                                                            \
    } while (0)
#define fail_msg(...) (printf("# " __VA_ARGS__), printf("\n"), longjmp(cross_end, CROSS_FAILED))
#define print_message(...) printf("# " __VA_ARGS__)
#define skip() longjmp(cross_end, CROSS_SKIPPED)

#define cmocka_run_group_tests(tests, set_up, tear_down) cross_run(tests, sizeof(tests) / sizeof *(tests))

static int cross_run(const struct CMUnitTest *tests, size_t count)
{
    static volatile int failed;
    static void *state;
    printf("1..%zu\n", count);
    static volatile size_t i;
    for (i = 0; i < count; i++) {
        int result = setjmp(cross_end);
        if (result == 0) {
            if (tests[i].set_up)
                tests[i].set_up(&state);
            tests[i].test(&state);
        }
        if (tests[i].tear_down)
            tests[i].tear_down(&state);
        failed += result == CROSS_FAILED;
        printf("%sok %zu - %s%s\n", result == CROSS_FAILED ? "not " : "", i + 1, tests[i].name,
               result == CROSS_SKIPPED ? " # SKIP" : "");
        fflush(stdout);
    }
    return failed;
}

#endif
