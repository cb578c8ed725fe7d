#include "tree/strategy.h"

#include "common/map.h"
#include "tree/cpu.h"
#include "tree/range.h"

#include <errno.h>
#include <math.h>

static const char *const strategy_names[STRATEGIES] = {
    [STRATEGY_TIMING] = "timing",
    [STRATEGY_CPU] = "cpu",
    [STRATEGY_JS_ALLOCATIONS] = "js-allocations",
    [STRATEGY_NATIVE_ALLOCATIONS] = "native-allocations",
    [STRATEGY_NATIVE_RETAINED] = "native-retained-allocations",
    [STRATEGY_NATIVE_DEALLOCATIONS_MEMORY] = "native-deallocations-memory",
    [STRATEGY_NATIVE_DEALLOCATIONS_SITES] = "native-deallocations-sites",
};

const char *strategy_name(enum strategy strategy)
{
    return strategy_names[strategy];
}

bool strategy_parse(struct slice name, enum strategy *strategy)
{
    for (size_t i = 0; i < STRATEGIES; i++)
        if (slice_equal(name, slice_of(strategy_names[i]))) {
            *strategy = (enum strategy)i;
            return true;
        }
    return false;
}

static bool thread_has(const struct profile *profile, const struct thread *thread, enum strategy strategy)
{
    switch (strategy) {
    case STRATEGY_CPU:
        return profile->meta.cpu_unit != CPU_UNKNOWN && sample_table_has(&thread->samples.cpu_delta);
    case STRATEGY_JS_ALLOCATIONS:
        return thread->js_allocations.present;
    case STRATEGY_NATIVE_ALLOCATIONS:
    case STRATEGY_NATIVE_DEALLOCATIONS_SITES:
        return thread->native_allocations.present;
    case STRATEGY_NATIVE_RETAINED:
    case STRATEGY_NATIVE_DEALLOCATIONS_MEMORY:
        return thread->native_allocations.present && allocation_table_is_balanced(&thread->native_allocations);
    case STRATEGY_TIMING:
    case STRATEGIES:
        break;
    }
    return true;
}

bool strategy_is_available(const struct profile *profile, const struct thread_index *threads, size_t thread_count,
                           enum strategy strategy)
{
    bool available = strategy == STRATEGY_TIMING;
    for (size_t i = 0; i < thread_count; i++)
        available |= thread_has(profile, &profile->threads.items[threads[i].i], strategy);
    return available;
}

/* ---- which rows of a table count ---- */

struct rows {
    size_t first, end;
    uint8_t *dropped; /* for each row of the table; NULL = none is */
};

static bool range_is_everything(const struct time_range *range)
{
    return range->start == -INFINITY && range->end == INFINITY;
}

static bool needs_times(const struct row_selection *selection)
{
    return selection->times || !range_is_everything(&selection->range) || !range_is_everything(&selection->preview);
}

static void rows_cut(struct rows *rows, const double *times, const struct time_range *range)
{
    if (range_is_everything(range))
        return;
    rows->first = times_lower_bound(times, rows->first, rows->end, range->start);
    rows->end = times_lower_bound(times, rows->first, rows->end, range->end);
}

/* Rows mostly come in the order of time, so the range of one row is where to look for that of the next. */
static void rows_filter(struct rows *rows, const double *times, const struct time_filter *filter)
{
    size_t at = 0;
    double last = -INFINITY;
    for (size_t row = rows->first; row < rows->end; row++) {
        double time = times[row];
        if (time < last)
            at = 0;
        last = time;
        while (at < filter->range_count && filter->ranges[at].end <= time)
            at++;
        bool inside = at < filter->range_count && filter->ranges[at].start <= time;
        rows->dropped[row] |= inside == filter->outside;
    }
}

static int rows_select(const struct row_selection *selection, const double *times, size_t count, struct rows *rows,
                       struct error *error)
{
    *rows = (struct rows){.end = count};
    if (!times)
        return 0;
    rows_cut(rows, times, &selection->range);
    rows_cut(rows, times, &selection->preview);
    if (!selection->times)
        return 0;
    rows->dropped = memory_zeroed(count, 1);
    if (!rows->dropped)
        return error_out_of_memory(error);
    for (const struct time_filter *filter = selection->times; filter; filter = filter->before)
        rows_filter(rows, times, filter);
    return 0;
}

/* ---- samples ---- */

struct sample_weigher {
    const struct profile *profile;
    const struct row_selection *selection;
    struct stack_weights *weights;
    bool is_weighted;     /* some thread's samples do not simply count 1 each */
    double cpu_reference; /* of STRATEGY_CPU, else 0 */
};

/* Rows [row, row + count), at most a block. `value` NULL = each counts 1. */
static void weigh_block(struct stack_weights *weights, const struct sample_table *samples, const struct rows *rows, size_t row,
                        size_t count, const double *value)
{
    int64_t stacks[COLUMN_BLOCK_ROWS];
    column_read(&samples->stack, row, count, stacks);
    for (size_t i = 0; i < count; i++) {
        if (stacks[i] == COLUMN_ABSENT || (rows->dropped && rows->dropped[row + i]))
            continue;
        weights->rows[stacks[i]]++;
        if (value)
            weights->weight[stacks[i]] += value[i];
    }
}

static void weigh_values(const struct sample_weigher *weigher, const struct sample_table *samples, size_t row, size_t count,
                         double *value)
{
    const struct column *column = weigher->cpu_reference > 0 ? &samples->cpu_delta : &samples->weight;
    bool has_column = sample_table_has(column);
    if (has_column)
        column_read_numbers(column, row, count, value);
    for (size_t i = 0; i < count; i++) {
        if (!has_column)
            value[i] = weigher->cpu_reference > 0 ? 0 : 1;
        else if (isnan(value[i]))
            value[i] = 0;
        else if (weigher->cpu_reference > 0) /* nothing is known of the time before the first sample */
            value[i] = row + i == 0 ? 0 : value[i] / weigher->cpu_reference;
    }
}

static int weigh_samples(const struct sample_weigher *weigher, const struct sample_table *samples, struct error *error)
{
    size_t count = sample_count(samples);
    double *times = NULL;
    if (needs_times(weigher->selection)) {
        times = memory_array(count, sizeof *times);
        if (!times)
            return error_out_of_memory(error);
        sample_table_read_times(samples, times);
    }
    struct rows rows;
    int status = rows_select(weigher->selection, times, count, &rows, error);
    memory_release(times);
    for (size_t row = rows.first; status == 0 && row < rows.end;) {
        size_t piece = COLUMN_BLOCK_ROWS - row % COLUMN_BLOCK_ROWS;
        piece = piece < rows.end - row ? piece : rows.end - row;
        double value[COLUMN_BLOCK_ROWS];
        if (weigher->is_weighted)
            weigh_values(weigher, samples, row, piece, value);
        weigh_block(weigher->weights, samples, &rows, row, piece, weigher->is_weighted ? value : NULL);
        row += piece;
    }
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
        }
}

static int weigh_all_samples(const struct view *whole, const struct row_selection *selection, enum strategy strategy,
                             struct stack_weights *weights, struct error *error)
{
    const struct profile *profile = whole->profile;
    struct sample_weigher weigher = {.profile = profile, .selection = selection, .weights = weights};
    int status = 0;
    if (strategy == STRATEGY_CPU)
        status = cpu_reference_per_ms(profile, &weigher.cpu_reference, error);
    weigher.is_weighted = strategy == STRATEGY_CPU;
    for (size_t i = 0; i < selection->thread_count; i++)
        weigher.is_weighted |= sample_table_has(&profile->threads.items[selection->threads[i].i].samples.weight);
    for (size_t i = 0; i < selection->thread_count && status == 0; i++)
        status = weigh_samples(&weigher, &profile->threads.items[selection->threads[i].i].samples, error);
    if (!weigher.is_weighted)
        for (size_t stack = 0; stack < weights->count; stack++)
            weights->weight[stack] = weights->rows[stack];
    if (selection->exclude_idle)
        drop_idle(whole, weights);
    weights->type = strategy == STRATEGY_CPU ? WEIGHT_TRACING_MS : WEIGHT_SAMPLES;
    if (strategy != STRATEGY_CPU && selection->thread_count > 0)
        weights->type = profile->threads.items[selection->threads[0].i].samples.weight_type;
    return status;
}

/* ---- allocations ---- */

/* An allocation table as plain arrays; `address` NULL where frees cannot be matched. */
struct allocations {
    size_t count;
    uint32_t *stack; /* INDEX_NONE also where the row was dropped */
    double *time, *weight, *address;
    struct rows rows;
};

static void allocations_free(struct allocations *allocations)
{
    memory_release(allocations->stack);
    memory_release(allocations->time);
    memory_release(allocations->weight);
    memory_release(allocations->address);
    memory_release(allocations->rows.dropped);
}

static int allocations_read(const struct allocation_table *table, const struct row_selection *selection,
                            struct allocations *allocations, struct error *error)
{
    size_t count = allocation_count(table);
    bool balanced = allocation_table_is_balanced(table);
    *allocations = (struct allocations){
        .count = count,
        .stack = memory_array(count, sizeof(uint32_t)),
        .time = memory_array(count, sizeof(double)),
        .weight = memory_array(count, sizeof(double)),
        .address = balanced ? memory_array(count, sizeof(double)) : NULL,
    };
    if (!allocations->stack || !allocations->time || !allocations->weight || (balanced && !allocations->address))
        return error_out_of_memory(error);
    column_read_u32(&table->stack, 0, count, allocations->stack);
    column_read_numbers(&table->time, 0, count, allocations->time);
    column_read_numbers(&table->weight, 0, count, allocations->weight);
    if (balanced)
        column_read_numbers(&table->memory_address, 0, count, allocations->address);
    int status = rows_select(selection, allocations->time, count, &allocations->rows, error);
    if (status == 0 && allocations->rows.dropped)
        for (size_t row = 0; row < count; row++)
            if (allocations->rows.dropped[row])
                allocations->stack[row] = INDEX_NONE;
    return status;
}

static void count_row(struct stack_weights *weights, uint32_t stack, double weight)
{
    if (stack == INDEX_NONE || isnan(weight))
        return;
    weights->rows[stack]++;
    weights->weight[stack] += weight;
}

/* Live allocations by address: of each address the newest row. */
struct live {
    struct map map;     /* to rows of `newest` */
    VEC(size_t) newest; /* row of the table, SIZE_MAX once it was freed */
};

/* Where the newest row of an address is kept; NULL when the heap is empty. */
static size_t *live_find(struct live *live, const struct allocations *allocations, size_t row)
{
    double address = allocations->address[row];
    uint64_t bits;
    memcpy(&bits, &address, sizeof bits);
    uint64_t hash = hash_u64(bits);
    uint32_t found;
    for (struct map_probe probe = map_probe(&live->map, hash); map_probe_next(&probe, &found);) {
        size_t other = live->newest.items[found * 2];
        if (memcmp(&allocations->address[other], &bits, sizeof bits) == 0)
            return &live->newest.items[found * 2 + 1];
    }
    /* In pairs: a row that tells the address for good, and the newest one. */
    found = (uint32_t)(live->newest.count / 2);
    if (!vec_push(&live->newest, row) || !vec_push(&live->newest, SIZE_MAX) || !map_insert(&live->map, hash, found))
        return NULL;
    return &live->newest.items[found * 2 + 1];
}

/* Frees count as what they freed, or allocations count unless they are freed later. */
static int weigh_balanced(const struct allocations *allocations, enum strategy strategy, struct stack_weights *weights,
                          struct error *error)
{
    struct live live = {0};
    bool retained = strategy == STRATEGY_NATIVE_RETAINED;
    int status = 0;
    for (size_t row = allocations->rows.first; row < allocations->rows.end && status == 0; row++) {
        size_t *newest = live_find(&live, allocations, row);
        double weight = allocations->weight[row];
        if (!newest) {
            status = error_out_of_memory(error);
        } else if (weight >= 0) {
            *newest = row;
            if (retained)
                count_row(weights, allocations->stack[row], weight);
        } else if (*newest != SIZE_MAX) {
            uint32_t stack = allocations->stack[*newest];
            if (!retained) {
                count_row(weights, stack, weight);
            } else if (stack != INDEX_NONE) {
                weights->rows[stack]--;
                weights->weight[stack] -= allocations->weight[*newest];
            }
            *newest = SIZE_MAX;
        }
    }
    map_free(&live.map);
    vec_free(&live.newest);
    return status;
}

static int weigh_allocations(const struct allocations *allocations, enum strategy strategy, struct stack_weights *weights,
                             struct error *error)
{
    if (strategy == STRATEGY_NATIVE_RETAINED || strategy == STRATEGY_NATIVE_DEALLOCATIONS_MEMORY)
        return weigh_balanced(allocations, strategy, weights, error);
    for (size_t row = allocations->rows.first; row < allocations->rows.end; row++) {
        double weight = allocations->weight[row];
        if (strategy == STRATEGY_JS_ALLOCATIONS || (strategy == STRATEGY_NATIVE_ALLOCATIONS ? weight > 0 : weight < 0))
            count_row(weights, allocations->stack[row], weight);
    }
    return 0;
}

static int weigh_all_allocations(const struct view *whole, const struct row_selection *selection, enum strategy strategy,
                                 struct stack_weights *weights, struct error *error)
{
    int status = 0;
    weights->type = WEIGHT_BYTES;
    for (size_t i = 0; i < selection->thread_count && status == 0; i++) {
        const struct thread *thread = &whole->profile->threads.items[selection->threads[i].i];
        if (!thread_has(whole->profile, thread, strategy))
            continue;
        struct allocations allocations;
        status = allocations_read(strategy == STRATEGY_JS_ALLOCATIONS ? &thread->js_allocations : &thread->native_allocations,
                                  selection, &allocations, error);
        if (status == 0)
            status = weigh_allocations(&allocations, strategy, weights, error);
        allocations_free(&allocations);
    }
    return status;
}

/* ---- all of them ---- */

int strategy_weigh(const struct view *whole, const struct row_selection *selection, enum strategy strategy,
                   struct stack_weights *weights, struct error *error)
{
    *weights = (struct stack_weights){0};
    if (!strategy_is_available(whole->profile, selection->threads, selection->thread_count, strategy))
        return error_set(error, -ENODATA, "strategy %s: the profile holds no such data for this thread",
                         strategy_name(strategy));
    *weights = (struct stack_weights){
        .count = whole->count,
        .weight = memory_zeroed(whole->count, sizeof(double)),
        .rows = memory_zeroed(whole->count, sizeof(uint32_t)),
    };
    int status = 0;
    if (!weights->weight || !weights->rows)
        status = error_out_of_memory(error);
    else if (strategy == STRATEGY_TIMING || strategy == STRATEGY_CPU)
        status = weigh_all_samples(whole, selection, strategy, weights, error);
    else
        status = weigh_all_allocations(whole, selection, strategy, weights, error);
    if (status != 0)
        stack_weights_free(weights);
    return status;
}

void stack_weights_free(struct stack_weights *weights)
{
    memory_release(weights->weight);
    memory_release(weights->rows);
    *weights = (struct stack_weights){0};
}
