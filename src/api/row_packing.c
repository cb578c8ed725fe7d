#include "api/row_packing.h"

#include "common/memory.h"

#include <math.h>
#include <stdbool.h>

static void set_end(struct row_packing *packing, size_t row, double end)
{
    double *earliest = packing->earliest;
    size_t node = packing->capacity + row;
    earliest[node] = end;
    for (node /= 2; node > 0; node /= 2)
        earliest[node] = fmin(earliest[2 * node], earliest[2 * node + 1]);
}

static bool grow(struct row_packing *packing)
{
    size_t capacity = packing->capacity > 0 ? 2 * packing->capacity : 2;
    double *earliest = memory_array(capacity, 2 * sizeof *earliest);
    if (!earliest)
        return false;
    for (size_t row = 0; row < capacity; row++)
        earliest[capacity + row] = row < packing->rows ? packing->earliest[packing->capacity + row] : -INFINITY;
    for (size_t node = capacity - 1; node > 0; node--)
        earliest[node] = fmin(earliest[2 * node], earliest[2 * node + 1]);
    memory_release(packing->earliest);
    packing->earliest = earliest;
    packing->capacity = capacity;
    return true;
}

uint32_t row_packing_add(struct row_packing *packing, double start, double end)
{
    if ((packing->capacity == 0 || packing->earliest[1] > start) && !grow(packing))
        return UINT32_MAX;
    size_t node = 1;
    while (node < packing->capacity)
        node = 2 * node + (packing->earliest[2 * node] > start);
    uint32_t row = (uint32_t)(node - packing->capacity);
    if (row >= packing->rows)
        packing->rows = row + 1;
    set_end(packing, row, end);
    return row;
}

void row_packing_free(struct row_packing *packing)
{
    memory_release(packing->earliest);
    *packing = (struct row_packing){0};
}
