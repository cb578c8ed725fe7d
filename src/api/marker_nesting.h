/* Markers of a thread on the few levels of a lane in the timeline: what starts while another one lasts is a level deeper.
 *
 *     ├───── a ─────┤        level 0
 *       ├ b ┤ ├ c ┤          level 1
 */
#ifndef SONDE_API_MARKER_NESTING_H
#define SONDE_API_MARKER_NESTING_H

#include "common/vec.h"
#include "markers/marker_list.h"

enum { NESTING_LEVELS = 3 };

struct nested_marker {
    uint32_t index; /* in the list */
    uint32_t level;
};

/* By start; of those that start together the longest first. */
struct marker_nesting {
    VEC(struct nested_marker) items;
};

/* Those with a time that Sonde did not make itself; what is nested deeper is left out. `nesting` needs no initialisation and is
 * to be freed in any case. 0 or -ENOMEM. */
int marker_nesting_make(struct marker_nesting *nesting, const struct marker_list *list, struct error *error);
void marker_nesting_free(struct marker_nesting *nesting);

#endif
