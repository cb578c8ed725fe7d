/* Values of payload fields as text, by the format that the schema gives them. */
#ifndef SONDE_MARKERS_FIELD_H
#define SONDE_MARKERS_FIELD_H

#include "common/text_buffer.h"
#include "markers/catalog.h"

/* A value as JavaScript turns it into text: `7.5`, `true`, `a,b` for an array, `[object Object]`. */
void field_add_text(struct text_buffer *out, const struct marker_catalog *catalog, const uint8_t *value);

/* A value in the field's format; empty texts are shown as `(empty)`. False, with nothing added, where it cannot be shown so
 * because a list or a table was expected and the value is none. */
bool field_format_value(struct text_buffer *out, const struct marker_catalog *catalog, const struct schema_field *field,
                        const uint8_t *value);

/* The same of an item of a list, or of a cell of a table, which have a format and no field. */
bool field_format_cell(struct text_buffer *out, const struct marker_catalog *catalog, enum field_format format,
                       const uint8_t *value);

/* JavaScript's idea of true: not null, false, 0 or an empty text. `value` may be NULL. */
bool field_is_truthy(const struct marker_catalog *catalog, const uint8_t *value);

#endif
