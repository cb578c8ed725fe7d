#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "allocations/sampling.h"

#include <math.h>
#include <stdbool.h>

/* One thread's allocations: counts down, and says which blocks it takes. */
struct sampler {
    uint64_t random, mean, left;
};

static struct sampler sampler_begin(uint64_t seed, uint64_t mean)
{
    struct sampler sampler = {.random = seed * UINT64_C(0x2545f4914f6cdd1d), .mean = mean};
    sampler.left = sampling_gap(&sampler.random, mean);
    return sampler;
}

static bool takes(struct sampler *sampler, uint64_t size)
{
    uint64_t counts = sampling_size(size);
    if (counts < sampler->left) {
        sampler->left -= counts;
        return false;
    }
    sampler->left = sampling_gap(&sampler->random, sampler->mean);
    return true;
}

static void the_probability_is_that_of_the_exponential_distribution(void **state)
{
    (void)state;
    static const uint64_t means[] = {1, 7, 4096, 65536, 524288, SAMPLING_MEAN_MOST};
    for (size_t m = 0; m < sizeof means / sizeof *means; m++) {
        for (uint64_t size = 1; size < UINT64_C(1) << 45; size = size * 3 + 1) {
            double expected = -expm1(-(double)size / (double)means[m]);
            assert_true(fabs(sampling_probability(size, means[m]) - expected) <= 1e-14 * expected + 1e-16 * expected);
        }
    }
}

static void blocks_of_no_bytes_count_as_one_byte(void **state)
{
    (void)state;
    assert_true(sampling_probability(0, 1024) == sampling_probability(1, 1024));
    assert_true(sampling_weight(0, 1024) > 1024);
}

static void every_block_is_taken_and_stands_for_itself_without_a_mean(void **state)
{
    (void)state;
    struct sampler sampler = sampler_begin(1, SAMPLING_MEAN_ALL);
    for (uint64_t size = 0; size < 100; size++) {
        assert_true(takes(&sampler, size));
        assert_true(sampling_weight(size, SAMPLING_MEAN_ALL) == (double)sampling_size(size));
    }
}

static void blocks_much_larger_than_the_mean_stand_for_themselves(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        struct sampler sampler = sampler_begin(seed, 4096);
        assert_true(takes(&sampler, 1 << 20));
        assert_true(sampling_weight(1 << 20, 4096) == 1 << 20);
    }
}

static void gaps_have_their_mean_and_its_spread(void **state)
{
    (void)state;
    enum { GAPS = 200000 };
    const double mean = 65536;
    uint64_t random = 42;
    double sum = 0, squares = 0, above = 0;
    for (size_t i = 0; i < GAPS; i++) {
        double gap = (double)sampling_gap(&random, (uint64_t)mean);
        sum += gap;
        squares += gap * gap;
        above += gap > 3 * mean;
    }
    /* Within 4 standard errors; the half is what rounding up adds. */
    double average = sum / GAPS - 0.5, deviation = sqrt(squares / GAPS - average * average);
    assert_true(fabs(average - mean) < 4 * mean / sqrt(GAPS));
    assert_true(fabs(deviation - mean) < 4 * 2 * mean / sqrt(GAPS));
    assert_true(fabs(above / GAPS - exp(-3)) < 4 * sqrt(exp(-3) / GAPS));
}

/* --- sums ---------------------------------------------------------------------------------------------------------------- */

enum { SITES = 3, ROUNDS = 200 };

struct sum {
    double bytes, variance, blocks;
};

/* A program of known sites: many small blocks, mixed ones, few huge ones. `change` halves or doubles the mean on the way. */
static void run_program(uint64_t seed, uint64_t mean, bool change, struct sum sums[SITES], double truth[SITES],
                        double blocks[SITES])
{
    struct sampler sampler = sampler_begin(seed, mean);
    uint64_t sizes = 99; /* of the program: the same in every round */
    for (size_t i = 0; i < SITES; i++) {
        sums[i] = (struct sum){0};
        truth[i] = blocks[i] = 0;
    }
    for (size_t i = 0; i < 30000; i++) {
        sizes = sizes * UINT64_C(6364136223846793005) + 1442695040888963407u;
        size_t site = i % 100 == 99 ? 2 : i % 2;
        uint64_t size = site == 0 ? 48 : site == 1 ? 16 + (sizes >> 40) % 4000 : 100000 + (sizes >> 40) % 400000;
        if (change && i % 1000 == 500)
            sampler.mean = i / 1000 % 2 ? mean * 2 : mean / 2;
        truth[site] += (double)size;
        blocks[site] += 1;
        uint64_t drawn_with = sampler.mean;
        if (change) {
            /* What is left was drawn with another mean: as it has no memory, it is drawn anew where the mean changes. */
            if (i % 1000 == 500)
                sampler.left = sampling_gap(&sampler.random, sampler.mean);
        }
        if (!takes(&sampler, size))
            continue;
        double weight = sampling_weight(size, drawn_with);
        sums[site].bytes += weight;
        sums[site].variance += weight * (weight - (double)size);
        sums[site].blocks += weight / (double)size;
    }
}

static void check_sums(uint64_t mean, bool change)
{
    double bytes[SITES] = {0}, blocks[SITES] = {0}, variances[SITES] = {0}, truth[SITES], true_blocks[SITES];
    int within = 0, of = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct sum sums[SITES];
        run_program(seed, mean, change, sums, truth, true_blocks);
        for (size_t i = 0; i < SITES; i++) {
            bytes[i] += sums[i].bytes;
            blocks[i] += sums[i].blocks;
            variances[i] += sums[i].variance;
            within += fabs(sums[i].bytes - truth[i]) <= 2 * sqrt(sums[i].variance) + 1e-6 * truth[i];
            of++;
        }
    }
    for (size_t i = 0; i < SITES; i++) {
        double error = sqrt(variances[i]) / ROUNDS; /* of the mean of all rounds */
        assert_true(fabs(bytes[i] / ROUNDS - truth[i]) <= 4 * error + 1e-6 * truth[i]);
        assert_true(fabs(blocks[i] / ROUNDS - true_blocks[i]) <= 0.1 * true_blocks[i]);
    }
    assert_in_range(within * 100 / of, 90, 99);
}

static void sums_of_weights_are_right_within_their_own_errors(void **state)
{
    (void)state;
    check_sums(8 << 10, false);
    check_sums(64 << 10, false);
    check_sums(256 << 10, false);
}

static void the_mean_may_change_on_the_way(void **state)
{
    (void)state;
    check_sums(64 << 10, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_probability_is_that_of_the_exponential_distribution),
        cmocka_unit_test(blocks_of_no_bytes_count_as_one_byte),
        cmocka_unit_test(every_block_is_taken_and_stands_for_itself_without_a_mean),
        cmocka_unit_test(blocks_much_larger_than_the_mean_stand_for_themselves),
        cmocka_unit_test(gaps_have_their_mean_and_its_spread),
        cmocka_unit_test(sums_of_weights_are_right_within_their_own_errors),
        cmocka_unit_test(the_mean_may_change_on_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
