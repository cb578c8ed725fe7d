#include "tree/comparison_unit.h"

#include <errno.h>

int comparison_find_unit(struct measured_run *runs, size_t count, enum weight_type *type, size_t *wrong, struct error *error)
{
    enum weight_type first = runs[0].answer->weights.type;
    bool in_ms = false;
    for (size_t i = 0; i < count; i++) {
        enum weight_type own = runs[i].answer->weights.type;
        in_ms |= own != first;
        in_ms |= own == WEIGHT_SAMPLES && runs[i].strategy != STRATEGY_SAMPLES && runs[i].interval != runs[0].interval;
    }
    for (size_t i = 0; i < count; i++) {
        enum weight_type own = runs[i].answer->weights.type;
        runs[i].unit = in_ms && own == WEIGHT_SAMPLES ? runs[i].interval : 1;
        if (in_ms && own != WEIGHT_SAMPLES && own != WEIGHT_TRACING_MS) {
            *wrong = i;
            return error_set(error, -EINVAL, "its %s cannot be compared with %s", weight_type_name(own),
                             weight_type_name(first));
        }
    }
    *type = in_ms ? WEIGHT_TRACING_MS : first;
    return 0;
}

bool comparison_is_of_all(const struct query *query)
{
    return strategy_is_of_samples(query->strategy) && query->search.length == 0 && query->transform_count == 0 &&
           !query->exclude_idle && query->implementation == IMPLEMENTATION_COMBINED;
}
