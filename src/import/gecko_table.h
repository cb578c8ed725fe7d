/* The tables of Gecko profiles: `{"schema": {"name": 0, "time": 1}, "data": [[3, 1.5], [4], …]}`.
 *
 * Cells may stand in any order, and a row may end early: what is missing is null. */
#ifndef SONDE_IMPORT_GECKO_TABLE_H
#define SONDE_IMPORT_GECKO_TABLE_H

#include "common/indexed.h"
#include "common/json_reader.h"

enum { GECKO_MAX_CELLS = 64 };

/* What is in each cell of a row: 1 + the number of the column's name, 0 for columns nobody asked for. */
struct gecko_schema {
    uint8_t fields[GECKO_MAX_CELLS];
};

static inline unsigned gecko_field(const struct gecko_schema *schema, size_t cell)
{
    return cell < GECKO_MAX_CELLS ? schema->fields[cell] : 0;
}

static inline bool gecko_schema_has(const struct gecko_schema *schema, unsigned field)
{
    for (size_t i = 0; i < GECKO_MAX_CELLS; i++)
        if (schema->fields[i] == field)
            return true;
    return false;
}

/* Reads the array of rows. */
typedef void gecko_read_rows(struct json_reader *r, const struct gecko_schema *schema, void *data);

/* Reads a table whose columns of interest are `names` (the last one NULL); `rows` is called once, when the schema is known, and
 * not at all where the table has no `data`. */
void gecko_table_read(struct json_reader *r, const char *const *names, gecko_read_rows *rows, void *data);

/* Reads `text`, a captured value, as if it came now: calls `read` with a reader over it. Its errors become those of `r`. */
void gecko_reread(struct json_reader *r, struct slice text, void (*read)(struct json_reader *again, void *data), void *data);

/* An index of another table, or INDEX_NONE for null. */
static inline uint32_t gecko_index(struct json_reader *r)
{
    int64_t index = json_integer_or_null(r, INDEX_NONE);
    if (__builtin_expect(index < 0 || index > INDEX_NONE, 0)) {
        json_fail(r, "%lld is no index", (long long)index);
        return INDEX_NONE;
    }
    return (uint32_t)index;
}

#endif
