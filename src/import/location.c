#include "import/location.h"

#include "common/byte_sink.h"
#include "common/json_writer.h"
#include "common/text_buffer.h"
#include "import/web_origin.h"

#include <stdlib.h>

void location_resolver_init(struct location_resolver *resolver, struct profile *profile)
{
    *resolver = (struct location_resolver){.profile = profile};
}

void location_resolver_free(struct location_resolver *resolver)
{
    vec_free(&resolver->libs);
    vec_free(&resolver->sources);
    vec_free(&resolver->extensions);
    map_free(&resolver->extension_rows);
    vec_free(&resolver->seen);
    vec_free(&resolver->texts);
    vec_free(&resolver->row_of);
}

void location_resolver_begin_process(struct location_resolver *resolver)
{
    resolver->libs.count = 0;
    resolver->libs_sorted = false;
    resolver->sources.count = 0;
    location_resolver_begin_thread(resolver);
}

void location_resolver_begin_thread(struct location_resolver *resolver)
{
    for (size_t i = 0; i < resolver->texts.count; i++)
        resolver->row_of.items[resolver->texts.items[i].i] = INDEX_NONE;
    resolver->texts.count = 0;
    resolver->seen.count = 0;
}

bool location_resolver_add_lib(struct location_resolver *resolver, uint64_t start, uint64_t end, uint64_t offset,
                               const struct lib *lib)
{
    struct mapped_lib mapped = {start, end, offset, *lib, lib_none(), resource_none()};
    resolver->libs_sorted = false;
    return vec_push(&resolver->libs, mapped);
}

bool location_resolver_add_source(struct location_resolver *resolver, const struct source *source)
{
    return vec_push(&resolver->sources, *source);
}

/* The name of the resource is the one the Firefox Profiler shows: `Extension "Name" (ID: id)`, the name quoted as in JSON. */
static struct string_index extension_name(struct string_table *strings, struct slice name, struct slice id)
{
    struct error error = {0};
    struct string_index string = STRING_NONE;
    struct byte_sink *sink = byte_sink_memory(&error);
    if (!sink || byte_sink_write(sink, SLICE("Extension "), &error))
        goto out;
    struct json_writer *w = json_writer_open(sink, 0, &error);
    if (!w)
        goto out;
    json_write_string(w, name);
    if (!json_writer_close(w) && !byte_sink_write(sink, SLICE(" (ID: "), &error) && !byte_sink_write(sink, id, &error) &&
        !byte_sink_write(sink, SLICE(")"), &error))
        string = string_table_add(strings, byte_sink_memory_bytes(sink));
out:
    byte_sink_close(sink, true, &error);
    return string;
}

static struct extension_origin *find_extension(const struct location_resolver *resolver, struct string_index origin)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&resolver->extension_rows, hash_u64(origin.i)); map_probe_next(&probe, &row);)
        if (string_same(resolver->extensions.items[row].origin, origin))
            return &resolver->extensions.items[row];
    return NULL;
}

/* Of two extensions of one origin the last counts. */
static bool remember_extension(struct location_resolver *resolver, struct extension_origin extension)
{
    struct extension_origin *known = find_extension(resolver, extension.origin);
    if (known) {
        *known = extension;
        return true;
    }
    return vec_push(&resolver->extensions, extension) &&
           map_insert(&resolver->extension_rows, hash_u64(extension.origin.i), (uint32_t)resolver->extensions.count - 1);
}

bool location_resolver_add_extension(struct location_resolver *resolver, struct slice base_url, struct slice name,
                                     struct slice id)
{
    struct string_table *strings = &resolver->profile->strings;
    struct web_origin origin;
    if (!web_origin_parse(base_url, strings, &origin))
        return false;
    if (!string_exists(origin.origin))
        return true;
    struct resource resource = {extension_name(strings, name, id), string_table_add(strings, id), RESOURCE_ADDON};
    if (!string_exists(resource.name) || !string_exists(resource.host))
        return false;
    struct resource_index added = resource_table_append(&resolver->profile->resources, &resource);
    return resource_exists(added) && remember_extension(resolver, (struct extension_origin){origin.origin, added});
}

static int compare_libs(const void *a, const void *b)
{
    const struct mapped_lib *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static struct mapped_lib *find_lib(struct location_resolver *resolver, uint64_t address)
{
    struct mapped_lib *libs = resolver->libs.items;
    if (!resolver->libs_sorted && resolver->libs.count > 0)
        qsort(libs, resolver->libs.count, sizeof *libs, compare_libs);
    resolver->libs_sorted = true;
    size_t low = 0, high = resolver->libs.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (libs[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < libs[low - 1].end ? &libs[low - 1] : NULL;
}

struct resource_index location_library(struct profile *profile, struct string_index name)
{
    struct resource resource = {name, STRING_NONE, RESOURCE_LIBRARY};
    return string_exists(name) ? resource_table_add(&profile->resources, &resource) : resource_none();
}

static bool resolve_address(struct location_resolver *resolver, const struct location_parts *parts, struct func *func,
                            struct located *located)
{
    struct mapped_lib *lib = parts->has_address ? find_lib(resolver, parts->address) : NULL;
    if (!lib)
        return true;
    if (!lib_exists(lib->index)) {
        lib->index = lib_table_add(&resolver->profile->libs, &lib->lib);
        lib->resource = location_library(resolver->profile, lib->lib.name);
        if (!lib_exists(lib->index) || !resource_exists(lib->resource))
            return false;
    }
    located->lib = lib->index;
    located->address = (int64_t)(parts->address - lib->start + lib->offset);
    func->resource = lib->resource;
    return true;
}

static bool resolve_native(struct location_resolver *resolver, const struct location_parts *parts, struct func *func)
{
    struct string_table *strings = &resolver->profile->strings;
    func->name = string_table_add(strings, parts->name);
    func->resource = location_library(resolver->profile, string_table_add(strings, parts->where));
    return string_exists(func->name) && resource_exists(func->resource);
}

struct resource_index location_script_resource(struct location_resolver *resolver, struct slice uri)
{
    struct profile *profile = resolver->profile;
    struct web_origin origin;
    if (!web_origin_parse(uri, &profile->strings, &origin))
        return resource_none();
    if (!string_exists(origin.origin)) {
        struct resource by_uri = {string_table_add(&profile->strings, uri), STRING_NONE, RESOURCE_URL};
        return string_exists(by_uri.name) ? resource_table_add(&profile->resources, &by_uri) : resource_none();
    }
    const struct extension_origin *extension = find_extension(resolver, origin.origin);
    if (extension)
        return extension->resource;
    /* To everything but Firefox, the Firefox Profiler's client included, extensions have the origin `null`, so those that the
     * profile does not name share one resource. */
    if (slice_starts_with(uri, SLICE("moz-extension:")))
        origin.origin = string_table_add(&profile->strings, SLICE("null"));
    if (!string_exists(origin.origin))
        return resource_none();
    struct resource by_origin = {origin.origin, origin.host, string_exists(origin.host) ? RESOURCE_WEBHOST : RESOURCE_URL};
    return resource_table_add(&profile->resources, &by_origin);
}

static struct string_index script_name(struct string_table *strings, const struct location_parts *parts)
{
    if (parts->name.length > 0)
        return string_table_add(strings, parts->name);
    struct text_buffer text = {0};
    text_add(&text, SLICE("(root scope) "));
    text_add(&text, parts->where);
    struct string_index name = text.failed ? STRING_NONE : string_table_add(strings, text_slice(&text));
    text_free(&text);
    return name;
}

static bool resolve_script(struct location_resolver *resolver, const struct location_parts *parts, struct func *func)
{
    struct profile *profile = resolver->profile;
    struct source source = {STRING_NONE, STRING_NONE, 1, 1, STRING_NONE, STRING_NONE};
    if (parts->source_number < resolver->sources.count)
        source = resolver->sources.items[parts->source_number];
    else
        source.filename = string_table_add(&profile->strings, parts->where);
    func->name = script_name(&profile->strings, parts);
    if (!string_exists(func->name) || !string_exists(source.filename))
        return false;
    func->is_js = true;
    func->source = source_table_add(&profile->sources, &source);
    func->resource = location_script_resource(resolver, parts->where);
    func->line = parts->line;
    func->column = parts->column;
    return source_exists(func->source) && resource_exists(func->resource);
}

static uint32_t find_seen(const struct location_resolver *resolver, struct string_index location)
{
    return location.i < resolver->row_of.count ? resolver->row_of.items[location.i] : INDEX_NONE;
}

static bool remember(struct location_resolver *resolver, struct string_index location, const struct located *located)
{
    size_t strings = string_table_count(&resolver->profile->strings);
    if (!vec_reserve(&resolver->row_of, strings))
        return false;
    while (resolver->row_of.count < strings)
        resolver->row_of.items[resolver->row_of.count++] = INDEX_NONE;
    if (!vec_reserve(&resolver->texts, resolver->texts.count + 1) || !vec_push(&resolver->seen, *located))
        return false;
    vec_push(&resolver->texts, location);
    resolver->row_of.items[location.i] = (uint32_t)resolver->seen.count - 1;
    return true;
}

static bool resolve_new(struct location_resolver *resolver, struct string_index location, bool relevant_for_js,
                        struct located *located)
{
    struct profile *profile = resolver->profile;
    struct func func = {
        .name = location,
        .resource = resource_none(),
        .source = source_none(),
        .line = INDEX_NONE,
        .column = INDEX_NONE,
        .original_location = location_none(),
    };
    struct location_parts parts = location_parse(string_table_get(&profile->strings, location));
    bool resolved = true;
    switch (parts.kind) {
    case LOCATION_ADDRESS:
        resolved = resolve_address(resolver, &parts, &func, located);
        break;
    case LOCATION_NATIVE: {
        /* A frame that was only the name was seen before: the Firefox Profiler takes that func, without a library. */
        uint32_t bare = find_seen(resolver, string_table_find(&profile->strings, parts.name));
        if (bare != INDEX_NONE) {
            located->func = resolver->seen.items[bare].func;
            return true;
        }
        resolved = resolve_native(resolver, &parts, &func);
        break;
    }
    case LOCATION_SCRIPT:
        resolved = resolve_script(resolver, &parts, &func);
        break;
    case LOCATION_LABEL:
        func.relevant_for_js = relevant_for_js;
        break;
    }
    if (resolved)
        located->func = func_table_add(&profile->funcs, &func);
    return resolved && func_exists(located->func);
}

bool location_resolve(struct location_resolver *resolver, struct string_index location, bool relevant_for_js,
                      struct located *located)
{
    uint32_t row = find_seen(resolver, location);
    if (row != INDEX_NONE) {
        *located = resolver->seen.items[row];
        return true;
    }
    *located = (struct located){func_none(), lib_none(), COLUMN_ABSENT};
    return resolve_new(resolver, location, relevant_for_js, located) && remember(resolver, location, located);
}
