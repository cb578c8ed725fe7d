/* The model of a CPU profile: its nodes as a tree, its samples sorted and mended.
 *
 * Nodes are kept in the order in which the engine visits them, children in reverse; a node is named by its row from here on.
 * Times are milliseconds here, as in the engine: µs → /1000 → later *1000 is not always the same number, and that shows. */
#ifndef SONDE_TRACE_CPU_MODEL_H
#define SONDE_TRACE_CPU_MODEL_H

#include "common/error.h"
#include "trace/node_ids.h"
#include "trace/trace.h"

struct cpu_model_node {
    uint32_t raw;      /* row of trace_profile.nodes */
    uint32_t function; /* row of trace_profile.functions */
    uint32_t parent;   /* row; INDEX_NONE for the root */
    int32_t depth;     /* -1 for the root */
};

struct cpu_model_times {
    double self, total; /* ms */
};

struct cpu_model {
    const struct trace_profile *profile;
    VEC(struct cpu_model_node) nodes;       /* every node is followed by all that is below it */
    VEC(struct cpu_model_times) node_times; /* none where the profile has no list of hits */
    struct node_ids ids;
    VEC(uint32_t) row_of_raw;        /* INDEX_NONE = it cannot be reached from the root */
    uint32_t garbage, program, idle; /* rows; INDEX_NONE = there is none */
    int32_t max_depth;
    VEC(uint32_t) samples; /* rows; INDEX_NONE = of a node that is not there */
    VEC(double) times;     /* ms; one more than samples, or none */
    double start, end;     /* ms */
};

/* Fills a zeroed model, which is to be freed in any case. The profile must outlive it; `strings` has its names. */
int cpu_model_build(struct cpu_model *model, const struct trace_profile *profile, const struct string_table *strings,
                    struct error *error);
void cpu_model_free(struct cpu_model *model);

/* Gives back what calls are not made of: times of nodes, and how to find nodes by their ids. */
void cpu_model_keep_stacks(struct cpu_model *model);

/* INDEX_NONE where there is none. A node that is in several places is found in the one that was visited last. */
uint32_t cpu_model_find(const struct cpu_model *model, double id);

static inline const struct trace_node *cpu_model_raw(const struct cpu_model *model, uint32_t row)
{
    return &model->profile->nodes.items[model->nodes.items[row].raw];
}

static inline const struct trace_function *cpu_model_function(const struct cpu_model *model, uint32_t row)
{
    return &model->profile->functions.items[model->nodes.items[row].function];
}

/* The steps of cpu_model_build(). */
int cpu_model_build_tree(struct cpu_model *model, struct error *error);
int cpu_model_build_samples(struct cpu_model *model, struct error *error); /* after the special nodes are known */

#endif
