#include "common/column.h"

#include <math.h>
#include <string.h>

/* Whole numbers up to here are exact in a double, with room for the arithmetic on them. */
#define LARGEST_EXACT 4503599627370496.0 /* 2^52 */

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

/* ---- packing ---- */

/* The distances are taken modulo 2^64, so that the whole range of int64 has a distance. */
static unsigned width_for(uint64_t largest)
{
    return largest == 0 ? 0 : ((unsigned)(63 - __builtin_clzll(largest)) / 8) + 1;
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
    /* Rows are read and written eight bytes at a time: the last one needs a tail. */
    uint8_t *data = (uint8_t *)arena_bytes(column->arena, count * width + 8);
    if (!data)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t distance = values[i] == COLUMN_ABSENT ? 0 : (uint64_t)values[i] - (uint64_t)smallest + shift;
        memcpy(data + i * width, &distance, 8);
    }
    block->data = data;
    return true;
}

/* The numbers as integers at `scale`, if that loses nothing. */
static bool numbers_to_grid(const union column_value *values, size_t count, double scale, int64_t *grid)
{
    for (size_t i = 0; i < count; i++) {
        double number = values[i].number;
        if (isnan(number)) {
            grid[i] = COLUMN_ABSENT;
            continue;
        }
        double rounded = rint(number * scale);
        if (!(fabs(rounded) <= LARGEST_EXACT) || rounded / scale != number)
            return false;
        grid[i] = (int64_t)rounded;
    }
    return true;
}

static bool pack_numbers(struct column *column, struct column_block *block, const union column_value *values, size_t count)
{
    int64_t grid[COLUMN_BLOCK_ROWS];
    if (numbers_to_grid(values, count, 1, grid)) {
        block->packing = BLOCK_INTEGERS;
        return pack_integers(column, block, grid, count);
    }
    if (numbers_to_grid(values, count, 1e6, grid)) {
        block->packing = BLOCK_MILLIONTHS;
        return pack_integers(column, block, grid, count);
    }
    double *data = arena_allocate(column->arena, count * sizeof *data);
    if (!data)
        return false;
    memcpy(data, values, count * sizeof *data);
    *block = (struct column_block){.data = (const uint8_t *)data, .width = 8, .packing = BLOCK_DOUBLES};
    return true;
}

static bool column_pack_pending(struct column *column)
{
    size_t count = (size_t)(column->next - column->pending);
    struct column_block block = {.packing = BLOCK_INTEGERS};
    bool packed = column->kind == COLUMN_NUMBERS ? pack_numbers(column, &block, column->pending, count)
                                                 : pack_integers(column, &block, &column->pending->integer, count);
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
    return !column->failed;
}

/* ---- reading ---- */

static uint64_t load_distance(const uint8_t *at, unsigned width)
{
    uint64_t bytes;
    memcpy(&bytes, at, 8);
    return width == 8 ? bytes : bytes & ((UINT64_C(1) << width * 8) - 1);
}

static int64_t block_integer(const struct column_block *block, size_t row)
{
    uint64_t distance = block->width == 0 ? 0 : load_distance(block->data + row * block->width, block->width);
    if (block->has_absent && distance == 0)
        return COLUMN_ABSENT;
    return (int64_t)((uint64_t)block->base + distance - block->has_absent);
}

static double integer_to_number(int64_t integer, enum block_packing packing)
{
    if (integer == COLUMN_ABSENT)
        return NAN;
    return packing == BLOCK_MILLIONTHS ? (double)integer / 1e6 : (double)integer;
}

static double block_number(const struct column_block *block, size_t row)
{
    if (block->packing == BLOCK_DOUBLES) {
        double number;
        memcpy(&number, block->data + row * sizeof number, sizeof number);
        return number;
    }
    return integer_to_number(block_integer(block, row), block->packing);
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
    return block_number(&column->blocks.items[row / COLUMN_BLOCK_ROWS], row % COLUMN_BLOCK_ROWS);
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
    const uint8_t *data = block->data + start * width;
    uint64_t base = (uint64_t)block->base - block->has_absent;
    uint64_t mask = width == 8 ? UINT64_MAX : (UINT64_C(1) << width * 8) - 1;
    for (size_t i = 0; i < rows; i++) {
        uint64_t bytes;
        memcpy(&bytes, data + i * width, 8);
        out[i] = (int64_t)(base + (bytes & mask));
    }
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

void column_read_numbers(const struct column *column, size_t first, size_t count, double *out)
{
    int64_t rows[COLUMN_BLOCK_ROWS];
    size_t done = 0;
    while (done < count && first + done < column->packed) {
        size_t row = first + done;
        const struct column_block *block = &column->blocks.items[row / COLUMN_BLOCK_ROWS];
        if (block->packing == BLOCK_DOUBLES) {
            out[done++] = block_number(block, row % COLUMN_BLOCK_ROWS);
            continue;
        }
        size_t piece = read_block(column, row, count - done, rows);
        for (size_t i = 0; i < piece; i++)
            out[done + i] = integer_to_number(rows[i], block->packing);
        done += piece;
    }
    for (; done < count; done++)
        out[done] = column->pending[first + done - column->packed].number;
}

void column_read_times(const struct column *column, bool is_deltas, double *out)
{
    size_t count = column_count(column);
    column_read_numbers(column, 0, count, out);
    double time = 0;
    for (size_t i = 0; is_deltas && i < count; i++)
        out[i] = time += out[i];
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
    for (size_t i = 0; i < column->blocks.count; i++)
        bytes += (size_t)column->blocks.items[i].width * COLUMN_BLOCK_ROWS;
    return bytes;
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
