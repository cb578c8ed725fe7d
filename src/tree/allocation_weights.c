#include "tree/allocation_life.h"
#include "tree/allocation_peak.h"
#include "tree/weigh.h"

/* What is counted of one table. */
struct weigher {
    struct allocation_rows rows;
    struct stack_weights *weights;
    const struct row_classes *classes; /* NULL = weights are by stack */
    const struct profile *profile;
    const struct column *thread_id;
    struct thread_index owner, last; /* of the table; and the thread of the last row … */
    int64_t last_tid;                /* … whose number this is */
    size_t stack_count;              /* of the profile */
    enum strategy strategy;
    double younger_than;
    bool with_variance;
    double peak;       /* STRATEGY_NATIVE_PEAK: when that was */
    double start, end; /* STRATEGY_NATIVE_LEAKED: of what is looked at */
};

/* Rows of a thread mostly stand together. */
static uint32_t class_of_row(struct weigher *weigher, size_t row)
{
    const struct allocation_rows *rows = &weigher->rows;
    if (weigher->classes->by == GROUP_SIZE)
        return size_class_of(rows->size ? rows->size[row] : fabs(rows->weight[row]));
    int64_t tid = row < column_count(weigher->thread_id) ? column_get(weigher->thread_id, row) : COLUMN_ABSENT;
    if (tid == COLUMN_ABSENT)
        return weigher->owner.i;
    if (tid != weigher->last_tid) {
        weigher->last = row_class_thread(weigher->profile, weigher->owner, tid);
        weigher->last_tid = tid;
    }
    return weigher->last.i;
}

/* `row` counts for the stack of `of`, which is where it was allocated. */
static void count_row(struct weigher *weigher, size_t of, size_t row)
{
    const struct allocation_rows *rows = &weigher->rows;
    struct stack_weights *weights = weigher->weights;
    struct allocation_count count = allocation_rows_count(rows, row);
    /* Nobody knows how they were chosen. */
    if (weigher->with_variance && !rows->size)
        count.uncertainty = (struct uncertainty){count.weight * count.weight, 1};
    uint32_t stack = rows->stack[of];
    if (stack == INDEX_NONE || isnan(count.weight))
        return;
    if (weigher->classes && !weigher->classes->counted[stack])
        return;
    if (weigher->classes)
        stack = class_of_row(weigher, of);
    weights->rows[stack]++;
    weights->weight[stack] += count.weight;
    if (weights->uncertainty)
        uncertainty_add(&weights->uncertainty[stack], count.uncertainty);
}

/* Frees count as what they freed; or what lived only for a moment counts. */
static int weigh_freed(struct weigher *weigher, struct error *error)
{
    struct allocation_rows *rows = &weigher->rows;
    for (size_t row = rows->rows.first; row < rows->rows.end; row++) {
        size_t freed;
        if (!allocation_rows_match(rows, row, &freed))
            return error_out_of_memory(error);
        if (freed == SIZE_MAX)
            continue;
        if (weigher->strategy == STRATEGY_NATIVE_DEALLOCATIONS_MEMORY)
            count_row(weigher, freed, row);
        else if (rows->time[row] - rows->time[freed] < weigher->younger_than)
            count_row(weigher, freed, freed);
    }
    return 0;
}

/* Allocations count unless they are freed later. */
static int weigh_left(struct weigher *weigher, struct error *error)
{
    struct allocation_rows *rows = &weigher->rows;
    struct allocation_lives lives;
    /* Up to the peak, and all of its moment. */
    if (weigher->strategy == STRATEGY_NATIVE_PEAK)
        while (rows->rows.end > rows->rows.first && !(rows->time[rows->rows.end - 1] <= weigher->peak))
            rows->rows.end--;
    int status = allocation_lives_find(rows, weigher->stack_count, weigher->start, weigher->end, &lives, error);
    for (size_t row = rows->rows.first; row < rows->rows.end && status == 0; row++)
        if (weigher->strategy == STRATEGY_NATIVE_LEAKED ? allocation_lives_is_leak(&lives, rows, row)
                                                        : allocation_lives_is_left(&lives, rows, row))
            count_row(weigher, row, row);
    allocation_lives_free(&lives);
    return status;
}

static int weigh_table(struct weigher *weigher, struct error *error)
{
    const struct allocation_rows *rows = &weigher->rows;
    switch (weigher->strategy) {
    case STRATEGY_NATIVE_RETAINED:
    case STRATEGY_NATIVE_PEAK:
    case STRATEGY_NATIVE_LEAKED:
        return weigh_left(weigher, error);
    case STRATEGY_NATIVE_DEALLOCATIONS_MEMORY:
    case STRATEGY_NATIVE_TEMPORARY:
        return weigh_freed(weigher, error);
    default:
        break;
    }
    for (size_t row = rows->rows.first; row < rows->rows.end; row++) {
        double weight = rows->weight[row];
        if (weigher->strategy == STRATEGY_JS_ALLOCATIONS || weigher->strategy == STRATEGY_PAGE_FAULTS ||
            (weigher->strategy == STRATEGY_NATIVE_ALLOCATIONS ? weight > 0 : weight < 0))
            count_row(weigher, row, row);
    }
    return 0;
}

/* Where nobody knows sizes, nobody knows errors; and where all blocks were recorded there are none. */
static bool make_uncertainty(struct stack_weights *weights, const struct allocation_rows *rows, bool wanted)
{
    bool any = weights->uncertainty || wanted;
    for (size_t row = rows->rows.first; row < rows->rows.end && !any; row++)
        any = allocation_rows_count(rows, row).uncertainty.sampled > 0;
    if (any && !weights->uncertainty)
        weights->uncertainty = memory_zeroed(weights->count, sizeof *weights->uncertainty);
    return !any || weights->uncertainty;
}

/* What the strategy wants to know of all threads together. */
static int look_ahead(const struct view *whole, const struct row_selection *selection, struct weigher *weigher,
                      struct error *error)
{
    struct allocation_peak peak;
    if (weigher->strategy != STRATEGY_NATIVE_PEAK && weigher->strategy != STRATEGY_NATIVE_LEAKED)
        return 0;
    int status = allocation_peak_find(whole->profile, selection, &peak, error);
    weigher->peak = peak.time;
    weigher->start = allocation_span_start(selection, &peak);
    weigher->end = allocation_span_end(selection, &peak);
    return status;
}

int weigh_allocations(const struct view *whole, const struct row_selection *selection, enum strategy strategy,
                      const struct row_classes *classes, struct stack_weights *weights, struct error *error)
{
    struct weigher weigher = {
        .weights = weights,
        .classes = classes,
        .profile = whole->profile,
        .stack_count = whole->count,
        .strategy = strategy,
        .younger_than = selection->younger_than,
        .with_variance = selection->with_variance,
    };
    int status = look_ahead(whole, selection, &weigher, error);
    weights->type = strategy == STRATEGY_PAGE_FAULTS ? WEIGHT_FAULTS : selection->blocks ? WEIGHT_BLOCKS : WEIGHT_BYTES;
    for (size_t i = 0; i < selection->thread_count && status == 0; i++) {
        const struct thread *thread = &whole->profile->threads.items[selection->threads[i].i];
        if (!strategy_is_of_thread(whole->profile, thread, strategy) || !row_selection_has(selection, selection->threads[i]))
            continue;
        /* What has ended by then holds nothing. */
        if (strategy == STRATEGY_NATIVE_PEAK && allocation_process_end(thread) <= weigher.peak)
            continue;
        const struct allocation_table *table = strategy_table(strategy, thread);
        weigher.owner = selection->threads[i];
        weigher.last_tid = COLUMN_ABSENT;
        weigher.thread_id = &table->thread_id;
        status = allocation_rows_read(table, selection, &weigher.rows, error);
        if (status == 0 && !make_uncertainty(weights, &weigher.rows, selection->with_variance))
            status = error_out_of_memory(error);
        if (status == 0)
            status = weigh_table(&weigher, error);
        allocation_rows_free(&weigher.rows);
    }
    return status;
}
