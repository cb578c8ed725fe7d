#include "tree/allocation_rows.h"

void allocation_rows_free(struct allocation_rows *rows)
{
    memory_release(rows->stack);
    memory_release(rows->time);
    memory_release(rows->weight);
    memory_release(rows->address);
    memory_release(rows->size);
    memory_release(rows->rows.dropped);
    map_free(&rows->live);
    vec_free(&rows->newest);
    *rows = (struct allocation_rows){0};
}

static bool read_numbers(const struct column *column, size_t count, double **numbers)
{
    *numbers = memory_array(count, sizeof(double));
    if (*numbers)
        column_read_numbers(column, 0, count, *numbers);
    return *numbers != NULL;
}

int allocation_rows_read(const struct allocation_table *table, const struct row_selection *selection,
                         struct allocation_rows *rows, struct error *error)
{
    size_t count = allocation_count(table);
    *rows = (struct allocation_rows){
        .count = count,
        .stack = memory_array(count, sizeof(uint32_t)),
        .blocks = selection->blocks,
    };
    bool done = rows->stack && read_numbers(&table->time, count, &rows->time) &&
                read_numbers(&table->weight, count, &rows->weight) &&
                (!allocation_table_is_balanced(table) || read_numbers(&table->memory_address, count, &rows->address)) &&
                (!allocation_table_has_sizes(table) || read_numbers(&table->size, count, &rows->size));
    if (!done)
        return error_out_of_memory(error);
    column_read_u32(&table->stack, 0, count, rows->stack);
    int status = rows_select(selection, rows->time, count, &rows->rows, error);
    if (status == 0 && rows->rows.dropped)
        for (size_t row = 0; row < count; row++)
            if (rows->rows.dropped[row])
                rows->stack[row] = INDEX_NONE;
    return status;
}

/* Of a piece of a block less than one, and as certain as can be. Without sizes each row is a block. */
struct allocation_count allocation_rows_count(const struct allocation_rows *rows, size_t row)
{
    double weight = rows->weight[row], bytes = fabs(weight), size = rows->size ? rows->size[row] : bytes;
    struct allocation_count count = {.weight = weight};
    bool is_sampled = size > 0 && bytes > size;
    if (isnan(weight))
        return count;
    if (rows->blocks) {
        double blocks = rows->size && size > 0 ? bytes / size : 1;
        count.weight = copysign(blocks, weight);
        count.uncertainty.variance = is_sampled ? blocks * (blocks - 1) : 0;
    } else {
        count.uncertainty.variance = is_sampled ? bytes * (bytes - size) : 0;
    }
    count.uncertainty.sampled = is_sampled;
    return count;
}

/* Where the newest row of an address is kept; NULL when the heap is empty. */
static size_t *find_newest(struct allocation_rows *rows, size_t row)
{
    double address = rows->address[row];
    uint64_t bits;
    memcpy(&bits, &address, sizeof bits);
    uint64_t hash = hash_u64(bits);
    uint32_t found;
    for (struct map_probe probe = map_probe(&rows->live, hash); map_probe_next(&probe, &found);) {
        size_t other = rows->newest.items[found * 2];
        if (memcmp(&rows->address[other], &bits, sizeof bits) == 0)
            return &rows->newest.items[found * 2 + 1];
    }
    found = (uint32_t)(rows->newest.count / 2);
    if (!vec_push(&rows->newest, row) || !vec_push(&rows->newest, SIZE_MAX) || !map_insert(&rows->live, hash, found))
        return NULL;
    return &rows->newest.items[found * 2 + 1];
}

bool allocation_rows_match(struct allocation_rows *rows, size_t row, size_t *freed)
{
    size_t *newest = find_newest(rows, row);
    *freed = SIZE_MAX;
    if (!newest)
        return false;
    bool is_free = allocation_rows_is_free(rows, row);
    if (is_free)
        *freed = *newest;
    *newest = is_free ? SIZE_MAX : row;
    return true;
}
