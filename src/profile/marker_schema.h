/* Marker schemas: what the payloads of a type of marker mean and how they are shown. */
#ifndef SONDE_PROFILE_MARKER_SCHEMA_H
#define SONDE_PROFILE_MARKER_SCHEMA_H

#include "common/vec.h"
#include "profile/indices.h"
#include "profile/value.h"

enum field_format {
    FORMAT_UNKNOWN, /* a format this Sonde does not know: shown as it is */
    FORMAT_STRING,
    FORMAT_URL,
    FORMAT_FILE_PATH,
    FORMAT_SANITIZED_STRING,
    FORMAT_UNIQUE_STRING,
    FORMAT_FLOW_ID,
    FORMAT_TERMINATING_FLOW_ID,
    FORMAT_DURATION,
    FORMAT_TIME,
    FORMAT_SECONDS,
    FORMAT_MILLISECONDS,
    FORMAT_MICROSECONDS,
    FORMAT_NANOSECONDS,
    FORMAT_BYTES,
    FORMAT_INTEGER,
    FORMAT_DECIMAL,
    FORMAT_PERCENTAGE,
    FORMAT_HEXADECIMAL,
    FORMAT_PID,
    FORMAT_TID,
    FORMAT_LIST,
    FORMAT_TABLE,
};

enum field_format field_format_parse(struct slice name);

/* Its name in a file, or NULL for one that is not known. */
const char *field_format_name(enum field_format format);

/* True for formats whose values are indices of the file's string table. On import such values become strings of the
 * profile (VALUE_STRING), so that nothing after the importers has to know. */
bool field_format_is_string_index(enum field_format format);

struct table_column {
    struct string_index label; /* STRING_NONE = none */
    enum field_format format;
};

struct schema_field {
    struct string_index key;
    struct string_index label; /* STRING_NONE = none: the key stands for it */
    enum field_format format;
    VEC(struct table_column) columns; /* FORMAT_TABLE only */
    bool hidden;
};

struct marker_schema {
    struct string_index name;                                                 /* the `type` of payloads */
    struct string_index tooltip_label, table_label, chart_label, description; /* STRING_NONE = none */
    VEC(struct schema_field) fields;
    struct value_bytes whole; /* the schema as it was read, brought to the newest form, to be written again */
};

struct marker_schema_list {
    VEC(struct marker_schema) rows;
    struct map by_name; /* the first row of each name */
};

/* The first schema called `name`, or NULL. */
const struct marker_schema *marker_schema_find(const struct marker_schema_list *list, struct string_index name);

/* The field with this key, or NULL. */
const struct schema_field *marker_schema_field(const struct marker_schema *schema, struct string_index key);

/* Reads the schema that `whole` (a packed object in the form of the newest processed format: `fields`, not `data`) describes
 * and adds it; `whole` is copied. False when the heap is empty. */
bool marker_schema_list_add(struct marker_schema_list *list, struct string_table *strings, const uint8_t *whole);

void marker_schema_list_free(struct marker_schema_list *list);

#endif
