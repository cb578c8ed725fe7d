/* A column of numbers that takes as little memory as its values need.
 *
 * Values are appended to a buffer of one block; a full block is packed: each value becomes its distance from the smallest one
 * of the block, in as few bits as the largest distance needs. A column of small offsets takes a few bits a row, one that is
 * always the same takes nothing at all but the block's head, and any row can still be read at once:
 *
 *     blocks   ┌ base 40000, width 5 ┐ ┌ base 7, width 0 ┐ ┌ base -1, width 20 ┐   pending
 *     data     [ 256 x 5 bits        ] [                 ] [ 256 x 20 bits     ]   [ up to 256 x 8 bytes ]
 *
 * An integer column holds int64 values or COLUMN_ABSENT. A number column holds doubles, NaN = absent; they are packed as
 * integers where all of a block are whole numbers, or are on the grid of 1e-6 (times in milliseconds to the nanosecond), else
 * as the integers their bits stand for, which for close numbers are close, too. What is read is exactly what was appended
 * (but for -0, which becomes 0).
 *
 * A column whose memory ran out stays `failed`; appending to it does nothing. Look once, at column_seal. */
#ifndef SONDE_COMMON_COLUMN_H
#define SONDE_COMMON_COLUMN_H

#include "common/arena.h"
#include "common/indexed.h"
#include "common/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { COLUMN_BLOCK_ROWS = 256 };

#define COLUMN_ABSENT INT64_MIN

enum column_kind { COLUMN_INTEGERS, COLUMN_NUMBERS };

enum block_packing {
    BLOCK_INTEGERS,   /* base + distance */
    BLOCK_MILLIONTHS, /* (base + distance) / 1e6 */
    BLOCK_MOVED,      /* (base + distance) / 1e6 + the column's origin */
    BLOCK_DOUBLES,    /* the double with the bits base + distance */
};

struct column_block {
    int64_t base;
    const uint8_t *data;
    uint8_t width;      /* bits a row: 0 to 56, or 64 */
    uint8_t packing;    /* enum block_packing */
    uint8_t has_absent; /* distance 0 means absent, and all others are one more */
};

union column_value {
    int64_t integer;
    double number;
};

struct column {
    VEC(struct column_block) blocks;
    size_t packed;               /* rows in the blocks */
    union column_value *pending; /* the rows after the last block, or NULL */
    union column_value *next;
    union column_value *end;
    struct arena *arena; /* holds the packed data; outlives the column */
    double origin;       /* see column_set_origin; 0 otherwise */
    enum column_kind kind;
    bool failed;
};

void column_init(struct column *column, enum column_kind kind, struct arena *arena);
void column_free(struct column *column);

/* For a number column without rows: says that its numbers were once on the grid of 1e-6 and then moved by `origin`, as the
 * times of a process are that was started after the first one. Only the packing becomes better by it. */
void column_set_origin(struct column *column, double origin);

/* Packs what is pending and gives the buffer back. The column is complete then: nothing may be appended any more. False when
 * memory ran out at any time. */
bool column_seal(struct column *column);

static inline size_t column_count(const struct column *column)
{
    return column->packed + (size_t)(column->next - column->pending);
}

/* Packs the full buffer and makes room for one row at least. */
bool column_make_room(struct column *column);

static inline void column_append(struct column *column, int64_t value)
{
    if (__builtin_expect(column->next == column->end, 0) && !column_make_room(column))
        return;
    (column->next++)->integer = value;
}

static inline void column_append_number(struct column *column, double value)
{
    if (__builtin_expect(column->next == column->end, 0) && !column_make_room(column))
        return;
    (column->next++)->number = value;
}

/* A row number of another table; INDEX_NONE is stored as absent. */
static inline void column_append_index(struct column *column, uint32_t index)
{
    column_append(column, index == INDEX_NONE ? COLUMN_ABSENT : (int64_t)index);
}

/* One row; `row` must be below the count. */
int64_t column_get(const struct column *column, size_t row);
double column_get_number(const struct column *column, size_t row);

static inline uint32_t column_get_index(const struct column *column, size_t row)
{
    int64_t value = column_get(column, row);
    return value == COLUMN_ABSENT ? INDEX_NONE : (uint32_t)value;
}

/* `count` rows from `first` on. The 32-bit form is for indices: absent becomes INDEX_NONE. */
void column_read(const struct column *column, size_t first, size_t count, int64_t *out);
void column_read_u32(const struct column *column, size_t first, size_t count, uint32_t *out);
void column_read_numbers(const struct column *column, size_t first, size_t count, double *out);

/* The next rows of a column of times, up to a block of them, without memory for all: `row` goes on from 0, `time` from 0 (it is
 * the time before `row`). How many there were; 0 at the end. */
size_t column_next_times(const struct column *column, bool is_deltas, size_t row, double *time, double *out);

/* All rows of a column of times, or of the differences between times: differences are summed up one by one in double
 * precision, as every reader of the profile formats does, so that range limits fall on the same rows everywhere. */
void column_read_times(const struct column *column, bool is_deltas, double *out);

/* Gives the column `rows` rows at least, the new ones with `value`. */
void column_fill(struct column *column, size_t rows, int64_t value);
void column_fill_numbers(struct column *column, size_t rows, double value);

/* Takes the rows from `rows` on away. False when the heap is empty. */
bool column_cut(struct column *column, size_t rows);

/* True where every row is absent (also where there is none). */
bool column_is_empty(const struct column *column);

/* Bytes of memory it takes. */
size_t column_bytes(const struct column *column);

/* The same for all columns of a table. */
void columns_init(struct column *columns, size_t count, enum column_kind kind, struct arena *arena);
void columns_free(struct column *columns, size_t count);
bool columns_seal(struct column *columns, size_t count);
size_t columns_bytes(const struct column *columns, size_t count);

/* Leaves the rows for which `keep`, which has `rows`, is true; a column that has none at all stays without. The columns are
 * sealed, before and after. False when the heap is empty. */
bool columns_keep(struct column *columns, size_t count, const bool *keep, size_t rows);

/* Of a sealed column of row numbers: each becomes what `map` has for it. False when the heap is empty. */
bool column_renumber(struct column *column, const uint32_t *map);

#endif
