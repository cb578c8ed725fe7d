/* The rows of the marker chart.
 *
 *     ▒ Layout ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒   row 0   a bucket: the markers of one category
 *     Reflow      ◆   ◆                  1   a group: the moments of one name, all in one row
 *                ├──┤  ├────┤            2   a group: its intervals, in as many rows as it takes
 *                  ├────┤                3
 *
 * The bucket called Test is first, Other last, the others by name. In a bucket groups are by name, those of a name by thread;
 * network requests, each of which has a name of its own, are one group at the end. Names that are pinned come first of all, in
 * a bucket of their own; of a bucket that is folded only the head is there. */
#ifndef SONDE_API_MARKER_LAYOUT_H
#define SONDE_API_MARKER_LAYOUT_H

#include "api/marker_store.h"
#include "api/name_order.h"

/* Which rows are elsewhere, or not there: names of markers, and of categories. */
struct marker_arrangement {
    const struct slice *pinned, *folded;
    size_t pinned_count, folded_count;
};

struct marker_bucket {
    uint32_t category;  /* INDEX_NONE = markers without one, and those that are pinned */
    uint32_t row, rows; /* the first is its head, which has no markers */
};

struct marker_group {
    uint32_t bucket, category;
    bool pinned;
    struct string_index name;
    uint32_t rank; /* of the name */
    uint32_t thread;
    bool intervals;
    uint32_t row, rows;
    uint32_t count; /* markers */
};

struct marker_layout {
    VEC(struct marker_bucket) buckets;
    bool pinned;                     /* the first bucket is that of pinned names */
    VEC(struct marker_group) groups; /* by row */
    uint32_t rows;
    VEC(uint32_t) row_starts; /* where the markers of each row start in `markers`; one more at the end */
    struct marker_ref *markers;
};

/* `layout` needs no initialisation and is to be freed in any case; `names` has those of all markers and categories. 0 or
 * -ENOMEM. */
int marker_layout_make(struct marker_layout *layout, const struct marker_store *store, const struct marker_refs *markers,
                       const struct name_order *names, const struct marker_arrangement *arrangement, struct error *error);
void marker_layout_free(struct marker_layout *layout);

/* The category of a marker, INDEX_NONE where the profile does not have it. */
uint32_t marker_category(const struct profile *profile, const struct marker *marker);

/* The place of a category among all: Test first, Other last, the others by name. */
uint64_t category_place(const struct profile *profile, const struct name_order *names, uint32_t category);

#endif
