/* sonde diff: the recordings that are compared, and the two forms of the answer. */
#ifndef SONDE_CLI_DIFF_H
#define SONDE_CLI_DIFF_H

#include "cli/output.h"
#include "cli/selection.h"
#include "print/number.h"
#include "tree/comparison.h"

/* What the sums of a recording are divided by. */
enum diff_per { PER_RUN, PER_SHARE, PER_FUNCTION, PER_MARKER };

enum diff_sort { DIFF_BY_SELF, DIFF_BY_TOTAL, DIFF_BY_NAME, DIFF_BY_CHANCE };

struct diff_options {
    struct common_options common;    /* file = BASE, operand = NEW */
    struct text_list base, new;      /* further recordings of either */
    struct seconds_range base_range; /* --range and --at of BASE, where they are others than those of NEW */
    const char *base_at;
    const char *per;
    const char *output;
    struct optional_number noise, level; /* percent */
    struct text_list fail_if;
    int sort; /* enum diff_sort */
    bool tree, all;
};

struct diff_run {
    struct common_options options; /* those of the command, with its own file */
    struct selection selection;
    struct answer answer;
    enum comparison_side side;
    double unit;  /* what its weights are multiplied by so that all runs count the same thing */
    double count; /* --per marker: how many there are */
};

struct diff {
    const struct diff_options *options;
    const struct command *command;
    struct diff_run *runs; /* those of BASE first */
    size_t run_count;
    struct compared_run *compared;
    struct comparison comparison;
    enum diff_per per;
    enum weight_type type; /* of the sums that are shown; shares have none */
    bool failed;           /* --fail-if found something */
};

/* Reads the recordings and asks each the same question. EXIT_OK, or the exit status after saying what is wrong; `diff` is to be
 * given to diff_close() in any case. */
int diff_open(struct diff *diff);
void diff_close(struct diff *diff);

/* What --per says, before any file is read: EXIT_OK or EXIT_USAGE. */
int diff_per_parse(struct diff *diff);

/* The unit of the sums: "ms", "samples", … or "%". */
const char *diff_unit(const struct diff *diff, double value);

/* A sum without its unit, where bytes have theirs; and a difference, with its sign. */
struct number_text diff_number(const struct diff *diff, double value);
struct number_text diff_difference(const struct diff *diff, double delta);

/* Of what is compared with others: 0.012, <0.001 */
struct number_text diff_chance(double chance);

/* Red is slower. Grey may be chance. */
enum style diff_style(double delta, bool significant);

/* What at least changed so much is shown: --min, in what sums are in. */
double diff_least(const struct diff *diff);

/* The functions, or with --tree the call tree, after the head of the answer: the exit status. */
int diff_print_functions(struct diff *diff, const struct terminal *terminal);
int diff_print_tree(struct diff *diff, const struct terminal *terminal);

/* The same for JSON: their keys, in an object that is open. */
int diff_put_functions(struct diff *diff, struct json_output *output);
int diff_put_tree(struct diff *diff, struct json_output *output);

/* The keys name, lib and file. */
void diff_put_func(struct json_output *output, const struct func_keys *keys, uint32_t key);

/* The keys baseSelf, newSelf, deltaSelf, or those of another KIND. */
void diff_put_sum(struct json_output *output, const char *kind, double base, double new);

/* -o: the call trees of both sides as one, in a file, by its name:
 *
 *     .svg                          a flame graph of both
 *     .folded, .collapsed, .txt, -  folded stacks with two counts (`main;draw 40 55`), as difffolded.pl writes them
 *
 * Before anything is read: EXIT_OK, or EXIT_USAGE after saying what is wrong. */
int diff_output_check(const struct command *command, const char *output);

/* EXIT_OK, or EXIT_DATA after saying what is wrong. */
int diff_output_write(struct diff *diff);

#endif
