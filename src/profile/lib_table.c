#include "profile/lib_table.h"

struct lib_index lib_table_add(struct lib_table *table, const struct lib *lib)
{
    for (size_t i = 0; i < table->rows.count; i++) {
        const struct lib *row = &table->rows.items[i];
        if (string_same(row->debug_name, lib->debug_name) && string_same(row->breakpad_id, lib->breakpad_id))
            return lib_at(i);
    }
    if (!vec_push(&table->rows, *lib))
        return lib_none();
    return lib_at(table->rows.count - 1);
}
