/* Reading the tables that all threads share. */
#include "import/processed_shared.h"

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

/* ---- adding ---- */

bool shared_out_of_rows(struct processed *p, const struct column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (columns[i].failed) {
            processed_out_of_memory(p);
            return true;
        }
    return false;
}

void shared_tables_add(struct processed *p, struct shared_tables *tables)
{
    if (!json_ok(p->r))
        return;
    shared_add_sources(p, tables);
    shared_add_locations(p, tables);
    shared_add_resources(p, tables);
    shared_add_native_symbols(p, tables);
    shared_add_funcs(p, tables);
    shared_add_frames(p, tables);
}
