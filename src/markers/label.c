#include "markers/label.h"

#include "markers/field.h"
#include "markers/format.h"

static const char file_io_label[] = "{marker.data.source ? '(' : ''}{marker.data.source}{marker.data.source ? ') ' : ''}"
                                    "{marker.data.operation}{marker.data.filename ? ' — ' : ''}{marker.data.filename}";

/* ---- reading templates ---- */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct slice trim(struct slice text)
{
    while (text.length > 0 && is_space(text.text[0]))
        text = slice_from(text, 1);
    while (text.length > 0 && is_space(text.text[text.length - 1]))
        text.length--;
    return text;
}

/* Takes `start` away from the front of `text` if it is there. */
static bool take(struct slice *text, struct slice start)
{
    if (!slice_starts_with(*text, start))
        return false;
    *text = slice_from(*text, start.length);
    return true;
}

/* Takes `'…'`. */
static bool take_quoted(struct slice *text, struct slice *inside)
{
    *text = trim(*text);
    if (!take(text, SLICE("'")))
        return false;
    const char *end = memchr(text->text, '\'', text->length);
    if (!end)
        return false;
    *inside = slice_until(*text, (size_t)(end - text->text));
    *text = trim(slice_from(*text, inside->length + 1));
    return true;
}

static bool is_path_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* `PATH ? 'yes' : 'no'` */
static bool read_choice(struct slice inner, struct slice *path, struct slice *yes, struct slice *no)
{
    inner = trim(inner);
    size_t length = 0;
    while (length < inner.length && is_path_character(inner.text[length]))
        length++;
    *path = slice_until(inner, length);
    inner = trim(slice_from(inner, length));
    return length > 0 && take(&inner, SLICE("?")) && take_quoted(&inner, yes) && take(&inner, SLICE(":")) &&
           take_quoted(&inner, no) && inner.length == 0;
}

/* The KEY of `marker.data.KEY`, which has no dots. */
static bool read_key(struct slice path, struct slice *key)
{
    *key = path;
    return take(key, SLICE("marker.data.")) && !memchr(key->text, '.', key->length);
}

static bool push_text(struct label_template *label, struct slice text)
{
    return text.length == 0 || vec_push(&label->parts, ((struct label_part){.kind = PART_TEXT, .text = text}));
}

static bool push_simple(struct label_template *label, struct slice path)
{
    static const struct {
        const char *path;
        enum label_part_kind kind;
    } simple[] = {
        {"marker.name", PART_NAME}, {"marker.category", PART_CATEGORY}, {"marker.start", PART_START},
        {"marker.end", PART_END},   {"marker.duration", PART_DURATION},
    };
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (slice_equal(path, slice_of(simple[i].path)))
            return vec_push(&label->parts, (struct label_part){.kind = simple[i].kind});
    return true; /* unknown: shown as nothing */
}

/* What stands in braces. A key that no payload has is not in the string table, and the part can be left out. */
static bool push_inner(struct label_template *label, const struct marker_catalog *catalog, const struct marker_schema *schema,
                       struct slice inner)
{
    struct slice path, yes, no, key;
    if (read_choice(inner, &path, &yes, &no)) {
        if (!read_key(path, &key) || key.length == 0)
            return true;
        struct label_part part = {PART_CHOICE, yes, no, marker_texts_find(&catalog->texts, key), NULL};
        return vec_push(&label->parts, part);
    }
    path = trim(inner);
    if (!read_key(path, &key))
        return push_simple(label, path);
    struct string_index index = marker_texts_find(&catalog->texts, key);
    if (!string_exists(index))
        return true;
    struct label_part part = {.kind = PART_FIELD, .key = index, .field = schema ? marker_schema_field(schema, index) : NULL};
    return vec_push(&label->parts, part);
}

bool label_template_init(struct label_template *label, const struct marker_catalog *catalog, const struct marker_schema *schema,
                         struct slice text)
{
    *label = (struct label_template){.present = true};
    size_t literal = 0; /* where the text that is taken as it is starts */
    for (size_t i = 0; i < text.length; i++) {
        if (text.text[i] != '{')
            continue;
        const char *close = memchr(text.text + i, '}', text.length - i);
        if (!close)
            break;
        size_t end = (size_t)(close - text.text);
        if (end == i + 1) /* `{}` */
            continue;
        if (!push_text(label, (struct slice){text.text + literal, i - literal}) ||
            !push_inner(label, catalog, schema, (struct slice){text.text + i + 1, end - i - 1}))
            return false;
        literal = end + 1;
        i = end;
    }
    return push_text(label, slice_from(text, literal));
}

void label_template_free(struct label_template *label)
{
    vec_free(&label->parts);
}

/* ---- which template ---- */

static bool take_space(struct slice *text)
{
    return take(text, SLICE(" ")) || take(text, SLICE("\t")) || take(text, SLICE("\u00a0"));
}

/* `{marker.name} - ` at the front, which a table does not need. */
static bool take_name(struct slice *text)
{
    struct slice rest = *text;
    if (!take(&rest, SLICE("{marker.name}")) || !take_space(&rest) || !(take(&rest, SLICE("-")) || take(&rest, SLICE("—"))) ||
        !take_space(&rest))
        return false;
    *text = rest;
    return true;
}

static struct slice schema_text(const struct marker_catalog *catalog, const struct marker_schema *schema, enum label_kind kind)
{
    struct string_index text = kind == LABEL_CHART     ? schema->chart_label
                               : kind == LABEL_TOOLTIP ? schema->tooltip_label
                                                       : schema->table_label;
    return marker_text(&catalog->texts, text);
}

/* `{marker.name} — ` in front of a label for copying that lacks it. */
static bool prepend_name(struct label_template *label)
{
    size_t count = label->parts.count;
    if (!vec_reserve(&label->parts, count + 2))
        return false;
    memmove(label->parts.items + 2, label->parts.items, count * sizeof *label->parts.items);
    label->parts.items[0] = (struct label_part){.kind = PART_NAME};
    label->parts.items[1] = (struct label_part){.kind = PART_TEXT, .text = SLICE(" — ")};
    label->parts.count += 2;
    return true;
}

static bool read_label(struct label_template *label, const struct marker_labels *labels, const struct marker_schema *schema,
                       struct slice text)
{
    struct slice without_name = text;
    bool has_name = take_name(&without_name);
    if (labels->kind == LABEL_TABLE)
        text = without_name;
    /* A label that was the name alone is as good as none. */
    if (text.length == 0)
        return true;
    return label_template_init(label, labels->catalog, schema, text) &&
           (labels->kind != LABEL_COPY || has_name || prepend_name(label));
}

static bool is_shown(const struct marker_labels *labels, const struct marker_schema *schema)
{
    return labels->style == LABELS_OF_PAGE || marker_schema_find(&labels->catalog->texts.profile->schemas, schema->name);
}

int marker_labels_init(struct marker_labels *labels, const struct marker_catalog *catalog, enum label_kind kind,
                       enum label_style style, struct error *error)
{
    *labels = (struct marker_labels){.catalog = catalog, .kind = kind, .style = style};
    size_t count = catalog->schemas.count;
    labels->by_schema = memory_zeroed(count, sizeof *labels->by_schema);
    bool ok = labels->by_schema != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        const struct marker_schema *schema = catalog->schemas.items[i];
        if (is_shown(labels, schema))
            ok = read_label(&labels->by_schema[i], labels, schema, schema_text(catalog, schema, kind));
    }
    if (ok && (kind == LABEL_TABLE || kind == LABEL_COPY))
        ok = read_label(&labels->file_io, labels, NULL, slice_of(file_io_label));
    return ok ? 0 : error_out_of_memory(error);
}

void marker_labels_free(struct marker_labels *labels)
{
    for (size_t i = 0; labels->by_schema && i < labels->catalog->schemas.count; i++)
        label_template_free(&labels->by_schema[i]);
    memory_release(labels->by_schema);
    label_template_free(&labels->file_io);
}

/* ---- filling in ---- */

static void add_time(struct text_buffer *out, double ms)
{
    if (isnan(ms))
        text_add(out, SLICE("unknown"));
    else
        format_duration(out, ms);
}

static void add_category(struct text_buffer *out, const struct marker_catalog *catalog, struct category_index category)
{
    if (category.i < catalog->texts.profile->categories.rows.count)
        text_add(out, marker_text(&catalog->texts, catalog->texts.profile->categories.rows.items[category.i].name));
}

static void add_field(struct text_buffer *out, const struct marker_labels *labels, const struct label_part *part,
                      const uint8_t *data)
{
    const struct marker_catalog *catalog = labels->catalog;
    const uint8_t *at = value_find(data, part->key);
    if (!at)
        return;
    struct value value = value_read(at);
    if (value.kind == VALUE_NULL || (labels->style == LABELS_OF_CLIENT && value.kind == VALUE_STRING &&
                                     marker_text(&catalog->texts, value.string).length == 0))
        return;
    if (!part->field || !field_format_value(out, catalog, part->field, at))
        field_add_text(out, catalog, at);
}

void label_template_add(const struct label_template *label, const struct marker_labels *labels, const struct marker *marker,
                        struct text_buffer *out)
{
    for (size_t i = 0; i < label->parts.count; i++) {
        const struct label_part *part = &label->parts.items[i];
        switch (part->kind) {
        case PART_TEXT:
            text_add(out, part->text);
            break;
        case PART_NAME:
            text_add(out, marker_text(&labels->catalog->texts, marker->name));
            break;
        case PART_CATEGORY:
            add_category(out, labels->catalog, marker->category);
            break;
        case PART_START:
            add_time(out, marker->start);
            break;
        case PART_END:
            add_time(out, marker->end);
            break;
        case PART_DURATION:
            add_time(out, marker->end - marker->start);
            break;
        case PART_FIELD:
            add_field(out, labels, part, marker->data);
            break;
        case PART_CHOICE:
            text_add(out, field_is_truthy(labels->catalog, value_find(marker->data, part->key)) ? part->text : part->other);
            break;
        }
    }
}

static const struct label_template *template_of(const struct marker_labels *labels, const struct marker *marker)
{
    struct string_index type = marker_payload_type(&labels->catalog->texts, marker->data);
    uint32_t row = marker_catalog_schema_row(labels->catalog, type);
    const struct label_template *label = row == INDEX_NONE ? NULL : &labels->by_schema[row];
    if ((!label || !label->present) && string_same(type, labels->catalog->texts.words[WORD_FILE_IO]))
        label = &labels->file_io;
    return label && label->present ? label : NULL;
}

void marker_label_add(const struct marker_labels *labels, const struct marker *marker, struct text_buffer *out)
{
    const struct label_template *label = template_of(labels, marker);
    if (label)
        label_template_add(label, labels, marker, out);
    else if (labels->kind == LABEL_TOOLTIP || labels->kind == LABEL_COPY)
        text_add(out, marker_text(&labels->catalog->texts, marker->name));
}
