#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/column.h"

enum { ROWS = 3 * COLUMN_BLOCK_ROWS + 17 };

static void assert_integers_come_back(const int64_t *values, size_t count)
{
    struct arena arena = {0};
    struct column column;
    column_init(&column, COLUMN_INTEGERS, &arena);
    for (size_t i = 0; i < count; i++)
        column_append(&column, values[i]);
    assert_int_equal(column_count(&column), count);
    for (size_t i = 0; i < count; i++)
        assert_true(column_get(&column, i) == values[i]);
    assert_true(column_seal(&column));
    assert_int_equal(column_count(&column), count);
    int64_t *read = memory_array(count, sizeof *read);
    column_read(&column, 0, count, read);
    for (size_t i = 0; i < count; i++) {
        assert_true(column_get(&column, i) == values[i]);
        assert_true(read[i] == values[i]);
    }
    column_read(&column, count / 3, count - count / 3, read);
    for (size_t i = count / 3; i < count; i++)
        assert_true(read[i - count / 3] == values[i]);
    memory_release(read);
    column_free(&column);
    arena_free(&arena);
}

static void integers_of_every_width_come_back(void **state)
{
    (void)state;
    int64_t values[ROWS];
    for (unsigned bits = 0; bits < 64; bits++) {
        for (size_t i = 0; i < ROWS; i++)
            values[i] = (int64_t)((uint64_t)(i * 0x9e3779b97f4a7c15u) >> (63 - bits)) - (bits > 2 ? 3 : 0);
        assert_integers_come_back(values, ROWS);
        for (size_t i = 0; i < ROWS; i += 7)
            values[i] = COLUMN_ABSENT;
        assert_integers_come_back(values, ROWS);
    }
}

static void extreme_and_absent_integers_come_back(void **state)
{
    (void)state;
    int64_t extremes[] = {INT64_MAX, INT64_MIN + 1, 0, -1, COLUMN_ABSENT};
    assert_integers_come_back(extremes, 4);
    int64_t absent[300], zeros[300] = {0};
    for (size_t i = 0; i < 300; i++)
        absent[i] = COLUMN_ABSENT;
    assert_integers_come_back(absent, 300);
    assert_integers_come_back(zeros, 300);
    zeros[5] = COLUMN_ABSENT;
    assert_integers_come_back(zeros, 300);
    assert_integers_come_back(zeros, 0);
}

static void numbers_come_back_exactly(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct column column;
    column_init(&column, COLUMN_NUMBERS, &arena);
    double values[5 * COLUMN_BLOCK_ROWS];
    for (size_t i = 0; i < COLUMN_BLOCK_ROWS; i++) {
        values[i] = (double)i * 1000;                                                        /* whole */
        values[i + COLUMN_BLOCK_ROWS] = (double)(i * 1000003) / 1e6;                         /* on the grid */
        values[i + 2 * COLUMN_BLOCK_ROWS] = (double)i / 3;                                   /* neither */
        values[i + 4 * COLUMN_BLOCK_ROWS] = i % 3 ? -1e300 / (double)i : 1e-300 * (double)i; /* of all sizes */
        values[i + 3 * COLUMN_BLOCK_ROWS] = i % 5 ? -(double)i : NAN;                        /* some absent */
    }
    for (size_t i = 0; i < 5 * COLUMN_BLOCK_ROWS; i++)
        column_append_number(&column, values[i]);
    assert_true(column_seal(&column));
    double read[5 * COLUMN_BLOCK_ROWS];
    column_read_numbers(&column, 0, 5 * COLUMN_BLOCK_ROWS, read);
    for (size_t i = 0; i < 5 * COLUMN_BLOCK_ROWS; i++) {
        double one = column_get_number(&column, i);
        assert_true(isnan(values[i]) ? isnan(one) && isnan(read[i]) : one == values[i] && read[i] == values[i]);
    }
    column_free(&column);
    arena_free(&arena);
}

static void numbers_that_were_moved_off_the_grid_come_back_exactly(void **state)
{
    (void)state;
    const double origin = 2918.4674154218750;
    struct arena arena = {0};
    struct column plain, moved;
    column_init(&plain, COLUMN_NUMBERS, &arena);
    column_init(&moved, COLUMN_NUMBERS, &arena);
    column_set_origin(&moved, origin);
    double values[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        values[i] = i % 7 ? (double)(i * 1000003) / 1e6 + origin : NAN;
        column_append_number(&plain, values[i]);
        column_append_number(&moved, values[i]);
    }
    assert_true(column_seal(&plain) && column_seal(&moved));
    for (size_t i = 0; i < ROWS; i++) {
        double one = column_get_number(&moved, i);
        assert_true(isnan(values[i]) ? isnan(one) : one == values[i]);
    }
    assert_true(column_bytes(&moved) < column_bytes(&plain));
    column_free(&plain);
    column_free(&moved);
    arena_free(&arena);
}

static void a_column_that_is_always_the_same_takes_no_data(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct column column;
    column_init(&column, COLUMN_INTEGERS, &arena);
    for (size_t i = 0; i < 100000; i++)
        column_append(&column, 42);
    assert_true(column_seal(&column));
    assert_int_equal(arena.reserved, 0);
    assert_false(column_is_empty(&column));
    column_free(&column);
}

static void a_column_of_absent_rows_is_empty(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct column column;
    column_init(&column, COLUMN_INTEGERS, &arena);
    assert_true(column_is_empty(&column));
    for (size_t i = 0; i < 1000; i++)
        column_append_index(&column, INDEX_NONE);
    assert_true(column_is_empty(&column));
    column_append(&column, 0);
    assert_false(column_is_empty(&column));
    column_free(&column);
    arena_free(&arena);
}

static void a_column_without_memory_stays_failed(void **state)
{
    (void)state;
    for (unsigned long n = 1; n <= 3; n++) {
        struct arena arena = {0};
        struct column column;
        column_init(&column, COLUMN_INTEGERS, &arena);
        memory_fail_after(n);
        for (int64_t i = 0; i < 1000; i++)
            column_append(&column, i);
        memory_fail_after(0);
        assert_false(column_seal(&column));
        column_free(&column);
        arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_of_every_width_come_back),
        cmocka_unit_test(extreme_and_absent_integers_come_back),
        cmocka_unit_test(numbers_come_back_exactly),
        cmocka_unit_test(numbers_that_were_moved_off_the_grid_come_back_exactly),
        cmocka_unit_test(a_column_that_is_always_the_same_takes_no_data),
        cmocka_unit_test(a_column_of_absent_rows_is_empty),
        cmocka_unit_test(a_column_without_memory_stays_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
