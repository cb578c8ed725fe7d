#include "common/map.h"
#include "tree/weigh.h"

#include <math.h>

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

static int weigh_table(const struct allocations *allocations, enum strategy strategy, struct stack_weights *weights,
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

int weigh_allocations(const struct view *whole, const struct row_selection *selection, enum strategy strategy,
                      struct stack_weights *weights, struct error *error)
{
    int status = 0;
    weights->type = WEIGHT_BYTES;
    for (size_t i = 0; i < selection->thread_count && status == 0; i++) {
        const struct thread *thread = &whole->profile->threads.items[selection->threads[i].i];
        if (!strategy_is_of_thread(whole->profile, thread, strategy) || !row_selection_has(selection, selection->threads[i]))
            continue;
        struct allocations allocations;
        status = allocations_read(strategy == STRATEGY_JS_ALLOCATIONS ? &thread->js_allocations : &thread->native_allocations,
                                  selection, &allocations, error);
        if (status == 0)
            status = weigh_table(&allocations, strategy, weights, error);
        allocations_free(&allocations);
    }
    return status;
}
