/* How the code of functions ran: by which compiler of their language runtime. Frames say so by their subcategory. */
#ifndef SONDE_TREE_TIERS_H
#define SONDE_TREE_TIERS_H

#include "common/frame_tier.h"
#include "tree/query.h"

/* Weights of the stacks with a frame of the function, by the tier of the frame; a function that called itself counts for each
 * of its frames. */
struct func_tiers {
    double weight[TIER_COUNT]; /* that of TIER_NONE stays 0 */
};

struct tier_list {
    struct func_tiers *of_func; /* NULL = no frame of the profile has a tier, or groups stand for functions */
    uint32_t count;
};

/* `list` needs no initialisation; on failure it is empty. */
int tier_list_build(const struct answer *answer, struct tier_list *list, struct error *error);
void tier_list_free(struct tier_list *list);

/* The tier with the most weight, and its share of all of them; TIER_NONE where the function has none. */
struct main_tier {
    enum frame_tier tier;
    double share;
};
struct main_tier tier_list_main(const struct tier_list *list, uint32_t func);

/* All of a function add up to 1, or are 0. */
double tier_list_share(const struct tier_list *list, uint32_t func, enum frame_tier tier);

#endif
