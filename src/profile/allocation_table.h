/* Allocations of a thread: of JavaScript objects, or of native memory (negative weights are frees). */
#ifndef SONDE_PROFILE_ALLOCATION_TABLE_H
#define SONDE_PROFILE_ALLOCATION_TABLE_H

#include "common/column.h"
#include "profile/indices.h"

enum { ALLOCATION_INTEGER_COLUMNS = 6, ALLOCATION_COLUMNS = 10 };

struct allocation_table {
    union {
        struct {
            struct column stack;                                          /* integers; absent = unknown */
            struct column class_name, type_name, coarse_type, in_nursery; /* integers, JavaScript only: strings, a boolean */
            struct column thread_id;                                      /* integers, balanced native ones only */
            struct column time, weight;                                   /* numbers: ms, bytes */
            struct column memory_address;                                 /* numbers, balanced native ones only */
            struct column size; /* numbers, optional: bytes of the block that was sampled, and stands for `weight` */
        };
        struct column columns[ALLOCATION_COLUMNS];
    };
    bool present; /* the profile has this table, be it empty */
};

void allocation_table_init(struct allocation_table *table, struct arena *arena);
void allocation_table_free(struct allocation_table *table);
bool allocation_table_seal(struct allocation_table *table);
size_t allocation_table_bytes(const struct allocation_table *table);

static inline size_t allocation_count(const struct allocation_table *table)
{
    return column_count(&table->stack);
}

/* True where the recording has what it takes to match frees with allocations. */
static inline bool allocation_table_is_balanced(const struct allocation_table *table)
{
    return column_count(&table->memory_address) > 0;
}

/* True where each row says how large the block was that it stands for: with its weight that tells how many blocks, and how
 * certain that is. */
static inline bool allocation_table_has_sizes(const struct allocation_table *table)
{
    return column_count(&table->size) > 0;
}

#endif
