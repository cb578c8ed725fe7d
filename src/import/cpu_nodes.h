/* Nodes of V8's CPU profiles, functions in their calling context, as funcs, frames and stacks: what CPU profiles and Chrome
 * traces have in common. Categories and funcs are those that the Firefox Profiler gives them. */
#ifndef SONDE_IMPORT_CPU_NODES_H
#define SONDE_IMPORT_CPU_NODES_H

#include "common/error.h"
#include "profile/profile.h"

/* Of the categories that cpu_nodes_add_categories() adds. */
enum { CPU_NODES_OTHER, CPU_NODES_IDLE, CPU_NODES_JAVASCRIPT, CPU_NODES_GARBAGE, CPU_NODES_GRAPHICS, CPU_NODES_NATIVE };

enum cpu_node_kind {
    CPU_NODE_UNTOLD, /* a script, if it has a place in one, else a part of the engine */
    CPU_NODE_SCRIPT,
    CPU_NODE_LABEL, /* native, and a reader of JavaScript wants to see it */
    CPU_NODE_NATIVE,
};

struct cpu_node {
    uint32_t id;                   /* frames come in the order of the ids */
    uint32_t parent_id;            /* INDEX_NONE where it does not say */
    uint32_t parent;               /* row; INDEX_NONE for a root */
    struct string_index name, url; /* STRING_NONE where they are missing or empty */
    struct string_index lib;       /* STRING_NONE where there is none */
    uint32_t line, column;         /* from 1 on; INDEX_NONE = none */
    enum cpu_node_kind kind;
};

/* To an empty profile. False when the heap is empty. */
bool cpu_nodes_add_categories(struct profile *profile);

/* Appends a stack for each of the nodes; `stack_of` has room for `count` and gets their rows. 0, -ENOMEM, or -EINVAL where a
 * node is its own ancestor. */
int cpu_nodes_append(struct profile *profile, const struct cpu_node *nodes, size_t count, uint32_t *stack_of,
                     struct error *error);

#endif
