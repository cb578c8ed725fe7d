#include "profile/allocation_table.h"

#define ALL_COLUMNS(table)                                                                                                     \
    {                                                                                                                          \
        &(table)->time, &(table)->weight, &(table)->memory_address, &(table)->stack, &(table)->thread_id,                      \
            &(table)->class_name, &(table)->type_name, &(table)->coarse_type, &(table)->in_nursery                             \
    }
enum { NUMBER_COLUMNS = 3, COLUMN_TOTAL = 9 };

void allocation_table_init(struct allocation_table *table, struct arena *arena)
{
    *table = (struct allocation_table){.present = false};
    struct column *columns[COLUMN_TOTAL] = ALL_COLUMNS(table);
    for (size_t i = 0; i < COLUMN_TOTAL; i++)
        column_init(columns[i], i < NUMBER_COLUMNS ? COLUMN_NUMBERS : COLUMN_INTEGERS, arena);
}

void allocation_table_free(struct allocation_table *table)
{
    struct column *columns[COLUMN_TOTAL] = ALL_COLUMNS(table);
    for (size_t i = 0; i < COLUMN_TOTAL; i++)
        column_free(columns[i]);
}

bool allocation_table_seal(struct allocation_table *table)
{
    struct column *columns[COLUMN_TOTAL] = ALL_COLUMNS(table);
    bool sealed = true;
    for (size_t i = 0; i < COLUMN_TOTAL; i++)
        sealed &= column_seal(columns[i]);
    return sealed;
}

size_t allocation_table_bytes(const struct allocation_table *table)
{
    const struct column *columns[COLUMN_TOTAL] = ALL_COLUMNS(table);
    size_t bytes = 0;
    for (size_t i = 0; i < COLUMN_TOTAL; i++)
        bytes += column_bytes(columns[i]);
    return bytes;
}
