/* Tables of processed profiles: objects of equally long arrays and a `length`.
 *
 *     struct file_column columns[] = {
 *         {"frame", &stacks->frame, .cell = CELL_INDEX, .required = true},
 *         {"prefixOffset", &stacks->up, .cell = CELL_INTEGER, .since = PROCESSED_PREFIX_OFFSET, .required = true},
 *         {"prefix", &stacks->up, .cell = CELL_PREFIX, .until = PROCESSED_PREFIX_OFFSET, .required = true},
 *     };
 *     size_t rows = processed_read_table(p, "stackTable", columns, 3);
 *
 * Columns come in any order and are appended to as they are read, without a detour. */
#ifndef SONDE_IMPORT_PROCESSED_TABLE_H
#define SONDE_IMPORT_PROCESSED_TABLE_H

#include "import/processed_reader.h"

enum cell_kind {
    CELL_INTEGER, /* null = absent */
    CELL_INDEX,   /* null or -1 = absent; `shift` is added to others */
    CELL_WINDOW,  /* the id of a window, null = 0: as the bits of 64 without sign, of which JavaScript rounds the largest */
    CELL_PREFIX,  /* the row of a parent, null = none: becomes how far up it is */
    CELL_NUMBER,  /* null = absent */
    CELL_BOOLEAN, /* null = false */
    CELL_TEXT,    /* a text, a number as text, or null: becomes a string of the profile */
    CELL_STRING,  /* an index of the file's strings: becomes one of the profile's */
    CELL_CUSTOM,  /* read by `read`, which appends a row to `into` and to whatever else goes with it */
    CELL_NONE,    /* not a column but a single value of the table, read by `read` */
};

struct file_column {
    const char *name;
    struct column *into;
    enum cell_kind cell;
    int since, until; /* the versions that have it; 0 = all before, all after */
    bool required;
    int64_t shift;
    void (*read)(struct processed *p, void *data);
    void *data;
    size_t rows; /* out: rows it had, cut to the table's length */
    bool found;  /* out: the table has it */
};

/* Reads a table; unknown columns are passed over, `null` instead of a column means that it is not there. The table's `length`
 * rules: longer columns are cut to it and shorter ones refused; without `length` all columns must be equally long.
 * Returns the number of rows. */
size_t processed_read_table(struct processed *p, const char *table, struct file_column *columns, size_t count);

#endif
