#include "profile/stack_table.h"

void stack_table_read_prefixes(const struct stack_table *table, uint32_t *out)
{
    size_t count = stack_count(table);
    column_read_u32(&table->up, 0, count, out);
    for (size_t i = 0; i < count; i++)
        out[i] = out[i] == 0 ? INDEX_NONE : (uint32_t)(i - out[i]);
}
