#include "common/column.h"

static struct column empty_like(const struct column *column)
{
    struct column empty;
    column_init(&empty, column->kind, column->arena);
    empty.origin = column->origin;
    return empty;
}

static bool replace(struct column *column, struct column *with)
{
    bool sealed = column_seal(with);
    column_free(column);
    *column = *with;
    return sealed;
}

static bool column_keep(struct column *column, const bool *keep, size_t rows)
{
    struct column kept = empty_like(column);
    size_t count = column_count(column) < rows ? column_count(column) : rows;
    for (size_t first = 0; first < count; first += COLUMN_BLOCK_ROWS) {
        size_t piece = count - first < COLUMN_BLOCK_ROWS ? count - first : COLUMN_BLOCK_ROWS;
        int64_t integers[COLUMN_BLOCK_ROWS];
        double numbers[COLUMN_BLOCK_ROWS];
        if (column->kind == COLUMN_NUMBERS)
            column_read_numbers(column, first, piece, numbers);
        else
            column_read(column, first, piece, integers);
        for (size_t i = 0; i < piece; i++) {
            if (keep[first + i] && column->kind == COLUMN_NUMBERS)
                column_append_number(&kept, numbers[i]);
            else if (keep[first + i])
                column_append(&kept, integers[i]);
        }
    }
    return replace(column, &kept);
}

bool columns_keep(struct column *columns, size_t count, const bool *keep, size_t rows)
{
    bool kept = true;
    for (size_t i = 0; i < count; i++)
        kept &= column_keep(&columns[i], keep, rows);
    return kept;
}

bool column_renumber(struct column *column, const uint32_t *map)
{
    struct column renumbered = empty_like(column);
    size_t count = column_count(column);
    uint32_t rows[COLUMN_BLOCK_ROWS];
    for (size_t first = 0; first < count; first += COLUMN_BLOCK_ROWS) {
        size_t piece = count - first < COLUMN_BLOCK_ROWS ? count - first : COLUMN_BLOCK_ROWS;
        column_read_u32(column, first, piece, rows);
        for (size_t i = 0; i < piece; i++)
            column_append_index(&renumbered, rows[i] == INDEX_NONE ? INDEX_NONE : map[rows[i]]);
    }
    return replace(column, &renumbered);
}
