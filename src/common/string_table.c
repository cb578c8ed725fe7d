#include "common/string_table.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t text_hash(struct slice text)
{
    return XXH3_64bits(text.text, text.length);
}

static struct string_index find_hashed(const struct string_table *table, struct slice text, uint64_t hash)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&table->by_text, hash); map_probe_next(&probe, &row);)
        if (slice_equal(table->texts.items[row], text))
            return (struct string_index){row};
    return STRING_NONE;
}

struct string_index string_table_find(const struct string_table *table, struct slice text)
{
    return find_hashed(table, text, text_hash(text));
}

struct string_index string_table_add(struct string_table *table, struct slice text)
{
    uint64_t hash = text_hash(text);
    struct string_index found = find_hashed(table, text, hash);
    if (string_exists(found))
        return found;
    if (table->texts.count >= UINT32_MAX - 1)
        return STRING_NONE;
    uint32_t row = (uint32_t)table->texts.count;
    char *copy = arena_copy(&table->arena, text.text, text.length);
    if (!copy || !vec_push(&table->texts, ((struct slice){copy, text.length})))
        return STRING_NONE;
    if (!map_insert(&table->by_text, hash, row)) {
        table->texts.count--;
        return STRING_NONE;
    }
    return (struct string_index){row};
}

size_t string_table_text_bytes(const struct string_table *table)
{
    size_t bytes = 0;
    for (size_t i = 0; i < table->texts.count; i++)
        bytes += table->texts.items[i].length + 1;
    return bytes;
}

size_t string_table_index_bytes(const struct string_table *table)
{
    size_t slots = table->by_text.slots ? table->by_text.mask + 1 : 0;
    return table->texts.capacity * sizeof *table->texts.items + slots * sizeof *table->by_text.slots;
}

void string_table_free(struct string_table *table)
{
    arena_free(&table->arena);
    vec_free(&table->texts);
    map_free(&table->by_text);
}
