#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "allocations/live_blocks.h"

#include <pthread.h>
#include <string.h>

static struct live_blocks live;

static int empty(void **state)
{
    (void)state;
    memset(&live, 0, sizeof live);
    return 0;
}

static void assert_filter_is_empty(void)
{
    for (size_t i = 0; i < 1 << LIVE_WORD_BITS; i++)
        assert_int_equal((uint32_t)live.filter[i], 0);
    for (size_t i = 0; i < sizeof live.counts; i++)
        assert_int_equal(live.counts[i], 0);
}

static uintptr_t address_of(size_t i)
{
    return 0x7f0000000000 + i * 48;
}

static void a_block_is_there_from_its_adding_to_its_removal(void **state)
{
    (void)state;
    uint64_t weight = 0;
    assert_false(live_blocks_may_have(&live, address_of(1)));
    assert_false(live_blocks_remove(&live, address_of(1), &weight));
    assert_int_equal(live_blocks_add(&live, address_of(1), 300), LIVE_ADDED);
    assert_true(live_blocks_may_have(&live, address_of(1)));
    assert_int_equal(live.count, 1);
    assert_int_equal(live.bytes, 300);
    assert_true(live_blocks_remove(&live, address_of(1), &weight));
    assert_int_equal(weight, 300);
    assert_false(live_blocks_may_have(&live, address_of(1)));
    assert_false(live_blocks_remove(&live, address_of(1), &weight));
    assert_int_equal(live.count, 0);
    assert_int_equal(live.bytes, 0);
}

static void an_address_that_is_there_already_is_replaced(void **state)
{
    (void)state;
    uint64_t weight = 0;
    live_blocks_add(&live, address_of(1), 300);
    assert_int_equal(live_blocks_add(&live, address_of(1), 500), LIVE_REPLACED);
    assert_int_equal(live.count, 1);
    assert_int_equal(live.bytes, 500);
    assert_true(live_blocks_remove(&live, address_of(1), &weight));
    assert_int_equal(weight, 500);
    assert_false(live_blocks_may_have(&live, address_of(1)));
}

static void no_address_is_never_there(void **state)
{
    (void)state;
    uint64_t weight;
    assert_false(live_blocks_remove(&live, 0, &weight));
}

static void half_of_all_places_can_be_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < LIVE_BLOCKS_MANY; i++)
        assert_int_equal(live_blocks_add(&live, address_of(i), i), LIVE_ADDED);
    for (size_t i = 0; i < LIVE_BLOCKS_MANY; i++) {
        uint64_t weight;
        assert_true(live_blocks_remove(&live, address_of(i), &weight));
        assert_int_equal(weight, i);
    }
    assert_filter_is_empty();
}

static void who_finds_no_place_is_told_so_and_leaves_nothing_behind(void **state)
{
    (void)state;
    size_t added = 0;
    while (live_blocks_add(&live, address_of(added), 1) == LIVE_ADDED)
        added++;
    assert_in_range(added, LIVE_BLOCKS_MANY, LIVE_BLOCKS_MOST);
    assert_int_equal(live.count, added);
    uint64_t weight;
    assert_false(live_blocks_remove(&live, address_of(added), &weight));
    for (size_t i = 0; i < added; i++)
        assert_true(live_blocks_remove(&live, address_of(i), &weight));
    assert_filter_is_empty();
}

static void of_many_blocks_that_are_not_there_few_are_asked_about(void **state)
{
    (void)state;
    enum { OTHERS = 100000 };
    size_t asked = 0;
    for (size_t i = 0; i < LIVE_BLOCKS_QUICK; i++)
        live_blocks_add(&live, address_of(i), 1);
    for (size_t i = 0; i < OTHERS; i++)
        asked += live_blocks_may_have(&live, address_of(LIVE_BLOCKS_QUICK + i));
    assert_in_range(asked, 0, OTHERS / 7);
    live_blocks_take_all(&live);
    assert_true(live_blocks_may_have(&live, address_of(OTHERS * 2)));
}

/* --- several threads ----------------------------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 5000 };

/* Blocks that are handed on to the next thread, which removes them. */
static _Atomic uintptr_t handed[THREADS];
static _Atomic size_t removed;

static void *add_and_remove(void *argument)
{
    size_t me = (size_t)(uintptr_t)argument;
    uint64_t weight;
    for (size_t round = 0; round < ROUNDS; round++) {
        uintptr_t address = 0x500000000000 + round * 16 + me * (UINT64_C(1) << 32);
        assert_int_equal(live_blocks_add(&live, address, me + 1), LIVE_ADDED);
        uintptr_t other = atomic_exchange(&handed[(me + 1) % THREADS], address);
        if (other) {
            assert_true(live_blocks_may_have(&live, other));
            assert_true(live_blocks_remove(&live, other, &weight));
            assert_in_range(weight, 1, THREADS);
            atomic_fetch_add(&removed, 1);
        }
        other = atomic_exchange(&handed[me], 0);
        if (other) {
            assert_true(live_blocks_remove(&live, other, &weight));
            atomic_fetch_add(&removed, 1);
        }
    }
    return NULL;
}

static void threads_add_and_remove_what_others_added(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, add_and_remove, (void *)(uintptr_t)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(live.count + removed, THREADS * ROUNDS);
    uint64_t weight;
    for (size_t i = 0; i < THREADS; i++)
        if (handed[i])
            assert_true(live_blocks_remove(&live, handed[i], &weight));
    assert_int_equal(live.count, 0);
    assert_int_equal(live.bytes, 0);
    assert_filter_is_empty();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_block_is_there_from_its_adding_to_its_removal, empty),
        cmocka_unit_test_setup(an_address_that_is_there_already_is_replaced, empty),
        cmocka_unit_test_setup(no_address_is_never_there, empty),
        cmocka_unit_test_setup(half_of_all_places_can_be_taken, empty),
        cmocka_unit_test_setup(who_finds_no_place_is_told_so_and_leaves_nothing_behind, empty),
        cmocka_unit_test_setup(of_many_blocks_that_are_not_there_few_are_asked_about, empty),
        cmocka_unit_test_setup(threads_add_and_remove_what_others_added, empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
