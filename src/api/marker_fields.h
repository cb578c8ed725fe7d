/* Columns of the marker table for the fields of a schema, where all of its markers have the same one. */
#ifndef SONDE_API_MARKER_FIELDS_H
#define SONDE_API_MARKER_FIELDS_H

#include "api/label_list.h"

enum { MARKER_MOST_FIELDS = 8 };

struct marker_fields {
    size_t count;
    const struct schema_field *fields[MARKER_MOST_FIELDS]; /* those that are to be seen, in the order of the schema */
    uint32_t *texts[MARKER_MOST_FIELDS];                   /* of each row: places among the labels */
};

/* Of the schema of this type, `rows` rows; none where there is no such schema. False when the heap is empty. */
bool marker_fields_init(struct marker_fields *fields, struct asking *asking, struct string_index type, size_t rows);

/* What the marker has in them. 0 or -ENOMEM. */
int marker_fields_fill(struct marker_fields *fields, size_t row, const struct marker *marker, struct label_list *labels);

/* `fields` of the part, and a column of each: field0, field1 … */
void marker_fields_put(const struct marker_fields *fields, struct asking *asking);
void marker_fields_put_columns(const struct marker_fields *fields, struct reply *reply, size_t rows);

#endif
