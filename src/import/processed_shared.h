/* The tables that all threads share, as the file has them: stacks, frames, funcs, resources, native symbols, sources and
 * locations. Private to the files that read them and add them to the profile.
 *
 * Stacks, which have the most rows, go straight into the profile. The others point at each other and at strings that may come
 * later in the file, so they are read into columns of the file first and added to the profile once all are there. Before
 * PROCESSED_SHARED_TABLES every thread has its own set: rows that are equal to those of earlier threads are found again then,
 * except for frames and stacks, which are appended. */
#ifndef SONDE_IMPORT_PROCESSED_SHARED_H
#define SONDE_IMPORT_PROCESSED_SHARED_H

#include "common/count.h"
#include "import/processed_table.h"

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

/* ---- cells of what was read ---- */

/* COLUMN_ABSENT where the file does not have the column. */
static inline int64_t shared_cell(const struct column *column, size_t row)
{
    return row < column_count(column) ? column_get(column, row) : COLUMN_ABSENT;
}

/* A number that is a row of a table of `limit` rows; `table`, `at` and `column` say where it stands, for errors. */
static inline uint32_t shared_checked(struct processed *p, int64_t row, size_t limit, const char *table, size_t at,
                                      const char *column)
{
    if (row == COLUMN_ABSENT)
        return INDEX_NONE;
    if (row >= 0 && (uint64_t)row < limit)
        return (uint32_t)row;
    processed_fail(p, "%s row %zu: %s %lld is not one of %zu", table, at, column, (long long)row, limit);
    return INDEX_NONE;
}

/* The row of the profile for a row of the file. */
static inline uint32_t shared_mapped(struct processed *p, const row_map *map, int64_t row, const char *table, size_t at,
                                     const char *column)
{
    uint32_t place = shared_checked(p, row, map->count, table, at, column);
    return place == INDEX_NONE ? INDEX_NONE : map->items[place];
}

/* A line, a column or a depth; negative ones mean "unknown" in some files. */
static inline uint32_t shared_number(struct processed *p, int64_t value, uint32_t absent, const char *table, size_t at)
{
    if (value < 0)
        return absent;
    if (value < INDEX_NONE)
        return (uint32_t)value;
    processed_fail(p, "%s row %zu: %lld is too large a number", table, at, (long long)value);
    return absent;
}

/* ---- adding to the profile ---- */

/* True once a row could not be added to these columns: rows must not be read again then. */
bool shared_out_of_rows(struct processed *p, const struct column *columns, size_t count);

/* processed_funcs.c: each is called after those above it. */
void shared_add_sources(struct processed *p, const struct shared_tables *tables);
void shared_add_locations(struct processed *p, const struct shared_tables *tables);
void shared_add_resources(struct processed *p, struct shared_tables *tables);
void shared_add_native_symbols(struct processed *p, struct shared_tables *tables);
void shared_add_funcs(struct processed *p, struct shared_tables *tables);

/* processed_frames.c */
void shared_add_frames(struct processed *p, struct shared_tables *tables);

#endif
