#include "tree/comparison.h"

#include <math.h>

enum { SELF, TOTAL, KINDS };

/* What the runs of a side say of one function, added up. */
struct sums {
    double value[KINDS][SIDES], variance[KINDS][SIDES];
    double squares[KINDS][SIDES]; /* of the values of single runs */
    double of_run[KINDS];         /* what the last run that has it said so far, in several functions of that name */
    size_t last_run;              /* its number, from 1 on */
};

struct building {
    struct comparison *comparison;
    const struct compared_run *runs;
    double whole[SIDES], whole_variance[SIDES]; /* sums over runs */
    double whole_squares[SIDES];
    VEC(struct sums) sums; /* by key */
    struct error *error;
};

/* ---- collecting ---- */

static bool add_function(struct building *building, const struct compared_run *run, const struct function_row *row,
                         uint32_t *key_of_func)
{
    struct func_keys *keys = &building->comparison->keys;
    uint32_t key = func_keys_add(keys, run->answer->view.funcs, row->func, 1u << run->side);
    while (key != INDEX_NONE && building->sums.count <= key)
        if (!vec_push(&building->sums, (struct sums){0}))
            return false;
    if (key == INDEX_NONE)
        return false;
    key_of_func[row->func] = key;
    struct sums *sums = &building->sums.items[key];
    size_t number = (size_t)(run - building->runs) + 1;
    if (sums->last_run != number)
        memset(sums->of_run, 0, sizeof sums->of_run);
    sums->last_run = number;
    const double values[KINDS] = {row->self, row->total};
    const double variances[KINDS] = {row->self_uncertainty.variance, row->total_uncertainty.variance};
    for (int kind = 0; kind < KINDS; kind++) {
        double value = values[kind] * run->scale;
        sums->value[kind][run->side] += value;
        sums->squares[kind][run->side] += value * (value + 2 * sums->of_run[kind]);
        sums->of_run[kind] += value;
        sums->variance[kind][run->side] += variances[kind] * run->scale * run->scale;
    }
    return true;
}

static int add_run(struct building *building, size_t index)
{
    const struct compared_run *run = &building->runs[index];
    const struct call_tree *tree = &run->answer->tree;
    uint32_t func_count = run->answer->view.funcs->count;
    uint32_t *key_of_func = memory_array((size_t)func_count + 1, sizeof *key_of_func);
    building->comparison->keys_of[index] = key_of_func;
    if (!key_of_func)
        return error_out_of_memory(building->error);
    for (uint32_t func = 0; func < func_count; func++)
        key_of_func[func] = INDEX_NONE;
    struct function_list list;
    int status = function_list_build(tree, func_count, FUNCTIONS_BY_SELF, &list, building->error);
    for (size_t i = 0; i < list.rows.count && status == 0; i++)
        if (!add_function(building, run, &list.rows.items[i], key_of_func))
            status = error_out_of_memory(building->error);
    function_list_free(&list);

    double whole = tree->root_total * run->scale, variance = tree->root_uncertainty.variance;
    building->whole[run->side] += whole;
    building->whole_squares[run->side] += whole * whole;
    building->whole_variance[run->side] += variance * run->scale * run->scale;
    building->comparison->variation[run->side] += run->variation;
    building->comparison->grain[run->side] += tree->root_total > 0 ? variance / tree->root_total * run->scale : 0;
    building->comparison->side_runs[run->side]++;
    return status;
}

/* Functions that turned out to be the same. */
static void join(struct building *building)
{
    struct comparison *comparison = building->comparison;
    for (uint32_t key = 0; key < building->sums.count; key++) {
        uint32_t stands = func_keys_of(&comparison->keys, key);
        struct sums *of = &building->sums.items[key], *into = &building->sums.items[stands];
        for (int kind = 0; kind < KINDS && stands != key; kind++)
            for (int side = 0; side < SIDES; side++) {
                into->value[kind][side] += of->value[kind][side];
                into->variance[kind][side] += of->variance[kind][side];
                into->squares[kind][side] += of->squares[kind][side];
            }
    }
    for (size_t run = 0; run < comparison->run_count; run++)
        for (uint32_t func = 0; func < building->runs[run].answer->view.funcs->count; func++)
            if (comparison->keys_of[run][func] != INDEX_NONE)
                comparison->keys_of[run][func] = func_keys_of(&comparison->keys, comparison->keys_of[run][func]);
}

/* ---- how unlike runs are ---- */

/* Two-sided quantiles of Student's t for 99 %, over that of the normal distribution: what is measured of a few runs may be
 * less than it is. */
static double student_factor(size_t freedom)
{
    static const double quantiles[] = {63.66, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169};
    size_t known = sizeof quantiles / sizeof *quantiles;
    return (freedom <= known ? quantiles[freedom - 1] : 2.576 + 5.5 / (double)freedom) / 2.576;
}

/* The variance between the runs of a side, of a single one. */
static double variance_between(double value, double squares, size_t runs)
{
    return runs < 2 ? 0 : fmax(0, (squares - value * value / (double)runs) / (double)(runs - 1));
}

/* Of the functions by self, those that count for much alone say something; and of the whole. */
static double measure_noise(const struct building *building)
{
    const struct comparison *comparison = building->comparison;
    double between = 0, all = 0, whole = 0, whole_all = 0;
    size_t freedom = 0;
    for (int side = 0; side < SIDES; side++) {
        size_t runs = comparison->side_runs[side];
        if (runs < 2)
            continue;
        freedom += runs - 1;
        double mean_whole = building->whole[side] / (double)runs;
        whole += (double)(runs - 1) * variance_between(building->whole[side], building->whole_squares[side], runs);
        whole_all += (double)(runs - 1) * mean_whole * mean_whole;
        for (uint32_t key = 0; key < building->sums.count; key++) {
            const struct sums *sums = &building->sums.items[key];
            double mean = sums->value[SELF][side] / (double)runs;
            if (func_keys_of(&comparison->keys, key) != key)
                continue;
            between += (double)(runs - 1) * (variance_between(sums->value[SELF][side], sums->squares[SELF][side], runs) -
                                             sums->variance[SELF][side] / (double)runs);
            all += (double)(runs - 1) * mean * mean;
        }
    }
    if (freedom == 0)
        return 0;
    double of_funcs = all > 0 ? between / all : 0, of_whole = whole_all > 0 ? whole / whole_all : 0;
    return sqrt(fmax(0, fmax(of_funcs, of_whole))) * student_factor(freedom);
}

/* The part of the whole that a sum is, were both sides the same program, as little as a few samples leave certain. */
static double least_part(const struct comparison *comparison, const double values[SIDES])
{
    static const double doubt = 8; /* samples */
    double part = 0, whole = doubt;
    for (int side = 0; side < SIDES; side++) {
        double grain = comparison->grain[side];
        part += grain > 0 ? fabs(values[side]) / grain : 0;
        whole += grain > 0 ? comparison->whole.of[side].value / grain : 0;
    }
    return fmin(1, part / whole);
}

void comparison_measure(const struct comparison *comparison, const double values[SIDES], const double variances[SIDES],
                        struct measure of[SIDES])
{
    const struct comparison_terms *terms = &comparison->terms;
    double part = terms->shares || terms->sums_are_exact ? least_part(comparison, values) : 0;
    for (int side = 0; side < SIDES; side++) {
        double noise = terms->noise * (terms->shares ? 1 - part : 1);
        double runs = (double)comparison->side_runs[side];
        of[side] = (struct measure){
            .value = values[side],
            .variance = variances[side] * (1 - part),
            .grain = comparison->grain[side],
            .spread = noise * noise / runs + comparison->variation[side],
        };
    }
}

/* ---- what changed ---- */

static void compare_sum(const struct building *building, const struct sums *sums, int kind, struct compared_sum *out,
                        double *least)
{
    const struct comparison *comparison = building->comparison;
    double values[SIDES], variances[SIDES];
    for (int side = 0; side < SIDES; side++) {
        double runs = (double)comparison->side_runs[side];
        values[side] = sums->value[kind][side] / runs;
        variances[side] = sums->variance[kind][side] / (runs * runs);
    }
    comparison_measure(comparison, values, variances, out->of);
    /* A function may differ more from run to run than others do. */
    for (int side = 0; side < SIDES; side++) {
        struct measure *of = &out->of[side];
        double runs = (double)comparison->side_runs[side];
        double between = variance_between(sums->value[kind][side], sums->squares[kind][side], comparison->side_runs[side]);
        if (of->value != 0)
            of->spread = fmax(of->spread, (between / runs - of->variance) / (of->value * of->value));
    }
    out->chance = change_chance(&out->of[SIDE_BASE], &out->of[SIDE_NEW], least);
}

static int compare_functions(struct building *building)
{
    struct comparison *comparison = building->comparison;
    for (uint32_t key = 0; key < building->sums.count; key++) {
        if (func_keys_of(&comparison->keys, key) != key)
            continue;
        struct compared_func func = {.key = key};
        double least_self, least_total;
        compare_sum(building, &building->sums.items[key], SELF, &func.self, &least_self);
        compare_sum(building, &building->sums.items[key], TOTAL, &func.total, &least_total);
        /* What could not have been significant is no test that the others pay for. */
        bool is_test = 2 * fmin(least_self, least_total) <= comparison->terms.level;
        func.chance = is_test ? fmin(1, 2 * fmin(func.self.chance, func.total.chance)) : NAN;
        comparison->tested += is_test;
        if (!vec_push(&comparison->funcs, func))
            return error_out_of_memory(building->error);
    }
    size_t count = comparison->funcs.count;
    double *chances = memory_array(count + 1, sizeof *chances);
    for (size_t i = 0; i < count && chances; i++)
        chances[i] = comparison->funcs.items[i].chance;
    bool done = chances && changes_correct(chances, count) == 0;
    for (size_t i = 0; i < count && done; i++) {
        struct compared_func *func = &comparison->funcs.items[i];
        func->chance = isnan(chances[i]) ? 1 : chances[i];
        func->significant = func->chance <= comparison->terms.level;
        comparison->significant += func->significant;
    }
    memory_release(chances);
    return done ? 0 : error_out_of_memory(building->error);
}

/* Of the whole it is certain what the clock counted. */
static void compare_whole(struct building *building)
{
    struct comparison *comparison = building->comparison;
    struct sums sums = {0};
    for (int side = 0; side < SIDES; side++) {
        sums.value[TOTAL][side] = building->whole[side];
        sums.squares[TOTAL][side] = building->whole_squares[side];
        sums.variance[TOTAL][side] = comparison->terms.sums_are_exact ? 0 : building->whole_variance[side];
        comparison->whole.of[side].value = building->whole[side] / (double)comparison->side_runs[side];
    }
    compare_sum(building, &sums, TOTAL, &comparison->whole, NULL);
}

static void find_verdict(struct comparison *comparison)
{
    double change = 0;
    if (!comparison->terms.shares && comparison->whole.chance <= comparison->terms.level)
        change = compared_delta(&comparison->whole);
    for (size_t i = 0; i < comparison->funcs.count && comparison->terms.shares; i++) {
        const struct compared_func *func = &comparison->funcs.items[i];
        bool is_chance = !func->significant || func->self.chance > comparison->terms.level;
        if (!is_chance && fabs(compared_delta(&func->self)) > fabs(change))
            change = compared_delta(&func->self);
    }
    comparison->change = change;
    comparison->verdict = change > 0 ? VERDICT_SLOWER : change < 0 ? VERDICT_FASTER : VERDICT_SAME;
}

int comparison_build(const struct compared_run *runs, size_t count, const struct comparison_terms *terms,
                     struct comparison *comparison, struct error *error)
{
    *comparison = (struct comparison){.terms = *terms, .run_count = count, .keys_of = memory_zeroed(count, sizeof(uint32_t *))};
    struct building building = {.comparison = comparison, .runs = runs, .error = error};
    if (!comparison->keys_of)
        return error_out_of_memory(error);
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++)
        status = add_run(&building, i);
    if (status == 0)
        status = func_keys_join(&comparison->keys, error);
    for (int side = 0; side < SIDES; side++) {
        double side_runs = fmax(1, (double)comparison->side_runs[side]);
        comparison->grain[side] /= side_runs * side_runs;
        comparison->variation[side] /= side_runs * side_runs;
    }
    if (status == 0) {
        join(&building);
        if (isnan(terms->noise))
            comparison->terms.noise = measure_noise(&building);
        compare_whole(&building);
        status = compare_functions(&building);
    }
    find_verdict(comparison);
    vec_free(&building.sums);
    return status;
}

void comparison_free(struct comparison *comparison)
{
    for (size_t run = 0; run < comparison->run_count && comparison->keys_of; run++)
        memory_release(comparison->keys_of[run]);
    memory_release(comparison->keys_of);
    vec_free(&comparison->funcs);
    func_keys_free(&comparison->keys);
    *comparison = (struct comparison){0};
}
