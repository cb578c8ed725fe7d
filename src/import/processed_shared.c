/* The tables that all threads share: stacks, frames, funcs, resources, native symbols, sources and locations.
 *
 * Stacks, which have the most rows, go straight into the profile. The others point at each other and at strings that may come
 * later in the file, so they are read into columns of the file first and added to the profile once all are there. Before
 * PROCESSED_SHARED_TABLES every thread has its own set: rows that are equal to those of earlier threads are found again then,
 * except for frames and stacks, which are appended. */
#include "common/text_buffer.h"
#include "import/processed_table.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The columns of the file; those the file does not have are empty. */
enum {
    FRAME_ADDRESS,
    FRAME_LIB,
    FRAME_INLINE_DEPTH,
    FRAME_FLAGS,
    FRAME_CATEGORY,
    FRAME_SUBCATEGORY,
    FRAME_FUNC,
    FRAME_NATIVE_SYMBOL,
    FRAME_IMPLEMENTATION,
    FRAME_INNER_WINDOW_ID,
    FRAME_LINE,
    FRAME_COLUMN,
    FRAME_ORIGINAL_LOCATION,
    FRAME_COLUMNS
};
enum {
    FUNC_NAME,
    FUNC_JS,
    FUNC_RELEVANT,
    FUNC_FLAGS,
    FUNC_RESOURCE,
    FUNC_SOURCE,
    FUNC_FILE_NAME,
    FUNC_LINE,
    FUNC_COLUMN,
    FUNC_ORIGINAL_LOCATION,
    FUNC_COLUMNS
};
enum { RESOURCE_NAME, RESOURCE_HOST, RESOURCE_TYPE, RESOURCE_LIB, RESOURCE_COLUMNS };
enum { SYMBOL_LIB, SYMBOL_ADDRESS, SYMBOL_NAME, SYMBOL_SIZE, SYMBOL_COLUMNS };
enum { SOURCE_ID, SOURCE_FILENAME, SOURCE_LINE, SOURCE_COLUMN, SOURCE_MAP, SOURCE_CONTENT, SOURCE_COLUMNS };
enum { LOCATION_SOURCE, LOCATION_LINE, LOCATION_COLUMN, LOCATION_COLUMNS };
enum { STACK_CATEGORY, STACK_SUBCATEGORY, STACK_COLUMNS };

struct shared_tables {
    struct arena arena;
    size_t stack_base, frame_base; /* rows of the profile before this set */
    size_t stack_rows, frame_rows, func_rows, resource_rows, symbol_rows, source_rows, location_rows;
    union {
        struct {
            struct column frames[FRAME_COLUMNS];
            struct column funcs[FUNC_COLUMNS];
            struct column resources[RESOURCE_COLUMNS];
            struct column symbols[SYMBOL_COLUMNS];
            struct column sources[SOURCE_COLUMNS];
            struct column locations[LOCATION_COLUMNS];
            struct column stacks[STACK_COLUMNS]; /* what stacks had before PROCESSED_FRAME_CATEGORIES */
        };
        struct column columns[FRAME_COLUMNS + FUNC_COLUMNS + RESOURCE_COLUMNS + SYMBOL_COLUMNS + SOURCE_COLUMNS +
                              LOCATION_COLUMNS + STACK_COLUMNS];
    };
    row_map func_map, resource_map, symbol_map; /* row of the file -> row of the profile */
};

struct shared_tables *shared_tables_create(struct processed *p)
{
    struct shared_tables *tables = memory_zeroed(1, sizeof *tables);
    if (!tables) {
        processed_out_of_memory(p);
        return NULL;
    }
    tables->stack_base = stack_count(&p->profile->stacks);
    tables->frame_base = frame_count(&p->profile->frames);
    columns_init(tables->columns, COUNT(tables->columns), COLUMN_INTEGERS, &tables->arena);
    return tables;
}

void shared_tables_free(struct shared_tables *tables)
{
    if (!tables)
        return;
    columns_free(tables->columns, COUNT(tables->columns));
    vec_free(&tables->func_map);
    vec_free(&tables->resource_map);
    vec_free(&tables->symbol_map);
    arena_free(&tables->arena);
    memory_release(tables);
}

/* ---- reading ---- */

static void read_stacks(struct processed *p, struct shared_tables *tables)
{
    struct stack_table *stacks = &p->profile->stacks;
    struct file_column columns[] = {
        {"frame", &stacks->frame, .cell = CELL_INDEX, .required = true, .shift = (int64_t)tables->frame_base},
        {"prefixOffset", &stacks->up, .cell = CELL_INTEGER, .since = PROCESSED_PREFIX_OFFSET, .required = true},
        {"prefix", &stacks->up, .cell = CELL_PREFIX, .until = PROCESSED_PREFIX_OFFSET, .required = true},
        {"category", &tables->stacks[STACK_CATEGORY], .cell = CELL_INDEX, .until = PROCESSED_FRAME_CATEGORIES},
        {"subcategory", &tables->stacks[STACK_SUBCATEGORY], .cell = CELL_INDEX, .until = PROCESSED_FRAME_CATEGORIES},
    };
    tables->stack_rows = processed_read_table(p, "stackTable", columns, COUNT(columns));
}

static void read_frames(struct processed *p, struct shared_tables *tables)
{
    struct column *c = tables->frames;
    struct file_column columns[] = {
        {"address", &c[FRAME_ADDRESS], .cell = CELL_INDEX},
        {"lib", &c[FRAME_LIB], .cell = CELL_INDEX, .since = PROCESSED_FRAME_LIB},
        {"inlineDepth", &c[FRAME_INLINE_DEPTH], .cell = CELL_INTEGER, .until = PROCESSED_FRAME_FLAGS},
        {"flags", &c[FRAME_FLAGS], .cell = CELL_INTEGER, .since = PROCESSED_FRAME_FLAGS, .required = true},
        {"category", &c[FRAME_CATEGORY], .cell = CELL_INDEX},
        {"subcategory", &c[FRAME_SUBCATEGORY], .cell = CELL_INDEX},
        {"func", &c[FRAME_FUNC], .cell = CELL_INDEX, .required = true},
        {"nativeSymbol", &c[FRAME_NATIVE_SYMBOL], .cell = CELL_INDEX},
        {"implementation", &c[FRAME_IMPLEMENTATION], .cell = CELL_INTEGER, .until = PROCESSED_NO_IMPLEMENTATION},
        {"innerWindowID", &c[FRAME_INNER_WINDOW_ID], .cell = CELL_WINDOW},
        {"line", &c[FRAME_LINE], .cell = CELL_INTEGER},
        {"column", &c[FRAME_COLUMN], .cell = CELL_INTEGER},
        {"originalLocation", &c[FRAME_ORIGINAL_LOCATION], .cell = CELL_INDEX, .since = PROCESSED_LOCATIONS},
    };
    tables->frame_rows = processed_read_table(p, "frameTable", columns, COUNT(columns));
}

static void read_funcs(struct processed *p, struct shared_tables *tables)
{
    struct column *c = tables->funcs;
    struct file_column columns[] = {
        {"name", &c[FUNC_NAME], .cell = CELL_INTEGER, .required = true},
        {"isJS", &c[FUNC_JS], .cell = CELL_BOOLEAN, .until = PROCESSED_FUNC_FLAGS},
        {"relevantForJS", &c[FUNC_RELEVANT], .cell = CELL_BOOLEAN, .until = PROCESSED_FUNC_FLAGS},
        {"flags", &c[FUNC_FLAGS], .cell = CELL_INTEGER, .since = PROCESSED_FUNC_FLAGS, .required = true},
        {"resource", &c[FUNC_RESOURCE], .cell = CELL_INDEX},
        {"source", &c[FUNC_SOURCE], .cell = CELL_INDEX, .since = PROCESSED_SOURCES},
        {"fileName", &c[FUNC_FILE_NAME], .cell = CELL_INTEGER, .until = PROCESSED_SOURCES},
        {"lineNumber", &c[FUNC_LINE], .cell = CELL_INTEGER},
        {"columnNumber", &c[FUNC_COLUMN], .cell = CELL_INTEGER},
        {"originalLocation", &c[FUNC_ORIGINAL_LOCATION], .cell = CELL_INDEX, .since = PROCESSED_LOCATIONS},
    };
    tables->func_rows = processed_read_table(p, "funcTable", columns, COUNT(columns));
}

static void read_resources(struct processed *p, struct shared_tables *tables)
{
    struct column *c = tables->resources;
    struct file_column columns[] = {
        {"type", &c[RESOURCE_TYPE], .cell = CELL_INTEGER, .required = true},
        {"name", &c[RESOURCE_NAME], .cell = CELL_INDEX},
        {"host", &c[RESOURCE_HOST], .cell = CELL_INDEX},
        {"lib", &c[RESOURCE_LIB], .cell = CELL_INDEX, .until = PROCESSED_FRAME_LIB},
    };
    tables->resource_rows = processed_read_table(p, "resourceTable", columns, COUNT(columns));
}

static void read_native_symbols(struct processed *p, struct shared_tables *tables)
{
    struct column *c = tables->symbols;
    struct file_column columns[] = {
        {"libIndex", &c[SYMBOL_LIB], .cell = CELL_INDEX},
        {"address", &c[SYMBOL_ADDRESS], .cell = CELL_INTEGER},
        {"name", &c[SYMBOL_NAME], .cell = CELL_INTEGER, .required = true},
        {"functionSize", &c[SYMBOL_SIZE], .cell = CELL_INDEX},
    };
    tables->symbol_rows = processed_read_table(p, "nativeSymbols", columns, COUNT(columns));
}

static void read_sources(struct processed *p, struct shared_tables *tables)
{
    struct column *c = tables->sources;
    struct file_column columns[] = {
        {"filename", &c[SOURCE_FILENAME], .cell = CELL_INTEGER, .required = true},
        {"id", &c[SOURCE_ID], .cell = CELL_TEXT},
        {"uuid", &c[SOURCE_ID], .cell = CELL_TEXT, .until = PROCESSED_SOURCE_IDS},
        {"startLine", &c[SOURCE_LINE], .cell = CELL_INTEGER, .since = PROCESSED_SOURCE_IDS},
        {"startColumn", &c[SOURCE_COLUMN], .cell = CELL_INTEGER, .since = PROCESSED_SOURCE_IDS},
        {"sourceMapURL", &c[SOURCE_MAP], .cell = CELL_INTEGER, .since = PROCESSED_SOURCE_IDS},
        {"content", &c[SOURCE_CONTENT], .cell = CELL_TEXT, .since = PROCESSED_LOCATIONS},
    };
    tables->source_rows = processed_read_table(p, "sources", columns, COUNT(columns));
}

static void read_locations(struct processed *p, struct shared_tables *tables)
{
    struct column *c = tables->locations;
    struct file_column columns[] = {
        {"source", &c[LOCATION_SOURCE], .cell = CELL_INDEX, .required = true},
        {"line", &c[LOCATION_LINE], .cell = CELL_INTEGER},
        {"column", &c[LOCATION_COLUMN], .cell = CELL_INTEGER},
    };
    tables->location_rows = processed_read_table(p, "sourceLocationTable", columns, COUNT(columns));
}

bool shared_tables_read(struct processed *p, struct shared_tables *tables, struct slice key)
{
    static const struct {
        const char *key;
        void (*read)(struct processed *p, struct shared_tables *tables);
    } readers[] = {
        {"stackTable", read_stacks},
        {"frameTable", read_frames},
        {"funcTable", read_funcs},
        {"resourceTable", read_resources},
        {"nativeSymbols", read_native_symbols},
        {"sources", read_sources},
        {"sourceLocationTable", read_locations},
    };
    for (size_t i = 0; i < COUNT(readers); i++)
        if (slice_equal(key, slice_of(readers[i].key))) {
            readers[i].read(p, tables);
            return true;
        }
    return false;
}

/* ---- cells of what was read ---- */

/* COLUMN_ABSENT where the file does not have the column. */
static int64_t cell(const struct column *column, size_t row)
{
    return row < column_count(column) ? column_get(column, row) : COLUMN_ABSENT;
}

/* A row of the profile for a row of the file. */
static uint32_t mapped(struct processed *p, const row_map *map, int64_t row, const char *table, size_t at, const char *column)
{
    if (row == COLUMN_ABSENT)
        return INDEX_NONE;
    if (row >= 0 && (uint64_t)row < map->count)
        return map->items[row];
    processed_fail(p, "%s row %zu: %s %lld is not one of %zu", table, at, column, (long long)row, map->count);
    return INDEX_NONE;
}

/* A number that is a row of a table of `limit` rows. */
static uint32_t checked(struct processed *p, int64_t row, size_t limit, const char *table, size_t at, const char *column)
{
    if (row == COLUMN_ABSENT)
        return INDEX_NONE;
    if (row >= 0 && (uint64_t)row < limit)
        return (uint32_t)row;
    processed_fail(p, "%s row %zu: %s %lld is not one of %zu", table, at, column, (long long)row, limit);
    return INDEX_NONE;
}

/* A line, a column or a depth; negative ones mean "unknown" in some files. */
static uint32_t small_number(struct processed *p, int64_t value, uint32_t absent, const char *table, size_t at)
{
    if (value < 0)
        return absent;
    if (value < INDEX_NONE)
        return (uint32_t)value;
    processed_fail(p, "%s row %zu: %lld is too large a number", table, at, (long long)value);
    return absent;
}

/* ---- adding ---- */

static void add_sources(struct processed *p, const struct shared_tables *tables)
{
    const struct column *c = tables->sources;
    for (size_t i = 0; i < tables->source_rows && json_ok(p->r); i++) {
        int64_t id = cell(&c[SOURCE_ID], i), content = cell(&c[SOURCE_CONTENT], i);
        struct source source = {
            .id = {id == COLUMN_ABSENT ? INDEX_NONE : (uint32_t)id},
            .filename = processed_string(p, cell(&c[SOURCE_FILENAME], i), "sources", i),
            .start_line = small_number(p, cell(&c[SOURCE_LINE], i), 1, "sources", i),
            .start_column = small_number(p, cell(&c[SOURCE_COLUMN], i), 1, "sources", i),
            .source_map_url = processed_string(p, cell(&c[SOURCE_MAP], i), "sources", i),
            .content = {content == COLUMN_ABSENT ? INDEX_NONE : (uint32_t)content},
        };
        if (!source_exists(source_table_append(&p->profile->sources, &source)))
            processed_out_of_memory(p);
    }
}

static void add_locations(struct processed *p, const struct shared_tables *tables)
{
    const struct column *c = tables->locations;
    for (size_t i = 0; i < tables->location_rows && json_ok(p->r); i++) {
        size_t sources = p->profile->sources.rows.count;
        struct location location = {
            .source = {checked(p, cell(&c[LOCATION_SOURCE], i), sources, "sourceLocationTable", i, "source")},
            .line = small_number(p, cell(&c[LOCATION_LINE], i), INDEX_NONE, "sourceLocationTable", i),
            .column = small_number(p, cell(&c[LOCATION_COLUMN], i), INDEX_NONE, "sourceLocationTable", i),
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

static void add_resources(struct processed *p, struct shared_tables *tables)
{
    const struct column *c = tables->resources;
    for (size_t i = 0; i < tables->resource_rows && json_ok(p->r); i++) {
        int64_t type = cell(&c[RESOURCE_TYPE], i);
        struct resource resource = {
            .name = processed_string(p, cell(&c[RESOURCE_NAME], i), "resourceTable", i),
            .host = processed_string(p, cell(&c[RESOURCE_HOST], i), "resourceTable", i),
            .type = type < RESOURCE_UNKNOWN || type > RESOURCE_URL ? RESOURCE_UNKNOWN : (enum resource_type)type,
        };
        uint32_t lib = checked(p, cell(&c[RESOURCE_LIB], i), INDEX_NONE, "resourceTable", i, "lib");
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

/* True once a row could not be added: rows must not be read again then. */
static bool out_of_rows(struct processed *p, const struct column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (columns[i].failed) {
            processed_out_of_memory(p);
            return true;
        }
    return false;
}

static void add_native_symbols(struct processed *p, struct shared_tables *tables)
{
    const struct column *c = tables->symbols;
    struct native_symbol_table *symbols = &p->profile->native_symbols;
    for (size_t i = 0; i < tables->symbol_rows && json_ok(p->r); i++) {
        int64_t address = cell(&c[SYMBOL_ADDRESS], i);
        struct native_symbol symbol = {
            .lib = {checked(p, cell(&c[SYMBOL_LIB], i), INDEX_NONE, "nativeSymbols", i, "libIndex")},
            .address = address == COLUMN_ABSENT ? 0 : (uint64_t)address,
            .name = processed_string(p, cell(&c[SYMBOL_NAME], i), "nativeSymbols", i),
            .size = cell(&c[SYMBOL_SIZE], i),
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
        if (out_of_rows(p, symbols->columns, COUNT(symbols->columns)) || !vec_push(&tables->symbol_map, row.i))
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
    if (p->version >= PROCESSED_FUNC_FLAGS && !(cell(&tables->funcs[FUNC_FLAGS], row) & flag))
        return COLUMN_ABSENT;
    return cell(&tables->funcs[column], row);
}

static void add_funcs(struct processed *p, struct shared_tables *tables)
{
    const struct column *c = tables->funcs;
    struct profile *profile = p->profile;
    bool has_flags = p->version >= PROCESSED_FUNC_FLAGS;
    for (size_t i = 0; i < tables->func_rows && json_ok(p->r); i++) {
        int64_t flags = has_flags ? cell(&c[FUNC_FLAGS], i) : 0;
        int64_t resource = func_cell(p, tables, FUNC_RESOURCE, i, PROCESSED_FUNC_HAS_RESOURCE);
        int64_t source = func_cell(p, tables, FUNC_SOURCE, i, PROCESSED_FUNC_HAS_SOURCE);
        int64_t location = func_cell(p, tables, FUNC_ORIGINAL_LOCATION, i, PROCESSED_FUNC_HAS_LOCATION);
        struct func func = {
            .name = processed_string(p, cell(&c[FUNC_NAME], i), "funcTable", i),
            .is_js = has_flags ? flags & PROCESSED_FUNC_IS_JS : cell(&c[FUNC_JS], i) == 1,
            .relevant_for_js = has_flags ? flags & PROCESSED_FUNC_RELEVANT_FOR_JS : cell(&c[FUNC_RELEVANT], i) == 1,
            .resource = {mapped(p, &tables->resource_map, resource, "funcTable", i, "resource")},
            .source = {checked(p, source, profile->sources.rows.count, "funcTable", i, "source")},
            .line = small_number(p, func_cell(p, tables, FUNC_LINE, i, PROCESSED_FUNC_HAS_LINE), INDEX_NONE, "funcTable", i),
            .column =
                small_number(p, func_cell(p, tables, FUNC_COLUMN, i, PROCESSED_FUNC_HAS_COLUMN), INDEX_NONE, "funcTable", i),
            .original_location = {checked(p, location, profile->locations.rows.count, "funcTable", i, "originalLocation")},
        };
        if (!string_exists(func.name))
            processed_fail(p, "funcTable row %zu has no name", i);
        if (p->version < PROCESSED_SOURCES)
            func.source = source_of_file_name(p, cell(&c[FUNC_FILE_NAME], i), i);
        struct func_index row = p->version < PROCESSED_SHARED_TABLES ? func_table_add(&profile->funcs, &func)
                                                                     : func_table_append(&profile->funcs, &func);
        if (!func_exists(row) || out_of_rows(p, profile->funcs.columns, COUNT(profile->funcs.columns)) ||
            !vec_push(&tables->func_map, row.i))
            processed_out_of_memory(p);
    }
}

/* Before PROCESSED_FRAME_CATEGORIES stacks had categories, too. Where frames have none, those of the last stack with the frame
 * are the frame's. */
static void move_stack_categories(struct processed *p, struct shared_tables *tables)
{
    struct column *category = &tables->frames[FRAME_CATEGORY], *subcategory = &tables->frames[FRAME_SUBCATEGORY];
    if (column_count(category) > 0 || tables->frame_rows == 0) {
        if (column_count(subcategory) == 0)
            column_fill(subcategory, tables->frame_rows, 0);
        return;
    }
    row_map stack_of_frame = {0};
    if (!vec_reserve(&stack_of_frame, tables->frame_rows)) {
        processed_out_of_memory(p);
        return;
    }
    stack_of_frame.count = tables->frame_rows;
    memset(stack_of_frame.items, 0xff, tables->frame_rows * sizeof *stack_of_frame.items);
    for (size_t i = 0; i < tables->stack_rows; i++) {
        size_t frame = column_get_index(&p->profile->stacks.frame, tables->stack_base + i) - tables->frame_base;
        if (frame < tables->frame_rows)
            stack_of_frame.items[frame] = (uint32_t)i;
    }
    column_free(subcategory);
    for (size_t i = 0; i < tables->frame_rows; i++) {
        uint32_t stack = stack_of_frame.items[i];
        column_append(category, cell(&tables->stacks[STACK_CATEGORY], stack));
        column_append(subcategory, cell(&tables->stacks[STACK_SUBCATEGORY], stack));
    }
    vec_free(&stack_of_frame);
}

/* "JIT (IMPLEMENTATION)" */
static struct string_index jit_subcategory_name(struct processed *p, struct string_index implementation)
{
    struct text_buffer text = {0};
    text_add(&text, SLICE("JIT ("));
    text_add(&text, profile_text(p->profile, implementation));
    text_add_char(&text, ')');
    struct string_index name = text.failed ? STRING_NONE : string_table_add(&p->profile->strings, text_slice(&text));
    text_free(&text);
    return name;
}

/* The subcategory of JavaScript that stands for an implementation, added if it is new. The first one is JavaScript itself. */
static uint32_t jit_subcategory(struct processed *p, struct string_index implementation)
{
    uint64_t hash = hash_u64(implementation.i);
    uint32_t row;
    for (struct map_probe probe = map_probe(&p->implementation_rows, hash); map_probe_next(&probe, &row);)
        if (string_same(p->implementations.items[row], implementation))
            return row + 1;
    struct category *category = &p->profile->categories.rows.items[p->jit_category.i];
    struct string_index name = jit_subcategory_name(p, implementation);
    row = (uint32_t)p->implementations.count;
    if (!string_exists(name) || !vec_push(&p->implementations, implementation) || !vec_push(&category->subcategories, name) ||
        !map_insert(&p->implementation_rows, hash, row))
        processed_out_of_memory(p);
    return row + 1;
}

/* The cells of up to COLUMN_BLOCK_ROWS frames. */
struct frame_cells {
    int64_t columns[FRAME_COLUMNS][COLUMN_BLOCK_ROWS];
};

static void read_frame_cells(const struct processed *p, const struct shared_tables *tables, size_t first, size_t rows,
                             struct frame_cells *cells)
{
    for (size_t c = 0; c < FRAME_COLUMNS; c++) {
        if (column_count(&tables->frames[c]) > 0)
            column_read(&tables->frames[c], first, rows, cells->columns[c]);
        else
            for (size_t i = 0; i < rows; i++)
                cells->columns[c][i] = COLUMN_ABSENT;
    }
    if (p->version < PROCESSED_FRAME_FLAGS)
        return;
    static const struct {
        int column;
        int64_t flag;
    } flagged[] = {
        {FRAME_ADDRESS, PROCESSED_FRAME_HAS_ADDRESS},      {FRAME_LIB, PROCESSED_FRAME_HAS_ADDRESS},
        {FRAME_CATEGORY, PROCESSED_FRAME_HAS_CATEGORY},    {FRAME_SUBCATEGORY, PROCESSED_FRAME_HAS_CATEGORY},
        {FRAME_NATIVE_SYMBOL, PROCESSED_FRAME_HAS_SYMBOL}, {FRAME_LINE, PROCESSED_FRAME_HAS_LINE},
        {FRAME_COLUMN, PROCESSED_FRAME_HAS_COLUMN},        {FRAME_ORIGINAL_LOCATION, PROCESSED_FRAME_HAS_LOCATION},
    };
    const int64_t *flags = cells->columns[FRAME_FLAGS];
    for (size_t f = 0; f < COUNT(flagged); f++)
        for (size_t i = 0; i < rows; i++)
            if (!(flags[i] & flagged[f].flag))
                cells->columns[flagged[f].column][i] = COLUMN_ABSENT;
    for (size_t i = 0; i < rows; i++)
        cells->columns[FRAME_INLINE_DEPTH][i] = flags[i] & PROCESSED_FRAME_INLINED ? 1 : 0;
}

/* A subcategory that is one of its category's, or INDEX_NONE where there is no category. */
static uint32_t frame_subcategory(struct processed *p, struct category_index category, int64_t subcategory, size_t row)
{
    if (!category_exists(category))
        return INDEX_NONE;
    size_t limit = p->profile->categories.rows.items[category.i].subcategories.count;
    return checked(p, subcategory, limit, "frameTable", row, "subcategory");
}

static void add_frame(struct processed *p, const struct shared_tables *tables, const struct frame_cells *cells, size_t i,
                      size_t row)
{
    const struct profile *profile = p->profile;
    const int64_t(*c)[COLUMN_BLOCK_ROWS] = cells->columns;
    int64_t window = c[FRAME_INNER_WINDOW_ID][i];
    struct frame frame = {
        .address = c[FRAME_ADDRESS][i],
        .lib = {checked(p, c[FRAME_LIB][i], INDEX_NONE, "frameTable", row, "lib")},
        .inline_depth = small_number(p, c[FRAME_INLINE_DEPTH][i], 0, "frameTable", row),
        .category = {checked(p, c[FRAME_CATEGORY][i], profile->categories.rows.count, "frameTable", row, "category")},
        .func = {mapped(p, &tables->func_map, c[FRAME_FUNC][i], "frameTable", row, "func")},
        .native_symbol = {mapped(p, &tables->symbol_map, c[FRAME_NATIVE_SYMBOL][i], "frameTable", row, "nativeSymbol")},
        .implementation = processed_string(p, c[FRAME_IMPLEMENTATION][i], "frameTable", row),
        .inner_window_id = window == COLUMN_ABSENT ? 0 : (uint64_t)window,
        .line = small_number(p, c[FRAME_LINE][i], INDEX_NONE, "frameTable", row),
        .column = small_number(p, c[FRAME_COLUMN][i], INDEX_NONE, "frameTable", row),
        .original_location = {checked(p, c[FRAME_ORIGINAL_LOCATION][i], profile->locations.rows.count, "frameTable", row,
                                      "originalLocation")},
    };
    frame.subcategory = frame_subcategory(p, frame.category, c[FRAME_SUBCATEGORY][i], row);
    if (!func_exists(frame.func)) {
        processed_fail(p, "frameTable row %zu has no func", row);
        return;
    }
    if (p->version < PROCESSED_FRAME_LIB) {
        struct resource_index resource = func_resource(&profile->funcs, frame.func);
        frame.lib = lib_at(resource_exists(resource) ? p->resource_libs.items[resource.i] : INDEX_NONE);
    }
    if (string_exists(frame.implementation) && category_exists(p->jit_category)) {
        frame.category = p->jit_category;
        frame.subcategory = jit_subcategory(p, frame.implementation);
    }
    frame_table_append(&p->profile->frames, &frame);
}

static void add_frames(struct processed *p, struct shared_tables *tables)
{
    struct frame_cells cells;
    if (p->version < PROCESSED_FRAME_CATEGORIES && json_ok(p->r))
        move_stack_categories(p, tables);
    if (out_of_rows(p, tables->frames, FRAME_COLUMNS))
        return;
    for (size_t first = 0; first < tables->frame_rows && json_ok(p->r); first += COLUMN_BLOCK_ROWS) {
        size_t rows = tables->frame_rows - first < COLUMN_BLOCK_ROWS ? tables->frame_rows - first : COLUMN_BLOCK_ROWS;
        read_frame_cells(p, tables, first, rows, &cells);
        for (size_t i = 0; i < rows && json_ok(p->r); i++)
            add_frame(p, tables, &cells, i, first + i);
    }
}

void shared_tables_add(struct processed *p, struct shared_tables *tables)
{
    if (!json_ok(p->r))
        return;
    add_sources(p, tables);
    add_locations(p, tables);
    add_resources(p, tables);
    add_native_symbols(p, tables);
    add_funcs(p, tables);
    add_frames(p, tables);
}
