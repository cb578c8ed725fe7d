/* `meta` of a process. All of it is packed first: it is small, and the version that says how to read it may stand last. */
#include "import/gecko_state.h"

#include "import/gecko_versions.h"

#include <errno.h>
#include <math.h>

static const uint8_t *find(const struct gecko *gecko, const uint8_t *object, struct slice key)
{
    return value_find(object, string_table_find(&gecko->profile->strings, key));
}

static double find_number(const struct gecko *gecko, const uint8_t *object, struct slice key, double absent)
{
    const uint8_t *at = find(gecko, object, key);
    struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    double number;
    return value_as_number(&value, &number) ? number : absent;
}

static struct string_index text_of(const uint8_t *at)
{
    struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    return value.kind == VALUE_STRING ? value.string : STRING_NONE;
}

static bool is_true(const uint8_t *at)
{
    struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    return value.kind == VALUE_TRUE || (value.kind == VALUE_INTEGER && value.integer != 0);
}

static bool put_key(struct gecko *gecko, struct value_bytes *out, struct slice key)
{
    struct string_index name = string_table_add(&gecko->profile->strings, key);
    return string_exists(name) && value_put_key(out, name);
}

/* ---- extensions: a table {schema, data} here, an object of columns in the profile ---- */

static const struct slice extension_columns[] = {{"id", 2}, {"name", 4}, {"baseURL", 7}};
enum { EXTENSION_ID, EXTENSION_NAME, EXTENSION_URL, EXTENSION_COLUMNS };

static uint32_t items_of(const uint8_t *at, const uint8_t **first)
{
    struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    *first = value.rest;
    return value.kind == VALUE_ARRAY ? value.count : 0;
}

/* The text in a column of a row; STRING_NONE where there is none. */
static struct string_index extension_cell(const struct gecko *gecko, const uint8_t *extensions, const uint8_t *row, int column)
{
    double cell = find_number(gecko, find(gecko, extensions, SLICE("schema")), extension_columns[column], column);
    const uint8_t *at;
    uint32_t count = items_of(row, &at);
    for (uint32_t i = 0; i < count; i++, at = value_skip(at))
        if (i == cell)
            return text_of(at);
    return STRING_NONE;
}

static bool add_extensions(struct gecko *gecko, const uint8_t *extensions)
{
    const uint8_t *row;
    uint32_t count = items_of(find(gecko, extensions, SLICE("data")), &row);
    for (uint32_t i = 0; i < count; i++, row = value_skip(row)) {
        struct slice cells[EXTENSION_COLUMNS];
        for (int column = 0; column < EXTENSION_COLUMNS; column++)
            cells[column] = profile_text(gecko->profile, extension_cell(gecko, extensions, row, column));
        if (!location_resolver_add_extension(&gecko->locations, cells[EXTENSION_URL], cells[EXTENSION_NAME],
                                             cells[EXTENSION_ID]))
            return false;
    }
    return true;
}

static bool put_extensions(struct gecko *gecko, struct value_bytes *out, const uint8_t *extensions)
{
    const uint8_t *first;
    uint32_t count = items_of(find(gecko, extensions, SLICE("data")), &first);
    bool done = value_put_object(out, EXTENSION_COLUMNS + 1);
    for (int column = 0; column < EXTENSION_COLUMNS && done; column++) {
        done = put_key(gecko, out, extension_columns[column]) && value_put_array(out, count);
        const uint8_t *row = first;
        for (uint32_t i = 0; i < count && done; i++, row = value_skip(row)) {
            struct string_index text = extension_cell(gecko, extensions, row, column);
            done = string_exists(text) ? value_put_string(out, text) : value_put_null(out);
        }
    }
    return done && put_key(gecko, out, SLICE("length")) && value_put_integer(out, count);
}

/* ---- what is handed on ---- */

static bool is_dropped(struct slice key)
{
    static const char *const keys[] = {"categories",
                                       "markerSchema",
                                       "preprocessedProfileVersion",
                                       "contentEarliestTime",
                                       "shutdownTime",
                                       "gcpoison",
                                       "asyncstack",
                                       "presymbolicated",
                                       "symbolicated",
                                       "extensions",
                                       "debug",
                                       "version",
                                       "product"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (slice_equal(key, slice_of(keys[i])))
            return true;
    return false;
}

static bool keep_meta(struct gecko *gecko, const uint8_t *packed)
{
    struct value_bytes *out = &gecko->profile->meta.whole;
    struct value object = value_read(packed);
    const uint8_t *at = object.rest;
    uint32_t count = 5;
    size_t place = value_open(out);
    bool done = place != SIZE_MAX;
    for (uint32_t i = 0; i < object.count && done; i++, at = value_skip(at)) {
        struct string_index key = value_read_key(&at);
        if (is_dropped(profile_text(gecko->profile, key)))
            continue;
        done = value_put_key(out, key) && value_put_copy(out, at);
        count++;
    }
    struct string_index product = text_of(find(gecko, packed, SLICE("product")));
    if (!string_exists(product))
        product = string_table_add(&gecko->profile->strings, SLICE(""));
    gecko->profile->meta.product = product;
    return done && string_exists(product) && put_key(gecko, out, SLICE("product")) && value_put_string(out, product) &&
           put_key(gecko, out, SLICE("debug")) && value_put_boolean(out, is_true(find(gecko, packed, SLICE("debug")))) &&
           put_key(gecko, out, SLICE("version")) && value_put_integer(out, GECKO_NEWEST) &&
           put_key(gecko, out, SLICE("symbolicated")) && value_put_boolean(out, gecko->profile->meta.symbolicated) &&
           put_key(gecko, out, SLICE("extensions")) && put_extensions(gecko, out, find(gecko, packed, SLICE("extensions"))) &&
           value_close_object(out, place, count);
}

/* ---- reading ---- */

static bool read_version(struct gecko *gecko, struct json_reader *r, const uint8_t *packed)
{
    double version = find_number(gecko, packed, SLICE("version"), NAN);
    if (isnan(version)) {
        json_fail(r, "not a Gecko profile: meta has no version");
        return false;
    }
    if (!(version >= GECKO_OLDEST && version <= GECKO_NEWEST) || version != rint(version)) {
        error_set(gecko->error, -ENOTSUP, "unsupported version %g of the Gecko format (%d to %d can be read)", version,
                  GECKO_OLDEST, GECKO_NEWEST);
        json_fail(r, "unsupported version");
        return false;
    }
    gecko->process.version = (int64_t)version;
    return true;
}

/* The first process is the parent: its times are those of the profile. */
static bool read_parent(struct gecko *gecko, const uint8_t *packed)
{
    struct meta *meta = &gecko->profile->meta;
    meta->interval = find_number(gecko, packed, SLICE("interval"), meta->interval);
    meta->start_time = gecko->process.start_time;
    meta->profiling_start_time = find_number(gecko, packed, SLICE("profilingStartTime"), NAN);
    meta->profiling_end_time = find_number(gecko, packed, SLICE("profilingEndTime"), NAN);
    meta->symbolicated = is_true(find(gecko, packed, SLICE("presymbolicated")));
    meta->cpu_unit = processed_read_cpu_unit(&gecko->processed, find(gecko, packed, SLICE("sampleUnits")));
    processed_read_categories(&gecko->processed, find(gecko, packed, SLICE("categories")));
    return add_extensions(gecko, find(gecko, packed, SLICE("extensions"))) && keep_meta(gecko, packed);
}

static bool read_packed(struct gecko *gecko, struct json_reader *r, const uint8_t *packed)
{
    struct gecko_process *process = &gecko->process;
    if (value_read(packed).kind != VALUE_OBJECT) {
        json_fail(r, "not a Gecko profile: `meta` is not an object");
        return false;
    }
    if (!read_version(gecko, r, packed))
        return false;
    process->start_time = find_number(gecko, packed, SLICE("startTime"), 0);
    process->shutdown_time = find_number(gecko, packed, SLICE("shutdownTime"), NAN);
    process->shift = process->is_child ? process->start_time - gecko->profile->meta.start_time : 0;
    gecko->processed.r = r;
    if (!process->is_child && !read_parent(gecko, packed))
        return false;
    processed_read_schemas(&gecko->processed, find(gecko, packed, SLICE("markerSchema")), true);
    process->has_meta = true;
    return json_ok(r) && gecko_note_special_types(gecko);
}

void gecko_read_meta(struct gecko *gecko, struct json_reader *r)
{
    struct value_bytes packed = {0};
    value_from_json(r, &gecko->profile->strings, &packed);
    if (json_ok(r) && !read_packed(gecko, r, packed.bytes.items))
        json_fail_out_of_memory(r); /* an error that was set before stays */
    value_bytes_free(&packed);
}
