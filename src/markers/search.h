/* Looking for markers.
 *
 *     "paint, style"            markers that have either text in their name, category, type or a field
 *     "name:load, -cat:layout"  those whose name has it, without those whose category has the other
 *
 * Terms are separated by commas and case does not matter. A term `key:text` looks at one field only (`name`, `cat` for the
 * category, `type`, or a key of the payload's schema), and is also tried as a text of its own; `-key:text` takes away what
 * has it.
 *
 *     "name:paint, duration:1ms..2.5ms"   those of them that last so long; either side may be missing
 *
 * A moment does not last at all. */
#ifndef SONDE_MARKERS_SEARCH_H
#define SONDE_MARKERS_SEARCH_H

#include "common/text_buffer.h"
#include "markers/marker_list.h"

/* Texts, one of which must be part of what is looked at. */
struct needles {
    VEC(struct slice) texts; /* in lower case */
    uint8_t *known;          /* the answers for strings that were looked at: enum needle_answer by string index */
};

struct field_search {
    struct slice key; /* in lower case */
    bool is_name, is_category, is_type;
    VEC(struct string_index) keys; /* keys of schema fields that it means */
    struct needles wanted, unwanted;
};

struct marker_search {
    const struct marker_catalog *catalog;
    struct arena arena;
    struct needles anywhere;
    VEC(struct field_search) fields;
    bool any_wanted, any_unwanted;
    double shortest, longest;       /* ms; NaN = any duration */
    struct text_buffer text, lower; /* scratch */
    bool failed;                    /* memory ran out while matching */
};

/* Reads the terms. `search` needs no initialisation and is to be freed in any case; the catalog must outlive it. 0 or
 * -ENOMEM. */
int marker_search_init(struct marker_search *search, const struct marker_catalog *catalog, struct slice terms,
                       struct error *error);
void marker_search_free(struct marker_search *search);

/* Without terms everything matches. Look at `failed` after the last marker. */
bool marker_search_matches(struct marker_search *search, const struct marker *marker);

#endif
