/* Rows of numbers, packed as LEB128 one behind the other, to be read once from the front.
 *
 *     ┌─────┬─────┬──────┬┄┄┄┐   ┌─────┬──────┬┄┄┄┄┄┄┄┄┄┐
 *     │ row │ row │ row  │   │──▶│ row │ row  │         │      a row never crosses the end of a block
 *     └─────┴─────┴──────┴┄┄┄┘   └─────┴──────┴┄┄┄┄┄┄┄┄┄┘
 *
 * Blocks grow from 4 KiB and never move: a thread that does little takes little, and one that does much is never copied. */
#ifndef SONDE_EXPORT_GECKO_ROWS_H
#define SONDE_EXPORT_GECKO_ROWS_H

#include "common/leb128.h"
#include "common/slice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gecko_block {
    struct gecko_block *next;
    size_t used, size;
    uint8_t bytes[];
};

struct gecko_rows {
    struct gecko_block *first, *last;
    uint64_t count;
};

/* A zeroed struct is empty. */

/* Room for a row of at most `max` bytes, NULL when the heap is empty; the row counts once it is committed with its length. */
static inline uint8_t *gecko_rows_reserve(struct gecko_rows *rows, size_t max);
static inline void gecko_rows_commit(struct gecko_rows *rows, size_t length);

void gecko_rows_free(struct gecko_rows *rows);

/* Where a reader stands; zeroed = at the front of what has no rows yet. */
struct gecko_place {
    const struct gecko_block *block;
    size_t offset;
};

static inline struct gecko_place gecko_rows_front(const struct gecko_rows *rows)
{
    return (struct gecko_place){rows->first, 0};
}

static inline struct gecko_place gecko_rows_back(const struct gecko_rows *rows)
{
    return (struct gecko_place){rows->last, rows->last ? rows->last->used : 0};
}

/* The next row, or NULL at the end. Whoever reads it moves the place on by its length. */
static inline const uint8_t *gecko_place_next(struct gecko_place *place)
{
    while (place->block && place->offset == place->block->used) {
        if (!place->block->next)
            return NULL;
        *place = (struct gecko_place){place->block->next, 0};
    }
    return place->block ? place->block->bytes + place->offset : NULL;
}

static inline void gecko_place_move(struct gecko_place *place, const uint8_t *row_end)
{
    place->offset = (size_t)(row_end - place->block->bytes);
}

/* The number that `*at` stands before. These are rows that this program wrote: nothing needs to be checked. */
static inline uint64_t gecko_take(const uint8_t **at)
{
    uint64_t value = *(*at)++;
    if (__builtin_expect(value < 0x80, 1))
        return value;
    value &= 0x7f;
    for (unsigned shift = 7;; shift += 7) {
        uint64_t byte = *(*at)++;
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

static inline void gecko_put(uint8_t **out, uint64_t value)
{
    *out += leb128_write(*out, value);
}

struct gecko_block *gecko_rows_grow(struct gecko_rows *rows, size_t max);

static inline uint8_t *gecko_rows_reserve(struct gecko_rows *rows, size_t max)
{
    struct gecko_block *block = rows->last;
    if (__builtin_expect(!block || block->size - block->used < max, 0)) {
        block = gecko_rows_grow(rows, max);
        if (!block)
            return NULL;
    }
    return block->bytes + block->used;
}

static inline void gecko_rows_commit(struct gecko_rows *rows, size_t length)
{
    rows->last->used += length;
    rows->count++;
}

#endif
