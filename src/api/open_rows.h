/* Which rows of a tree are open: a tree of functions of its own, whatever the nodes are numbered like.
 *
 *     main                 [0, 5, -1, 7]             main is open, and in it draw and load
 *     ├ draw (5)           [0, "*"]                  main is open, and everything below it
 *     └ load (7)           [0, "*", 5, "-"]          … but draw is closed
 *
 * A function opens that child of where the walk stands and goes there; -N goes N levels up; "*" opens everything below, "-"
 * closes the row itself, which leaves what is open below it as it was. The walk starts above the roots. */
#ifndef SONDE_API_OPEN_ROWS_H
#define SONDE_API_OPEN_ROWS_H

#include "api/request.h"
#include "common/json_writer.h"
#include "common/map.h"

enum { OPEN_ROWS_ROOT = 0 };

struct open_place {
    uint32_t func, parent;
    uint32_t first_child, last_child, next_sibling; /* INDEX_NONE = none */
    bool open, closed;                              /* this row; with neither it is as the rows around it are */
    bool below;                                     /* all rows below it, but for those that are closed */
};

struct open_rows {
    VEC(struct open_place) places; /* the first one stands above the roots */
    struct map by_func;            /* parent place and func */
};

/* From the steps of a request. `rows` needs no initialisation; false when the heap is empty, `rows` is empty then. */
bool open_rows_read(struct open_rows *rows, const struct open_step *steps, size_t count);
void open_rows_free(struct open_rows *rows);

/* Where a walk stands: a place, or INDEX_NONE where nothing below was mentioned; and whether "*" was passed. */
struct open_position {
    uint32_t place;
    bool below, open;
};

struct open_position open_rows_top(const struct open_rows *rows);
struct open_position open_rows_child(const struct open_rows *rows, struct open_position at, uint32_t func);

/* Opens all rows on the path but its last one, and that: false when the heap is empty. */
bool open_rows_toggle(struct open_rows *rows, const struct path *path);
bool open_rows_open(struct open_rows *rows, const struct path *path);
bool open_rows_open_below(struct open_rows *rows, const struct path *path); /* the row, and everything below it */

/* The functions from the root to a place replace the contents of `path`; false when the heap is empty. */
bool open_rows_path(const struct open_rows *rows, uint32_t place, struct path *path);

/* Says of the row of a path what a place of another set says of its own. */
bool open_rows_mark(struct open_rows *rows, const struct path *path, const struct open_place *as);

/* The walk that says the same, without what makes no difference. False when the heap is empty. */
bool open_rows_walk(const struct open_rows *rows, struct open_walk *walk);

/* As an array of a request, without what makes no difference. */
void open_rows_write(const struct open_rows *rows, struct json_writer *w);

/* The same, for comparing: two sets with equal texts are the same. */
void open_rows_print(const struct open_rows *rows, struct text_buffer *text);

#endif
