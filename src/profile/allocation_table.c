#include "profile/allocation_table.h"

void allocation_table_init(struct allocation_table *table, struct arena *arena)
{
    *table = (struct allocation_table){.present = false};
    columns_init(table->columns, ALLOCATION_INTEGER_COLUMNS, COLUMN_INTEGERS, arena);
    columns_init(table->columns + ALLOCATION_INTEGER_COLUMNS, ALLOCATION_COLUMNS - ALLOCATION_INTEGER_COLUMNS, COLUMN_NUMBERS,
                 arena);
}

void allocation_table_free(struct allocation_table *table)
{
    columns_free(table->columns, ALLOCATION_COLUMNS);
}

bool allocation_table_seal(struct allocation_table *table)
{
    return columns_seal(table->columns, ALLOCATION_COLUMNS);
}

size_t allocation_table_bytes(const struct allocation_table *table)
{
    return columns_bytes(table->columns, ALLOCATION_COLUMNS);
}
