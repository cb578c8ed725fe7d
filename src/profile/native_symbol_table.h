/* Symbols of native code: what an address in a library belongs to. */
#ifndef SONDE_PROFILE_NATIVE_SYMBOL_TABLE_H
#define SONDE_PROFILE_NATIVE_SYMBOL_TABLE_H

#include "common/column.h"
#include "profile/indices.h"

struct native_symbol {
    struct lib_index lib;
    uint64_t address; /* relative to the library */
    struct string_index name;
    int64_t size; /* COLUMN_ABSENT = unknown */
};

struct native_symbol_table {
    union {
        struct {
            struct column lib, address, name, size;
        };
        struct column columns[4];
    };
};

static inline size_t native_symbol_count(const struct native_symbol_table *table)
{
    return column_count(&table->name);
}

struct native_symbol_index native_symbol_append(struct native_symbol_table *table, const struct native_symbol *symbol);
struct native_symbol native_symbol_get(const struct native_symbol_table *table, struct native_symbol_index index);

#endif
