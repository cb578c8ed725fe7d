/* Sorting is stable, as glibc's is: what compares equal stands in the same order in the answers of both builds. */
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

const char *strerrordesc_np(int number)
{
    return strerror(number);
}

struct sort {
    size_t size;
    int (*compare)(const void *, const void *, void *);
    void *data;
};

/* `from` has two sorted runs, of `left` and `right` items. */
static void merge(const struct sort *sort, const char *from, size_t left, size_t right, char *to)
{
    const char *middle = from + left * sort->size, *end = middle + right * sort->size;
    const char *a = from, *b = middle;
    while (a < middle && b < end) {
        const char **next = sort->compare(a, b, sort->data) <= 0 ? &a : &b;
        memcpy(to, *next, sort->size);
        *next += sort->size;
        to += sort->size;
    }
    memcpy(to, a, (size_t)(middle - a));
    memcpy(to + (middle - a), b, (size_t)(end - b));
}

/* Runs of twice the length each time, between the two arrays. */
static void merge_sort(const struct sort *sort, char *items, size_t count, char *spare)
{
    char *from = items, *to = spare;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t first = 0; first < count; first += 2 * run) {
            size_t left = count - first < run ? count - first : run;
            size_t right = count - first - left < run ? count - first - left : run;
            merge(sort, from + first * sort->size, left, right, to + first * sort->size);
        }
        char *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, count * sort->size);
}

void qsort_r(void *items, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *data)
{
    if (count < 2)
        return;
    char *spare = memory_array(count, size);
    if (!spare)
        abort(); /* the page says that the engine has ended */
    merge_sort(&(struct sort){size, compare, data}, items, count, spare);
    memory_release(spare);
}

static int compare_plainly(const void *a, const void *b, void *data)
{
    return (*(int (**)(const void *, const void *))data)(a, b);
}

void qsort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    qsort_r(items, count, size, compare_plainly, &compare);
}
