/* Comparisons of drawn profiles, and of thousands of random recordings of one program: how often something seems to have
 * changed that has not, and whether what has is seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/failing_alloc.h"
#include "support/random_profile.h"
#include "support/text_profile.h"
#include "tree/comparison_tree.h"

#include <math.h>

/* ---- recordings ---- */

/* One profile, whose threads are the recordings. */
static struct profile profile;
static struct view whole;

enum { FUNCTIONS = 30, MOST_RUNS = 8 };

static struct answer answers[MOST_RUNS];
static struct compared_run runs[MOST_RUNS];
static size_t run_count;
static struct comparison comparison;

/* Thread 0 has a sample in each function below main, so that they are all there. */
static void open_program(void)
{
    static const char cells[] = "main  ";
    char drawn[2 * FUNCTIONS * 6 + 3] = "";
    for (int i = 0; i < FUNCTIONS; i++)
        strcat(drawn, cells);
    strcat(drawn, "\n");
    for (int i = 0; i < FUNCTIONS; i++)
        snprintf(drawn + strlen(drawn), sizeof drawn - strlen(drawn), "f%-5d", i);
    text_profile_open(&profile);
    text_profile_add_thread(&profile, drawn);
}

static void open_whole(void)
{
    struct error error = {0};
    if (profile_finish(&profile, &error) != 0 || view_open(&profile, &whole, &error) != 0)
        fail_msg("%s", error.message);
}

static double uniform(struct random *random)
{
    return (random_below(random, 1 << 30) + 0.5) / (1 << 30);
}

/* Of `samples`, each is in function N as often as shares[N] says; `weight` of them on average, none where it is 0. */
static void record(struct random *random, const double *shares, size_t samples, double weight)
{
    struct thread *thread = profile_add_thread(&profile), *drawn = &profile.threads.items[0];
    assert_non_null(thread);
    thread->name = drawn->name;
    thread->pid = thread->tid = drawn->pid;
    thread->process_type = drawn->process_type;
    thread->process_name = STRING_NONE;
    if (weight > 0)
        thread->samples.weight_type = WEIGHT_TRACING_MS;
    double sum = 0;
    for (int i = 0; i < FUNCTIONS; i++)
        sum += shares[i];
    for (size_t i = 0; i < samples; i++) {
        double at = uniform(random) * sum;
        uint32_t function = 0;
        while (function + 1 < FUNCTIONS && at >= shares[function])
            at -= shares[function++];
        column_append(&thread->samples.stack, column_get(&drawn->samples.stack, function));
        column_append_number(&thread->samples.time, (double)i);
        if (weight > 0)
            column_append_number(&thread->samples.weight, -log(uniform(random)) * weight);
    }
}

static void add_run(uint32_t thread, enum comparison_side side, bool shares)
{
    struct thread_index index = {thread};
    struct query query = query_default();
    query.threads = &index;
    query.thread_count = 1;
    query.with_variance = true;
    struct error error = {0};
    struct answer *answer = &answers[run_count];
    if (query_run(&whole, &query, answer, &error) != 0)
        fail_msg("%s", error.message);
    runs[run_count++] = (struct compared_run){answer, side, shares ? 100 / answer->tree.root_total : 1, 0};
}

static void compare(const struct comparison_terms *terms)
{
    struct error error = {0};
    if (comparison_build(runs, run_count, terms, &comparison, &error) != 0)
        fail_msg("%s", error.message);
}

static void close_all(void)
{
    comparison_free(&comparison);
    for (size_t i = 0; i < run_count; i++)
        answer_free(&answers[i]);
    run_count = 0;
    view_free(&whole);
    profile_free(&profile);
}

static const struct compared_func *find(const char *name)
{
    for (size_t i = 0; i < comparison.funcs.count; i++)
        if (slice_equal(func_key_name(&comparison.keys, comparison.funcs.items[i].key), slice_of(name)))
            return &comparison.funcs.items[i];
    return NULL;
}

/* ---- one change ---- */

static void assert_near(double number, double expected, double error)
{
    if (!(fabs(number - expected) <= error))
        fail_msg("%.12g instead of %.12g", number, expected);
}

static double chance_of_counts(double base, double new)
{
    return change_chance(&(struct measure){base, base, 1, 0}, &(struct measure){new, new, 1, 0}, NULL);
}

static void chances_are_those_of_a_binomial_distribution(void **state)
{
    (void)state;
    /* Twice the tail, by hand: 2 * 0.5^5, 2 * (1 + 10) / 2^10, and what R's binom.test(40, 100) gives. */
    assert_near(chance_of_counts(0, 5), 0.0625, 1e-9);
    assert_near(chance_of_counts(9, 1), 22.0 / 1024, 1e-9);
    assert_near(chance_of_counts(40, 60), 0.05688793, 1e-6);
    assert_near(chance_of_counts(7, 7), 1, 1e-9);
    /* Above where the normal distribution takes its place the two agree. */
    assert_near(chance_of_counts(9900, 10099), chance_of_counts(9901, 10101), 0.01);
}

static void a_base_with_ten_times_the_samples_is_no_evidence_against_one_sample_less(void **state)
{
    (void)state;
    /* 10 samples of 0.1 and none of 1: of 11 equal ones none is in the new recording with (10 / 11)^10. */
    struct measure base = {1, 0.1, 0.1, 0}, new = {0, 0, 1, 0};
    assert_near(change_chance(&base, &new, NULL), fmin(1, 2 * pow(10.0 / 11, 10)), 1e-9);
    /* Three of 1 against none of 0.1 are. */
    struct measure none = {0, 0, 0.1, 0}, three = {3, 3, 1, 0};
    assert_near(change_chance(&none, &three, NULL), 2 * pow(1.0 / 11, 3), 1e-9);
}

static void one_long_wait_is_one_sample(void **state)
{
    (void)state;
    struct measure many = {1000, 1000, 1, 0}, one = {3000, 3000.0 * 3000, 1, 0};
    assert_true(change_chance(&many, &one, NULL) > 0.2);
    assert_true(chance_of_counts(1000, 3000) < 1e-100);
}

static void a_row_of_twelve_samples_is_not_one(void **state)
{
    (void)state;
    open_program();
    struct thread *drawn = &profile.threads.items[0];
    for (int i = 0; i < FUNCTIONS; i++)
        column_append_number(&drawn->samples.weight, 12);
    open_whole();
    add_run(0, SIDE_BASE, false);
    assert_near(answers[0].tree.root_uncertainty.variance, 12 * FUNCTIONS, 0);
    close_all();
}

static void exact_sums_differ_or_do_not(void **state)
{
    (void)state;
    struct measure a = {100, 0, 0, 0}, b = {101, 0, 0, 0};
    assert_near(change_chance(&a, &a, NULL), 1, 0);
    assert_near(change_chance(&a, &b, NULL), 0, 0);
}

static void what_is_smaller_than_a_sample_may_be_missing_by_chance(void **state)
{
    (void)state;
    /* 304 bytes, exactly; and none of a recording that takes a block for every 64 KiB. */
    struct measure exact = {304, 0, 0, 1e-4}, sampled = {0, 0, 65536, 1e-4}, large = {1 << 20, 0, 0, 1e-4};
    assert_true(change_chance(&exact, &sampled, NULL) > 0.9);
    assert_true(change_chance(&sampled, &exact, NULL) > 0.9);
    assert_true(change_chance(&large, &sampled, NULL) < 1e-5);
}

static void corrected_chances_are_those_of_benjamini_and_hochberg(void **state)
{
    (void)state;
    double chances[] = {0.01, NAN, 0.04, 0.03, 0.005, 0.5};
    assert_int_equal(changes_correct(chances, 6), 0);
    const double expected[] = {0.025, NAN, 0.05, 0.05, 0.025, 0.5};
    for (int i = 0; i < 6; i++)
        if (i != 1)
            assert_near(chances[i], expected[i], 1e-12);
    assert_true(isnan(chances[1]));
}

/* ---- recordings of one program ---- */

static const struct comparison_terms by_count = {.sums_are_exact = true, .level = 0.05};
static const struct comparison_terms by_share = {.shares = true, .level = 0.05};
static const struct comparison_terms by_weight = {.level = 0.05};

/* Few functions with most of the samples, and many with few. */
static void usual_shares(double *shares)
{
    for (int i = 0; i < FUNCTIONS; i++)
        shares[i] = pow(0.75, i);
}

/* Of `pairs` pairs of recordings, in how many there is a change in any function. */
static int pairs_that_differ(const struct comparison_terms *terms, size_t base_samples, size_t new_samples, double weight,
                             int pairs)
{
    double shares[FUNCTIONS];
    usual_shares(shares);
    int differ = 0;
    for (int pair = 0; pair < pairs; pair++) {
        struct random random = {(uint64_t)pair * 7919 + base_samples};
        open_program();
        record(&random, shares, base_samples, weight);
        record(&random, shares, new_samples, weight);
        open_whole();
        add_run(1, SIDE_BASE, terms->shares);
        add_run(2, SIDE_NEW, terms->shares);
        compare(terms);
        differ += comparison.significant > 0;
        close_all();
    }
    return differ;
}

/* The level, and three standard deviations of so many pairs. */
static int most_of(int pairs)
{
    return (int)(0.05 * pairs + 3 * sqrt(0.05 * 0.95 * pairs));
}

static void two_recordings_of_a_program_are_the_same_as_often_as_promised(void **state)
{
    (void)state;
    enum { PAIRS = 400 };
    assert_in_range(pairs_that_differ(&by_count, 2000, 2000, 0, PAIRS), 0, most_of(PAIRS));
    assert_in_range(pairs_that_differ(&by_share, 500, 5000, 0, PAIRS), 0, most_of(PAIRS));
    /* Few samples, of which one function has a quarter. */
    assert_in_range(pairs_that_differ(&by_count, 20, 20, 0, PAIRS), 0, most_of(PAIRS));
    assert_in_range(pairs_that_differ(&by_share, 15, 60, 0, PAIRS), 0, most_of(PAIRS));
    /* Weights that vary as widely as those of waits do. */
    assert_in_range(pairs_that_differ(&by_weight, 2000, 2000, 3, PAIRS), 0, most_of(PAIRS));
    assert_in_range(pairs_that_differ(&by_share, 1000, 3000, 3, PAIRS), 0, most_of(PAIRS));
}

static void a_profile_is_the_same_as_itself(void **state)
{
    (void)state;
    double shares[FUNCTIONS];
    usual_shares(shares);
    struct random random = {1};
    open_program();
    record(&random, shares, 3000, 2);
    open_whole();
    add_run(1, SIDE_BASE, false);
    add_run(1, SIDE_NEW, false);
    compare(&by_count);
    assert_int_equal(comparison.verdict, VERDICT_SAME);
    assert_int_equal(comparison.significant, 0);
    assert_near(comparison.whole.chance, 1, 0);
    close_all();
}

static void a_function_that_takes_half_as_much_again_is_found_alone(void **state)
{
    (void)state;
    double shares[FUNCTIONS], slower[FUNCTIONS];
    usual_shares(shares);
    usual_shares(slower);
    slower[3] *= 1.5;
    int found = 0, others = 0;
    enum { PAIRS = 100 };
    for (uint64_t pair = 0; pair < PAIRS; pair++) {
        struct random random = {pair};
        open_program();
        record(&random, shares, 4000, 0);
        record(&random, slower, 4210, 0); /* f3 had 0.75^3 of 4: 10.5 %, and has 5.3 % more */
        open_whole();
        add_run(1, SIDE_BASE, false);
        add_run(2, SIDE_NEW, false);
        compare(&by_count);
        found += find("f3")->significant;
        for (size_t i = 0; i < comparison.funcs.count; i++)
            others += comparison.funcs.items[i].significant && comparison.funcs.items[i].self.chance > 0 &&
                      &comparison.funcs.items[i] != find("f3") && &comparison.funcs.items[i] != find("main");
        /* The clock counted 5 % more, and no run was said to differ from the next. */
        assert_int_equal(comparison.verdict, VERDICT_SLOWER);
        close_all();
    }
    assert_in_range(found, PAIRS * 99 / 100, PAIRS);
    assert_in_range(others, 0, PAIRS / 10);
}

/* ---- programs whose runs differ ---- */

/* A normal deviate. */
static double normal(struct random *random)
{
    return sqrt(-2 * log(uniform(random))) * cos(2 * 3.14159265358979 * uniform(random));
}

/* All functions of a run are slower or faster by a few percent, each by its own. */
static void record_noisy(struct random *random, size_t samples, double noise)
{
    double shares[FUNCTIONS], sum = 0, all = 0;
    usual_shares(shares);
    for (int i = 0; i < FUNCTIONS; i++)
        all += shares[i];
    for (int i = 0; i < FUNCTIONS; i++)
        sum += shares[i] *= exp(noise * normal(random));
    record(random, shares, (size_t)((double)samples * sum / all), 0);
}

static void count_noisy(const struct comparison_terms *terms, uint32_t runs_each, int pairs, int *functions, int *wholes)
{
    *functions = *wholes = 0;
    for (int pair = 0; pair < pairs; pair++) {
        struct random random = {(uint64_t)pair + 1000};
        open_program();
        for (uint32_t run = 0; run < 2 * runs_each; run++)
            record_noisy(&random, 5000, 0.05);
        open_whole();
        for (uint32_t run = 0; run < 2 * runs_each; run++)
            add_run(run + 1, run < runs_each ? SIDE_BASE : SIDE_NEW, false);
        compare(terms);
        *functions += comparison.significant > 0;
        *wholes += comparison.verdict != VERDICT_SAME;
        close_all();
    }
}

static void runs_that_are_said_to_differ_do_not_count_as_changes(void **state)
{
    (void)state;
    enum { PAIRS = 200 };
    int functions, wholes;
    struct comparison_terms terms = by_count;
    terms.noise = 0.05;
    count_noisy(&terms, 1, PAIRS, &functions, &wholes);
    assert_in_range(functions, 0, most_of(PAIRS));
    assert_in_range(wholes, 0, most_of(PAIRS));
    /* Without that word they do. */
    count_noisy(&by_count, 1, PAIRS, &functions, &wholes);
    assert_in_range(functions, PAIRS / 2, PAIRS);
}

static void several_runs_of_a_side_say_how_much_runs_differ(void **state)
{
    (void)state;
    enum { PAIRS = 100 };
    int functions, wholes;
    struct comparison_terms terms = by_count;
    terms.noise = NAN;
    count_noisy(&terms, 3, PAIRS, &functions, &wholes);
    assert_in_range(functions, 0, most_of(PAIRS));
    assert_in_range(wholes, 0, most_of(PAIRS));
}

/* ---- functions of both sides ---- */

static void compare_drawn(const char *base, const char *new)
{
    text_profile_open(&profile);
    text_profile_add_thread(&profile, base);
    text_profile_add_thread(&profile, new);
    open_whole();
    add_run(0, SIDE_BASE, false);
    add_run(1, SIDE_NEW, false);
    compare(&by_count);
}

static void assert_compared(const char *name, double base_self, double new_self, double base_total, double new_total)
{
    const struct compared_func *func = find(name);
    assert_non_null(func);
    assert_near(func->self.of[SIDE_BASE].value, base_self, 0);
    assert_near(func->self.of[SIDE_NEW].value, new_self, 0);
    assert_near(func->total.of[SIDE_BASE].value, base_total, 0);
    assert_near(func->total.of[SIDE_NEW].value, new_total, 0);
}

static void both_sides_are_there_and_what_came_and_went(void **state)
{
    (void)state;
    compare_drawn("main  main  main\n"
                  "read  read  draw\n",
                  "main  main  main  main\n"
                  "read  send  send  send\n");
    assert_int_equal(comparison.funcs.count, 4);
    assert_compared("main", 0, 0, 3, 4);
    assert_compared("read", 2, 1, 2, 1);
    assert_compared("draw", 1, 0, 1, 0);
    assert_compared("send", 0, 3, 0, 3);
    assert_near(comparison.whole.of[SIDE_BASE].value, 3, 0);
    assert_near(comparison.whole.of[SIDE_NEW].value, 4, 0);
    close_all();
}

static void a_function_of_a_renamed_program_is_the_same(void **state)
{
    (void)state;
    compare_drawn("main[lib:app.old]         main[lib:app.old]\n"
                  "draw.isra.0[lib:app.old]  read[lib:libc]\n",
                  "main[lib:app.new]              main[lib:app.new]\n"
                  "draw.constprop.3[lib:app.new]  read[lib:libc]\n");
    assert_int_equal(comparison.funcs.count, 3);
    assert_compared("main", 0, 0, 2, 2);
    assert_compared("draw.isra.0", 1, 1, 1, 1);
    assert_compared("read", 1, 1, 1, 1);
    close_all();
}

static void names_that_several_functions_have_are_not_guessed(void **state)
{
    (void)state;
    compare_drawn("init[lib:a]  init[lib:b]  0x10[lib:a]\n", "init[lib:c]  init[lib:b]  0x10[lib:c]\n");
    assert_int_equal(comparison.funcs.count, 4); /* init of a and c, and of b; addresses are no names */
    close_all();
    compare_drawn("init[lib:a]  init[lib:b]\n", "init[lib:c]\n");
    assert_int_equal(comparison.funcs.count, 3);
    close_all();
}

/* ---- the tree ---- */

static void append_tree(char *text, size_t size, bool inverted)
{
    struct comparison_tree_cut cut = {.inverted = inverted, .depth = SIZE_MAX, .min = 1};
    struct comparison_tree tree;
    struct error error = {0};
    if (comparison_tree_build(&comparison, runs, &cut, &tree, &error) != 0)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < tree.order.count; i++) {
        const struct compared_node *node = &tree.nodes.items[tree.order.items[i]];
        struct slice name = func_key_name(&comparison.keys, node->key);
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%*s%.*s %g %g (%g %g)%s\n", (int)node->depth * 2, "", (int)name.length, name.text,
                 node->total[SIDE_BASE], node->total[SIDE_NEW], node->self[SIDE_BASE], node->self[SIDE_NEW],
                 node->significant ? " !" : "");
    }
    comparison_tree_free(&tree);
}

static void a_tree_has_the_paths_of_both_sides(void **state)
{
    (void)state;
    char text[1000] = "";
    compare_drawn("main  main  main\n"
                  "read  read  draw\n"
                  "fill        fill\n",
                  "main  main  main  main\n"
                  "read  send  send  send\n"
                  "fill  fill            \n");
    append_tree(text, sizeof text, false);
    assert_string_equal(text, "main 3 4 (0 0)\n"
                              "  send 0 3 (0 2)\n"
                              "    fill 0 1 (0 1)\n"
                              "  read 2 1 (1 0)\n"
                              "    fill 1 1 (1 1)\n"
                              "  draw 1 0 (0 0)\n"
                              "    fill 1 0 (1 0)\n");
    text[0] = '\0';
    append_tree(text, sizeof text, true);
    assert_string_equal(text, "fill 2 2 (2 2)\n"
                              "  read 1 1 (0 0)\n"
                              "    main 1 1 (0 0)\n"
                              "  draw 1 0 (0 0)\n"
                              "    main 1 0 (0 0)\n"
                              "  send 0 1 (0 0)\n"
                              "    main 0 1 (0 0)\n"
                              "send 0 2 (0 2)\n"
                              "  main 0 2 (0 0)\n"
                              "read 1 0 (1 0)\n"
                              "  main 1 0 (0 0)\n");
    close_all();
}

static void the_tree_says_where_a_function_changed(void **state)
{
    (void)state;
    double shares[FUNCTIONS], slower[FUNCTIONS];
    usual_shares(shares);
    usual_shares(slower);
    slower[0] *= 2;
    struct random random = {3};
    open_program();
    record(&random, shares, 1000, 0);
    record(&random, slower, 1250, 0);
    open_whole();
    add_run(1, SIDE_BASE, false);
    add_run(2, SIDE_NEW, false);
    compare(&by_count);
    char text[4000] = "";
    append_tree(text, sizeof text, false);
    assert_non_null(strstr(text, "main 1000 1250 (0 0) !\n  f0 "));
    int changed = 0;
    for (const char *at = text; (at = strstr(at, " !\n")); at += 3)
        changed++;
    assert_int_equal(changed, 2);
    close_all();
}

/* ---- memory ---- */

static int compare_once(void *data, struct error *error)
{
    (void)data;
    struct comparison_tree_cut cut = {.inverted = true, .depth = SIZE_MAX};
    struct comparison_tree tree = {0};
    int status = comparison_build(runs, run_count, &by_count, &comparison, error);
    if (status == 0)
        status = comparison_tree_build(&comparison, runs, &cut, &tree, error);
    comparison_tree_free(&tree);
    comparison_free(&comparison);
    return status;
}

static void every_failing_allocation_is_a_clean_error(void **state)
{
    (void)state;
    compare_drawn("main[lib:a]  main[lib:a]\nread         draw\n", "main[lib:b]  main[lib:b]\nread         send\n");
    comparison_free(&comparison);
    assert_true(assert_survives_failing_allocations(compare_once, NULL) > 10);
    close_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chances_are_those_of_a_binomial_distribution),
        cmocka_unit_test(a_base_with_ten_times_the_samples_is_no_evidence_against_one_sample_less),
        cmocka_unit_test(one_long_wait_is_one_sample),
        cmocka_unit_test(a_row_of_twelve_samples_is_not_one),
        cmocka_unit_test(exact_sums_differ_or_do_not),
        cmocka_unit_test(what_is_smaller_than_a_sample_may_be_missing_by_chance),
        cmocka_unit_test(corrected_chances_are_those_of_benjamini_and_hochberg),
        cmocka_unit_test(two_recordings_of_a_program_are_the_same_as_often_as_promised),
        cmocka_unit_test(a_profile_is_the_same_as_itself),
        cmocka_unit_test(a_function_that_takes_half_as_much_again_is_found_alone),
        cmocka_unit_test(runs_that_are_said_to_differ_do_not_count_as_changes),
        cmocka_unit_test(several_runs_of_a_side_say_how_much_runs_differ),
        cmocka_unit_test(both_sides_are_there_and_what_came_and_went),
        cmocka_unit_test(a_function_of_a_renamed_program_is_the_same),
        cmocka_unit_test(names_that_several_functions_have_are_not_guessed),
        cmocka_unit_test(a_tree_has_the_paths_of_both_sides),
        cmocka_unit_test(the_tree_says_where_a_function_changed),
        cmocka_unit_test(every_failing_allocation_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
