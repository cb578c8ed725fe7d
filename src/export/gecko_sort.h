/* Sorting without the heap: qsort() may allocate, and in a recorded program that is the program's allocator. */
#ifndef SONDE_EXPORT_GECKO_SORT_H
#define SONDE_EXPORT_GECKO_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts row numbers; `before` is a strict order in which no two rows are equal. */
static inline void gecko_sort(uint32_t *rows, size_t count, bool (*before)(const void *data, uint32_t a, uint32_t b),
                              const void *data)
{
    for (size_t start = count / 2, end = count; end > 1;) {
        uint32_t row;
        if (start > 0) {
            row = rows[--start];
        } else {
            row = rows[--end];
            rows[end] = rows[0];
        }
        size_t hole = start;
        for (size_t child; (child = 2 * hole + 1) < end; hole = child) {
            if (child + 1 < end && before(data, rows[child], rows[child + 1]))
                child++;
            if (!before(data, row, rows[child]))
                break;
            rows[hole] = rows[child];
        }
        rows[hole] = row;
    }
}

#endif
