/* A library that the target `libraries` loads and unloads while it is in use by others of its kind. */
#include "plugin.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;
    return (left > right) - (left < right);
}

unsigned plugin_compute(unsigned seed)
{
    unsigned numbers[500], sum = 0;
    for (unsigned i = 0; i < 500; i++)
        numbers[i] = (seed = seed * 1664525u + 1013904223u + PLUGIN) >> 8;
    qsort(numbers, 500, sizeof *numbers, compare);
    for (unsigned i = 0; i < 500; i++)
        sum = sum * 31 + numbers[i];
    return sum;
}
