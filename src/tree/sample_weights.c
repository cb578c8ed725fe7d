#include "tree/cpu.h"
#include "tree/weigh.h"

#include <math.h>

struct sample_weigher {
    const struct profile *profile;
    const struct row_selection *selection;
    struct stack_weights *weights;
    enum strategy strategy;
    bool is_weighted;     /* some thread's samples do not simply count 1 each */
    double cpu_reference; /* of STRATEGY_CPU, else 0 */
};

/* Rows say what they stand for; without weights, a row stands for the time since the one before. */
static bool rows_have_weights(const struct sample_table *samples)
{
    return samples->weight_type == WEIGHT_TRACING_MS && sample_table_has(&samples->weight);
}

/* Because samples come at random: a row with a weight of 12 samples stands for 12 of them, one of 12 ms is one. */
static struct uncertainty uncertainty_of_row(double value, bool counts_samples)
{
    value = fabs(value);
    return counts_samples ? (struct uncertainty){value, value} : (struct uncertainty){value * value, 1};
}

/* Rows [row, row + count), at most a block. `value` NULL = each counts 1. */
static void weigh_block(struct stack_weights *weights, const struct sample_table *samples, const struct rows *rows, size_t row,
                        size_t count, const double *value, bool skip_nothing)
{
    int64_t stacks[COLUMN_BLOCK_ROWS];
    column_read(&samples->stack, row, count, stacks);
    for (size_t i = 0; i < count; i++) {
        if (stacks[i] == COLUMN_ABSENT || (rows->dropped && rows->dropped[row + i]))
            continue;
        if (skip_nothing && value[i] == 0)
            continue;
        weights->rows[stacks[i]]++;
        if (value)
            weights->weight[stacks[i]] += value[i];
        if (weights->uncertainty)
            uncertainty_add(&weights->uncertainty[stacks[i]],
                            uncertainty_of_row(value ? value[i] : 1, weights->type == WEIGHT_SAMPLES));
    }
}

/* `durations` of all rows, NULL unless they are what is counted. */
static void weigh_values(const struct sample_weigher *weigher, const struct sample_table *samples, const double *durations,
                         size_t row, size_t count, double *value)
{
    for (size_t i = 0; durations && i < count; i++)
        value[i] = isnan(durations[row + i]) ? 0 : durations[row + i];
    if (durations)
        return;
    const struct column *column = weigher->cpu_reference > 0 ? &samples->cpu_delta : &samples->weight;
    bool has_column = sample_table_has(column);
    if (has_column)
        column_read_numbers(column, row, count, value);
    for (size_t i = 0; i < count; i++) {
        if (!has_column)
            value[i] = weigher->cpu_reference > 0 ? 0 : 1;
        else if (isnan(value[i]))
            value[i] = 0;
        else if (weigher->cpu_reference > 0) /* nothing is known of the time before the first sample, unless it says so */
            value[i] = row + i == 0 && !rows_have_weights(samples) ? 0 : value[i] / weigher->cpu_reference;
    }
}

/* NULL where they are not counted, or when the heap is empty. */
static double *read_durations(const struct sample_weigher *weigher, const struct sample_table *samples, struct error *error)
{
    if (weigher->strategy != STRATEGY_TIME)
        return NULL;
    double *durations = memory_array(sample_count(samples) + 1, sizeof *durations);
    if (durations)
        sample_table_read_durations(samples, weigher->profile->meta.interval, durations);
    else
        error_out_of_memory(error);
    return durations;
}

/* Whether all rows are in the ranges, as mostly, by the first and the last time alone. */
static bool takes_all(const struct row_selection *selection, const struct sample_table *samples)
{
    if (selection->times || !samples->times_ascend || sample_count(samples) == 0)
        return false;
    double first = column_get_number(&samples->time, 0);
    return first >= selection->range.start && first >= selection->preview.start && samples->last_time < selection->range.end &&
           samples->last_time < selection->preview.end;
}

static int weigh_thread(const struct sample_weigher *weigher, const struct sample_table *samples, struct error *error)
{
    size_t count = sample_count(samples);
    double *times = NULL;
    if (rows_need_times(weigher->selection) && !takes_all(weigher->selection, samples)) {
        times = memory_array(count, sizeof *times);
        if (!times)
            return error_out_of_memory(error);
        sample_table_read_times(samples, times);
    }
    struct rows rows = {0};
    double *durations = read_durations(weigher, samples, error);
    int status = error->code ? error->code : rows_select(weigher->selection, times, count, &rows, error);
    memory_release(times);
    for (size_t row = rows.first; status == 0 && row < rows.end;) {
        size_t piece = COLUMN_BLOCK_ROWS - row % COLUMN_BLOCK_ROWS;
        piece = piece < rows.end - row ? piece : rows.end - row;
        double value[COLUMN_BLOCK_ROWS];
        if (weigher->is_weighted)
            weigh_values(weigher, samples, durations, row, piece, value);
        /* Rows of waits have no CPU time to show. */
        bool skip_nothing = weigher->cpu_reference > 0 && rows_have_weights(samples);
        weigh_block(weigher->weights, samples, &rows, row, piece, weigher->is_weighted ? value : NULL, skip_nothing);
        row += piece;
    }
    memory_release(durations);
    memory_release(rows.dropped);
    return status;
}

/* A stack is idle or not, and so are all samples on it. */
static void drop_idle(const struct view *whole, struct stack_weights *weights)
{
    const struct profile *profile = whole->profile;
    struct category_index idle = category_list_find(&profile->categories, &profile->strings, SLICE("Idle"));
    for (uint32_t stack = 0; stack < whole->count; stack++)
        if (pair_category(whole->pair[stack]) == idle.i) {
            weights->weight[stack] = 0;
            weights->rows[stack] = 0;
            if (weights->uncertainty)
                weights->uncertainty[stack] = (struct uncertainty){0};
        }
}

int weigh_samples(const struct view *whole, const struct row_selection *selection, enum strategy strategy,
                  struct stack_weights *weights, struct error *error)
{
    const struct profile *profile = whole->profile;
    struct sample_weigher weigher = {.profile = profile, .selection = selection, .weights = weights, .strategy = strategy};
    int status = 0;
    if (selection->with_variance) {
        weights->uncertainty = memory_zeroed(weights->count, sizeof *weights->uncertainty);
        status = weights->uncertainty ? 0 : error_out_of_memory(error);
    }
    if (status == 0 && strategy == STRATEGY_CPU)
        status = cpu_reference_per_ms(profile, &weigher.cpu_reference, error);
    weigher.is_weighted = strategy == STRATEGY_CPU || strategy == STRATEGY_TIME;
    for (size_t i = 0; i < selection->thread_count && strategy == STRATEGY_TIMING; i++)
        weigher.is_weighted |= sample_table_has(&profile->threads.items[selection->threads[i].i].samples.weight);
    weights->type = weigher.is_weighted && strategy != STRATEGY_TIMING ? WEIGHT_TRACING_MS : WEIGHT_SAMPLES;
    if (strategy == STRATEGY_TIMING && selection->thread_count > 0)
        weights->type = profile->threads.items[selection->threads[0].i].samples.weight_type;
    for (size_t i = 0; i < selection->thread_count && status == 0; i++)
        if (row_selection_has(selection, selection->threads[i]))
            status = weigh_thread(&weigher, &profile->threads.items[selection->threads[i].i].samples, error);
    if (!weigher.is_weighted)
        for (size_t stack = 0; stack < weights->count; stack++)
            weights->weight[stack] = weights->rows[stack];
    if (selection->exclude_idle)
        drop_idle(whole, weights);
    return status;
}
