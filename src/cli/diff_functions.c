#include "cli/diff.h"

#include "cli/cut.h"
#include "cli/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What is listed, in order. */
struct list {
    VEC(const struct compared_func *) funcs;
    size_t shown;  /* that are not cut by --limit */
    size_t chance; /* left out: they differ no more than chance explains */
    size_t small;  /* left out by --min */
};

static int compare_magnitudes(double a, double b)
{
    return (fabs(a) < fabs(b)) - (fabs(a) > fabs(b));
}

static int compare_funcs(const void *left, const void *right, void *context)
{
    const struct diff *diff = context;
    const struct compared_func *a = *(const struct compared_func *const *)left,
                               *b = *(const struct compared_func *const *)right;
    const struct func_keys *keys = &diff->comparison.keys;
    int by_self = compare_magnitudes(compared_delta(&a->self), compared_delta(&b->self));
    int by_total = compare_magnitudes(compared_delta(&a->total), compared_delta(&b->total)), order = 0;
    if (diff->options->sort == DIFF_BY_NAME)
        order = text_order(func_key_name(keys, a->key), func_key_name(keys, b->key));
    else if (diff->options->sort == DIFF_BY_CHANCE)
        order = (a->chance > b->chance) - (a->chance < b->chance);
    else if (diff->options->sort == DIFF_BY_TOTAL)
        order = by_total;
    if (order == 0)
        order = by_self != 0 ? by_self : by_total;
    return order != 0 ? order : (a->key > b->key) - (a->key < b->key);
}

/* JSON has all functions, unless a cut is asked for. EXIT_OK or EXIT_DATA after saying what is wrong. */
static int make_list(struct diff *diff, struct list *list)
{
    const struct comparison *comparison = &diff->comparison;
    const struct common_options *options = &diff->options->common;
    double least = diff_least(diff);
    for (size_t i = 0; i < comparison->funcs.count; i++) {
        const struct compared_func *func = &comparison->funcs.items[i];
        double change = fmax(fabs(compared_delta(&func->self)), fabs(compared_delta(&func->total)));
        if (!func->significant && !diff->options->all && !options->json) {
            list->chance++;
        } else if (change < least) {
            list->small++;
        } else if (!vec_push(&list->funcs, func)) {
            error_out_of_memory(&diff->runs[0].selection.error);
            return selection_report(&diff->runs[0].selection);
        }
    }
    if (list->funcs.count > 1)
        qsort_r(list->funcs.items, list->funcs.count, sizeof *list->funcs.items, compare_funcs, diff);
    size_t limit = cut_of_list(options);
    list->shown = list->funcs.count < limit ? list->funcs.count : limit;
    return EXIT_OK;
}

/* ---- text ---- */

/* A function changed where its self did, or its total: the other may be chance. */
static void add_sums(const struct diff *diff, struct table *table, const struct compared_sum *sum, bool significant)
{
    significant = significant && sum->chance <= diff->comparison.terms.level;
    double base = sum->of[SIDE_BASE].value, new = sum->of[SIDE_NEW].value, delta = new - base;
    enum style style = significant ? STYLE_PLAIN : STYLE_DIM;
    table_print(table, diff_style(delta, significant), "%s", diff_difference(diff, delta).text);
    table_print(table, style, "%s", diff_number(diff, base).text);
    table_print(table, style, "%s", diff_number(diff, new).text);
}

/* The library, or the file of a script. */
static struct slice place_of(const struct func_keys *keys, uint32_t key)
{
    struct slice lib = func_key_lib(keys, key), file = func_key_file(keys, key);
    return lib.length > 0 ? lib : file;
}

static void print_rest(const struct diff *diff, const struct list *list)
{
    size_t more = list->funcs.count - list->shown;
    if (list->funcs.count == 0)
        puts("no function changed by more than chance explains");
    else if (list->chance + list->small + more > 0)
        putchar('\n');
    if (more > 0)
        printf("… %s more (--limit %zu shows all)\n", number_grouped((double)more, 0).text, list->funcs.count);
    if (list->small > 0)
        printf("… %s more that changed by less than %g%% (--min)\n", number_grouped((double)list->small, 0).text,
               diff->options->common.min.value);
    if (list->chance > 0)
        printf("… %s more that differ no more than chance explains (--all)\n", number_grouped((double)list->chance, 0).text);
}

int diff_print_functions(struct diff *diff, const struct terminal *terminal)
{
    static const struct table_head heads[] = {
        {"Δ self", ALIGN_RIGHT, 0, KEEP_START},
        {"base", ALIGN_RIGHT, 0, KEEP_START},
        {"new", ALIGN_RIGHT, 0, KEEP_START},
        {"Δ total", ALIGN_RIGHT, 0, KEEP_START},
        {"base", ALIGN_RIGHT, 0, KEEP_START},
        {"new", ALIGN_RIGHT, 0, KEEP_START},
        {"p", ALIGN_RIGHT, 0, KEEP_START},
        {"", ALIGN_LEFT, 0, KEEP_START},
        {"library or file", ALIGN_LEFT, 20, KEEP_END},
        {"function", ALIGN_LEFT, 0, KEEP_ENDS},
    };
    const struct func_keys *keys = &diff->comparison.keys;
    struct list list = {0};
    int status = make_list(diff, &list);
    struct table table;
    table_init(&table, terminal, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < list.shown; i++) {
        const struct compared_func *func = list.funcs.items[i];
        enum style style = func->significant ? STYLE_PLAIN : STYLE_DIM;
        const struct measure *total = func->total.of;
        add_sums(diff, &table, &func->self, func->significant);
        add_sums(diff, &table, &func->total, func->significant);
        table_print(&table, style, "%s", diff_chance(func->chance).text);
        table_print(&table, style, "%s", total[SIDE_BASE].value == 0 ? "new" : total[SIDE_NEW].value == 0 ? "gone" : "");
        table_add(&table, place_of(keys, func->key), STYLE_DIM);
        table_add_func(&table, func_key_name(keys, func->key), style);
    }
    if (status == EXIT_OK && list.shown > 0)
        table_write(&table);
    if (status == EXIT_OK && !table.failed)
        print_rest(diff, &list);
    bool failed = table.failed;
    table_free(&table);
    vec_free(&list.funcs);
    return status == EXIT_OK ? output_finish(failed) : status;
}

/* ---- JSON ---- */

int diff_put_functions(struct diff *diff, struct json_output *output)
{
    const struct func_keys *keys = &diff->comparison.keys;
    struct list list = {0};
    int status = make_list(diff, &list);
    json_put_boolean(output, "truncated", list.shown < list.funcs.count || list.small > 0);
    json_write_key(output->writer, "functions");
    json_write_begin_array(output->writer);
    for (size_t i = 0; i < list.shown && status == EXIT_OK; i++) {
        const struct compared_func *func = list.funcs.items[i];
        const struct measure *self = func->self.of, *total = func->total.of;
        json_write_begin_object(output->writer);
        diff_put_func(output, keys, func->key);
        diff_put_sum(output, "Self", self[SIDE_BASE].value, self[SIDE_NEW].value);
        json_put_number(output, "deltaSelfError", change_error(&self[SIDE_BASE], &self[SIDE_NEW]));
        diff_put_sum(output, "Total", total[SIDE_BASE].value, total[SIDE_NEW].value);
        json_put_number(output, "deltaTotalError", change_error(&total[SIDE_BASE], &total[SIDE_NEW]));
        json_put_number(output, "p", func->chance);
        json_put_boolean(output, "significant", func->significant);
        json_write_end_object(output->writer);
    }
    json_write_end_array(output->writer);
    vec_free(&list.funcs);
    return status;
}
