#include "common/column.h"

#include <math.h>
#include <string.h>

void column_init(struct column *column, enum column_kind kind, struct arena *arena)
{
    *column = (struct column){.kind = kind, .arena = arena};
}

void column_free(struct column *column)
{
    vec_free(&column->blocks);
    memory_release(column->pending);
    column_init(column, column->kind, column->arena);
}

void column_set_origin(struct column *column, double origin)
{
    column->origin = isfinite(origin) ? origin : 0;
}

/* ---- packing ---- */

enum {
    LARGEST_SHIFTED_WIDTH = 56, /* a row of that many bits, at any bit of a byte, is within eight bytes from there */
    WHOLE_WIDTH = 64,
};

/* The distances are taken modulo 2^64, so that the whole range of int64 has a distance. */
static unsigned width_for(uint64_t largest)
{
    unsigned width = largest == 0 ? 0 : 64 - (unsigned)__builtin_clzll(largest);
    return width <= LARGEST_SHIFTED_WIDTH ? width : WHOLE_WIDTH;
}

/* Rows are read eight bytes at a time: the last one needs a tail. */
static size_t data_size(size_t count, unsigned width)
{
    return (count * width + 7) / 8 + 8;
}

/* Whole bytes are stored as they become full, by eight bytes at a time and without a branch. */
static void write_rows(uint8_t *data, const int64_t *values, size_t count, unsigned width, uint64_t base)
{
    uint64_t bits = 0;
    unsigned filled = 0; /* bits of the byte at `data` */
    if (width == WHOLE_WIDTH) {
        for (size_t i = 0; i < count; i++, data += 8) {
            uint64_t distance = values[i] == COLUMN_ABSENT ? 0 : (uint64_t)values[i] - base;
            memcpy(data, &distance, 8);
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t distance = values[i] == COLUMN_ABSENT ? 0 : (uint64_t)values[i] - base;
        bits |= distance << filled;
        memcpy(data, &bits, 8);
        filled += width;
        data += filled / 8;
        bits >>= filled & ~7u;
        filled &= 7;
    }
    memcpy(data, &bits, 8);
}

static bool pack_integers(struct column *column, struct column_block *block, const int64_t *values, size_t count)
{
    int64_t smallest = INT64_MAX, largest = INT64_MIN;
    size_t absent = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_absent = values[i] == COLUMN_ABSENT;
        absent += is_absent;
        smallest = !is_absent && values[i] < smallest ? values[i] : smallest;
        largest = values[i] > largest ? values[i] : largest;
    }
    uint64_t shift = absent > 0 ? 1 : 0;
    uint64_t reach = absent < count ? (uint64_t)largest - (uint64_t)smallest + shift : 0;
    unsigned width = width_for(reach);
    block->base = absent < count ? smallest : 0;
    block->has_absent = absent > 0;
    block->width = (uint8_t)width;
    if (width == 0)
        return true;
    uint8_t *data = (uint8_t *)arena_bytes(column->arena, data_size(count, width));
    if (!data)
        return false;
    write_rows(data, values, count, width, (uint64_t)smallest - shift);
    block->data = data;
    return true;
}

/* The numbers, moved back by `origin`, as integers at `scale`, if that loses nothing.
 *
 * A loop without branches and calls, which compilers turn into vector instructions: adding 1.5 * 2^52 rounds numbers below
 * 2^51 to whole ones, and leaves the integer in the lower bits of the sum. */
__attribute__((always_inline)) static inline bool numbers_to_grid(const union column_value *values, size_t count, double scale,
                                                                  double origin, int64_t *grid)
{
    const union column_value magic = {.number = 0x1.8p52};
    int64_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        double number = values[i].number;
        double moved = (number - origin) * scale;
        union column_value sum = {.number = moved + magic.number};
        bool is_absent = number != number;
        bool is_exact = (sum.number - magic.number) / scale + origin == number && fabs(moved) < 0x1p51;
        wrong |= !is_exact & !is_absent;
        grid[i] = is_absent ? COLUMN_ABSENT : (int64_t)((uint64_t)sum.integer - (uint64_t)magic.integer);
    }
    return wrong == 0;
}

/* Most blocks that are not on a grid start with a number that is not. */
static bool may_be_whole(const union column_value *values, size_t count)
{
    int64_t first[8];
    return numbers_to_grid(values, count < 8 ? count : 8, 1, 0, first);
}

static bool pack_numbers(struct column *column, struct column_block *block, const union column_value *values, size_t count)
{
    int64_t grid[COLUMN_BLOCK_ROWS];
    if (may_be_whole(values, count) && numbers_to_grid(values, count, 1, 0, grid)) {
        block->packing = BLOCK_INTEGERS;
    } else if (numbers_to_grid(values, count, 1e6, 0, grid)) {
        block->packing = BLOCK_MILLIONTHS;
    } else if (column->origin != 0 && numbers_to_grid(values, count, 1e6, column->origin, grid)) {
        block->packing = BLOCK_MOVED;
    } else {
        block->packing = BLOCK_DOUBLES;
        for (size_t i = 0; i < count; i++)
            grid[i] = isnan(values[i].number) ? COLUMN_ABSENT : values[i].number == 0 ? 0 : values[i].integer;
    }
    return pack_integers(column, block, grid, count);
}

static bool rows_are_equal(const union column_value *values, size_t count)
{
    size_t same = 1;
    while (same < count && values[same].integer == values[0].integer)
        same++;
    return same >= count;
}

static bool column_pack_pending(struct column *column)
{
    size_t count = (size_t)(column->next - column->pending);
    struct column_block block = {.packing = BLOCK_INTEGERS};
    /* Where all rows are equal, as with threads that wait, the first one stands for them: it needs no bits. */
    size_t different = rows_are_equal(column->pending, count) ? 1 : count;
    bool packed = column->kind == COLUMN_NUMBERS ? pack_numbers(column, &block, column->pending, different)
                                                 : pack_integers(column, &block, &column->pending->integer, different);
    column->next = column->pending;
    if (!packed || !vec_push(&column->blocks, block))
        return false;
    column->packed += count;
    return true;
}

bool column_make_room(struct column *column)
{
    if (column->failed)
        return false;
    if (!column->pending) {
        column->pending = column->next = memory_array(COLUMN_BLOCK_ROWS, sizeof *column->pending);
        column->failed = column->pending == NULL;
    } else {
        column->failed = !column_pack_pending(column);
    }
    column->end = column->failed ? column->next : column->pending + COLUMN_BLOCK_ROWS;
    return !column->failed;
}

bool column_seal(struct column *column)
{
    if (column->next > column->pending && !column_pack_pending(column))
        column->failed = true;
    memory_release(column->pending);
    column->pending = column->next = column->end = NULL;
    vec_trim(&column->blocks);
    return !column->failed;
}

/* ---- reading ---- */

static uint64_t load_distance(const uint8_t *data, size_t row, unsigned width)
{
    size_t bit = row * width;
    uint64_t bytes;
    memcpy(&bytes, data + bit / 8, 8);
    return width == WHOLE_WIDTH ? bytes : bytes >> bit % 8 & ((UINT64_C(1) << width) - 1);
}

static int64_t block_integer(const struct column_block *block, size_t row)
{
    uint64_t distance = block->width == 0 ? 0 : load_distance(block->data, row, block->width);
    if (block->has_absent && distance == 0)
        return COLUMN_ABSENT;
    return (int64_t)((uint64_t)block->base + distance - block->has_absent);
}

static double integer_to_number(const struct column *column, int64_t integer, enum block_packing packing)
{
    if (integer == COLUMN_ABSENT)
        return NAN;
    switch (packing) {
    case BLOCK_INTEGERS:
        return (double)integer;
    case BLOCK_MILLIONTHS:
        return (double)integer / 1e6;
    case BLOCK_MOVED:
        return (double)integer / 1e6 + column->origin;
    case BLOCK_DOUBLES:
        return (union column_value){.integer = integer}.number;
    }
    return NAN;
}

int64_t column_get(const struct column *column, size_t row)
{
    if (row >= column->packed)
        return column->pending[row - column->packed].integer;
    return block_integer(&column->blocks.items[row / COLUMN_BLOCK_ROWS], row % COLUMN_BLOCK_ROWS);
}

double column_get_number(const struct column *column, size_t row)
{
    if (row >= column->packed)
        return column->pending[row - column->packed].number;
    const struct column_block *block = &column->blocks.items[row / COLUMN_BLOCK_ROWS];
    return integer_to_number(column, block_integer(block, row % COLUMN_BLOCK_ROWS), block->packing);
}

/* The rows of one block from `row` on, up to `count` of them: how many there were. `column` must have packed rows there. */
static size_t read_block(const struct column *column, size_t row, size_t count, int64_t *out)
{
    const struct column_block *block = &column->blocks.items[row / COLUMN_BLOCK_ROWS];
    size_t start = row % COLUMN_BLOCK_ROWS;
    size_t rows = COLUMN_BLOCK_ROWS - start;
    rows = rows < column->packed - row ? rows : column->packed - row;
    rows = rows < count ? rows : count;
    unsigned width = block->width;
    if (width == 0) {
        int64_t same = block_integer(block, 0);
        for (size_t i = 0; i < rows; i++)
            out[i] = same;
        return rows;
    }
    uint64_t base = (uint64_t)block->base - block->has_absent;
    for (size_t i = 0; i < rows; i++)
        out[i] = (int64_t)(base + load_distance(block->data, start + i, width));
    if (block->has_absent)
        for (size_t i = 0; i < rows; i++)
            if (out[i] == (int64_t)base)
                out[i] = COLUMN_ABSENT;
    return rows;
}

void column_read(const struct column *column, size_t first, size_t count, int64_t *out)
{
    size_t done = 0;
    while (done < count && first + done < column->packed)
        done += read_block(column, first + done, count - done, out + done);
    for (; done < count; done++)
        out[done] = column->pending[first + done - column->packed].integer;
}

void column_read_u32(const struct column *column, size_t first, size_t count, uint32_t *out)
{
    int64_t rows[COLUMN_BLOCK_ROWS];
    for (size_t done = 0; done < count;) {
        size_t piece = count - done < COLUMN_BLOCK_ROWS ? count - done : COLUMN_BLOCK_ROWS;
        column_read(column, first + done, piece, rows);
        for (size_t i = 0; i < piece; i++)
            out[done + i] = rows[i] == COLUMN_ABSENT ? UINT32_MAX : (uint32_t)rows[i];
        done += piece;
    }
}

/* Rows of one block as numbers. The integers of a grid are below 2^51, so they become doubles by the way back of
 * numbers_to_grid(), which is a loop for vector instructions, too. */
static void rows_to_numbers(const struct column *column, const struct column_block *block, const int64_t *rows, size_t count,
                            double *out)
{
    const union column_value magic = {.number = 0x1.8p52};
    if (block->packing == BLOCK_DOUBLES) {
        memcpy(out, rows, count * sizeof *out);
    } else {
        double scale = block->packing == BLOCK_INTEGERS ? 1 : 1e6;
        double origin = block->packing == BLOCK_MOVED ? column->origin : 0;
        for (size_t i = 0; i < count; i++) {
            union column_value sum = {.integer = (int64_t)((uint64_t)rows[i] + (uint64_t)magic.integer)};
            out[i] = (sum.number - magic.number) / scale + origin;
        }
    }
    for (size_t i = 0; block->has_absent && i < count; i++)
        if (rows[i] == COLUMN_ABSENT)
            out[i] = NAN;
}

void column_read_numbers(const struct column *column, size_t first, size_t count, double *out)
{
    int64_t rows[COLUMN_BLOCK_ROWS];
    size_t done = 0;
    while (done < count && first + done < column->packed) {
        size_t row = first + done;
        size_t piece = read_block(column, row, count - done, rows);
        rows_to_numbers(column, &column->blocks.items[row / COLUMN_BLOCK_ROWS], rows, piece, out + done);
        done += piece;
    }
    for (; done < count; done++)
        out[done] = column->pending[first + done - column->packed].number;
}

size_t column_next_times(const struct column *column, bool is_deltas, size_t row, double *time, double *out)
{
    size_t rest = column_count(column) - row, count = rest < COLUMN_BLOCK_ROWS ? rest : COLUMN_BLOCK_ROWS;
    column_read_numbers(column, row, count, out);
    for (size_t i = 0; is_deltas && i < count; i++)
        out[i] = *time += out[i];
    return count;
}

void column_read_times(const struct column *column, bool is_deltas, double *out)
{
    double time = 0;
    for (size_t row = 0, count; (count = column_next_times(column, is_deltas, row, &time, out + row)) > 0; row += count)
        continue;
}

bool column_is_empty(const struct column *column)
{
    for (size_t i = 0; i < column->blocks.count; i++) {
        const struct column_block *block = &column->blocks.items[i];
        if (block->width > 0 || !block->has_absent)
            return false;
    }
    for (const union column_value *value = column->pending; value < column->next; value++)
        if (column->kind == COLUMN_NUMBERS ? !isnan(value->number) : value->integer != COLUMN_ABSENT)
            return false;
    return true;
}

size_t column_bytes(const struct column *column)
{
    size_t bytes = column->blocks.capacity * sizeof *column->blocks.items;
    if (column->pending)
        bytes += COLUMN_BLOCK_ROWS * sizeof *column->pending;
    for (size_t i = 0; i < column->blocks.count; i++) {
        size_t rows = column->packed - i * COLUMN_BLOCK_ROWS;
        unsigned width = column->blocks.items[i].width;
        if (width > 0)
            bytes += data_size(rows < COLUMN_BLOCK_ROWS ? rows : COLUMN_BLOCK_ROWS, width);
    }
    return bytes;
}

/* ---- cutting and filling ---- */

void column_fill(struct column *column, size_t rows, int64_t value)
{
    while (column_count(column) < rows && !column->failed)
        column_append(column, value);
}

void column_fill_numbers(struct column *column, size_t rows, double value)
{
    while (column_count(column) < rows && !column->failed)
        column_append_number(column, value);
}

bool column_cut(struct column *column, size_t rows)
{
    if (rows >= column_count(column))
        return !column->failed;
    struct column cut;
    column_init(&cut, column->kind, column->arena);
    column_set_origin(&cut, column->origin);
    for (size_t i = 0; i < rows && !cut.failed; i++) {
        if (column->kind == COLUMN_NUMBERS)
            column_append_number(&cut, column_get_number(column, i));
        else
            column_append(&cut, column_get(column, i));
    }
    column_free(column);
    *column = cut;
    return !cut.failed;
}

/* ---- all columns of a table ---- */

void columns_init(struct column *columns, size_t count, enum column_kind kind, struct arena *arena)
{
    for (size_t i = 0; i < count; i++)
        column_init(&columns[i], kind, arena);
}

void columns_free(struct column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        column_free(&columns[i]);
}

bool columns_seal(struct column *columns, size_t count)
{
    bool sealed = true;
    for (size_t i = 0; i < count; i++)
        sealed &= column_seal(&columns[i]);
    return sealed;
}

size_t columns_bytes(const struct column *columns, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += column_bytes(&columns[i]);
    return bytes;
}
