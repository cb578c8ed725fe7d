/* What is asked for of a recording's allocations: SONDE_ALLOCATIONS, and what stands behind `--allocations=`.
 *
 *     adaptive      sampled, with a mean that keeps the cost below a share of the CPU time
 *     64KiB         sampled, with this mean
 *     all           every one */
#ifndef SONDE_ALLOCATIONS_PLAN_H
#define SONDE_ALLOCATIONS_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct allocation_plan {
    bool is_adaptive, is_all, has_maps;
    uint64_t mean;       /* bytes: at first, or for good; is_all: 0 */
    uint64_t budget_ppm; /* is_adaptive: of the CPU time */
};

/* False: it makes no sense. */
bool allocation_plan_read(const char *text, struct allocation_plan *plan);

#endif
