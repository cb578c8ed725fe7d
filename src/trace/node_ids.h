/* Which node of a CPU profile has an id.
 *
 * V8 counts ids from 1 on, so that nearly always a plain array knows; whatever else a file has for ids goes through a map. */
#ifndef SONDE_TRACE_NODE_IDS_H
#define SONDE_TRACE_NODE_IDS_H

#include "common/indexed.h"
#include "trace/trace.h"

struct node_ids {
    const struct trace_profile *profile;
    VEC(uint32_t) row_of_id; /* INDEX_NONE = no node has it */
    struct map by_hash;      /* instead, where ids are not small whole numbers */
};

/* Of nodes with the same id the last one counts. False when the heap is empty. */
bool node_ids_build(struct node_ids *ids, const struct trace_profile *profile);
void node_ids_free(struct node_ids *ids);

/* A row of profile->nodes; INDEX_NONE where there is none. */
uint32_t node_ids_find(const struct node_ids *ids, double id);

#endif
