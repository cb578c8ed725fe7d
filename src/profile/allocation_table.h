/* Allocations of a thread: of JavaScript objects, or of native memory (negative weights are frees). */
#ifndef SONDE_PROFILE_ALLOCATION_TABLE_H
#define SONDE_PROFILE_ALLOCATION_TABLE_H

#include "common/column.h"
#include "profile/indices.h"

struct allocation_table {
    bool present;               /* the profile has this table, be it empty */
    struct column stack;        /* integers; absent = unknown */
    struct column time, weight; /* numbers: ms, bytes */
    /* native only, and only where the recording was balanced, i.e. frees can be matched; otherwise without rows */
    struct column memory_address, thread_id; /* numbers, integers */
    /* JavaScript only */
    struct column class_name, type_name, coarse_type, in_nursery; /* integers: strings and a boolean */
};

void allocation_table_init(struct allocation_table *table, struct arena *arena);
void allocation_table_free(struct allocation_table *table);
bool allocation_table_seal(struct allocation_table *table);
size_t allocation_table_bytes(const struct allocation_table *table);

static inline size_t allocation_count(const struct allocation_table *table)
{
    return column_count(&table->stack);
}

static inline bool allocation_table_is_balanced(const struct allocation_table *table)
{
    return column_count(&table->memory_address) > 0;
}

#endif
