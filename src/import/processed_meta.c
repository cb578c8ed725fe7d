/* `meta` of processed profiles: the version, categories, and marker schemas brought to the form of the newest version.
 *
 * All of it is packed first, because the version that says how to read the rest may stand last. */
#include "common/count.h"
#include "import/processed_reader.h"

#include <math.h>

/* ---- looking into packed values ---- */

static const uint8_t *find(const struct processed *p, const uint8_t *object, struct slice key)
{
    return value_find(object, string_table_find(&p->profile->strings, key));
}

static enum value_kind kind_of(const uint8_t *at)
{
    return at ? value_read(at).kind : VALUE_NULL;
}

static struct string_index text_of(const uint8_t *at)
{
    return kind_of(at) == VALUE_STRING ? value_read(at).string : STRING_NONE;
}

static double number_of(const uint8_t *at, double absent)
{
    double number;
    struct value value;
    if (!at)
        return absent;
    value = value_read(at);
    return value_as_number(&value, &number) ? number : absent;
}

static bool is_text(const struct processed *p, const uint8_t *at, struct slice text)
{
    struct string_index string = text_of(at);
    return string_exists(string) && slice_equal(string_table_get(&p->profile->strings, string), text);
}

/* The items of an array that may be missing. */
static uint32_t items_of(const uint8_t *at, const uint8_t **first)
{
    if (kind_of(at) != VALUE_ARRAY)
        return 0;
    struct value array = value_read(at);
    *first = array.rest;
    return array.count;
}

/* ---- an object being built; stays quiet after a failure, which the reader knows ---- */

struct builder {
    struct processed *p;
    struct value_bytes *out;
};

static void require(struct builder *b, bool done)
{
    if (!done)
        processed_out_of_memory(b->p);
}

static void put_key(struct builder *b, struct slice key)
{
    struct string_index string = processed_intern(b->p, key);
    require(b, value_put_key(b->out, string));
}

static void put_text(struct builder *b, const char *text)
{
    require(b, value_put_string(b->out, processed_intern(b->p, slice_of(text))));
}

static void put_text_under(struct builder *b, const char *key, const char *text)
{
    put_key(b, slice_of(key));
    put_text(b, text);
}

static void put_copy(struct builder *b, const uint8_t *at)
{
    require(b, value_put_copy(b->out, at));
}

/* ---- schemas ---- */

/* What fields give away, added by PROCESSED_PRIVATE_FIELDS to schemas that do not say it. */
static const struct private_field {
    const char *schema, *key, *kind;
} private_fields[] = {
    {"Network", "URI", "url"},
    {"Network", "RedirectURI", "url"},
    {"Network", "isPrivateBrowsing", "private-browsing"},
    {"Text", "name", "url"},
    {"PreferenceRead", "prefValue", "preference-value"},
};

static const char file_io_label[] = "{marker.data.source ? '(' : ''}{marker.data.source}{marker.data.source ? ') ' : ''}"
                                    "{marker.data.operation}{marker.data.filename ? ' — ' : ''}{marker.data.filename}";

/* `schema` is its name. */
static const struct private_field *find_private_field(const struct processed *p, struct slice schema, const uint8_t *field)
{
    for (size_t i = 0; p->version < PROCESSED_PRIVATE_FIELDS && i < COUNT(private_fields); i++)
        if (slice_equal(schema, slice_of(private_fields[i].schema)) &&
            is_text(p, find(p, field, SLICE("key")), slice_of(private_fields[i].key)))
            return &private_fields[i];
    return NULL;
}

static void put_private_kind(struct builder *b, const char *kind)
{
    put_key(b, SLICE("containsPII"));
    require(b, value_put_array(b->out, 1));
    put_text(b, kind);
}

static void put_field(struct builder *b, struct slice schema, const uint8_t *field)
{
    struct value object = value_read(field);
    if (object.kind != VALUE_OBJECT) {
        put_copy(b, field);
        return;
    }
    struct string_index searchable = string_table_find(&b->p->profile->strings, SLICE("searchable"));
    const uint8_t *at = object.rest;
    uint32_t count = 0;
    size_t place = value_open(b->out);
    require(b, place != SIZE_MAX);
    for (uint32_t i = 0; i < object.count; i++, at = value_skip(at)) {
        struct string_index key = value_read_key(&at);
        if (b->p->version < PROCESSED_NO_SEARCHABLE && string_same(key, searchable))
            continue;
        require(b, value_put_key(b->out, key));
        put_copy(b, at);
        count++;
    }
    const struct private_field *private = find_private_field(b->p, schema, field);
    if (private && !find(b->p, field, SLICE("containsPII"))) {
        put_private_kind(b, private->kind);
        count++;
    }
    require(b, json_ok(b->p->r) && value_close_object(b->out, place, count));
}

static bool has_field(const struct processed *p, const uint8_t *fields, const char *key)
{
    const uint8_t *at = NULL;
    uint32_t count = items_of(fields, &at);
    for (uint32_t i = 0; i < count; i++, at = value_skip(at))
        if (is_text(p, find(p, at, SLICE("key")), slice_of(key)))
            return true;
    return false;
}

/* The private fields that a schema lacks, hidden: 3 keys and what they give away. */
static uint32_t put_missing_private_fields(struct builder *b, struct slice schema, const uint8_t *fields)
{
    uint32_t count = 0;
    for (size_t i = 0; b->p->version < PROCESSED_PRIVATE_FIELDS && i < COUNT(private_fields); i++) {
        const struct private_field *field = &private_fields[i];
        if (!slice_equal(schema, slice_of(field->schema)) || has_field(b->p, fields, field->key))
            continue;
        require(b, value_put_object(b->out, 4));
        put_text_under(b, "key", field->key);
        put_text_under(b, "format", "string");
        put_key(b, SLICE("hidden"));
        require(b, value_put_boolean(b->out, true));
        put_private_kind(b, field->kind);
        count++;
    }
    return count;
}

/* Before PROCESSED_SCHEMA_FIELDS, entries with a `value` are remarks on the schema, all others are fields. */
static void put_fields(struct builder *b, struct slice schema, const uint8_t *fields)
{
    const uint8_t *at = NULL;
    uint32_t items = items_of(fields, &at), count = 0;
    size_t place = value_open(b->out);
    require(b, place != SIZE_MAX);
    for (uint32_t i = 0; i < items; i++, at = value_skip(at)) {
        if (b->p->version < PROCESSED_SCHEMA_FIELDS && find(b->p, at, SLICE("value")))
            continue;
        put_field(b, schema, at);
        count++;
    }
    count += put_missing_private_fields(b, schema, fields);
    require(b, json_ok(b->p->r) && value_close_array(b->out, place, count));
}

/* The remark that becomes the description: the one labelled so, else the first; NULL = none. */
static const uint8_t *find_description(const struct processed *p, const uint8_t *data)
{
    const uint8_t *at = NULL, *first = NULL;
    uint32_t count = items_of(data, &at);
    for (uint32_t i = 0; i < count; i++, at = value_skip(at)) {
        const uint8_t *value = find(p, at, SLICE("key")) ? NULL : find(p, at, SLICE("value"));
        if (value && is_text(p, find(p, at, SLICE("label")), SLICE("Description")))
            return value;
        if (value && !first)
            first = value;
    }
    return first;
}

static void put_display(struct builder *b, const uint8_t *display)
{
    const uint8_t *at = NULL;
    uint32_t count = items_of(display, &at);
    for (uint32_t i = 0; i < count; i++, at = value_skip(at))
        if (is_text(b->p, at, SLICE("timeline-network"))) {
            put_copy(b, display);
            return;
        }
    require(b, value_put_array(b->out, count + 1));
    items_of(display, &at);
    for (uint32_t i = 0; i < count; i++, at = value_skip(at))
        put_copy(b, at);
    put_text(b, "timeline-network");
}

/* The schema in the form of the newest version. */
static void put_schema(struct builder *b, const uint8_t *schema)
{
    const struct processed *p = b->p;
    struct value object = value_read(schema);
    bool old_fields = p->version < PROCESSED_SCHEMA_FIELDS;
    const struct string_table *strings = &p->profile->strings;
    struct slice schema_name = string_table_get(strings, text_of(find(p, schema, SLICE("name"))));
    bool is_network = slice_is(schema_name, "Network"), is_file_io = slice_is(schema_name, "FileIO");
    const uint8_t *at = object.rest;
    uint32_t count = object.count;
    size_t place = value_open(b->out);
    require(b, place != SIZE_MAX);
    for (uint32_t i = 0; i < object.count; i++, at = value_skip(at)) {
        struct string_index key = value_read_key(&at);
        struct slice name = string_table_get(strings, key);
        if (old_fields ? slice_is(name, "data") : slice_is(name, "fields")) {
            put_key(b, SLICE("fields"));
            put_fields(b, schema_name, at);
            continue;
        }
        require(b, value_put_key(b->out, key));
        if (slice_is(name, "display") && is_network && p->version < PROCESSED_TIMELINE_NETWORK && kind_of(at) == VALUE_ARRAY)
            put_display(b, at);
        else
            put_copy(b, at);
    }
    const uint8_t *description = old_fields ? find_description(p, find(p, schema, SLICE("data"))) : NULL;
    if (description) {
        put_key(b, SLICE("description"));
        put_copy(b, description);
        count++;
    }
    if (is_file_io && p->version < PROCESSED_FILE_IO_LABEL && !find(p, schema, SLICE("tableLabel"))) {
        put_text_under(b, "tableLabel", file_io_label);
        count++;
    }
    require(b, json_ok(p->r) && value_close_object(b->out, place, count));
}

static void add_schema(struct processed *p, const struct value_bytes *schema)
{
    if (json_ok(p->r) && !marker_schema_list_add(&p->profile->schemas, &p->profile->strings, schema->bytes.items))
        processed_out_of_memory(p);
}

void processed_read_schemas(struct processed *p, const uint8_t *schemas, bool only_new)
{
    const uint8_t *at = NULL;
    uint32_t count = items_of(schemas, &at);
    for (uint32_t i = 0; i < count && json_ok(p->r); i++, at = value_skip(at)) {
        struct string_index name = kind_of(at) == VALUE_OBJECT ? text_of(find(p, at, SLICE("name"))) : STRING_NONE;
        if (!string_exists(name)) {
            processed_fail(p, "meta.markerSchema: schema %u has no name", i);
            return;
        }
        if (only_new && marker_schema_find(&p->profile->schemas, name))
            continue;
        struct value_bytes schema = {0};
        put_schema(&(struct builder){p, &schema}, at);
        add_schema(p, &schema);
        value_bytes_free(&schema);
    }
    p->has_cc_schema = marker_schema_find(&p->profile->schemas, string_table_find(&p->profile->strings, SLICE("CC")));
}

/* A schema that markers of older versions went without. */
static void add_made_schema(struct processed *p, const char *name, const char *third_place)
{
    if (marker_schema_find(&p->profile->schemas, string_table_find(&p->profile->strings, slice_of(name))))
        return;
    struct value_bytes schema = {0};
    struct builder b = {p, &schema};
    require(&b, value_put_object(&schema, 3));
    put_text_under(&b, "name", name);
    put_key(&b, SLICE("display"));
    require(&b, value_put_array(&schema, 3));
    put_text(&b, "marker-chart");
    put_text(&b, "marker-table");
    put_text(&b, third_place);
    put_key(&b, SLICE("fields"));
    require(&b, value_put_array(&schema, 1) && value_put_object(&schema, 3));
    put_text_under(&b, "key", "category");
    put_text_under(&b, "label", "Type");
    put_text_under(&b, "format", "string");
    add_schema(p, &schema);
    value_bytes_free(&schema);
}

static void put_private_text_field(struct builder *b, const char *key, const char *label, const char *kind)
{
    require(b, value_put_object(b->out, 4));
    put_text_under(b, "key", key);
    put_text_under(b, "label", label);
    put_text_under(b, "format", "string");
    put_private_kind(b, kind);
}

static void add_extension_text_schema(struct processed *p)
{
    static const char label[] = "{marker.data.extensionId}{marker.data.extensionId ? ', ' : ''}{marker.data.name}";
    if (marker_schema_find(&p->profile->schemas, string_table_find(&p->profile->strings, SLICE("ExtensionText"))))
        return;
    struct value_bytes schema = {0};
    struct builder b = {p, &schema};
    require(&b, value_put_object(&schema, 5));
    put_text_under(&b, "name", "ExtensionText");
    put_text_under(&b, "tableLabel", label);
    put_text_under(&b, "chartLabel", label);
    put_key(&b, SLICE("display"));
    require(&b, value_put_array(&schema, 2));
    put_text(&b, "marker-chart");
    put_text(&b, "marker-table");
    put_key(&b, SLICE("fields"));
    require(&b, value_put_array(&schema, 2));
    put_private_text_field(&b, "extensionId", "Extension ID", "extension-id");
    put_private_text_field(&b, "name", "Details", "url");
    add_schema(p, &schema);
    value_bytes_free(&schema);
}

void processed_add_schemas(struct processed *p)
{
    if (json_ok(p->r) && p->saw_tracing)
        add_made_schema(p, "tracing", "timeline-overview");
    if (json_ok(p->r) && p->saw_tracing_cc)
        add_made_schema(p, "tracingCCFrom52Upgrader", "timeline-memory");
    if (json_ok(p->r) && p->saw_extension_text)
        add_extension_text_schema(p);
}

/* ---- categories ---- */

static void read_category(struct processed *p, const uint8_t *at, uint32_t row)
{
    struct string_index name = text_of(find(p, at, SLICE("name")));
    struct string_index color = text_of(find(p, at, SLICE("color")));
    if (!string_exists(name)) {
        processed_fail(p, "meta.categories: category %u has no name", row);
        return;
    }
    struct category category = {.name = name, .color = string_exists(color) ? color : processed_intern(p, SLICE("grey"))};
    const uint8_t *item = NULL;
    uint32_t count = items_of(find(p, at, SLICE("subcategories")), &item);
    bool added = true;
    for (uint32_t i = 0; i < count && added; i++, item = value_skip(item)) {
        struct string_index subcategory = text_of(item);
        added = vec_push(&category.subcategories, string_exists(subcategory) ? subcategory : name);
    }
    if (count == 0)
        added = vec_push(&category.subcategories, processed_intern(p, SLICE("Other")));
    if (!added || !vec_push(&p->profile->categories.rows, category)) {
        vec_free(&category.subcategories);
        processed_out_of_memory(p);
    }
}

/* Implementations become subcategories only where there are no real ones. */
static void prepare_jit_category(struct processed *p, bool has_categories)
{
    const struct category_list *categories = &p->profile->categories;
    if (p->version >= PROCESSED_NO_IMPLEMENTATION || !has_categories)
        return;
    for (size_t i = 0; i < categories->rows.count; i++)
        if (categories->rows.items[i].subcategories.count != 1)
            return;
    p->jit_category = category_list_find(categories, &p->profile->strings, SLICE("JavaScript"));
}

void processed_read_categories(struct processed *p, const uint8_t *categories)
{
    const uint8_t *at = NULL;
    uint32_t count = items_of(categories, &at);
    for (uint32_t i = 0; i < count && json_ok(p->r); i++, at = value_skip(at))
        read_category(p, at, i);
    if (count == 0 && !category_list_add_default(&p->profile->categories, &p->profile->strings))
        processed_out_of_memory(p);
    prepare_jit_category(p, count > 0);
}

/* ---- meta ---- */

enum cpu_unit processed_read_cpu_unit(const struct processed *p, const uint8_t *units)
{
    const uint8_t *unit = find(p, units, SLICE("threadCPUDelta"));
    if (is_text(p, unit, SLICE("ns")))
        return CPU_NANOSECONDS;
    if (is_text(p, unit, SLICE("µs")))
        return CPU_MICROSECONDS;
    return is_text(p, unit, SLICE("variable CPU cycles")) ? CPU_CYCLES : CPU_UNKNOWN;
}

/* All keys but those that have tables of their own, or that the writer knows better. */
static void keep_meta(struct processed *p, const uint8_t *packed)
{
    struct builder b = {p, &p->profile->meta.whole};
    struct value object = value_read(packed);
    const uint8_t *at = object.rest;
    uint32_t count = 0;
    size_t place = value_open(b.out);
    require(&b, place != SIZE_MAX);
    for (uint32_t i = 0; i < object.count; i++, at = value_skip(at)) {
        struct string_index key = value_read_key(&at);
        struct slice name = string_table_get(&p->profile->strings, key);
        if (slice_is(name, "categories") || slice_is(name, "markerSchema") || slice_is(name, "preprocessedProfileVersion") ||
            slice_is(name, "doesNotUseFrameImplementation"))
            continue;
        require(&b, value_put_key(b.out, key));
        put_copy(&b, at);
        count++;
    }
    require(&b, json_ok(p->r) && value_close_object(b.out, place, count));
}

static void read_packed_meta(struct processed *p, const uint8_t *packed)
{
    if (kind_of(packed) != VALUE_OBJECT) {
        processed_fail(p, "not a processed profile: `meta` is not an object");
        return;
    }
    double version = number_of(find(p, packed, SLICE("preprocessedProfileVersion")), (double)NAN);
    if (isnan(version)) {
        processed_fail(p, "not a processed profile: meta has no preprocessedProfileVersion");
        return;
    }
    if (!(version >= PROCESSED_OLDEST && version <= PROCESSED_NEWEST) || version != rint(version)) {
        processed_fail(p, "unsupported version %g of the processed format (%d to %d can be read)", version, PROCESSED_OLDEST,
                       PROCESSED_NEWEST);
        return;
    }
    p->version = (int)version;
    struct meta *meta = &p->profile->meta;
    meta->interval = number_of(find(p, packed, SLICE("interval")), meta->interval);
    meta->start_time = number_of(find(p, packed, SLICE("startTime")), 0);
    meta->profiling_start_time = number_of(find(p, packed, SLICE("profilingStartTime")), (double)NAN);
    meta->profiling_end_time = number_of(find(p, packed, SLICE("profilingEndTime")), (double)NAN);
    meta->product = text_of(find(p, packed, SLICE("product")));
    meta->symbolicated = kind_of(find(p, packed, SLICE("symbolicated"))) == VALUE_TRUE;
    meta->cpu_unit = processed_read_cpu_unit(p, find(p, packed, SLICE("sampleUnits")));
    processed_read_categories(p, find(p, packed, SLICE("categories")));
    processed_read_schemas(p, find(p, packed, SLICE("markerSchema")), false);
    processed_intern(p, SLICE("CompositorScreenshot"));
    processed_intern(p, SLICE("url"));
    if (!string_fields_collect(&p->string_fields, &p->profile->schemas, &p->profile->strings))
        processed_out_of_memory(p);
    keep_meta(p, packed);
}

void processed_read_meta(struct processed *p)
{
    struct value_bytes packed = {0};
    value_from_json(p->r, &p->profile->strings, &packed);
    if (json_ok(p->r))
        read_packed_meta(p, packed.bytes.items);
    value_bytes_free(&packed);
}
