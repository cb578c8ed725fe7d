#include "markers/catalog.h"

struct built_in_field {
    const char *key, *label;
    enum field_format format;
    bool hidden;
};

static const struct built_in_schema {
    const char *name, *tooltip_label, *table_label, *chart_label;
    struct built_in_field fields[5];
} built_in_schemas[] = {
    {
        .name = "IPC",
        .tooltip_label = "IPC — {marker.data.niceDirection}",
        .table_label = "{marker.data.messageType} — {marker.data.niceDirection}",
        .chart_label = "{marker.data.messageType}",
        .fields = {{"messageType", "Type", FORMAT_STRING, false},
                   {"sync", "Sync", FORMAT_STRING, false},
                   {"sendThreadName", "From", FORMAT_STRING, false},
                   {"recvThreadName", "To", FORMAT_STRING, false},
                   {"otherPid", "Other Pid", FORMAT_PID, false}},
    },
    {
        .name = "Network",
        .chart_label = "{marker.data.URI}",
        .fields = {{"contentType", "Content Type", FORMAT_STRING, true},
                   {"responseStatus", "Response Status", FORMAT_INTEGER, true},
                   {"URI", "URL", FORMAT_URL, true},
                   {"RedirectURI", "Redirected to", FORMAT_URL, true}},
    },
};

/* ---- schemas ---- */

static bool add_optional(struct marker_catalog *catalog, const char *text, struct string_index *index)
{
    *index = text ? marker_texts_add(&catalog->texts, slice_of(text)) : STRING_NONE;
    return !text || string_exists(*index);
}

static bool add_built_in_fields(struct marker_catalog *catalog, const struct built_in_schema *from, struct marker_schema *to)
{
    for (size_t i = 0; i < sizeof from->fields / sizeof *from->fields && from->fields[i].key; i++) {
        struct schema_field field = {.format = from->fields[i].format, .hidden = from->fields[i].hidden};
        if (!add_optional(catalog, from->fields[i].key, &field.key) ||
            !add_optional(catalog, from->fields[i].label, &field.label) || !vec_push(&to->fields, field))
            return false;
    }
    return true;
}

static bool add_built_in_schema(struct marker_catalog *catalog, const struct built_in_schema *from)
{
    struct marker_schema schema = {.description = STRING_NONE};
    if (add_optional(catalog, from->name, &schema.name) && add_optional(catalog, from->tooltip_label, &schema.tooltip_label) &&
        add_optional(catalog, from->table_label, &schema.table_label) &&
        add_optional(catalog, from->chart_label, &schema.chart_label) && add_built_in_fields(catalog, from, &schema) &&
        vec_push(&catalog->built_in.rows, schema))
        return true;
    vec_free(&schema.fields);
    return false;
}

static bool index_schema(struct marker_catalog *catalog, const struct marker_schema *schema)
{
    if (!string_exists(schema->name) || marker_catalog_schema(catalog, schema->name))
        return true;
    return vec_push(&catalog->schemas, schema) &&
           map_insert(&catalog->schema_by_type, hash_u64(schema->name.i), (uint32_t)catalog->schemas.count - 1);
}

static bool add_schemas(struct marker_catalog *catalog)
{
    for (size_t i = 0; i < sizeof built_in_schemas / sizeof *built_in_schemas; i++)
        if (!add_built_in_schema(catalog, &built_in_schemas[i]))
            return false;
    for (size_t i = 0; i < catalog->built_in.rows.count; i++)
        if (!index_schema(catalog, &catalog->built_in.rows.items[i]))
            return false;
    const struct marker_schema_list *own = &catalog->texts.profile->schemas;
    for (size_t i = 0; i < own->rows.count; i++)
        if (!index_schema(catalog, &own->rows.items[i]))
            return false;
    return true;
}

uint32_t marker_catalog_schema_row(const struct marker_catalog *catalog, struct string_index type)
{
    uint32_t row;
    if (string_exists(type))
        for (struct map_probe probe = map_probe(&catalog->schema_by_type, hash_u64(type.i)); map_probe_next(&probe, &row);)
            if (string_same(catalog->schemas.items[row]->name, type))
                return row;
    return INDEX_NONE;
}

const struct marker_schema *marker_catalog_schema(const struct marker_catalog *catalog, struct string_index type)
{
    uint32_t row = marker_catalog_schema_row(catalog, type);
    return row == INDEX_NONE ? NULL : catalog->schemas.items[row];
}

static bool add_jank_payload(struct marker_catalog *catalog)
{
    return value_put_object(&catalog->jank, 1) && value_put_key(&catalog->jank, catalog->texts.words[WORD_TYPE]) &&
           value_put_string(&catalog->jank, catalog->texts.words[WORD_JANK]);
}

/* ---- life ---- */

int marker_catalog_init(struct marker_catalog *catalog, const struct profile *profile, struct error *error)
{
    *catalog = (struct marker_catalog){0};
    if (!marker_texts_init(&catalog->texts, profile) || !add_schemas(catalog) || !add_jank_payload(catalog) ||
        !ipc_messages_find(&catalog->ipc, &catalog->texts))
        return error_out_of_memory(error);
    return 0;
}

void marker_catalog_free(struct marker_catalog *catalog)
{
    ipc_messages_free(&catalog->ipc);
    value_bytes_free(&catalog->jank);
    vec_free(&catalog->schemas);
    map_free(&catalog->schema_by_type);
    marker_schema_list_free(&catalog->built_in);
    marker_texts_free(&catalog->texts);
}
