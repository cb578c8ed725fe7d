/* Threads of made-up programs, by a made-up clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/memory.h"
#include "looker/look_policy.h"

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

static struct look_policy policy;

static int set_up(void **state)
{
    (void)state;
    look_policy_init(&policy, 0, 42, 5 * SECOND);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    look_policy_free(&policy);
    return 0;
}

/* Sleeps until somebody is due; returns when that is. */
static uint64_t next(struct look_turn **turn)
{
    uint64_t now = look_policy_wake(&policy);
    while (!look_policy_next(&policy, now, turn))
        now = look_policy_wake(&policy);
    return now;
}

static struct look waits(uint64_t time, uint64_t runs)
{
    return (struct look){.state = LOOK_WAITING, .time_ns = time, .runs = runs, .cpu_ns = runs * 1000};
}

/* --- distances ----------------------------------------------------------------------------------------------------------- */

static void nobody_is_never_due(void **state)
{
    (void)state;
    struct look_turn *turn;
    assert_true(look_policy_wake(&policy) == UINT64_MAX);
    assert_false(look_policy_next(&policy, 100 * SECOND, &turn));
}

static void a_busy_thread_is_looked_at_at_random_moments(void **state)
{
    (void)state;
    enum { LOOKS = 1000 };
    struct look_turn thread, *turn;
    uint64_t start = 0, last = 0, shortest = UINT64_MAX, longest = 0;
    assert_true(look_policy_add(&policy, &thread, 5 * SECOND));
    for (uint64_t i = 0; i <= LOOKS; i++) {
        uint64_t now = next(&turn);
        assert_ptr_equal(turn, &thread);
        struct look look = waits(now, i + 1); /* another wait each time */
        assert_true(look_policy_taken(&policy, turn, &look));
        if (i == 0) {
            start = now;
        } else {
            shortest = now - last < shortest ? now - last : shortest;
            longest = now - last > longest ? now - last : longest;
        }
        last = now;
    }
    assert_in_range(shortest, 5 * MS, 6 * MS);
    assert_in_range(longest, 14 * MS, 16 * MS);
    assert_in_range((last - start) / LOOKS, 95 * MS / 10, 105 * MS / 10);
}

static void the_same_wait_is_looked_at_ever_more_seldom(void **state)
{
    (void)state;
    struct look_turn thread, *turn;
    uint64_t begin = 0, last = 0;
    unsigned looks = 0;
    assert_true(look_policy_add(&policy, &thread, 5 * SECOND));
    for (;; looks++) {
        uint64_t now = next(&turn);
        struct look look = waits(now, 7);
        look_policy_taken(&policy, turn, &look);
        if (looks == 0)
            begin = now;
        if (looks > 1) {
            uint64_t waited = last - begin, expected = waited / LOOK_BACKOFF;
            expected = expected < 10 * MS ? 10 * MS : expected > SECOND ? SECOND : expected;
            assert_in_range(now - last, expected * 3 / 4, expected + 4 * MS);
        }
        last = now;
        if (now - begin > 60 * SECOND)
            break;
    }
    assert_in_range(looks, 100, 200);
    /* It has run: soon again. */
    uint64_t now = next(&turn);
    struct look look = waits(now, 8);
    assert_true(look_policy_taken(&policy, turn, &look));
    assert_in_range(next(&turn) - now, 5 * MS, 16 * MS);
}

static void threads_that_begin_together_are_not_looked_at_together(void **state)
{
    (void)state;
    enum { THREADS = 100 };
    struct look_turn threads[THREADS], *turn;
    for (int i = 0; i < THREADS; i++)
        assert_true(look_policy_add(&policy, &threads[i], 5 * SECOND));
    unsigned in_half = 0;
    for (uint64_t now; (now = look_policy_wake(&policy)) != UINT64_MAX;) {
        while (look_policy_next(&policy, now, &turn)) {
            in_half += now < 5 * SECOND + 5 * MS;
            look_policy_remove(&policy, turn);
        }
    }
    assert_in_range(in_half, 25, 75);
}

static void rounds_are_not_close_to_each_other(void **state)
{
    (void)state;
    enum { THREADS = 1000, ROUNDS = 200 };
    struct look_turn *threads = calloc(THREADS, sizeof *threads), *turn;
    uint64_t last = 0;
    for (int i = 0; i < THREADS; i++)
        assert_true(look_policy_add(&policy, &threads[i], 5 * SECOND));
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t now = look_policy_wake(&policy);
        assert_true(now >= last + LOOK_ROUND_NS);
        while (look_policy_next(&policy, now, &turn)) {
            struct look look = waits(now, (uint64_t)round);
            look_policy_taken(&policy, turn, &look);
        }
        last = now;
    }
    free(threads);
}

/* --- rows ---------------------------------------------------------------------------------------------------------------- */

static bool row_at(struct look_turn *turn, uint8_t look_state, uint64_t time, uint64_t runs, uint64_t cpu)
{
    struct look look = {.state = look_state, .time_ns = time, .runs = runs, .cpu_ns = cpu};
    return look_policy_taken(&policy, turn, &look);
}

static void rows_are_written_for_what_is_new(void **state)
{
    (void)state;
    struct look_turn thread;
    uint64_t t = 6 * SECOND;
    assert_true(look_policy_add(&policy, &thread, 5 * SECOND));
    assert_true(row_at(&thread, LOOK_RUNNING, t, 1, 0));            /* never seen before */
    assert_false(row_at(&thread, LOOK_RUNNING, t + 1 * MS, 1, 0));  /* wants to run, and has not */
    assert_true(row_at(&thread, LOOK_RUNNING, t + 2 * MS, 1, 500)); /* has run */
    assert_true(row_at(&thread, LOOK_WAITING, t + 3 * MS, 1, 500)); /* waits now */
    assert_false(row_at(&thread, LOOK_WAITING, t + 4 * MS, 1, 500));
    assert_false(row_at(&thread, LOOK_WAITING, t + 900 * MS, 1, 500));
    assert_true(row_at(&thread, LOOK_WAITING, t + 910 * MS, 2, 600)); /* another wait */
    assert_false(row_at(&thread, LOOK_WAITING, t + 1909 * MS, 2, 600));
    assert_true(row_at(&thread, LOOK_WAITING, t + 1910 * MS, 2, 600)); /* a second later */
}

static void a_long_wait_gets_few_rows(void **state)
{
    (void)state;
    struct look_turn thread;
    unsigned rows = 0;
    uint64_t waited_at_row = 0;
    assert_true(look_policy_add(&policy, &thread, 5 * SECOND));
    assert_true(row_at(&thread, LOOK_WAITING, 6 * SECOND, 1, 1));
    for (uint64_t waited = 0; waited < 24 * 3600 * SECOND; waited += SECOND / 2) {
        if (!row_at(&thread, LOOK_WAITING, 6 * SECOND + waited, 1, 1))
            continue;
        assert_true(waited - waited_at_row >= SECOND && waited - waited_at_row >= waited_at_row / 4);
        waited_at_row = waited;
        rows++;
    }
    assert_in_range(rows, 40, 60); /* of a day */
    assert_true(waited_at_row > 18 * 3600 * SECOND);
}

/* --- the budget ---------------------------------------------------------------------------------------------------------- */

struct world {
    size_t threads;
    double look_ns, wake_ns; /* what a look costs, and a round of them */
    uint64_t now, cpu;
    struct look_turn *turns;
    unsigned *looks;
};

static void world_start(struct world *world)
{
    world->turns = calloc(world->threads, sizeof *world->turns);
    world->looks = calloc(world->threads, sizeof *world->looks);
    world->now = 5 * SECOND;
    look_policy_spent(&policy, world->now, 0);
    for (size_t i = 0; i < world->threads; i++)
        assert_true(look_policy_add(&policy, &world->turns[i], world->now));
}

static void world_end(struct world *world)
{
    free(world->turns);
    free(world->looks);
}

/* All threads are busy. Returns the share of a CPU that was used. */
static double world_run(struct world *world, uint64_t length)
{
    uint64_t begin = world->now, cpu = world->cpu;
    while (world->now < begin + length) {
        struct look_turn *turn;
        uint64_t wake = look_policy_wake(&policy);
        world->now = wake > world->now ? wake : world->now;
        double cost = world->wake_ns;
        while (look_policy_next(&policy, world->now, &turn)) {
            struct look look = waits(world->now, world->now);
            look_policy_taken(&policy, turn, &look);
            world->looks[turn - world->turns]++;
            cost += world->look_ns;
        }
        world->cpu += (uint64_t)cost;
        world->now += (uint64_t)cost;
        look_policy_spent(&policy, world->now, world->cpu);
    }
    return (double)(world->cpu - cpu) / (double)(world->now - begin);
}

static void few_threads_are_not_stretched(void **state)
{
    (void)state;
    struct world world = {.threads = 10, .look_ns = 3000, .wake_ns = 2000};
    world_start(&world);
    double used = world_run(&world, 10 * SECOND);
    assert_true(used < 0.01);
    assert_true(look_policy_stretch(&policy) == 1);
    for (size_t i = 0; i < world.threads; i++)
        assert_in_range(world.looks[i], 800, 1100);
    world_end(&world);
}

static void many_threads_stay_within_the_budget(void **state)
{
    (void)state;
    struct world world = {.threads = 5000, .look_ns = 3000, .wake_ns = 5000};
    world_start(&world);
    double first = world_run(&world, SECOND), then = world_run(&world, 20 * SECOND);
    print_message("5,000 threads: %.2f %% in the first second, %.2f %% then, stretch %.0f\n", first * 100, then * 100,
                  look_policy_stretch(&policy));
    assert_true(first < 0.035); /* the burst, and what comes in */
    assert_true(then > 0.007 && then < 0.0125);
    world_end(&world);
}

static void the_budget_is_shared_fairly(void **state)
{
    (void)state;
    struct world world = {.threads = 5000, .look_ns = 3000, .wake_ns = 5000};
    unsigned least = UINT32_MAX, most = 0;
    world_start(&world);
    world_run(&world, 60 * SECOND);
    for (size_t i = 0; i < world.threads; i++) {
        least = world.looks[i] < least ? world.looks[i] : least;
        most = world.looks[i] > most ? world.looks[i] : most;
    }
    assert_true(least > 20);
    assert_true(most < least * 2);
    world_end(&world);
}

static void there_is_room_again_when_threads_end(void **state)
{
    (void)state;
    struct world world = {.threads = 5000, .look_ns = 3000, .wake_ns = 5000};
    world_start(&world);
    world_run(&world, 10 * SECOND);
    assert_true(look_policy_stretch(&policy) > 50);
    for (size_t i = 20; i < world.threads; i++)
        look_policy_remove(&policy, &world.turns[i]);
    world_run(&world, 20 * SECOND);
    assert_true(look_policy_stretch(&policy) < 1.5);
    world_end(&world);
}

static void looks_that_cost_too_much_are_fewer(void **state)
{
    (void)state;
    struct world world = {.threads = 100, .look_ns = 500000, .wake_ns = 5000};
    world_start(&world);
    world_run(&world, 10 * SECOND);
    double used = world_run(&world, 60 * SECOND);
    assert_true(used > 0.005 && used < 0.015);
    world_end(&world);
}

/* --- the heap ------------------------------------------------------------------------------------------------------------ */

static void threads_come_and_go_in_any_order(void **state)
{
    (void)state;
    enum { THREADS = 300, STEPS = 20000 };
    struct look_turn threads[THREADS] = {0}, *turn;
    uint64_t now = 5 * SECOND;
    srandom(1);
    for (int step = 0; step < STEPS; step++) {
        struct look_turn *picked = &threads[random() % THREADS];
        if (picked->place_plus_1)
            look_policy_remove(&policy, picked);
        else
            assert_true(look_policy_add(&policy, picked, now));
        now += (uint64_t)random() % MS;
        if (look_policy_next(&policy, now, &turn)) {
            struct look look = waits(now, (uint64_t)random() % 3);
            look_policy_taken(&policy, turn, &look);
        }
        for (size_t i = 1; i < policy.count; i++) {
            assert_true(policy.heap[(i - 1) / 2]->due <= policy.heap[i]->due);
            assert_int_equal(policy.heap[i]->place_plus_1, i + 1);
        }
    }
    look_policy_remove(&policy, &(struct look_turn){0}); /* one that is not there */
}

static void without_memory_a_thread_is_refused(void **state)
{
    (void)state;
    struct look_turn thread = {0};
    memory_fail_after(1);
    bool added = look_policy_add(&policy, &thread, 5 * SECOND);
    memory_fail_after(0);
    assert_false(added);
    assert_int_equal(thread.place_plus_1, 0);
    assert_true(look_policy_add(&policy, &thread, 5 * SECOND));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nobody_is_never_due),
        TEST(a_busy_thread_is_looked_at_at_random_moments),
        TEST(the_same_wait_is_looked_at_ever_more_seldom),
        TEST(threads_that_begin_together_are_not_looked_at_together),
        TEST(rounds_are_not_close_to_each_other),
        TEST(rows_are_written_for_what_is_new),
        TEST(a_long_wait_gets_few_rows),
        TEST(few_threads_are_not_stretched),
        TEST(many_threads_stay_within_the_budget),
        TEST(the_budget_is_shared_fairly),
        TEST(there_is_room_again_when_threads_end),
        TEST(looks_that_cost_too_much_are_fewer),
        TEST(threads_come_and_go_in_any_order),
        TEST(without_memory_a_thread_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
