#include "symbols/jit.h"

/* The first address that is not below `wanted`. */
static size_t first_from(const uint64_t *addresses, size_t count, uint64_t wanted)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (addresses[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first from `at` on without a function. Steps over what has one get longer with each use. */
static size_t next_free(size_t *next, size_t at)
{
    while (next[at] != at) {
        next[at] = next[next[at]];
        at = next[at];
    }
    return at;
}

/* From the last function to the first: each takes the addresses that no later one has. */
int jit_code_find(const struct jit_code *code, const uint64_t *addresses, size_t count, uint32_t *found, struct error *error)
{
    size_t *next = memory_array(count + 1, sizeof *next);
    if (!next)
        return error_out_of_memory(error);
    for (size_t i = 0; i <= count; i++)
        next[i] = i;
    for (size_t i = 0; i < count; i++)
        found[i] = UINT32_MAX;
    for (size_t i = code->functions.count; i-- > 0;) {
        const struct jit_function *function = &code->functions.items[i];
        size_t at = next_free(next, first_from(addresses, count, function->start));
        while (at < count && addresses[at] - function->start < function->size) {
            found[at] = (uint32_t)i;
            next[at] = at + 1;
            at = next_free(next, at);
        }
    }
    memory_release(next);
    return 0;
}

void jit_code_free(struct jit_code *code)
{
    vec_free(&code->functions);
    vec_free(&code->line_tables);
    vec_free(&code->lines);
}
