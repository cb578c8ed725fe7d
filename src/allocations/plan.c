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

static bool read_seed(const char *text, size_t length, uint64_t *seed)
{
    static const char key[] = "seed=";
    size_t at = strlen(key);
    if (length <= at || length > at + 9 || memcmp(text, key, at) != 0)
        return false;
    for (*seed = 0; at < length && text[at] >= '0' && text[at] <= '9'; at++)
        *seed = *seed * 10 + (uint64_t)(text[at] - '0');
    return at == length && *seed > 0;
}

/* How blocks are chosen. */
static bool read_choice(const char *text, size_t length, struct allocation_plan *plan)
{
    plan->is_adaptive = is_word(text, length, "adaptive");
    plan->is_all = is_word(text, length, "all");
    if (plan->is_adaptive || plan->is_all)
        return true;
    plan->mean = read_mean(text, length);
    return plan->mean > 0;
}

bool allocation_plan_read(const char *text, struct allocation_plan *plan)
{
    bool is_chosen = false, is_right = true;
    *plan = (struct allocation_plan){0};
    for (const char *end; is_right; text = end + 1) {
        end = strchrnul(text, ',');
        size_t length = (size_t)(end - text);
        if (!plan->has_maps && is_word(text, length, "maps"))
            plan->has_maps = true;
        else if (plan->seed != 0 || !read_seed(text, length, &plan->seed))
            is_right = !is_chosen && (is_chosen = read_choice(text, length, plan));
        if (*end == '\0')
            break;
    }
    if (!is_chosen)
        plan->is_adaptive = true;
    if (plan->is_adaptive) {
        plan->mean = MEAN_AT_FIRST;
        plan->budget_ppm = BUDGET_PPM;
    }
    return is_right;
}
