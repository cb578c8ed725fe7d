/* Source files and scripts, and the places in them that source maps point to. */
#ifndef SONDE_PROFILE_SOURCE_TABLE_H
#define SONDE_PROFILE_SOURCE_TABLE_H

#include "common/vec.h"
#include "profile/indices.h"

struct source {
    struct string_index id; /* STRING_NONE where there is none */
    struct string_index filename;
    uint32_t start_line, start_column;  /* 1 for a whole file */
    struct string_index source_map_url; /* STRING_NONE where there is none */
    struct string_index content;        /* the text itself, where the profile brings it */
};

struct source_table {
    VEC(struct source) rows;
    struct map by_key; /* id, or filename where there is no id, of rows that were added */
};

/* Appends a row without looking for an equal one; source_none() when the heap is empty. */
struct source_index source_table_append(struct source_table *table, const struct source *source);

/* The first row added with this id (with this filename and no id where `id` is STRING_NONE); added if it is new. Only finds
 * rows that came through this function. source_none() when the heap is empty. */
struct source_index source_table_add(struct source_table *table, const struct source *source);

void source_table_free(struct source_table *table);

/* What a source map says of a frame or a func: a place in an original file. */
struct location {
    struct source_index source;
    uint32_t line, column; /* INDEX_NONE = unknown */
};

struct location_table {
    VEC(struct location) rows;
};

#endif
