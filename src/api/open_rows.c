#include "api/open_rows.h"

#include "common/indexed.h"
#include "common/number_text.h"

static uint64_t hash_of(uint32_t parent, uint32_t func)
{
    return hash_u64((uint64_t)parent << 32 | func);
}

static uint32_t find_child(const struct open_rows *rows, uint32_t parent, uint32_t func)
{
    uint32_t place;
    for (struct map_probe probe = map_probe(&rows->by_func, hash_of(parent, func)); map_probe_next(&probe, &place);)
        if (rows->places.items[place].parent == parent && rows->places.items[place].func == func)
            return place;
    return INDEX_NONE;
}

/* The child, added if it is new; INDEX_NONE when the heap is empty. */
static uint32_t add_child(struct open_rows *rows, uint32_t parent, uint32_t func)
{
    uint32_t place = find_child(rows, parent, func);
    if (place != INDEX_NONE)
        return place;
    place = (uint32_t)rows->places.count;
    struct open_place added = {
        .func = func, .parent = parent, .first_child = INDEX_NONE, .last_child = INDEX_NONE, .next_sibling = INDEX_NONE};
    if (!vec_push(&rows->places, added) || !map_insert(&rows->by_func, hash_of(parent, func), place))
        return INDEX_NONE;
    struct open_place *of = &rows->places.items[parent];
    *(of->first_child == INDEX_NONE ? &of->first_child : &rows->places.items[of->last_child].next_sibling) = place;
    of->last_child = place;
    return place;
}

/* ---- reading ---- */

static uint32_t take_step(struct open_rows *rows, uint32_t at, struct open_step step)
{
    switch (step.kind) {
    case OPEN_CHILD:
        at = add_child(rows, at, step.number);
        if (at != INDEX_NONE)
            rows->places.items[at].open = true;
        break;
    case OPEN_UP:
        for (uint32_t i = 0; i < step.number; i++)
            at = rows->places.items[at].parent;
        break;
    case OPEN_BELOW:
        rows->places.items[at].below = true;
        break;
    case OPEN_NOT:
        rows->places.items[at].open = false;
        rows->places.items[at].closed = true;
        break;
    }
    return at;
}

bool open_rows_read(struct open_rows *rows, const struct open_step *steps, size_t count)
{
    *rows = (struct open_rows){0};
    struct open_place top = {
        .func = INDEX_NONE, .parent = INDEX_NONE, .first_child = INDEX_NONE, .last_child = INDEX_NONE, .open = true};
    uint32_t at = OPEN_ROWS_ROOT;
    bool fits = vec_push(&rows->places, top);
    for (size_t i = 0; i < count && fits; i++) {
        at = take_step(rows, at, steps[i]);
        fits = at != INDEX_NONE;
    }
    if (!fits)
        open_rows_free(rows);
    return fits;
}

void open_rows_free(struct open_rows *rows)
{
    vec_free(&rows->places);
    map_free(&rows->by_func);
}

/* ---- asking ---- */

struct open_position open_rows_top(const struct open_rows *rows)
{
    return (struct open_position){OPEN_ROWS_ROOT, rows->places.items[OPEN_ROWS_ROOT].below, true};
}

struct open_position open_rows_child(const struct open_rows *rows, struct open_position at, uint32_t func)
{
    struct open_position child = {INDEX_NONE, at.below, at.below};
    if (at.place != INDEX_NONE)
        child.place = find_child(rows, at.place, func);
    if (child.place == INDEX_NONE)
        return child;
    const struct open_place *place = &rows->places.items[child.place];
    child.below |= place->below;
    child.open = !place->closed && (place->open || child.below);
    return child;
}

/* ---- changing ---- */

/* The place of a row, with all rows around it open; INDEX_NONE when the heap is empty. `at` is where it stands. */
static uint32_t add_path(struct open_rows *rows, const struct path *path, struct open_position *at)
{
    *at = open_rows_top(rows);
    for (size_t i = 0; i < path->funcs.count; i++) {
        if (at->place != OPEN_ROWS_ROOT) {
            rows->places.items[at->place].open = true;
            rows->places.items[at->place].closed = false;
        }
        uint32_t place = add_child(rows, at->place, path->funcs.items[i]);
        if (place == INDEX_NONE)
            return INDEX_NONE;
        *at = open_rows_child(rows, *at, path->funcs.items[i]);
    }
    return at->place;
}

bool open_rows_toggle(struct open_rows *rows, const struct path *path)
{
    struct open_position at;
    uint32_t place = add_path(rows, path, &at);
    if (place == INDEX_NONE)
        return false;
    rows->places.items[place].open = !at.open || place == OPEN_ROWS_ROOT;
    rows->places.items[place].closed = at.open && place != OPEN_ROWS_ROOT;
    return true;
}

bool open_rows_open(struct open_rows *rows, const struct path *path)
{
    struct open_position at;
    uint32_t place = add_path(rows, path, &at);
    if (place == INDEX_NONE)
        return false;
    rows->places.items[place].open = true;
    rows->places.items[place].closed = false;
    return true;
}

bool open_rows_open_below(struct open_rows *rows, const struct path *path)
{
    struct open_position at;
    uint32_t place = add_path(rows, path, &at);
    if (place == INDEX_NONE)
        return false;
    struct open_place *of = &rows->places.items[place];
    of->open = of->below = true;
    of->closed = false;
    /* What was said of rows below is settled; they stay in the map, but no walk leads there. */
    for (uint32_t child = of->first_child; child != INDEX_NONE; child = rows->places.items[child].next_sibling)
        rows->places.items[child].parent = INDEX_NONE;
    of->first_child = of->last_child = INDEX_NONE;
    return true;
}

/* ---- places of another set ---- */

bool open_rows_path(const struct open_rows *rows, uint32_t place, struct path *path)
{
    size_t depth = 0;
    for (uint32_t i = place; i != OPEN_ROWS_ROOT; i = rows->places.items[i].parent)
        depth++;
    path->funcs.count = 0;
    if (!vec_reserve(&path->funcs, depth))
        return false;
    path->funcs.count = depth;
    for (uint32_t i = place; i != OPEN_ROWS_ROOT; i = rows->places.items[i].parent)
        path->funcs.items[--depth] = rows->places.items[i].func;
    return true;
}

bool open_rows_mark(struct open_rows *rows, const struct path *path, const struct open_place *as)
{
    uint32_t place = OPEN_ROWS_ROOT;
    for (size_t i = 0; i < path->funcs.count && place != INDEX_NONE; i++) {
        place = add_child(rows, place, path->funcs.items[i]);
        struct open_place *of = place == INDEX_NONE ? NULL : &rows->places.items[place];
        /* A row that several have become is open if one of them was. */
        if (of && i + 1 < path->funcs.count)
            of->open |= !of->closed;
        else if (of && as->open)
            of->open = true, of->closed = false;
        else if (of)
            of->closed |= as->closed && !of->open;
    }
    if (place != INDEX_NONE)
        rows->places.items[place].below |= as->below;
    return place != INDEX_NONE;
}

/* ---- writing ---- */

/* Calls `put` for each step; an iteration, since a path may be as long as a request. */
struct walk_writer {
    void (*put)(void *data, struct open_step step);
    void *data;
    uint32_t up; /* levels to go up before the next child */
};

static void write_step(struct walk_writer *writer, struct open_step step)
{
    if (writer->up > 0)
        writer->put(writer->data, (struct open_step){OPEN_UP, writer->up});
    writer->up = 0;
    writer->put(writer->data, step);
}

/* Whether a row without children in the walk need not be said: it is as it is around it. */
static bool says_nothing(const struct open_place *place, bool below)
{
    return place->first_child == INDEX_NONE && !place->below && place->closed && !below;
}

static void write_walk(const struct open_rows *rows, struct walk_writer *writer)
{
    const struct open_place *places = rows->places.items;
    uint32_t at = OPEN_ROWS_ROOT;
    if (places[at].below)
        write_step(writer, (struct open_step){OPEN_BELOW, 0});
    for (;;) {
        uint32_t next = places[at].first_child;
        /* Back to where a sibling follows. */
        while (next == INDEX_NONE && at != OPEN_ROWS_ROOT) {
            next = places[at].next_sibling;
            at = places[at].parent;
            writer->up++;
        }
        if (next == INDEX_NONE)
            return;
        bool below = false;
        for (uint32_t i = at; places[next].closed && i != INDEX_NONE; i = places[i].parent)
            below |= places[i].below;
        at = next;
        if (says_nothing(&places[at], below)) {
            /* As if it had been visited: the step up is not taken, since the one down was not. */
            writer->up--;
            continue;
        }
        write_step(writer, (struct open_step){OPEN_CHILD, places[at].func});
        if (places[at].closed)
            write_step(writer, (struct open_step){OPEN_NOT, 0});
        if (places[at].below)
            write_step(writer, (struct open_step){OPEN_BELOW, 0});
    }
}

static void put_json(void *data, struct open_step step)
{
    struct json_writer *w = data;
    if (step.kind == OPEN_CHILD)
        json_write_integer(w, step.number);
    else if (step.kind == OPEN_UP)
        json_write_integer(w, -(int64_t)step.number);
    else
        json_write_text(w, step.kind == OPEN_BELOW ? "*" : "-");
}

void open_rows_write(const struct open_rows *rows, struct json_writer *w)
{
    json_write_begin_array(w);
    write_walk(rows, &(struct walk_writer){put_json, w, 0});
    json_write_end_array(w);
}

struct walk_sink {
    struct open_walk *walk;
    bool fits;
};

static void put_open_step(void *data, struct open_step step)
{
    struct walk_sink *sink = data;
    sink->fits = sink->fits && vec_push(&sink->walk->steps, step);
}

bool open_rows_walk(const struct open_rows *rows, struct open_walk *walk)
{
    struct walk_sink sink = {walk, true};
    write_walk(rows, &(struct walk_writer){put_open_step, &sink, 0});
    return sink.fits;
}

static void put_text(void *data, struct open_step step)
{
    struct text_buffer *text = data;
    char number[NUMBER_TEXT_SIZE];
    text_add_char(text, ",^*-"[step.kind]);
    if (step.kind == OPEN_CHILD || step.kind == OPEN_UP)
        text_add(text, (struct slice){number, integer_text(step.number, number)});
}

void open_rows_print(const struct open_rows *rows, struct text_buffer *text)
{
    write_walk(rows, &(struct walk_writer){put_text, text, 0});
}
