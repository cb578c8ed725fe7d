/* Labels of markers, from the templates of their schemas.
 *
 *     "{marker.name} - {marker.data.url} took {marker.duration}{marker.data.cached ? ' (cached)' : ''}"
 *
 * In braces stand `marker.name`, `marker.category`, `marker.start`, `marker.end`, `marker.duration`, a field of the payload
 * `marker.data.KEY` in its format, or a choice between two texts by a field. Other things in braces are left out. */
#ifndef SONDE_MARKERS_LABEL_H
#define SONDE_MARKERS_LABEL_H

#include "common/text_buffer.h"
#include "markers/marker_list.h"

enum label_kind {
    LABEL_TABLE,   /* for a table that has a column for the name; may be empty */
    LABEL_CHART,   /* short; may be empty */
    LABEL_TOOLTIP, /* at least the name */
    LABEL_COPY,    /* the name and the table's label */
    LABEL_KINDS
};

/* What shows the labels. The command-line client of the Firefox Profiler knows no schemas but those of the file, and leaves
 * out fields that are empty texts, which the page shows as `(empty)`. */
enum label_style { LABELS_OF_PAGE, LABELS_OF_CLIENT };

enum label_part_kind {
    PART_TEXT,
    PART_NAME,
    PART_CATEGORY,
    PART_START,
    PART_END,
    PART_DURATION,
    PART_FIELD,
    PART_CHOICE,
};

struct label_part {
    enum label_part_kind kind;
    struct slice text, other;         /* PART_TEXT; PART_CHOICE: if the field is true, and if not */
    struct string_index key;          /* PART_FIELD, PART_CHOICE */
    const struct schema_field *field; /* PART_FIELD: NULL = the schema does not have it */
};

struct label_template {
    VEC(struct label_part) parts;
    bool present;
};

struct marker_labels {
    const struct marker_catalog *catalog;
    enum label_kind kind;
    enum label_style style;
    struct label_template *by_schema; /* one for each of the catalog's schemas */
    struct label_template file_io;    /* for files' reads and writes, where no schema has a label for them */
};

/* Reads the templates of one kind. `labels` needs no initialisation and is to be freed in any case; the catalog must outlive
 * it. 0 or -ENOMEM. */
int marker_labels_init(struct marker_labels *labels, const struct marker_catalog *catalog, enum label_kind kind,
                       enum label_style style, struct error *error);
void marker_labels_free(struct marker_labels *labels);

/* Adds the label of a marker to `out`. */
void marker_label_add(const struct marker_labels *labels, const struct marker *marker, struct text_buffer *out);

/* Reads one template; `schema` may be NULL. The text and the schema must outlive it. False when the heap is empty. */
bool label_template_init(struct label_template *label, const struct marker_catalog *catalog, const struct marker_schema *schema,
                         struct slice text);
void label_template_free(struct label_template *label);
void label_template_add(const struct label_template *label, const struct marker_labels *labels, const struct marker *marker,
                        struct text_buffer *out);

#endif
