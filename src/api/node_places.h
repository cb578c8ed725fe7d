/* Where call nodes stand to the selected node: it and all below it are selected, the others before or after it in the order of
 * the tree. In the inverted tree a call node is where the function it ends in is, under the callers it has. */
#ifndef SONDE_API_NODE_PLACES_H
#define SONDE_API_NODE_PLACES_H

#include "tree/call_node_table.h"
#include "tree/path.h"

enum node_place { NODE_BEFORE, NODE_SELECTED, NODE_AFTER };

/* Fills `places`, one for each node. Without a selected node (an empty path) all are selected; where it is not there, none. */
void node_places_find(const struct call_node_table *nodes, const struct path *selected, bool inverted, uint8_t *places);

#endif
