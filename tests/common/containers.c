#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/arena.h"
#include "common/map.h"
#include "common/string_table.h"
#include "common/vec.h"

static void vec_keeps_items_in_order_while_it_grows(void **state)
{
    (void)state;
    VEC(uint32_t) numbers = {0};
    for (uint32_t i = 0; i < 1000; i++)
        assert_true(vec_push(&numbers, i * 3));
    assert_int_equal(numbers.count, 1000);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(numbers.items[i], i * 3);
    vec_free(&numbers);
    assert_null(numbers.items);
}

static void vec_survives_a_failed_allocation(void **state)
{
    (void)state;
    VEC(uint32_t) numbers = {0};
    for (uint32_t i = 0; i < 8; i++)
        assert_true(vec_push(&numbers, i));
    memory_fail_after(1);
    assert_false(vec_push(&numbers, 8));
    memory_fail_after(0);
    assert_int_equal(numbers.count, 8);
    assert_int_equal(numbers.items[7], 7);
    vec_free(&numbers);
}

static void arena_pieces_do_not_overlap_or_move(void **state)
{
    (void)state;
    struct arena arena = {0};
    char *pieces[300];
    for (size_t i = 0; i < 300; i++) {
        pieces[i] = i % 3 ? arena_bytes(&arena, i * 7 + 1) : arena_allocate(&arena, i * 7 + 1);
        assert_non_null(pieces[i]);
        if (i % 3 == 0)
            assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
        memset(pieces[i], (int)i, i * 7 + 1);
    }
    for (size_t i = 0; i < 300; i++)
        for (size_t k = 0; k < i * 7 + 1; k++)
            assert_int_equal((unsigned char)pieces[i][k], i & 0xff);
    arena_free(&arena);
}

static void arena_takes_pieces_larger_than_a_block(void **state)
{
    (void)state;
    struct arena arena = {0};
    char *small = arena_copy(&arena, "abc", 3);
    char *large = arena_bytes(&arena, 5 << 20);
    char *next = arena_copy(&arena, "def", 3);
    memset(large, 1, 5 << 20);
    assert_string_equal(small, "abc");
    assert_string_equal(next, "def");
    arena_free(&arena);
}

static void map_finds_every_row_with_a_hash(void **state)
{
    (void)state;
    struct map map = {0};
    for (uint32_t i = 0; i < 5000; i++)
        assert_true(map_insert(&map, hash_u64(i / 2), i));
    for (uint32_t i = 0; i < 2500; i++) {
        uint32_t row, found = 0;
        for (struct map_probe probe = map_probe(&map, hash_u64(i)); map_probe_next(&probe, &row);)
            found += row / 2 == i;
        assert_int_equal(found, 2);
    }
    uint32_t row;
    struct map_probe probe = map_probe(&map, hash_u64(99999));
    assert_false(map_probe_next(&probe, &row));
    map_free(&map);
}

static void equal_strings_have_one_index(void **state)
{
    (void)state;
    struct string_table table = {0};
    struct string_index a = string_table_add(&table, SLICE("alpha"));
    struct string_index b = string_table_add(&table, SLICE("beta"));
    assert_int_equal(a.i, 0);
    assert_int_equal(b.i, 1);
    assert_int_equal(string_table_add(&table, SLICE("alpha")).i, 0);
    assert_int_equal(string_table_add(&table, SLICE("")).i, 2);
    assert_true(string_same(string_table_find(&table, SLICE("beta")), b));
    assert_false(string_exists(string_table_find(&table, SLICE("gamma"))));
    assert_int_equal(string_table_add(&table, (struct slice){"a\0b", 3}).i, 3);
    assert_int_equal(string_table_get(&table, (struct string_index){3}).length, 3);
    string_table_free(&table);
}

static void borrowed_texts_are_found_like_all_others(void **state)
{
    (void)state;
    static const char texts[] = "\4\0\0\0beta\0\5\0\0\0delta";
    struct string_table table = {0};
    struct string_index a = string_table_add(&table, SLICE("alpha"));
    struct string_index b = string_table_borrow(&table, texts + 4);
    struct string_index d = string_table_borrow(&table, texts + 13);
    assert_ptr_equal(string_table_get(&table, b).text, texts + 4);
    assert_int_equal(string_table_get(&table, d).length, 5);
    assert_true(string_same(string_table_find(&table, SLICE("delta")), d));
    assert_true(string_same(string_table_add(&table, SLICE("beta")), b));
    assert_true(string_same(string_table_add(&table, SLICE("alpha")), a));
    assert_int_equal(string_table_add(&table, SLICE("gamma")).i, 3);
    assert_true(string_same(string_table_find(&table, SLICE("delta")), d));
    string_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vec_keeps_items_in_order_while_it_grows),  cmocka_unit_test(vec_survives_a_failed_allocation),
        cmocka_unit_test(arena_pieces_do_not_overlap_or_move),      cmocka_unit_test(arena_takes_pieces_larger_than_a_block),
        cmocka_unit_test(map_finds_every_row_with_a_hash),          cmocka_unit_test(equal_strings_have_one_index),
        cmocka_unit_test(borrowed_texts_are_found_like_all_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
