/* Interned strings: equal texts have one index, and indices count up from 0.
 *
 * The texts live in the table's arena, NUL-terminated (they may also hold NUL bytes: use the length). */
#ifndef SONDE_COMMON_STRING_TABLE_H
#define SONDE_COMMON_STRING_TABLE_H

#include "common/arena.h"
#include "common/indexed.h"
#include "common/map.h"
#include "common/slice.h"
#include "common/vec.h"

DEFINE_INDEX(string);

#define STRING_NONE (string_none())

struct string_table {
    struct arena arena;
    VEC(const char *) texts; /* each has its length in the four bytes before it */
    struct map by_text;
    struct recent_string *recent; /* short texts added lately, see string_table.c; NULL while there are few */
};

/* A zeroed table is an empty table. */

/* The index of `text`, added if it is new; STRING_NONE when the heap is empty. */
struct string_index string_table_add(struct string_table *table, struct slice text);

/* Adds a text of the caller's, which outlives the table, as it lies there: its length in the four bytes before it, a NUL after
 * it. It is neither copied nor looked for: the caller knows that it is new. What has all texts at hand makes a table of them
 * several times faster like this. */
struct string_index string_table_borrow(struct string_table *table, const char *text);

/* The index of `text`, or STRING_NONE if the table does not have it. */
struct string_index string_table_find(const struct string_table *table, struct slice text);

static inline size_t string_table_count(const struct string_table *table)
{
    return table->texts.count;
}

/* `index` must be one of this table's; STRING_NONE reads as the empty text. */
static inline struct slice string_table_get(const struct string_table *table, struct string_index index)
{
    if (!string_exists(index))
        return SLICE("");
    const char *text = table->texts.items[index.i];
    uint32_t length;
    memcpy(&length, text - sizeof length, sizeof length);
    return (struct slice){text, length};
}

/* Gives back room that is not used; for a table that is complete. */
void string_table_trim(struct string_table *table);

/* Bytes of memory it takes, texts and all. */
size_t string_table_bytes(const struct string_table *table);

void string_table_free(struct string_table *table);

#endif
