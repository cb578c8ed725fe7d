#include "profile/native_symbol_table.h"

struct native_symbol_index native_symbol_append(struct native_symbol_table *table, const struct native_symbol *symbol)
{
    column_append_index(&table->lib, symbol->lib.i);
    column_append(&table->address, (int64_t)symbol->address);
    column_append_index(&table->name, symbol->name.i);
    column_append(&table->size, symbol->size);
    return native_symbol_at(native_symbol_count(table) - 1);
}

struct native_symbol native_symbol_get(const struct native_symbol_table *table, struct native_symbol_index index)
{
    return (struct native_symbol){
        .lib = {column_get_index(&table->lib, index.i)},
        .address = (uint64_t)column_get(&table->address, index.i),
        .name = {column_get_index(&table->name, index.i)},
        .size = column_get(&table->size, index.i),
    };
}
