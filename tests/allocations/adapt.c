/* The adaptive mean: what it follows, and its bounds. Against a recorder that costs what a test says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload_allocations/adapt.h"
#include "preload_allocations/sampler.h"

#include <pthread.h>

enum { KIB = 1 << 10, MIB = 1 << 20 };

/* ---- a recorder ---- */

static uint64_t cpu_ns, cpu_step; /* each look at a clock of CPU time finds so much more */
static uint64_t clock_ns, clock_step;
static _Atomic uint32_t sampled_blocks;

static uint64_t fake_now(void)
{
    return clock_ns += clock_step;
}

static uint64_t fake_cpu(void)
{
    return cpu_ns += cpu_step;
}

static enum allocation_outcome fake_sampled(const struct sampled_block *block)
{
    sampled_blocks++;
    (void)block;
    return ALLOCATION_WRITTEN;
}

static bool fake_freed(uint64_t address, uint64_t time)
{
    (void)address, (void)time;
    return true;
}

static void fake_lost(void)
{
    fail_msg("a sampled block found no place");
}

static const struct allocation_recorder fake = {
    .size = sizeof fake,
    .now = fake_now,
    .thread_cpu = fake_cpu,
    .process_cpu = fake_cpu,
    .sampled = fake_sampled,
    .freed = fake_freed,
    .lost = fake_lost,
};

/* A session of its own, in a thread that has allocated nothing yet. */
static void begin(bool is_adaptive, uint64_t mean)
{
    own = (struct own_state){0};
    cpu_ns = clock_ns = 1;
    cpu_step = clock_step = 0;
    sampled_blocks = 0;
    plan = (struct allocation_plan){.is_adaptive = is_adaptive, .mean = mean, .budget_ppm = 10000, .seed = 7};
    atomic_store(&recorder, &fake);
    adapt_begin(mean);
    own.mean = adapt_first_mean();
}

/* So many samples, of this cost each, between which so much CPU time is used. */
static void take_samples(size_t count, uint64_t cost_ns, uint64_t apart_ns)
{
    enum { BATCH = 16 };
    cpu_step = apart_ns * BATCH;
    for (size_t i = 0; i < count; i++)
        adapt_note(cost_ns, true);
}

/* ---- tests ---- */

static void samples_above_the_budget_raise_the_mean_and_never_above_2_mib(void **state)
{
    (void)state;
    begin(true, 16 * KIB);
    take_samples(32, 2000, 100000); /* 2 %. The first batch of a thread counts from nothing */
    assert_int_equal(own.mean, 64 * KIB);
    take_samples(1000, 2000, 1000);
    assert_int_equal(own.mean, 2 * MIB);
}

static void samples_far_below_the_budget_lower_the_mean_and_never_below_4_kib(void **state)
{
    (void)state;
    begin(true, 64 * KIB);
    take_samples(16, 2000, 1000000);
    assert_int_equal(own.mean, 32 * KIB);
    take_samples(1000, 2000, 1000000);
    assert_int_equal(own.mean, 4 * KIB);
}

static void a_mean_that_costs_what_it_may_stays(void **state)
{
    (void)state;
    begin(true, 64 * KIB);
    take_samples(1000, 2000, 300000); /* 0.67 % */
    assert_int_equal(own.mean, 64 * KIB);
}

static void a_thread_begins_with_512_kib_at_most_whatever_others_have(void **state)
{
    (void)state;
    begin(true, 16 * KIB);
    take_samples(1000, 2000, 1000);
    assert_int_equal(own.mean, 2 * MIB);
    assert_int_equal(adapt_first_mean(), 512 * KIB);
    begin(true, 16 * KIB);
    assert_int_equal(adapt_first_mean(), 16 * KIB);
}

static void a_fixed_mean_is_neither_changed_nor_bounded(void **state)
{
    (void)state;
    begin(false, 8 * MIB);
    assert_int_equal(adapt_first_mean(), 8 * MIB);
    take_samples(1000, 2000, 1000);
    assert_int_equal(own.mean, 8 * MIB);
    assert_int_equal(adapt_first_mean(), 8 * MIB);
}

/* 8 MiB in blocks of 1 KiB that are never freed: of addresses, there is no memory behind them. */
static void *leak(void *unused)
{
    enum { BLOCK = KIB, BLOCKS = 8 * KIB };
    for (uintptr_t i = 1; i <= BLOCKS; i++)
        if (!take_is_passed(BLOCK) && take_begin(BLOCK))
            take_end((void *)(i * BLOCK), BLOCK); /* NOLINT(performance-no-int-to-ptr) */
    return unused;
}

static void a_leak_in_a_thread_that_begins_beside_busy_ones_is_sampled(void **state)
{
    (void)state;
    pthread_t thread;
    begin(true, 16 * KIB);
    take_samples(1000, 2000, 1000); /* this one's mean, and with it that of the process, is as large as any */
    assert_int_equal(pthread_create(&thread, NULL, leak, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    /* The same ones each time: the seed is fixed. 16 are expected; with a mean of 2 MiB it would be four. */
    assert_in_range(sampled_blocks, 8, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_above_the_budget_raise_the_mean_and_never_above_2_mib),
        cmocka_unit_test(samples_far_below_the_budget_lower_the_mean_and_never_below_4_kib),
        cmocka_unit_test(a_mean_that_costs_what_it_may_stays),
        cmocka_unit_test(a_thread_begins_with_512_kib_at_most_whatever_others_have),
        cmocka_unit_test(a_fixed_mean_is_neither_changed_nor_bounded),
        cmocka_unit_test(a_leak_in_a_thread_that_begins_beside_busy_ones_is_sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
