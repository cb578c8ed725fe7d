/* Where functions come from, as people group them: a library, a web site, an extension. */
#ifndef SONDE_PROFILE_RESOURCE_TABLE_H
#define SONDE_PROFILE_RESOURCE_TABLE_H

#include "common/vec.h"
#include "profile/indices.h"

/* The numbers are those of the processed format. */
enum resource_type {
    RESOURCE_UNKNOWN = 0,
    RESOURCE_LIBRARY = 1,
    RESOURCE_ADDON = 2,
    RESOURCE_WEBHOST = 3,
    RESOURCE_OTHERHOST = 4,
    RESOURCE_URL = 5,
};

struct resource {
    struct string_index name;
    struct string_index host; /* STRING_NONE where there is none */
    enum resource_type type;
};

struct resource_table {
    VEC(struct resource) rows;
    struct map by_key; /* type and name of rows that were added */
};

/* Appends a row without looking for an equal one; resource_none() when the heap is empty. */
struct resource_index resource_table_append(struct resource_table *table, const struct resource *resource);

/* The first row added with this type and name; added if it is new. Only finds rows that came through this function.
 * resource_none() when the heap is empty. */
struct resource_index resource_table_add(struct resource_table *table, const struct resource *resource);

/* True for the kinds of resource whose functions are scripts. */
bool resource_is_script(enum resource_type type);

void resource_table_free(struct resource_table *table);

#endif
