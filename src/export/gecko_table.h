/* Tables of the Gecko format: {"schema": {column: number, …}, "data": [[…], …]}. */
#ifndef SONDE_EXPORT_GECKO_TABLE_H
#define SONDE_EXPORT_GECKO_TABLE_H

#include "common/json_writer.h"

/* `schema` is JSON. What is written until gecko_table_end() are the rows. */
static inline void gecko_table_begin(struct json_writer *w, struct slice schema)
{
    json_write_begin_object(w);
    json_write_key(w, "schema");
    json_write_raw(w, schema);
    json_write_key(w, "data");
    json_write_begin_array(w);
}

static inline void gecko_table_end(struct json_writer *w)
{
    json_write_end_array(w);
    json_write_end_object(w);
}

#endif
