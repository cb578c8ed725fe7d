#include "profile/string_fields.h"

static bool add_key(struct string_fields *fields, struct string_index type, struct string_index key)
{
    if (!string_exists(type) || !string_exists(key))
        return true;
    while (fields->by_type.count <= type.i)
        if (!vec_push(&fields->by_type, INDEX_NONE))
            return false;
    uint32_t *row = &fields->by_type.items[type.i];
    if (*row == INDEX_NONE) {
        if (!vec_push(&fields->types, (struct string_fields_of_type){0}))
            return false;
        *row = (uint32_t)fields->types.count - 1;
    }
    return vec_push(&fields->types.items[*row].keys, key);
}

bool string_fields_collect(struct string_fields *fields, const struct marker_schema_list *schemas,
                           const struct string_table *strings)
{
    for (size_t i = 0; i < schemas->rows.count; i++) {
        const struct marker_schema *schema = &schemas->rows.items[i];
        if (marker_schema_find(schemas, schema->name) != schema)
            continue; /* the first of a name counts */
        for (size_t f = 0; f < schema->fields.count; f++)
            if (field_format_is_string_index(schema->fields.items[f].format) &&
                !add_key(fields, schema->name, schema->fields.items[f].key))
                return false;
    }
    return add_key(fields, string_table_find(strings, SLICE("CompositorScreenshot")), string_table_find(strings, SLICE("url")));
}

void string_fields_free(struct string_fields *fields)
{
    for (size_t i = 0; i < fields->types.count; i++)
        vec_free(&fields->types.items[i].keys);
    vec_free(&fields->types);
    vec_free(&fields->by_type);
}
