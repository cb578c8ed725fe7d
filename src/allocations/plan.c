#include "allocations/plan.h"

#include "allocations/sampling.h"

#include <stddef.h>
#include <string.h>

enum { MEAN_AT_FIRST = 16 << 10, BUDGET_PPM = 10000 };

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

/* A number of bytes, with a unit or without; 0 = it is none. */
static uint64_t read_mean(const char *text, size_t length)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } units[] = {{"", 1},          {"B", 1},        {"K", 1 << 10}, {"KiB", 1 << 10}, {"KB", 1000},      {"M", 1 << 20},
                 {"MiB", 1 << 20}, {"MB", 1000000}, {"G", 1 << 30}, {"GiB", 1 << 30}, {"GB", 1000000000}};
    uint64_t number = 0;
    size_t digits = 0;
    for (; digits < length && text[digits] >= '0' && text[digits] <= '9'; digits++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(text[digits] - '0'), &number))
            return 0;
    for (size_t i = 0; digits > 0 && i < sizeof units / sizeof *units; i++)
        if (is_word(text + digits, length - digits, units[i].name))
            return __builtin_mul_overflow(number, units[i].bytes, &number) || number > SAMPLING_MEAN_MOST ? 0 : number;
    return 0;
}

bool allocation_plan_read(const char *text, struct allocation_plan *plan)
{
    *plan = (struct allocation_plan){.is_adaptive = true, .mean = MEAN_AT_FIRST, .budget_ppm = BUDGET_PPM};
    if (strcmp(text, "adaptive") == 0)
        return true;
    *plan = (struct allocation_plan){.is_all = true};
    if (strcmp(text, "all") == 0)
        return true;
    *plan = (struct allocation_plan){.mean = read_mean(text, strlen(text))};
    return plan->mean > 0;
}
