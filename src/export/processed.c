/* Processed profiles, the Firefox Profiler's own format. processed_version.c says in which version. */
#include "export/exporter.h"
#include "export/processed_writer.h"

#include <math.h>

/* ---- meta ---- */

static bool meta_has(const struct profile *profile, struct slice key)
{
    return profile->meta.whole.bytes.count > 0 &&
           value_find(profile->meta.whole.bytes.items, string_table_find(&profile->strings, key));
}

/* What readers expect to find, for profiles that come from other formats and have no `meta`. */
static void write_missing_meta(struct processed_writer *out)
{
    static const struct {
        const char *key, *json;
    } defaults[] = {{"processType", "0"}, {"stackwalk", "1"}, {"version", "36"}};
    static const char *const units[] = {
        [CPU_NANOSECONDS] = "ns", [CPU_MICROSECONDS] = "µs", [CPU_CYCLES] = "variable CPU cycles"};
    const struct meta *meta = &out->profile->meta;
    for (size_t i = 0; meta->whole.bytes.count == 0 && i < sizeof defaults / sizeof *defaults; i++) {
        json_write_key(out->w, defaults[i].key);
        json_write_raw(out->w, slice_of(defaults[i].json));
    }
    if (string_exists(meta->product) && !meta_has(out->profile, SLICE("product"))) {
        json_write_key(out->w, "product");
        processed_write_text(out, meta->product);
    }
    if (meta->cpu_unit != CPU_UNKNOWN && !meta_has(out->profile, SLICE("sampleUnits"))) {
        json_write_key(out->w, "sampleUnits");
        json_write_begin_object(out->w);
        json_write_key(out->w, "time");
        json_write_text(out->w, "ms");
        json_write_key(out->w, "eventDelay");
        json_write_text(out->w, "ms");
        json_write_key(out->w, "threadCPUDelta");
        json_write_text(out->w, units[meta->cpu_unit]);
        json_write_end_object(out->w);
    }
}

static void write_categories(struct processed_writer *out)
{
    const struct category_list *categories = &out->profile->categories;
    json_write_begin_array(out->w);
    for (size_t i = 0; i < categories->rows.count; i++) {
        const struct category *category = &categories->rows.items[i];
        json_write_begin_object(out->w);
        json_write_key(out->w, "name");
        processed_write_text(out, category->name);
        json_write_key(out->w, "color");
        processed_write_text(out, category->color);
        json_write_key(out->w, "subcategories");
        json_write_begin_array(out->w);
        for (size_t s = 0; s < category->subcategories.count; s++)
            processed_write_text(out, category->subcategories.items[s]);
        json_write_end_array(out->w);
        json_write_end_object(out->w);
    }
    json_write_end_array(out->w);
}

/* What the profile itself knows better than the `meta` it was read from. */
enum { OWN_NUMBERS = 4 };

struct own_number {
    const char *key;
    double value; /* NaN = not to be written */
};

static void own_numbers(const struct meta *meta, struct own_number own[OWN_NUMBERS])
{
    own[0] = (struct own_number){"interval", meta->interval};
    own[1] = (struct own_number){"startTime", meta->start_time};
    own[2] = (struct own_number){"profilingStartTime", meta->profiling_start_time};
    own[3] = (struct own_number){"profilingEndTime", meta->profiling_end_time};
}

static void write_own_number(struct processed_writer *out, const struct own_number *own)
{
    if (isnan(own->value))
        return;
    json_write_key(out->w, own->key);
    json_write_number(out->w, own->value);
}

static void write_symbolicated(struct processed_writer *out)
{
    json_write_key(out->w, "symbolicated");
    json_write_boolean(out->w, out->profile->meta.symbolicated);
}

static bool is_written_apart(struct slice key)
{
    return slice_is(key, "categories") || slice_is(key, "markerSchema") || slice_is(key, "preprocessedProfileVersion");
}

/* A member of the `meta` that was read: in its place, but with the value of now. */
static void write_meta_member(struct processed_writer *out, struct slice key, const uint8_t *at)
{
    struct own_number own[OWN_NUMBERS];
    own_numbers(&out->profile->meta, own);
    for (size_t i = 0; i < OWN_NUMBERS; i++)
        if (slice_equal(key, slice_of(own[i].key))) {
            write_own_number(out, &own[i]);
            return;
        }
    if (slice_is(key, "symbolicated")) {
        write_symbolicated(out);
    } else if (!is_written_apart(key)) {
        json_write_key_slice(out->w, key);
        value_to_json(at, &out->profile->strings, out->w);
    }
}

static void write_other_member(struct processed_writer *out, struct slice key, const uint8_t *at)
{
    json_write_key_slice(out->w, key);
    value_to_json(at, &out->profile->strings, out->w);
}

static void write_members(struct processed_writer *out, const struct value_bytes *packed,
                          void (*write)(struct processed_writer *out, struct slice key, const uint8_t *at))
{
    if (packed->bytes.count == 0)
        return;
    struct value object = value_read(packed->bytes.items);
    const uint8_t *at = object.rest;
    for (uint32_t i = 0; i < object.count; i++, at = value_skip(at)) {
        struct slice key = profile_text(out->profile, value_read_key(&at));
        write(out, key, at);
    }
}

static void write_meta(struct processed_writer *out)
{
    const struct meta *meta = &out->profile->meta;
    const struct marker_schema_list *schemas = &out->profile->schemas;
    struct own_number own[OWN_NUMBERS];
    json_write_begin_object(out->w);
    json_write_key(out->w, "preprocessedProfileVersion");
    json_write_integer(out->w, out->version);
    write_members(out, &meta->whole, write_meta_member);
    own_numbers(meta, own);
    for (size_t i = 0; i < OWN_NUMBERS; i++)
        if (!meta_has(out->profile, slice_of(own[i].key)))
            write_own_number(out, &own[i]);
    if (!meta_has(out->profile, SLICE("symbolicated")))
        write_symbolicated(out);
    write_missing_meta(out);
    json_write_key(out->w, "categories");
    write_categories(out);
    json_write_key(out->w, "markerSchema");
    json_write_begin_array(out->w);
    for (size_t i = 0; i < schemas->rows.count; i++)
        value_to_json(schemas->rows.items[i].whole.bytes.items, &out->profile->strings, out->w);
    json_write_end_array(out->w);
    json_write_end_object(out->w);
}

/* ---- libraries and counters ---- */

static void write_lib(struct processed_writer *out, const struct lib *lib)
{
    const struct {
        const char *key;
        struct string_index text;
    } fields[] = {
        {"arch", lib->arch},
        {"name", lib->name},
        {"path", lib->path},
        {"debugName", lib->debug_name},
        {"debugPath", lib->debug_path},
        {"breakpadId", lib->breakpad_id},
    };
    json_write_begin_object(out->w);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        json_write_key(out->w, fields[i].key);
        json_write_string(out->w, profile_text(out->profile, fields[i].text));
    }
    json_write_key(out->w, "codeId");
    processed_write_text(out, lib->code_id);
    json_write_end_object(out->w);
}

static void write_counter(struct processed_writer *out, const struct counter *counter)
{
    const struct profile *profile = out->profile;
    const struct {
        const char *key;
        struct string_index text;
    } fields[] = {
        {"name", counter->name},
        {"category", counter->category},
        {"description", counter->description},
        {"pid", counter->pid},
    };
    const uint8_t *color = counter_display_color(profile, counter);
    size_t rows = column_count(&counter->time);
    json_write_begin_object(out->w);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        json_write_key(out->w, fields[i].key);
        json_write_string(out->w, profile_text(profile, fields[i].text));
    }
    json_write_key(out->w, "mainThreadIndex");
    json_write_integer(out->w, counter->main_thread.i);
    if (out->version >= PROCESSED_COUNTER_DISPLAY) {
        json_write_key(out->w, "display");
        counter_display_write(profile, counter, out->version, out->w);
    } else if (color) {
        json_write_key(out->w, "color");
        value_to_json(color, &profile->strings, out->w);
    }
    json_write_key(out->w, "samples");
    json_write_begin_object(out->w);
    processed_write_numbers(out, counter->time_is_deltas ? "timeDeltas" : "time", &counter->time, rows);
    if (column_count(&counter->number) > 0)
        processed_write_numbers(out, "number", &counter->number, rows);
    processed_write_numbers(out, "count", &counter->count, rows);
    processed_write_length(out, rows);
    json_write_end_object(out->w);
    json_write_end_object(out->w);
}

/* ---- the top level ---- */

/* Sorted so that readers can take everything as it comes: what others refer to first. */
static void write_profile(struct processed_writer *out)
{
    const struct profile *profile = out->profile;
    json_write_begin_object(out->w);
    json_write_key(out->w, "meta");
    write_meta(out);
    json_write_key(out->w, "libs");
    json_write_begin_array(out->w);
    for (size_t i = 0; i < profile->libs.rows.count; i++)
        write_lib(out, &profile->libs.rows.items[i]);
    json_write_end_array(out->w);
    if (profile->pages.bytes.count > 0) {
        json_write_key(out->w, "pages");
        value_to_json(profile->pages.bytes.items, &profile->strings, out->w);
    }
    if (profile->counters.rows.count > 0) {
        json_write_key(out->w, "counters");
        json_write_begin_array(out->w);
        for (size_t i = 0; i < profile->counters.rows.count; i++)
            write_counter(out, &profile->counters.rows.items[i]);
        json_write_end_array(out->w);
    }
    json_write_key(out->w, "shared");
    processed_write_shared(out);
    json_write_key(out->w, "threads");
    json_write_begin_array(out->w);
    for (size_t i = 0; i < profile->threads.count; i++)
        processed_write_thread(out, &profile->threads.items[i]);
    json_write_end_array(out->w);
    write_members(out, &profile->other, write_other_member);
    json_write_end_object(out->w);
}

int export_processed(const struct profile *profile, struct byte_sink *sink, struct error *error)
{
    struct processed_writer out = {.profile = profile, .error = error};
    int result = processed_choose_version(&out);
    if (result == 0)
        result = processed_collect_strings(&out);
    if (result == 0) {
        out.w = json_writer_open(sink, 0, error);
        result = out.w ? 0 : error->code;
    }
    if (out.w) {
        write_profile(&out);
        result = json_writer_close(out.w);
    }
    string_fields_free(&out.string_fields);
    memory_release(out.file_strings);
    memory_release(out.resource_libs);
    return result;
}
