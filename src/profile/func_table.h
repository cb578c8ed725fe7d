/* Functions: what call trees are made of. */
#ifndef SONDE_PROFILE_FUNC_TABLE_H
#define SONDE_PROFILE_FUNC_TABLE_H

#include "common/column.h"
#include "common/map.h"
#include "profile/indices.h"

struct func {
    struct string_index name;
    bool is_js;
    bool relevant_for_js; /* a native function or label that a reader of JavaScript wants to see */
    struct resource_index resource;
    struct source_index source;
    uint32_t line, column; /* of the definition; INDEX_NONE = unknown */
    struct location_index original_location;
};

/* The flags are those of the processed format from version 75 on. */
enum func_flags { FUNC_IS_JS = 1, FUNC_RELEVANT_FOR_JS = 2 };

struct func_table {
    union {
        struct {
            struct column name, flags, resource, source, line, column, original_location;
        };
        struct column columns[7];
    };
    struct map by_key; /* everything but the original location */
};

static inline size_t func_count(const struct func_table *table)
{
    return column_count(&table->name);
}

/* Appends a row without looking for an equal one. */
struct func_index func_table_append(struct func_table *table, const struct func *func);

/* The first row added with the same name, flags, resource, source, line and column; added if it is new. Only finds rows that
 * came through this function. func_none() when the heap is empty. */
struct func_index func_table_add(struct func_table *table, const struct func *func);

struct func func_table_get(const struct func_table *table, struct func_index index);

static inline struct string_index func_name(const struct func_table *table, struct func_index index)
{
    return string_at(column_get_index(&table->name, index.i));
}

static inline struct resource_index func_resource(const struct func_table *table, struct func_index index)
{
    return resource_at(column_get_index(&table->resource, index.i));
}

#endif
