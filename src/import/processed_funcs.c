/* Funcs of processed profiles and what they point at, sources, locations, resources and native symbols, become rows of the
 * profile. */
#include "import/processed_shared.h"

void shared_add_sources(struct processed *p, const struct shared_tables *tables)
{
    const struct column *c = tables->sources;
    for (size_t i = 0; i < tables->source_rows && json_ok(p->r); i++) {
        int64_t id = shared_cell(&c[SOURCE_ID], i), content = shared_cell(&c[SOURCE_CONTENT], i);
        struct source source = {
            .id = {id == COLUMN_ABSENT ? INDEX_NONE : (uint32_t)id},
            .filename = processed_string(p, shared_cell(&c[SOURCE_FILENAME], i), "sources", i),
            .start_line = shared_number(p, shared_cell(&c[SOURCE_LINE], i), 1, "sources", i),
            .start_column = shared_number(p, shared_cell(&c[SOURCE_COLUMN], i), 1, "sources", i),
            .source_map_url = processed_string(p, shared_cell(&c[SOURCE_MAP], i), "sources", i),
            .content = {content == COLUMN_ABSENT ? INDEX_NONE : (uint32_t)content},
        };
        if (!source_exists(source_table_append(&p->profile->sources, &source)))
            processed_out_of_memory(p);
    }
}

void shared_add_locations(struct processed *p, const struct shared_tables *tables)
{
    const struct column *c = tables->locations;
    for (size_t i = 0; i < tables->location_rows && json_ok(p->r); i++) {
        size_t sources = p->profile->sources.rows.count;
        struct location location = {
            .source = {shared_checked(p, shared_cell(&c[LOCATION_SOURCE], i), sources, "sourceLocationTable", i, "source")},
            .line = shared_number(p, shared_cell(&c[LOCATION_LINE], i), INDEX_NONE, "sourceLocationTable", i),
            .column = shared_number(p, shared_cell(&c[LOCATION_COLUMN], i), INDEX_NONE, "sourceLocationTable", i),
        };
        if (!vec_push(&p->profile->locations.rows, location))
            processed_out_of_memory(p);
    }
}

static struct resource_index find_resource(const struct processed *p, uint64_t hash, const struct resource *resource,
                                           uint32_t lib)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&p->resource_keys, hash); map_probe_next(&probe, &row);) {
        const struct resource *known = &p->profile->resources.rows.items[row];
        if (known->type == resource->type && string_same(known->name, resource->name) &&
            string_same(known->host, resource->host) && p->resource_libs.items[row] == lib)
            return resource_at(row);
    }
    return resource_none();
}

void shared_add_resources(struct processed *p, struct shared_tables *tables)
{
    const struct column *c = tables->resources;
    for (size_t i = 0; i < tables->resource_rows && json_ok(p->r); i++) {
        int64_t type = shared_cell(&c[RESOURCE_TYPE], i);
        struct resource resource = {
            .name = processed_string(p, shared_cell(&c[RESOURCE_NAME], i), "resourceTable", i),
            .host = processed_string(p, shared_cell(&c[RESOURCE_HOST], i), "resourceTable", i),
            .type = type < RESOURCE_UNKNOWN || type > RESOURCE_URL ? RESOURCE_UNKNOWN : (enum resource_type)type,
        };
        uint32_t lib = shared_checked(p, shared_cell(&c[RESOURCE_LIB], i), INDEX_NONE, "resourceTable", i, "lib");
        struct resource_index row = resource_none();
        if (p->version < PROCESSED_SHARED_TABLES) {
            uint64_t hash =
                hash_combine((uint64_t)resource.name.i << 32 | lib, (uint64_t)resource.host.i << 8 | (uint64_t)resource.type);
            row = find_resource(p, hash, &resource, lib);
            if (!resource_exists(row) && !map_insert(&p->resource_keys, hash, (uint32_t)p->profile->resources.rows.count))
                processed_out_of_memory(p);
        }
        if (!resource_exists(row)) {
            row = resource_table_append(&p->profile->resources, &resource);
            if (!resource_exists(row) || !vec_push(&p->resource_libs, lib))
                processed_out_of_memory(p);
        }
        if (!vec_push(&tables->resource_map, row.i))
            processed_out_of_memory(p);
    }
}

static struct native_symbol_index find_native_symbol(const struct processed *p, uint64_t hash,
                                                     const struct native_symbol *symbol)
{
    const struct native_symbol_table *symbols = &p->profile->native_symbols;
    uint32_t row;
    for (struct map_probe probe = map_probe(&p->native_symbol_keys, hash); map_probe_next(&probe, &row);) {
        struct native_symbol known = native_symbol_get(symbols, native_symbol_at(row));
        if (lib_same(known.lib, symbol->lib) && known.address == symbol->address)
            return native_symbol_at(row);
    }
    return native_symbol_none();
}

void shared_add_native_symbols(struct processed *p, struct shared_tables *tables)
{
    const struct column *c = tables->symbols;
    struct native_symbol_table *symbols = &p->profile->native_symbols;
    for (size_t i = 0; i < tables->symbol_rows && json_ok(p->r); i++) {
        int64_t address = shared_cell(&c[SYMBOL_ADDRESS], i);
        struct native_symbol symbol = {
            .lib = {shared_checked(p, shared_cell(&c[SYMBOL_LIB], i), INDEX_NONE, "nativeSymbols", i, "libIndex")},
            .address = address == COLUMN_ABSENT ? 0 : (uint64_t)address,
            .name = processed_string(p, shared_cell(&c[SYMBOL_NAME], i), "nativeSymbols", i),
            .size = shared_cell(&c[SYMBOL_SIZE], i),
        };
        struct native_symbol_index row = native_symbol_none();
        if (p->version < PROCESSED_SHARED_TABLES) {
            uint64_t hash = hash_combine(symbol.lib.i, symbol.address);
            row = find_native_symbol(p, hash, &symbol);
            if (!native_symbol_exists(row) && !map_insert(&p->native_symbol_keys, hash, (uint32_t)native_symbol_count(symbols)))
                processed_out_of_memory(p);
        }
        if (!native_symbol_exists(row))
            row = native_symbol_append(symbols, &symbol);
        if (shared_out_of_rows(p, symbols->columns, COUNT(symbols->columns)) || !vec_push(&tables->symbol_map, row.i))
            processed_out_of_memory(p);
    }
}

/* The source of a func from before there were sources. */
static struct source_index source_of_file_name(struct processed *p, int64_t file_name, size_t row)
{
    if (file_name == COLUMN_ABSENT)
        return source_none();
    struct source source = {
        .id = STRING_NONE,
        .filename = processed_string(p, file_name, "funcTable", row),
        .start_line = 1,
        .start_column = 1,
        .source_map_url = STRING_NONE,
        .content = STRING_NONE,
    };
    struct source_index index = source_table_add(&p->profile->sources, &source);
    if (!source_exists(index))
        processed_out_of_memory(p);
    return index;
}

/* From PROCESSED_FUNC_FLAGS on, cells without their flag do not count. */
static int64_t func_cell(const struct processed *p, const struct shared_tables *tables, int column, size_t row, int64_t flag)
{
    if (p->version >= PROCESSED_FUNC_FLAGS && !(shared_cell(&tables->funcs[FUNC_FLAGS], row) & flag))
        return COLUMN_ABSENT;
    return shared_cell(&tables->funcs[column], row);
}

void shared_add_funcs(struct processed *p, struct shared_tables *tables)
{
    const struct column *c = tables->funcs;
    struct profile *profile = p->profile;
    bool has_flags = p->version >= PROCESSED_FUNC_FLAGS;
    for (size_t i = 0; i < tables->func_rows && json_ok(p->r); i++) {
        int64_t flags = has_flags ? shared_cell(&c[FUNC_FLAGS], i) : 0;
        int64_t resource = func_cell(p, tables, FUNC_RESOURCE, i, PROCESSED_FUNC_HAS_RESOURCE);
        int64_t source = func_cell(p, tables, FUNC_SOURCE, i, PROCESSED_FUNC_HAS_SOURCE);
        int64_t location = func_cell(p, tables, FUNC_ORIGINAL_LOCATION, i, PROCESSED_FUNC_HAS_LOCATION);
        struct func func = {
            .name = processed_string(p, shared_cell(&c[FUNC_NAME], i), "funcTable", i),
            .is_js = has_flags ? flags & PROCESSED_FUNC_IS_JS : shared_cell(&c[FUNC_JS], i) == 1,
            .relevant_for_js = has_flags ? flags & PROCESSED_FUNC_RELEVANT_FOR_JS : shared_cell(&c[FUNC_RELEVANT], i) == 1,
            .resource = {shared_mapped(p, &tables->resource_map, resource, "funcTable", i, "resource")},
            .source = {shared_checked(p, source, profile->sources.rows.count, "funcTable", i, "source")},
            .line = shared_number(p, func_cell(p, tables, FUNC_LINE, i, PROCESSED_FUNC_HAS_LINE), INDEX_NONE, "funcTable", i),
            .column =
                shared_number(p, func_cell(p, tables, FUNC_COLUMN, i, PROCESSED_FUNC_HAS_COLUMN), INDEX_NONE, "funcTable", i),
            .original_location = {shared_checked(p, location, profile->locations.rows.count, "funcTable", i,
                                                 "originalLocation")},
        };
        if (!string_exists(func.name))
            processed_fail(p, "funcTable row %zu has no name", i);
        if (p->version < PROCESSED_SOURCES)
            func.source = source_of_file_name(p, shared_cell(&c[FUNC_FILE_NAME], i), i);
        struct func_index row = p->version < PROCESSED_SHARED_TABLES ? func_table_add(&profile->funcs, &func)
                                                                     : func_table_append(&profile->funcs, &func);
        if (!func_exists(row) || shared_out_of_rows(p, profile->funcs.columns, COUNT(profile->funcs.columns)) ||
            !vec_push(&tables->func_map, row.i))
            processed_out_of_memory(p);
    }
}
