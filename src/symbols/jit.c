#include "symbols/jit.h"

#include "common/time_ranges.h"

/* The number of a function stands for the time when it was written down. */
int jit_code_find(const struct jit_code *code, const uint64_t *addresses, size_t count, uint32_t *found, struct error *error)
{
    struct time_range *places = memory_array(code->functions.count + 1, sizeof *places);
    struct time_ranges ranges = {0};
    for (size_t i = 0; places && i < code->functions.count; i++)
        places[i] = (struct time_range){code->functions.items[i].start, code->functions.items[i].size, i};
    bool done = places && time_ranges_build(&ranges, places, code->functions.count);
    for (size_t i = 0; done && i < count; i++)
        found[i] = time_ranges_newest(&ranges, addresses[i], UINT64_MAX);
    time_ranges_free(&ranges);
    memory_release(places);
    return done ? 0 : error_out_of_memory(error);
}

void jit_code_free(struct jit_code *code)
{
    vec_free(&code->functions);
    vec_free(&code->line_tables);
    vec_free(&code->lines);
}
