/* A table that is exported row by row, as CSV or as JSON.
 *
 *     CSV      func,name,total            RFC 4180: lines end in CR LF, texts stand between quotes
 *              3,"draw",40
 *     JSON     {…, "rows": [{"func": 3, "name": "draw", "total": 40}]}     the caller writes what is before the rows */
#ifndef SONDE_API_EXPORT_TABLE_H
#define SONDE_API_EXPORT_TABLE_H

#include "api/export_out.h"
#include "common/json_writer.h"

struct export_table {
    const char *const *columns; /* NULL after the last */
    size_t column;              /* that comes next */
    struct json_writer *json;   /* NULL = CSV */
    struct export_out out;      /* of CSV */
};

/* With `as_json` the caller goes on with table->json, in an object that export_table_rows() and _end() close. On failure there
 * is nothing to end. */
int export_table_begin(struct export_table *table, const char *const *columns, bool as_json, struct byte_sink *sink,
                       struct error *error);
void export_table_rows(struct export_table *table);

/* The cells of a row, in order. NaN and an empty text are nothing: null. */
void export_table_text(struct export_table *table, struct slice text);
void export_table_number(struct export_table *table, double number);
void export_table_count(struct export_table *table, uint32_t number);

/* After the last cell of a row. False where it is no use to go on. */
bool export_table_next(struct export_table *table);

/* Returns `status` if that is an error, else 0 or what went wrong. */
int export_table_end(struct export_table *table, int status);

#endif
