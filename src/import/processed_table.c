#include "import/processed_table.h"

#include <math.h>

/* ---- cells, one loop for each kind: they are most of what there is to read ---- */

static void read_integers(struct json_reader *r, struct column *into)
{
    while (json_next_item(r))
        column_append(into, json_integer_or_null(r, COLUMN_ABSENT));
}

static void read_indices(struct json_reader *r, struct column *into, int64_t shift)
{
    while (json_next_item(r)) {
        int64_t index = json_integer_or_null(r, -1);
        column_append(into, index == -1 ? COLUMN_ABSENT : index < INT64_MAX - shift ? index + shift : index);
    }
}

static void read_windows(struct json_reader *r, struct column *into)
{
    while (json_next_item(r)) {
        double id = json_number_or_null(r, 0);
        column_append(into, id < 0x1p63 ? (int64_t)fmax(id, 0) : id < 0x1p64 ? (int64_t)(uint64_t)id : -1);
    }
}

static void read_prefixes(struct json_reader *r, struct column *into)
{
    for (int64_t row = 0; json_next_item(r); row++) {
        int64_t prefix = json_integer_or_null(r, -1);
        /* A parent that does not stand before its child gets an offset that no table passes the final checks with. */
        column_append(into, prefix == -1 ? 0 : prefix >= 0 && prefix < row ? row - prefix : -1);
    }
}

static void read_numbers(struct json_reader *r, struct column *into)
{
    while (json_next_item(r))
        column_append_number(into, json_number_or_null(r, (double)NAN));
}

static void read_booleans(struct json_reader *r, struct column *into)
{
    while (json_next_item(r))
        column_append(into, !json_null(r) && json_boolean(r));
}

static void read_texts(struct processed *p, struct column *into)
{
    while (json_next_item(p->r))
        column_append_index(into, processed_read_name(p, NULL).i);
}

static void read_strings(struct processed *p, struct column *into, const char *table)
{
    for (size_t row = 0; json_next_item(p->r); row++) {
        int64_t index = json_integer_or_null(p->r, COLUMN_ABSENT);
        if (__builtin_expect(index >= 0 && (uint64_t)index < p->strings.count, 1))
            column_append(into, p->strings.items[index]);
        else
            column_append_index(into, processed_string(p, index, table, row).i);
    }
}

static void read_column(struct processed *p, const char *table, struct file_column *column)
{
    struct column *into = column->into;
    size_t before = column_count(into);
    switch (column->cell) {
    case CELL_INTEGER:
        read_integers(p->r, into);
        break;
    case CELL_INDEX:
        read_indices(p->r, into, column->shift);
        break;
    case CELL_WINDOW:
        read_windows(p->r, into);
        break;
    case CELL_PREFIX:
        read_prefixes(p->r, into);
        break;
    case CELL_NUMBER:
        read_numbers(p->r, into);
        break;
    case CELL_BOOLEAN:
        read_booleans(p->r, into);
        break;
    case CELL_TEXT:
        read_texts(p, into);
        break;
    case CELL_STRING:
        read_strings(p, into, table);
        break;
    case CELL_CUSTOM:
        while (json_next_item(p->r))
            column->read(p, column->data);
        break;
    case CELL_NONE:
        break;
    }
    if (into->failed)
        processed_out_of_memory(p);
    column->rows = column_count(into) - before;
    column->found = true;
}

/* ---- tables ---- */

static struct file_column *find_column(struct processed *p, struct file_column *columns, size_t count, struct slice key)
{
    for (size_t i = 0; i < count; i++)
        if (slice_equal(key, slice_of(columns[i].name)) && p->version >= columns[i].since &&
            (columns[i].until == 0 || p->version < columns[i].until))
            return &columns[i];
    return NULL;
}

static void check_column(struct processed *p, const char *table, struct file_column *column, size_t length)
{
    bool in_this_version = p->version >= column->since && (column->until == 0 || p->version < column->until);
    if (!column->found) {
        if (column->required && in_this_version && length > 0)
            processed_fail(p, "%s has no column %s", table, column->name);
        return;
    }
    if (column->rows < length) {
        processed_fail(p, "%s.%s has %zu rows, but the table's length is %zu", table, column->name, column->rows, length);
        return;
    }
    size_t before = column_count(column->into) - column->rows;
    if (!column_cut(column->into, before + length))
        processed_out_of_memory(p);
    column->rows = length;
}

/* The longest column: where some are shorter, check_column() finds them. */
static size_t longest_column(const struct file_column *columns, size_t count)
{
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        if (columns[i].found && columns[i].rows > length)
            length = columns[i].rows;
    return length;
}

size_t processed_read_table(struct processed *p, const char *table, struct file_column *columns, size_t count)
{
    int64_t length = -1;
    if (!json_begin_object(p->r))
        return 0;
    for (struct slice key; json_next_key(p->r, &key);) {
        struct file_column *column;
        if (slice_is(key, "length")) {
            length = json_integer(p->r);
            if (length < 0)
                processed_fail(p, "%s.length is negative", table);
        } else if (!(column = find_column(p, columns, count, key))) {
            json_skip(p->r);
        } else if (column->cell == CELL_NONE) {
            column->read(p, column->data);
        } else if (!json_null(p->r) && json_begin_array(p->r)) {
            read_column(p, table, column);
        }
    }
    size_t rows = length < 0 ? longest_column(columns, count) : (size_t)length;
    for (size_t i = 0; i < count && json_ok(p->r); i++)
        check_column(p, table, &columns[i], rows);
    return json_ok(p->r) ? rows : 0;
}
