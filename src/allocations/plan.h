/* What is asked for of a recording's allocations: SONDE_ALLOCATIONS, and what stands behind `--allocations=`.
 *
 *     adaptive      sampled, with a mean that keeps the cost below a share of the CPU time
 *     64KiB         sampled, with this mean
 *     all           every one
 *     maps          memory that the program maps itself, too; alone or behind a comma: 64KiB,maps
 *     seed=7        the same random numbers each time, behind a comma: what one thread allocates is sampled alike */
#ifndef SONDE_ALLOCATIONS_PLAN_H
#define SONDE_ALLOCATIONS_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct allocation_plan {
    bool is_adaptive, is_all, has_maps;
    uint64_t mean;       /* bytes: at first, or for good; is_all: 0 */
    uint64_t budget_ppm; /* is_adaptive: of the CPU time */
    uint64_t seed;       /* 0 = another one in each thread */
};

/* False: it makes no sense. */
bool allocation_plan_read(const char *text, struct allocation_plan *plan);

#endif
