#include "common/memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void blocks_of_all_sizes_keep_what_is_written_into_them(void **state)
{
    (void)state;
    enum { COUNT = 24 };
    uint8_t *blocks[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        size_t size = (size_t)1 << i;
        blocks[i] = memory_array(1, size);
        assert_non_null(blocks[i]);
        assert_true((uintptr_t)blocks[i] % 16 == 0);
        memset(blocks[i], (int)i + 1, size);
    }
    for (unsigned i = 0; i < COUNT; i++) {
        assert_int_equal(blocks[i][0], i + 1);
        assert_int_equal(blocks[i][((size_t)1 << i) - 1], i + 1);
        memory_release(blocks[i]);
    }
}

static void growing_keeps_the_bytes_across_every_size(void **state)
{
    (void)state;
    uint8_t *block = NULL;
    for (size_t size = 1; size < 1 << 20; size = size * 3 / 2 + 1) {
        block = memory_resize(block, size);
        assert_non_null(block);
        block[size - 1] = (uint8_t)size;
        for (size_t old = 1; old <= size; old = old * 3 / 2 + 1)
            assert_int_equal(block[old - 1], (uint8_t)old);
    }
    block = memory_resize(block, 10);
    assert_int_equal(block[0], 1);
    memory_release(block);
}

static void zeroed_memory_is_zero_also_where_it_was_used_before(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        uint8_t *small = memory_zeroed(10, 10), *large = memory_zeroed(100, 1000);
        for (size_t i = 0; i < 100; i++)
            assert_int_equal(small[i], 0);
        for (size_t i = 0; i < 100000; i++)
            assert_int_equal(large[i], 0);
        memset(small, 0xff, 100);
        memset(large, 0xff, 100000);
        memory_release(small);
        memory_release(large);
    }
}

static void products_and_sizes_beyond_all_memory_give_nothing(void **state)
{
    (void)state;
    volatile size_t half = SIZE_MAX / 2;
    assert_null(memory_array(half, 3));
    assert_null(memory_zeroed(half, 3));
    assert_null(memory_array(half + 2, 1));
    void *block = memory_array(1, 8);
    assert_null(memory_resize(block, half + 2));
    memory_release(block);
}

static void the_allocation_that_a_test_names_fails_and_all_after_it(void **state)
{
    (void)state;
    memory_fail_after(2);
    void *first = memory_array(1, 8);
    assert_non_null(first);
    assert_null(memory_array(1, 8));
    assert_null(memory_resize(first, 1000));
    memory_fail_after(0);
    memory_release(first);
}

static void *take_and_release(void *seed)
{
    unsigned random = (unsigned)(uintptr_t)seed;
    uint8_t *held[16] = {0};
    for (int i = 0; i < 20000; i++) {
        random = random * 1664525 + 1013904223;
        unsigned slot = random >> 28;
        size_t size = 1 + (random >> 8) % 5000;
        if (held[slot] && held[slot][0] != (uint8_t)slot)
            return "another thread wrote into my block";
        memory_release(held[slot]);
        held[slot] = memory_array(1, size);
        if (!held[slot])
            return "no memory";
        held[slot][0] = (uint8_t)slot;
    }
    for (int i = 0; i < 16; i++)
        memory_release(held[i]);
    return NULL;
}

static void threads_do_not_get_each_others_blocks(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, take_and_release, (void *)(i + 1));
    for (int i = 0; i < 4; i++) {
        void *complaint;
        pthread_join(threads[i], &complaint);
        assert_null(complaint);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_all_sizes_keep_what_is_written_into_them),
        cmocka_unit_test(growing_keeps_the_bytes_across_every_size),
        cmocka_unit_test(zeroed_memory_is_zero_also_where_it_was_used_before),
        cmocka_unit_test(products_and_sizes_beyond_all_memory_give_nothing),
        cmocka_unit_test(the_allocation_that_a_test_names_fails_and_all_after_it),
        cmocka_unit_test(threads_do_not_get_each_others_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
