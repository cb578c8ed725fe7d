/* Memory of the library's own. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/core/pages.h"

enum { LARGE = 4 << 20 };

/* What the kernel says of the mapping that `pages` is in; empty = nothing. */
static void read_flags(const void *pages, char flags[256])
{
    char line[256];
    bool here = false;
    *flags = '\0';
    FILE *file = fopen("/proc/self/smaps", "re");
    assert_non_null(file);
    while (!*flags && fgets(line, sizeof line, file)) {
        uintptr_t start, end;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2)
            here = start <= (uintptr_t)pages && (uintptr_t)pages < end;
        else if (here && strncmp(line, "VmFlags:", strlen("VmFlags:")) == 0)
            strcpy(flags, line);
    }
    fclose(file);
}

static void what_is_large_is_never_in_huge_pages(void **state)
{
    (void)state;
    char flags[256];
    errno = EDOM;
    void *pages = pages_map(LARGE);
    assert_int_equal(errno, EDOM);
    assert_non_null(pages);
    read_flags(pages, flags);
    pages_unmap(pages, LARGE);
    if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0 || !*flags)
        skip();
    assert_non_null(strstr(flags, " nh"));
}

static void what_lasts_is_given_out_once(void **state)
{
    (void)state;
    char *first = pages_map_lasting(5000), *second = pages_map_lasting(5000), *large = pages_map_lasting(LARGE);
    assert_non_null(first);
    assert_non_null(second);
    assert_non_null(large);
    assert_true(second >= first + 5000 || first >= second + 5000);
    memset(first, 1, 5000);
    pages_unmap(first, 5000);
    assert_int_equal(first[4999], 1); /* it came with the library, and stays */
    assert_int_equal(second[0], 0);
    char *third = pages_map_lasting(5000);
    assert_true(third != first && third != second);
    pages_unmap(large, LARGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_large_is_never_in_huge_pages),
        cmocka_unit_test(what_lasts_is_given_out_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
