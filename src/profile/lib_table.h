/* The modules that code came from: executables and shared libraries. Few rows, so plain structs. */
#ifndef SONDE_PROFILE_LIB_TABLE_H
#define SONDE_PROFILE_LIB_TABLE_H

#include "common/vec.h"
#include "profile/indices.h"

struct lib {
    struct string_index name, path, debug_name, debug_path, breakpad_id, code_id, arch; /* STRING_NONE = unknown */
};

struct lib_table {
    VEC(struct lib) rows;
    struct map by_key; /* debug name and breakpad id of rows that were added */
};

/* Appends a row without looking for an equal one; lib_none() when the heap is empty. */
struct lib_index lib_table_append(struct lib_table *table, const struct lib *lib);

/* The first row added with this debug name and breakpad id; added if it is new. Only finds rows that came through this
 * function. lib_none() when the heap is empty. */
struct lib_index lib_table_add(struct lib_table *table, const struct lib *lib);

void lib_table_free(struct lib_table *table);

#endif
