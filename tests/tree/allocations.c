/* Allocations of drawn processes whose truth is known: what is retained, when most was, what leaks, what lives for a moment,
 * how large blocks are; and how far off sampled sums are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tree_text.h"

#include "allocations/sampling.h"
#include "common/map.h"
#include "support/random_profile.h"
#include "support/text_profile.h"
#include "tree/allocation_peak.h"
#include "tree/size_class.h"

#include <errno.h>
#include <math.h>

static struct profile profile;
static struct view whole;

/* ---- drawing ---- */

/* The Nth stack is main and the Nth function below it. */
static const char *const functions = "main  main  main  main  main  main  main  main\n"
                                     "a     b     c     d     e     f     g     h\n";

static uint32_t stack_of(const struct thread *thread, uint32_t function)
{
    return column_get_index(&thread->samples.stack, function);
}

static void add_row(struct thread *thread, double time, uint32_t stack, double weight, double address, double size)
{
    struct allocation_table *table = &thread->native_allocations;
    table->present = true;
    column_append_index(&table->stack, stack);
    column_append_number(&table->time, time);
    column_append_number(&table->weight, weight);
    column_append_number(&table->memory_address, address);
    column_append(&table->thread_id, 1);
    if (size > 0)
        column_append_number(&table->size, size);
}

/* A line an event: "TIME + ADDRESS FUNCTION SIZE [WEIGHT]", or "TIME - ADDRESS". */
struct drawn_block {
    double address, weight, size;
};

static void draw(struct thread *thread, const char *text)
{
    struct drawn_block blocks[64];
    size_t count = 0;
    for (char line[100]; *text; text += strcspn(text, "\n") + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
        double time, address, size = 0, weight = NAN;
        char sign, function;
        int words = sscanf(line, "%lf %c %lf %c %lf %lf", &time, &sign, &address, &function, &size, &weight);
        assert_true(words >= 3 && count < 64);
        if (sign == '+') {
            weight = words > 5 ? weight : size;
            blocks[count++] = (struct drawn_block){address, weight, size};
            add_row(thread, time, stack_of(thread, (uint32_t)(function - 'a')), weight, address, size);
            continue;
        }
        struct drawn_block *block = &blocks[count - 1];
        while (block->address != address)
            block--;
        add_row(thread, time, INDEX_NONE, -block->weight, address, block->size);
    }
}

static void open_whole(void)
{
    struct error error = {0};
    if (profile_finish(&profile, &error) != 0 || view_open(&profile, &whole, &error) != 0)
        fail_msg("%s", error.message);
}

static void open_drawn(const char *text)
{
    text_profile_open(&profile);
    draw(text_profile_add_thread(&profile, functions), text);
    open_whole();
}

static void close_whole(void)
{
    view_free(&whole);
    profile_free(&profile);
}

static struct query query_of(enum strategy strategy)
{
    static const struct thread_index threads[] = {{0}, {1}};
    struct query query = query_default();
    query.threads = threads;
    query.thread_count = profile.threads.count;
    query.strategy = strategy;
    return query;
}

static void assert_counted(enum strategy strategy, const char *expected)
{
    struct query query = query_of(strategy);
    assert_tree_text(&whole, &query, expected);
}

/* ---- strategies ---- */

static const char *const life = "1  + 10 a 100\n"
                                "2  + 20 b 50\n"
                                "2.5 - 20\n"
                                "3  + 30 c 400\n"
                                "4  - 30\n"
                                "10 + 40 b 30\n"
                                "11 - 10\n";

static void the_peak_is_the_moment_when_most_is_allocated(void **state)
{
    (void)state;
    open_drawn(life);
    assert_counted(STRATEGY_NATIVE_PEAK, "main (500 | 0)\n"
                                         "  c (400 | 400)\n"
                                         "  a (100 | 100)\n");
    close_whole();
}

static void what_was_retained_at_a_time_is_what_was_allocated_before_it_and_freed_later(void **state)
{
    (void)state;
    open_drawn(life);
    struct query query = query_of(STRATEGY_NATIVE_RETAINED);
    query.range.end = 2.2;
    assert_tree_text(&whole, &query, "main (150 | 0)\n  a (100 | 100)\n  b (50 | 50)\n");
    close_whole();
}

static void in_a_range_only_what_was_allocated_there_counts(void **state)
{
    (void)state;
    open_drawn(life);
    struct query query = query_of(STRATEGY_NATIVE_RETAINED);
    query.range.start = 2;
    assert_tree_text(&whole, &query, "main (30 | 0)\n  b (30 | 30)\n");
    query.strategy = STRATEGY_NATIVE_PEAK;
    assert_tree_text(&whole, &query, "main (400 | 0)\n  c (400 | 400)\n");
    close_whole();
}

static void temporary_is_what_lived_less_than_a_moment(void **state)
{
    (void)state;
    open_drawn(life);
    assert_counted(STRATEGY_NATIVE_TEMPORARY, "main (50 | 0)\n  b (50 | 50)\n");
    struct query query = query_of(STRATEGY_NATIVE_TEMPORARY);
    query.younger_than = 5;
    assert_tree_text(&whole, &query, "main (450 | 0)\n  c (400 | 400)\n  b (50 | 50)\n");
    close_whole();
}

static void a_moment_counts_when_all_of_it_is_known(void **state)
{
    (void)state;
    open_drawn("1 + 10 a 100\n2 + 20 b 500\n2 - 20\n3 + 30 c 10\n");
    assert_counted(STRATEGY_NATIVE_PEAK, "main (110 | 0)\n  a (100 | 100)\n  c (10 | 10)\n");
    close_whole();
}

static void the_peak_of_several_processes_is_that_of_their_sum(void **state)
{
    (void)state;
    text_profile_open(&profile);
    draw(text_profile_add_thread(&profile, functions), "1 + 10 a 100\n3 - 10\n");
    draw(text_profile_add_thread(&profile, functions), "1 + 10 b 60\n2 + 20 b 60\n4 - 10\n5 + 30 b 61\n");
    open_whole();
    assert_counted(STRATEGY_NATIVE_PEAK, "main (220 | 0)\n  b (120 | 120)\n  a (100 | 100)\n");
    close_whole();
}

static void a_process_that_has_ended_holds_nothing(void **state)
{
    (void)state;
    text_profile_open(&profile);
    draw(text_profile_add_thread(&profile, functions), "1 + 10 a 100\n");
    draw(text_profile_add_thread(&profile, functions), "3 + 10 b 60\n4 + 20 c 50\n");
    profile.threads.items[0].unregister_time = 2;
    open_whole();
    assert_counted(STRATEGY_NATIVE_PEAK, "main (110 | 0)\n  b (60 | 60)\n  c (50 | 50)\n");
    assert_counted(STRATEGY_NATIVE_RETAINED, "main (210 | 0)\n  a (100 | 100)\n  b (60 | 60)\n  c (50 | 50)\n");
    close_whole();
}

static void a_leak_is_never_freed_and_older_than_blocks_of_its_place_get(void **state)
{
    (void)state;
    /* a leaks; b has blocks that live for 60 of 100 ms, so one of 50 is no news; c is of the last tenth. */
    open_drawn("0  + 10 a 100\n"
               "10 + 20 b 50\n"
               "20 + 21 b 51\n"
               "50 + 22 b 52\n"
               "70 - 20\n"
               "95 + 30 c 30\n"
               "100 + 31 c 30\n");
    assert_counted(STRATEGY_NATIVE_LEAKED, "main (151 | 0)\n  a (100 | 100)\n  b (51 | 51)\n");
    close_whole();
}

static void what_is_freed_at_the_end_does_not_hide_a_leak(void **state)
{
    (void)state;
    open_drawn("0  + 10 a 100\n"
               "1 + 20 a 100\n"
               "50 + 21 a 100\n"
               "99 - 20\n"
               "100 + 31 c 30\n");
    assert_counted(STRATEGY_NATIVE_LEAKED, "main (200 | 0)\n  a (200 | 200)\n");
    close_whole();
}

static void blocks_count_instead_of_bytes(void **state)
{
    (void)state;
    open_drawn("1 + 10 a 10 1000\n2 + 20 b 400\n3 + 30 a 20 100\n4 - 10\n");
    struct query query = query_of(STRATEGY_NATIVE_ALLOCATIONS);
    query.blocks = true;
    assert_tree_text(&whole, &query, "main (106 | 0)\n  a (105 | 105)\n  b (1 | 1)\n");
    query.strategy = STRATEGY_NATIVE_DEALLOCATIONS_MEMORY;
    assert_tree_text(&whole, &query, "main (-100 | 0)\n  a (-100 | -100)\n");
    close_whole();
}

static void without_sizes_each_row_is_a_block_and_nothing_is_said_of_errors(void **state)
{
    (void)state;
    struct answer answer;
    struct error error = {0};
    text_profile_open(&profile);
    struct thread *thread = text_profile_add_thread(&profile, functions);
    add_row(thread, 1, stack_of(thread, 0), 1000, 10, 0);
    open_whole();
    struct query query = query_of(STRATEGY_NATIVE_ALLOCATIONS);
    query.blocks = true;
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    assert_true(answer.tree.root_total == 1 && !answer.tree.self_uncertainty);
    answer_free(&answer);
    close_whole();
}

static void sizes_of_blocks_take_the_place_of_functions(void **state)
{
    (void)state;
    open_drawn("1 + 10 a 24 1000\n2 + 20 b 31\n3 + 30 c 1032\n4 + 40 c 1033\n5 + 50 b 131072\n6 + 60 c 131071\n7 + 70 a 1\n");
    struct query query = query_of(STRATEGY_NATIVE_ALLOCATIONS);
    query.group = GROUP_SIZE;
    assert_tree_text(&whole, &query,
                     "128 KiB to below 256 KiB (from here on glibc maps each block, unless tuned) (131072 | 131072)\n"
                     "64 KiB to below 128 KiB (131071 | 131071)\n"
                     "1033 to 2047 bytes (1033 | 1033)\n"
                     "512 to 1032 bytes (up to here kept in glibc's tcache) (1032 | 1032)\n"
                     "16 to 31 bytes (1031 | 1031)\n"
                     "1 byte (1 | 1)\n");
    /* Only what the search leaves. */
    query.search = SLICE("name:/^b$/");
    assert_tree_text(&whole, &query,
                     "128 KiB to below 256 KiB (from here on glibc maps each block, unless tuned) (131072 | 131072)\n"
                     "16 to 31 bytes (31 | 31)\n");
    close_whole();
}

/* Those of a process stand with its main thread, each with the number of the thread that made it. */
static void threads_take_the_place_of_functions(void **state)
{
    (void)state;
    text_profile_open(&profile);
    struct thread *thread = text_profile_add_thread(&profile, functions);
    add_row(thread, 1, stack_of(thread, 0), 100, 10, 100);
    add_row(thread, 2, stack_of(thread, 1), 20, 20, 20);
    add_row(thread, 3, stack_of(thread, 0), 3, 30, 3);
    column_free(&thread->native_allocations.thread_id);
    column_init(&thread->native_allocations.thread_id, COLUMN_INTEGERS, &profile.arena);
    for (int i = 0; i < 3; i++)
        column_append(&thread->native_allocations.thread_id, (int64_t[]){1, 77, 99}[i]);
    struct string_index pid = thread->pid;
    thread->tid = string_table_add(&profile.strings, SLICE("1"));
    thread->name = string_table_add(&profile.strings, SLICE("main"));
    thread = text_profile_add_thread(&profile, "main\na\n");
    thread->pid = pid;
    thread->tid = string_table_add(&profile.strings, SLICE("77"));
    thread->name = string_table_add(&profile.strings, SLICE("worker"));
    open_whole();
    struct query query = query_of(STRATEGY_NATIVE_ALLOCATIONS);
    query.group = GROUP_THREAD;
    /* 99 is unknown. */
    assert_tree_text(&whole, &query, "main (103 | 103)\nworker (20 | 20)\n");
    query.search = SLICE("name:/^b$/");
    assert_tree_text(&whole, &query, "worker (20 | 20)\n");
    /* Samples are those of their own thread. */
    query = query_of(STRATEGY_TIMING);
    query.group = GROUP_THREAD;
    assert_tree_text(&whole, &query, "main (8 | 8)\nworker (1 | 1)\n");
    close_whole();
}

static void only_allocations_have_sizes(void **state)
{
    (void)state;
    struct answer answer;
    struct error error = {0};
    open_drawn(life);
    struct query query = query_of(STRATEGY_TIMING);
    query.group = GROUP_SIZE;
    assert_int_equal(query_run(&whole, &query, &answer, &error), -EINVAL);
    assert_string_equal(error.message, "strategy timing: only allocations have sizes");
    close_whole();
}

static void every_size_has_a_class(void **state)
{
    (void)state;
    uint32_t last = 0;
    assert_int_equal(size_class_of(NAN), 0);
    assert_int_equal(size_class_of(-5), 0);
    assert_int_equal(size_class_of(1e300), SIZE_CLASSES - 1);
    for (double size = 1; size < 0x1p60; size += 1 + floor(size / 100)) {
        uint32_t of = size_class_of(size);
        assert_true(of == last || of == last + 1 || of == SIZE_CLASSES - 1);
        last = of;
    }
}

/* ---- errors ---- */

static struct uncertainty uncertainty_of(const struct answer *answer, uint32_t func)
{
    for (uint32_t node = 0; node < answer->nodes.count; node++)
        if (answer->nodes.func[node] == func)
            return answer->tree.total_uncertainty[node];
    fail();
    return (struct uncertainty){0};
}

static void an_error_is_that_of_the_sampled_blocks(void **state)
{
    (void)state;
    struct answer answer;
    struct error error = {0};
    open_drawn("1 + 10 a 100 1000\n2 + 20 a 100 1000\n3 + 30 a 100 1000\n4 + 40 b 100 1000\n5 + 50 c 5000\n6 - 10\n");
    struct query query = query_of(STRATEGY_NATIVE_ALLOCATIONS);
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    assert_true(uncertainty_of(&answer, 1).variance == 3 * 900e3);
    assert_true(!uncertainty_is_few(uncertainty_of(&answer, 1)));
    assert_true(uncertainty_is_few(uncertainty_of(&answer, 2)));
    assert_true(uncertainty_of(&answer, 3).variance == 0 && !uncertainty_is_few(uncertainty_of(&answer, 3)));
    assert_true(answer.tree.root_uncertainty.variance == 4 * 900e3);
    answer_free(&answer);
    /* What was freed has no error any more. */
    query.strategy = STRATEGY_NATIVE_RETAINED;
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    assert_true(uncertainty_of(&answer, 1).variance == 2 * 900e3 && uncertainty_is_few(uncertainty_of(&answer, 1)));
    answer_free(&answer);
    close_whole();
}

static void inverted_trees_and_functions_have_the_same_errors(void **state)
{
    (void)state;
    struct answer answer;
    struct function_list list;
    struct error error = {0};
    open_drawn("1 + 10 a 100 1000\n2 + 20 a 100 1000\n3 + 30 b 100 4000\n");
    struct query query = query_of(STRATEGY_NATIVE_ALLOCATIONS);
    query.inverted = true;
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    assert_int_equal(inverted_tree_expand_all(&answer.inverted, &error), 0);
    const struct inverted_node *nodes = answer.inverted.nodes.items;
    assert_true(nodes[0].func == 2 && nodes[0].uncertainty.variance == 4000.0 * 3900);
    assert_true(nodes[1].func == 1 && nodes[1].uncertainty.variance == 2 * 900e3);
    assert_true(nodes[nodes[1].first_child].uncertainty.variance == 2 * 900e3);
    assert_int_equal(function_list_build(&answer.tree, whole.funcs->count, FUNCTIONS_BY_TOTAL, &list, &error), 0);
    assert_true(list.rows.items[0].func == 0 && list.rows.items[0].self_uncertainty.variance == 0);
    assert_true(list.rows.items[0].total_uncertainty.variance == answer.tree.root_uncertainty.variance);
    function_list_free(&list);
    answer_free(&answer);
    close_whole();
}

static void where_every_block_is_recorded_there_are_no_errors(void **state)
{
    (void)state;
    struct answer answer;
    struct error error = {0};
    open_drawn(life);
    struct query query = query_of(STRATEGY_NATIVE_ALLOCATIONS);
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    assert_null(answer.tree.self_uncertainty);
    answer_free(&answer);
    close_whole();
}

/* ---- coverage ---- */

enum { SITES = 5, BLOCKS = 3000, SEEDS = 200 };

/* Small, mixed and huge blocks. */
static uint64_t size_of_site(uint32_t site, struct random *random)
{
    switch (site) {
    case 0:
        return 16;
    case 1:
        return 1 + random_below(random, 200);
    case 2:
        return random_chance(random, 50) ? 100000 : 64;
    case 3:
        return 1000 + random_below(random, 30000);
    default:
        return 200000;
    }
}

struct truth {
    double allocated[SITES], left[SITES], blocks[SITES];
};

/* The same program, sampled by another seed. The mean changes on the way. */
static void record(struct thread *thread, uint64_t seed, struct truth *truth)
{
    struct random random = {12345};
    uint64_t state = hash_u64(hash_u64(seed) * 31 + 7), mean = 2000;
    double countdown = (double)sampling_gap(&state, mean);
    *truth = (struct truth){0};
    for (uint32_t i = 0; i < BLOCKS * SITES; i++) {
        uint32_t site = i % SITES;
        bool freed = random_chance(&random, 2);
        if (site == 4 && i % 50 != 4)
            continue;
        uint64_t size = size_of_site(site, &random);
        truth->allocated[site] += (double)size;
        truth->blocks[site]++;
        truth->left[site] += freed ? 0 : (double)size;
        countdown -= (double)size;
        if (countdown > 0)
            continue;
        double weight = round(sampling_weight(size, mean)), address = 16.0 * i;
        add_row(thread, i, stack_of(thread, site), weight, address, (double)size);
        if (freed)
            add_row(thread, i, INDEX_NONE, -weight, address, (double)size);
        mean = i > BLOCKS ? 4000 : mean;
        mean = i > 3 * BLOCKS ? 1000 : mean;
        countdown = (double)sampling_gap(&state, mean);
    }
}

struct coverage {
    unsigned inside, known, few;
    double off; /* of all sums, in standard errors of one */
};

static void look(enum strategy strategy, bool blocks, const double truth[SITES], struct coverage *coverage)
{
    struct query query = query_of(strategy);
    struct answer answer;
    struct error error = {0};
    query.blocks = blocks;
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    for (uint32_t site = 0; site < SITES; site++) {
        struct uncertainty uncertainty = {0};
        double sum = 0;
        for (uint32_t node = 0; node < answer.nodes.count; node++)
            if (answer.nodes.func[node] == site + 1) {
                sum = answer.tree.total[node];
                uncertainty = answer.tree.total_uncertainty[node];
            }
        if (uncertainty.sampled == 0 && sum > 0) {
            assert_true(fabs(sum - truth[site]) < 1); /* large blocks stand for themselves */
            continue;
        }
        coverage->few += uncertainty_is_few(uncertainty);
        coverage->known++;
        coverage->inside += fabs(sum - truth[site]) <= uncertainty_error(uncertainty);
        coverage->off += (sum - truth[site]) / (uncertainty_error(uncertainty) / 2);
    }
    answer_free(&answer);
}

static void two_standard_errors_have_the_truth_in_them_nearly_always(void **state)
{
    (void)state;
    static const struct {
        enum strategy strategy;
        bool blocks;
    } kinds[] = {{STRATEGY_NATIVE_ALLOCATIONS, false}, {STRATEGY_NATIVE_RETAINED, false}, {STRATEGY_NATIVE_ALLOCATIONS, true}};
    struct coverage coverage[3] = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct truth truth;
        text_profile_open(&profile);
        record(text_profile_add_thread(&profile, functions), seed, &truth);
        open_whole();
        const double *of[] = {truth.allocated, truth.left, truth.blocks};
        for (size_t i = 0; i < 3; i++)
            look(kinds[i].strategy, kinds[i].blocks, of[i], &coverage[i]);
        close_whole();
    }
    for (size_t i = 0; i < 3; i++) {
        double share = (double)coverage[i].inside / coverage[i].known;
        print_message("%s%s: %u of %u within (%.1f %%), mean %+.2f standard errors off\n", strategy_names[kinds[i].strategy],
                      kinds[i].blocks ? " --blocks" : "", coverage[i].inside, coverage[i].known, 100 * share,
                      coverage[i].off / coverage[i].known);
        assert_true(coverage[i].known >= 4 * SEEDS);
        assert_true(share >= 0.90 && share <= 0.98);
    }
}

/* ---- random tables, row by row ---- */

struct naive {
    double sum[8];
};

/* What a row-by-row reading of a table finds, straight from what strategies promise. */
static void count_naively(const struct thread *thread, enum strategy strategy, struct naive *naive)
{
    const struct allocation_table *table = &thread->native_allocations;
    size_t count = allocation_count(table), peak_end = count;
    size_t ended[200];
    double most = 0;
    assert_true(count <= 200);
    for (size_t i = 0; i < count; i++) {
        ended[i] = SIZE_MAX;
        if (column_get_number(&table->weight, i) >= 0)
            for (size_t j = i + 1; j < count; j++) {
                bool same = column_get_number(&table->memory_address, j) == column_get_number(&table->memory_address, i);
                if (same && column_get_number(&table->weight, j) < 0)
                    ended[i] = j;
                if (same)
                    break;
            }
    }
    for (size_t i = 0; i < count; i++) {
        double live = 0;
        for (size_t j = 0; j <= i; j++)
            if (column_get_number(&table->weight, j) >= 0 && (ended[j] == SIZE_MAX || ended[j] > i))
                live += column_get_number(&table->weight, j);
        bool is_over = i + 1 == count || column_get_number(&table->time, i + 1) != column_get_number(&table->time, i);
        if (is_over && live > most) {
            most = live;
            peak_end = i + 1;
        }
    }
    memset(naive, 0, sizeof *naive);
    for (size_t i = 0; i < count; i++) {
        double weight = column_get_number(&table->weight, i);
        uint32_t stack = column_get_index(&table->stack, i);
        double age =
            ended[i] == SIZE_MAX ? INFINITY : column_get_number(&table->time, ended[i]) - column_get_number(&table->time, i);
        bool counts = strategy == STRATEGY_NATIVE_RETAINED    ? ended[i] == SIZE_MAX
                      : strategy == STRATEGY_NATIVE_TEMPORARY ? age < 1
                                                              : i < peak_end && (ended[i] == SIZE_MAX || ended[i] >= peak_end);
        if (weight < 0 || !counts || stack == INDEX_NONE)
            continue;
        for (uint32_t function = 0; function < 8; function++)
            naive->sum[function] += stack == stack_of(thread, function) ? weight : 0;
    }
}

static void random_tables_say_what_a_reading_row_by_row_finds(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct random random = {seed};
        struct naive naive;
        struct error error = {0};
        text_profile_open(&profile);
        struct thread *thread = text_profile_add_thread(&profile, functions);
        double time = 0;
        for (uint32_t i = random_below(&random, 120); i > 0; i--) {
            double bytes = 1 + random_below(&random, 1000);
            time += random_below(&random, 3) * 0.5;
            add_row(thread, time, stack_of(thread, random_below(&random, 8)), random_chance(&random, 3) ? -bytes : bytes,
                    16 * random_below(&random, 12), 1 + random_below(&random, (uint32_t)bytes));
        }
        thread->native_allocations.present = true;
        open_whole();
        thread = &profile.threads.items[0];
        static const enum strategy strategies[] = {STRATEGY_NATIVE_RETAINED, STRATEGY_NATIVE_TEMPORARY, STRATEGY_NATIVE_PEAK};
        for (size_t i = 0; i < 3 && allocation_count(&thread->native_allocations) > 0; i++) {
            struct query query = query_of(strategies[i]);
            struct answer answer;
            count_naively(thread, strategies[i], &naive);
            assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
            for (uint32_t node = 0; node < answer.nodes.count; node++)
                if (answer.nodes.func[node] > 0)
                    assert_true(answer.tree.self[node] == naive.sum[answer.nodes.func[node] - 1]);
            answer_free(&answer);
        }
        close_whole();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_peak_is_the_moment_when_most_is_allocated),
        cmocka_unit_test(what_was_retained_at_a_time_is_what_was_allocated_before_it_and_freed_later),
        cmocka_unit_test(in_a_range_only_what_was_allocated_there_counts),
        cmocka_unit_test(temporary_is_what_lived_less_than_a_moment),
        cmocka_unit_test(a_moment_counts_when_all_of_it_is_known),
        cmocka_unit_test(the_peak_of_several_processes_is_that_of_their_sum),
        cmocka_unit_test(a_process_that_has_ended_holds_nothing),
        cmocka_unit_test(a_leak_is_never_freed_and_older_than_blocks_of_its_place_get),
        cmocka_unit_test(what_is_freed_at_the_end_does_not_hide_a_leak),
        cmocka_unit_test(blocks_count_instead_of_bytes),
        cmocka_unit_test(without_sizes_each_row_is_a_block_and_nothing_is_said_of_errors),
        cmocka_unit_test(sizes_of_blocks_take_the_place_of_functions),
        cmocka_unit_test(threads_take_the_place_of_functions),
        cmocka_unit_test(only_allocations_have_sizes),
        cmocka_unit_test(every_size_has_a_class),
        cmocka_unit_test(an_error_is_that_of_the_sampled_blocks),
        cmocka_unit_test(inverted_trees_and_functions_have_the_same_errors),
        cmocka_unit_test(where_every_block_is_recorded_there_are_no_errors),
        cmocka_unit_test(two_standard_errors_have_the_truth_in_them_nearly_always),
        cmocka_unit_test(random_tables_say_what_a_reading_row_by_row_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
