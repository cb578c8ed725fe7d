/* Rows for intervals: the same as by looking at all rows, one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "api/row_packing.h"

#include <math.h>

static uint32_t first_free(const double *ends, uint32_t rows, double start)
{
    for (uint32_t row = 0; row < rows; row++)
        if (ends[row] <= start)
            return row;
    return rows;
}

static void rows_are_those_of_the_plain_rule(void **state)
{
    (void)state;
    srandom(7);
    for (int round = 0; round < 200; round++) {
        struct row_packing packing = {0};
        double ends[300], start = 0;
        uint32_t rows = 0;
        long longest = 1 + random() % 100;
        for (int i = 0; i < 300; i++) {
            start += (double)(random() % 3);
            double end = start + (double)(random() % longest);
            uint32_t row = first_free(ends, rows, start);
            rows = row == rows ? rows + 1 : rows;
            ends[row] = end;
            assert_int_equal(row_packing_add(&packing, start, end), row);
            assert_int_equal(packing.rows, rows);
        }
        row_packing_free(&packing);
    }
}

static void times_without_end_have_rows_too(void **state)
{
    (void)state;
    struct row_packing packing = {0};
    assert_int_equal(row_packing_add(&packing, (double)-INFINITY, 3), 0);
    assert_int_equal(row_packing_add(&packing, 2, (double)INFINITY), 1);
    assert_int_equal(row_packing_add(&packing, 3, (double)INFINITY), 0);
    assert_int_equal(row_packing_add(&packing, 3, 4), 2);
    row_packing_free(&packing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_plain_rule),
        cmocka_unit_test(times_without_end_have_rows_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
