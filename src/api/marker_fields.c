#include "api/marker_fields.h"

#include "markers/field.h"

#include <stdio.h>

bool marker_fields_init(struct marker_fields *fields, struct asking *asking, struct string_index type, size_t rows)
{
    *fields = (struct marker_fields){0};
    const struct marker_schema *schema = string_exists(type) ? marker_catalog_schema(&asking->markers->catalog, type) : NULL;
    bool fits = true;
    for (size_t i = 0; schema && i < schema->fields.count && fields->count < MARKER_MOST_FIELDS && fits; i++) {
        const struct schema_field *field = &schema->fields.items[i];
        if (field->hidden)
            continue;
        fields->fields[fields->count] = field;
        fits = (fields->texts[fields->count++] = asking_array(asking, rows, sizeof(uint32_t))) != NULL;
    }
    return fits;
}

int marker_fields_fill(struct marker_fields *fields, size_t row, const struct marker *marker, struct label_list *labels)
{
    const struct marker_catalog *catalog = &labels->asking->markers->catalog;
    for (size_t i = 0; i < fields->count; i++) {
        const uint8_t *at = value_find(marker->data, fields->fields[i]->key);
        text_cut(&labels->text, 0);
        if (at && value_read(at).kind != VALUE_NULL && !field_format_value(&labels->text, catalog, fields->fields[i], at))
            field_add_text(&labels->text, catalog, at);
        int status = label_list_keep(labels, &fields->texts[i][row]);
        if (status != 0)
            return status;
    }
    return 0;
}

void marker_fields_put(const struct marker_fields *fields, struct asking *asking)
{
    struct json_writer *w = asking->reply->json;
    const struct marker_texts *texts = &asking->markers->catalog.texts;
    json_write_key(w, "fields");
    json_write_begin_array(w);
    for (size_t i = 0; i < fields->count; i++) {
        const struct schema_field *field = fields->fields[i];
        json_write_begin_object(w);
        reply_put_slice(asking->reply, "key", marker_text(texts, field->key));
        reply_put_slice(asking->reply, "label", marker_text(texts, string_exists(field->label) ? field->label : field->key));
        reply_put_text(asking->reply, "format", field_format_name(field->format));
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

void marker_fields_put_columns(const struct marker_fields *fields, struct reply *reply, size_t rows)
{
    for (size_t i = 0; i < fields->count; i++) {
        char name[32];
        snprintf(name, sizeof name, "field%zu", i);
        reply_column(reply, name, REPLY_ID, fields->texts[i], rows);
    }
}
