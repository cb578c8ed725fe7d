/* Memory that was never freed, by call path, with what else its path allocated (allocation_life.h says what a leak is). */
#ifndef SONDE_TREE_LEAK_LIST_H
#define SONDE_TREE_LEAK_LIST_H

#include "tree/query.h"

enum { LEAK_GROWTH = 8 };

struct leak_sum {
    double bytes, blocks;
    struct uncertainty bytes_uncertainty, blocks_uncertainty;
    double seen; /* bytes of the blocks that were recorded: no less leaked */
};

struct leak {
    uint32_t node; /* of the answer */
    struct leak_sum left;
    double made;                /* blocks that its path allocated, freed or not */
    double growth[LEAK_GROWTH]; /* bytes that are left of those allocated in each eighth of the time */
};

struct leak_list {
    VEC(struct leak) rows;         /* larger ones first */
    struct leak_sum left, young;   /* all together; and what is left out because it is young */
    double start, end, young_from; /* ms */
};

/* Of what the query chose and `answer` shows. `with_young`: whatever is not freed counts. `list` needs no initialisation; on
 * failure it is empty. -ENODATA where there are no allocations whose frees are known. */
int leak_list_build(const struct view *whole, const struct query *query, const struct answer *answer, bool with_young,
                    struct leak_list *list, struct error *error);
void leak_list_free(struct leak_list *list);

/* What leaked at least, but for 2 or 3 times in 100: an estimate less its error; no less than what was seen. */
double leak_sum_least(const struct leak_sum *sum);

#endif
