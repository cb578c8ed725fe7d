#include "common/string_table.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t text_hash(struct slice text)
{
    return XXH3_64bits(text.text, text.length);
}

/* Files say the same short texts over and over: names of types, "true", "0". To find one in the table takes three places of
 * memory, far from each other, that are hardly ever in the cache; here it is one. A text has one slot, by its hash, where the
 * last one stays. */
enum { RECENT_SLOTS = 1024, RECENT_TEXT = 48, RECENT_FROM = 512 };

struct recent_string {
    uint64_t hash;
    uint32_t length; /* 0 = a free slot */
    struct string_index index;
    char text[RECENT_TEXT];
};

static struct recent_string *recent_slot(const struct string_table *table, uint64_t hash)
{
    return &table->recent[hash % RECENT_SLOTS];
}

static void remember(struct string_table *table, struct slice text, uint64_t hash, struct string_index index)
{
    if (!table->recent && table->texts.count >= RECENT_FROM)
        table->recent = memory_zeroed(RECENT_SLOTS, sizeof *table->recent); /* it goes without, too */
    if (!table->recent || text.length > RECENT_TEXT || text.length == 0)
        return;
    struct recent_string *slot = recent_slot(table, hash);
    slot->hash = hash;
    slot->length = (uint32_t)text.length;
    slot->index = index;
    memcpy(slot->text, text.text, text.length);
}

static bool is_recent(const struct string_table *table, struct slice text, uint64_t hash, struct string_index *index)
{
    if (!table->recent)
        return false;
    const struct recent_string *slot = recent_slot(table, hash);
    *index = slot->index;
    return slot->hash == hash && slot->length == text.length && text.length > 0 &&
           memcmp(slot->text, text.text, text.length) == 0;
}

static struct string_index find_hashed(const struct string_table *table, struct slice text, uint64_t hash)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&table->by_text, hash); map_probe_next(&probe, &row);)
        if (slice_equal(string_table_get(table, string_at(row)), text))
            return (struct string_index){row};
    return STRING_NONE;
}

/* A text in the arena has its length before it and a NUL after it. */
static const char *keep_text(struct string_table *table, struct slice text)
{
    if (text.length > UINT32_MAX - 1)
        return NULL;
    uint32_t length = (uint32_t)text.length;
    char *bytes = arena_bytes(&table->arena, sizeof length + text.length + 1);
    if (!bytes)
        return NULL;
    char *copy = bytes + sizeof length;
    memcpy(bytes, &length, sizeof length);
    memcpy(copy, text.text, text.length);
    copy[text.length] = '\0';
    return copy;
}

struct string_index string_table_borrow(struct string_table *table, const char *text)
{
    if (table->texts.count >= UINT32_MAX - 1 || !vec_push(&table->texts, text))
        return STRING_NONE;
    return string_at(table->texts.count - 1);
}

/* The map has the first texts of the table: all but those that were borrowed since. */
static bool map_rest(struct string_table *table)
{
    for (size_t row = table->by_text.count; row < table->texts.count; row++)
        if (!map_insert(&table->by_text, text_hash(string_table_get(table, string_at(row))), (uint32_t)row))
            return false;
    return true;
}

struct string_index string_table_find(const struct string_table *table, struct slice text)
{
    struct string_index found = find_hashed(table, text, text_hash(text));
    for (size_t row = table->by_text.count; row < table->texts.count && !string_exists(found); row++)
        if (slice_equal(string_table_get(table, string_at(row)), text))
            found = string_at(row);
    return found;
}

struct string_index string_table_add(struct string_table *table, struct slice text)
{
    uint64_t hash = text_hash(text);
    struct string_index found;
    if (is_recent(table, text, hash, &found))
        return found;
    if (table->by_text.count < table->texts.count && !map_rest(table))
        return STRING_NONE;
    found = find_hashed(table, text, hash);
    if (string_exists(found)) {
        remember(table, text, hash, found);
        return found;
    }
    const char *copy = keep_text(table, text);
    if (!copy)
        return STRING_NONE;
    found = string_table_borrow(table, copy);
    if (string_exists(found) && !map_insert(&table->by_text, hash, found.i)) {
        table->texts.count--;
        return STRING_NONE;
    }
    return found;
}

void string_table_trim(struct string_table *table)
{
    vec_trim(&table->texts);
    memory_release(table->recent);
    table->recent = NULL;
}

size_t string_table_bytes(const struct string_table *table)
{
    size_t bytes = table->texts.capacity * sizeof *table->texts.items;
    if (table->by_text.slots)
        bytes += (table->by_text.mask + 1) * sizeof *table->by_text.slots;
    if (table->recent)
        bytes += RECENT_SLOTS * sizeof *table->recent;
    for (size_t i = 0; i < table->texts.count; i++)
        bytes += sizeof(uint32_t) + string_table_get(table, string_at(i)).length + 1;
    return bytes;
}

void string_table_free(struct string_table *table)
{
    arena_free(&table->arena);
    vec_free(&table->texts);
    map_free(&table->by_text);
    memory_release(table->recent);
    table->recent = NULL;
}
