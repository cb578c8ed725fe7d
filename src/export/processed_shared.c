/* The tables that all threads share. */
#include "export/processed_writer.h"

/* ---- columns ---- */

static size_t piece_of(size_t rows, size_t first)
{
    return rows - first < COLUMN_BLOCK_ROWS ? rows - first : COLUMN_BLOCK_ROWS;
}

/* Rows of a column; absent where it has none at all. */
static void read_rows(const struct column *column, size_t first, size_t count, int64_t *rows)
{
    if (column_count(column) > 0) {
        column_read(column, first, count, rows);
        return;
    }
    for (size_t i = 0; i < count; i++)
        rows[i] = COLUMN_ABSENT;
}

static void write_integers(struct processed_writer *out, const char *key, const struct column *column, size_t count,
                           bool null_if_absent, int64_t absent)
{
    int64_t rows[COLUMN_BLOCK_ROWS];
    json_write_key(out->w, key);
    json_write_begin_array(out->w);
    for (size_t first = 0; first < count; first += COLUMN_BLOCK_ROWS) {
        size_t piece = piece_of(count, first);
        read_rows(column, first, piece, rows);
        for (size_t i = 0; i < piece; i++) {
            if (rows[i] != COLUMN_ABSENT)
                json_write_integer(out->w, rows[i]);
            else if (null_if_absent)
                json_write_null(out->w);
            else
                json_write_integer(out->w, absent);
        }
    }
    json_write_end_array(out->w);
}

void processed_write_integers(struct processed_writer *out, const char *key, const struct column *column, size_t rows)
{
    write_integers(out, key, column, rows, true, 0);
}

void processed_write_integers_or(struct processed_writer *out, const char *key, const struct column *column, size_t rows,
                                 int64_t absent)
{
    write_integers(out, key, column, rows, false, absent);
}

void processed_write_numbers(struct processed_writer *out, const char *key, const struct column *column, size_t count)
{
    double rows[COLUMN_BLOCK_ROWS];
    json_write_key(out->w, key);
    json_write_begin_array(out->w);
    for (size_t first = 0; first < count; first += COLUMN_BLOCK_ROWS) {
        size_t piece = piece_of(count, first);
        column_read_numbers(column, first, piece, rows);
        for (size_t i = 0; i < piece; i++)
            json_write_number(out->w, rows[i]);
    }
    json_write_end_array(out->w);
}

static void write_strings(struct processed_writer *out, const char *key, const struct column *column, size_t count,
                          void (*write)(struct processed_writer *out, struct string_index string))
{
    int64_t rows[COLUMN_BLOCK_ROWS];
    json_write_key(out->w, key);
    json_write_begin_array(out->w);
    for (size_t first = 0; first < count; first += COLUMN_BLOCK_ROWS) {
        size_t piece = piece_of(count, first);
        read_rows(column, first, piece, rows);
        for (size_t i = 0; i < piece; i++)
            write(out, rows[i] == COLUMN_ABSENT ? STRING_NONE : string_at((size_t)rows[i]));
    }
    json_write_end_array(out->w);
}

void processed_write_strings(struct processed_writer *out, const char *key, const struct column *column, size_t rows)
{
    write_strings(out, key, column, rows, processed_write_string);
}

void processed_write_text(struct processed_writer *out, struct string_index string)
{
    if (string_exists(string))
        json_write_string(out->w, profile_text(out->profile, string));
    else
        json_write_null(out->w);
}

void processed_write_texts(struct processed_writer *out, const char *key, const struct column *column, size_t rows)
{
    write_strings(out, key, column, rows, processed_write_text);
}

void processed_write_length(struct processed_writer *out, size_t rows)
{
    json_write_key(out->w, "length");
    json_write_integer(out->w, (int64_t)rows);
}

static void begin_table(struct processed_writer *out, const char *key)
{
    json_write_key(out->w, key);
    json_write_begin_object(out->w);
}

static void end_table(struct processed_writer *out, size_t rows)
{
    processed_write_length(out, rows);
    json_write_end_object(out->w);
}

static void write_index(struct processed_writer *out, uint32_t index)
{
    if (index == INDEX_NONE)
        json_write_null(out->w);
    else
        json_write_integer(out->w, index);
}

/* ---- tables ---- */

static void write_prefixes(struct processed_writer *out, const struct stack_table *stacks, size_t count)
{
    int64_t up[COLUMN_BLOCK_ROWS];
    json_write_key(out->w, "prefix");
    json_write_begin_array(out->w);
    for (size_t first = 0; first < count; first += COLUMN_BLOCK_ROWS) {
        size_t piece = piece_of(count, first);
        column_read(&stacks->up, first, piece, up);
        for (size_t i = 0; i < piece; i++)
            write_index(out, up[i] == 0 ? INDEX_NONE : (uint32_t)(first + i - (size_t)up[i]));
    }
    json_write_end_array(out->w);
}

static void write_stacks(struct processed_writer *out)
{
    const struct stack_table *stacks = &out->profile->stacks;
    size_t rows = stack_count(stacks);
    begin_table(out, "stackTable");
    processed_write_integers(out, "frame", &stacks->frame, rows);
    if (out->version >= PROCESSED_PREFIX_OFFSET)
        processed_write_integers(out, "prefixOffset", &stacks->up, rows);
    else
        write_prefixes(out, stacks, rows);
    end_table(out, rows);
}

/* Ids of windows are 64 bits without sign. */
static void write_windows(struct processed_writer *out, const struct column *column, size_t rows)
{
    json_write_key(out->w, "innerWindowID");
    json_write_begin_array(out->w);
    for (size_t i = 0; i < rows; i++) {
        int64_t id = column_get(column, i);
        if (id >= 0)
            json_write_integer(out->w, id);
        else
            json_write_number(out->w, id == COLUMN_ABSENT ? 0 : (double)(uint64_t)id);
    }
    json_write_end_array(out->w);
}

static void write_frames(struct processed_writer *out)
{
    const struct frame_table *frames = &out->profile->frames;
    size_t rows = frame_count(frames);
    begin_table(out, "frameTable");
    processed_write_integers_or(out, "address", &frames->address, rows, -1);
    if (out->version >= PROCESSED_FRAME_LIB)
        processed_write_integers_or(out, "lib", &frames->lib, rows, -1);
    processed_write_integers(out, "inlineDepth", &frames->inline_depth, rows);
    processed_write_integers(out, "category", &frames->category, rows);
    processed_write_integers(out, "subcategory", &frames->subcategory, rows);
    processed_write_integers(out, "func", &frames->func, rows);
    processed_write_integers(out, "nativeSymbol", &frames->native_symbol, rows);
    write_windows(out, &frames->inner_window_id, rows);
    processed_write_integers(out, "line", &frames->line, rows);
    processed_write_integers(out, "column", &frames->column, rows);
    if (out->version >= PROCESSED_LOCATIONS)
        processed_write_integers(out, "originalLocation", &frames->original_location, rows);
    end_table(out, rows);
}

static void write_flags(struct processed_writer *out, const char *key, const struct column *flags, size_t rows, int64_t flag)
{
    json_write_key(out->w, key);
    json_write_begin_array(out->w);
    for (size_t i = 0; i < rows; i++)
        json_write_boolean(out->w, column_get(flags, i) & flag);
    json_write_end_array(out->w);
}

static void write_funcs(struct processed_writer *out)
{
    const struct func_table *funcs = &out->profile->funcs;
    size_t rows = func_count(funcs);
    begin_table(out, "funcTable");
    processed_write_strings(out, "name", &funcs->name, rows);
    write_flags(out, "isJS", &funcs->flags, rows, FUNC_IS_JS);
    write_flags(out, "relevantForJS", &funcs->flags, rows, FUNC_RELEVANT_FOR_JS);
    processed_write_integers_or(out, "resource", &funcs->resource, rows, -1);
    processed_write_integers(out, "source", &funcs->source, rows);
    processed_write_integers(out, "lineNumber", &funcs->line, rows);
    processed_write_integers(out, "columnNumber", &funcs->column, rows);
    if (out->version >= PROCESSED_LOCATIONS)
        processed_write_integers(out, "originalLocation", &funcs->original_location, rows);
    end_table(out, rows);
}

/* A column of a table of structs: `write` writes the cell of one row. */
#define WRITE_CELLS(out, key, table, row, write)                                                                               \
    do {                                                                                                                       \
        json_write_key((out)->w, key);                                                                                         \
        json_write_begin_array((out)->w);                                                                                      \
        for (size_t i_ = 0; i_ < (table)->rows.count; i_++) {                                                                  \
            __auto_type row = &(table)->rows.items[i_];                                                                        \
            write;                                                                                                             \
        }                                                                                                                      \
        json_write_end_array((out)->w);                                                                                        \
    } while (0)

static void write_resources(struct processed_writer *out)
{
    const struct resource_table *resources = &out->profile->resources;
    begin_table(out, "resourceTable");
    if (out->version < PROCESSED_FRAME_LIB)
        WRITE_CELLS(out, "lib", resources, row, write_index(out, out->resource_libs[row - resources->rows.items]));
    WRITE_CELLS(out, "name", resources, row, processed_write_string(out, row->name));
    WRITE_CELLS(out, "host", resources, row, processed_write_string(out, row->host));
    WRITE_CELLS(out, "type", resources, row, json_write_integer(out->w, row->type));
    end_table(out, resources->rows.count);
}

static void write_native_symbols(struct processed_writer *out)
{
    const struct native_symbol_table *symbols = &out->profile->native_symbols;
    size_t rows = native_symbol_count(symbols);
    begin_table(out, "nativeSymbols");
    processed_write_integers(out, "libIndex", &symbols->lib, rows);
    processed_write_integers(out, "address", &symbols->address, rows);
    processed_write_strings(out, "name", &symbols->name, rows);
    processed_write_integers(out, "functionSize", &symbols->size, rows);
    end_table(out, rows);
}

static void write_sources(struct processed_writer *out)
{
    const struct source_table *sources = &out->profile->sources;
    begin_table(out, "sources");
    WRITE_CELLS(out, out->version >= PROCESSED_SOURCE_IDS ? "id" : "uuid", sources, row, processed_write_text(out, row->id));
    WRITE_CELLS(out, "filename", sources, row, processed_write_string(out, row->filename));
    if (out->version >= PROCESSED_SOURCE_IDS) {
        WRITE_CELLS(out, "startLine", sources, row, json_write_integer(out->w, row->start_line));
        WRITE_CELLS(out, "startColumn", sources, row, json_write_integer(out->w, row->start_column));
        WRITE_CELLS(out, "sourceMapURL", sources, row, processed_write_string(out, row->source_map_url));
    }
    if (out->version >= PROCESSED_LOCATIONS)
        WRITE_CELLS(out, "content", sources, row, processed_write_text(out, row->content));
    end_table(out, sources->rows.count);
}

static void write_locations(struct processed_writer *out)
{
    const struct location_table *locations = &out->profile->locations;
    begin_table(out, "sourceLocationTable");
    WRITE_CELLS(out, "source", locations, row, write_index(out, row->source.i));
    WRITE_CELLS(out, "line", locations, row, write_index(out, row->line));
    WRITE_CELLS(out, "column", locations, row, write_index(out, row->column));
    end_table(out, locations->rows.count);
}

static void write_string_array(struct processed_writer *out)
{
    const struct string_table *strings = &out->profile->strings;
    json_write_key(out->w, "stringArray");
    json_write_begin_array(out->w);
    for (size_t i = 0; i < string_table_count(strings); i++)
        if (out->file_strings[i] != INDEX_NONE)
            json_write_string(out->w, string_table_get(strings, string_at(i)));
    json_write_end_array(out->w);
}

void processed_write_shared(struct processed_writer *out)
{
    json_write_begin_object(out->w);
    write_string_array(out);
    write_stacks(out);
    write_frames(out);
    write_funcs(out);
    write_resources(out);
    write_native_symbols(out);
    write_sources(out);
    if (out->version >= PROCESSED_LOCATIONS)
        write_locations(out);
    json_write_end_object(out->w);
}
