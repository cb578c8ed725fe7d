/* A table for people: columns as wide as their widest cell, numbers to the right, and the last column cut where the line
 * ends. Cells are given row by row, left to right; an empty cell is an empty text. */
#ifndef SONDE_CLI_TABLE_H
#define SONDE_CLI_TABLE_H

#include "cli/terminal.h"
#include "common/arena.h"
#include "common/vec.h"

enum table_align { ALIGN_LEFT, ALIGN_RIGHT };

/* What is left of texts that are cut: paths keep their end, functions both (print/func_name.h). */
enum table_keep { KEEP_START, KEEP_END, KEEP_ENDS };

struct table_head {
    const char *title;
    enum table_align align;
    size_t max; /* longer cells are cut; 0 = as wide as the line */
    enum table_keep keep;
};

struct table_cell {
    struct slice text;
    enum style style;
};

struct table {
    const struct terminal *terminal;
    const struct table_head *columns;
    size_t column_count;
    struct arena arena;
    VEC(struct table_cell) cells;
    bool failed; /* memory ran out; the table is then not printed */
};

void table_init(struct table *table, const struct terminal *terminal, const struct table_head *columns, size_t column_count);
void table_free(struct table *table);

/* A text that outlives the table, such as a name in the profile. */
void table_add(struct table *table, struct slice text, enum style style);

/* The name of a function, which outlives the table, too. */
void table_add_func(struct table *table, struct slice name, enum style style);

/* A text put together here. */
void table_print(struct table *table, enum style style, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Writes the table to standard output. */
void table_write(struct table *table);

#endif
