/* The cache of rules: it begins small and grows, and what is found in it is always what was put there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unwind/rule_cache.h"

#include <sys/mman.h>

static struct unwind_cache *cache_create(void)
{
    struct unwind_cache *cache = mmap(NULL, sizeof *cache, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(cache, MAP_FAILED);
    return cache;
}

static uint64_t key_of(uint64_t number)
{
    return unwind_cache_key(0x400000 + number * 37, 1);
}

static uint64_t rule_of(uint64_t number)
{
    return number << 32 | 4;
}

/* As a walk does it. */
static bool find(struct unwind_cache *cache, uint64_t number)
{
    uint64_t rule = 0;
    bool found = unwind_cache_get(cache, key_of(number), &rule) || unwind_cache_get_older(cache, key_of(number), &rule);
    if (found)
        assert_int_equal(rule, rule_of(number));
    return found;
}

static void what_was_put_is_found_at_once_however_large_the_cache_is(void **state)
{
    (void)state;
    struct unwind_cache *cache = cache_create();
    for (uint64_t i = 0; i < 40000; i++) {
        assert_false(find(cache, i));
        unwind_cache_put(cache, key_of(i), rule_of(i));
        assert_true(find(cache, i));
    }
    assert_int_equal(unwind_cache_growths(cache), UNWIND_CACHE_LINE_BITS - UNWIND_CACHE_LEAST_BITS);
    munmap(cache, sizeof *cache);
}

static void some_dozens_of_rules_fit_into_the_first_lines(void **state)
{
    (void)state;
    struct unwind_cache *cache = cache_create();
    for (uint64_t i = 0; i < 100; i++)
        unwind_cache_put(cache, key_of(i), rule_of(i));
    for (uint64_t i = 0; i < 100; i++)
        assert_true(find(cache, i));
    assert_int_equal(unwind_cache_growths(cache), 0);
    munmap(cache, sizeof *cache);
}

/* A walk that misses puts the rule back: after a few rounds nearly all that are in use have a place. */
static void a_cache_grows_until_what_is_in_use_fits(void **state)
{
    (void)state;
    enum { IN_USE = 4000, ROUNDS = 8 };
    struct unwind_cache *cache = cache_create();
    unsigned missed = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        missed = 0;
        for (uint64_t i = 0; i < IN_USE; i++) {
            if (find(cache, i))
                continue;
            missed++;
            unwind_cache_put(cache, key_of(i), rule_of(i));
        }
    }
    assert_in_range(missed, 0, IN_USE / 20);
    assert_in_range(unwind_cache_growths(cache), 1, UNWIND_CACHE_LINE_BITS - UNWIND_CACHE_LEAST_BITS);
    munmap(cache, sizeof *cache);
}

static void rules_of_another_generation_are_not_found(void **state)
{
    (void)state;
    struct unwind_cache *cache = cache_create();
    uint64_t rule;
    for (uint64_t i = 0; i < 2000; i++)
        unwind_cache_put(cache, key_of(i), rule_of(i));
    for (uint64_t i = 0; i < 2000; i++) {
        uint64_t key = unwind_cache_key(0x400000 + i * 37, 2);
        assert_false(unwind_cache_get(cache, key, &rule));
        assert_false(unwind_cache_get_older(cache, key, &rule));
    }
    munmap(cache, sizeof *cache);
}

static void touching_lines_changes_nothing(void **state)
{
    (void)state;
    struct unwind_cache *cache = cache_create();
    for (uint64_t i = 0; i < 300; i++)
        unwind_cache_put(cache, key_of(i), rule_of(i));
    unsigned found = 0, found_after = 0;
    for (uint64_t i = 0; i < 300; i++)
        found += find(cache, i);
    unwind_cache_touch(cache, 0, 1 << UNWIND_CACHE_LINE_BITS);
    for (uint64_t i = 0; i < 300; i++)
        found_after += find(cache, i);
    assert_int_equal(found_after, found);
    munmap(cache, sizeof *cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_found_at_once_however_large_the_cache_is),
        cmocka_unit_test(some_dozens_of_rules_fit_into_the_first_lines),
        cmocka_unit_test(a_cache_grows_until_what_is_in_use_fits),
        cmocka_unit_test(rules_of_another_generation_are_not_found),
        cmocka_unit_test(touching_lines_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
