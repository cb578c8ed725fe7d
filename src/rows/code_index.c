#include "rows/code_index.h"

#include "common/sort.h"

bool code_index_add(struct code_index *index, const struct code_entry *entry)
{
    struct known_code code = {
        .since = entry->time,
        .start = entry->start,
        .size = entry->size,
        .name = string_table_add(&index->strings, entry->name),
        .file = string_table_add(&index->strings, entry->file),
        .line = entry->line,
        .column = entry->column,
        .lines = index->lines.count,
        .lines_length = (uint32_t)entry->lines.length,
        .runtime = entry->runtime,
        .tier = entry->tier,
        .was_there = entry->was_there,
    };
    if (index->finished)
        return true;
    if (!string_exists(code.name) || !string_exists(code.file) ||
        !vec_reserve(&index->lines, index->lines.count + entry->lines.length) || index->rows.count >= INDEX_NONE / 2 ||
        !vec_push(&index->rows, code))
        return false;
    if (entry->lines.length > 0)
        memcpy(index->lines.items + index->lines.count, entry->lines.text, entry->lines.length);
    index->lines.count += entry->lines.length;
    return true;
}

bool code_index_move(struct code_index *index, const struct code_moved_entry *entry)
{
    return index->finished || vec_push(&index->moves, ((struct code_move){*entry, index->rows.count}));
}

/* ---- moves ---- */

/* What happened, by time; of one time in the order in which it was told. */
struct happening {
    uint64_t time, order;
    uint32_t row, move; /* one of them is INDEX_NONE */
};

static bool is_before(const void *a, const void *b)
{
    const struct happening *x = a, *y = b;
    return x->time != y->time ? x->time < y->time : x->order < y->order;
}

static struct happening *happenings_by_time(const struct code_index *index)
{
    size_t rows = index->rows.count, moves = index->moves.count, done = 0;
    struct happening *all = memory_array(rows + moves, sizeof *all);
    if (!all)
        return NULL;
    for (size_t i = 0, move = 0; i <= rows; i++) {
        for (; move < moves && index->moves.items[move].before <= i; move++, done++)
            all[done] = (struct happening){index->moves.items[move].entry.time, done, INDEX_NONE, (uint32_t)move};
        if (i < rows) {
            all[done] = (struct happening){index->rows.items[i].since, done, (uint32_t)i, INDEX_NONE};
            done++;
        }
    }
    sort_items(all, done, sizeof *all, is_before);
    return all;
}

/* Rows by where they begin: a slot for each place, with the row that was there last. */
struct latest {
    struct map slots;
    VEC(uint32_t) rows;
};

static uint32_t *find_latest(const struct code_index *index, struct latest *latest, uint64_t start)
{
    uint32_t slot;
    for (struct map_probe probe = map_probe(&latest->slots, hash_u64(start)); map_probe_next(&probe, &slot);)
        if (index->rows.items[latest->rows.items[slot]].start == start)
            return &latest->rows.items[slot];
    return NULL;
}

static bool set_latest(const struct code_index *index, struct latest *latest, uint32_t row)
{
    uint64_t start = index->rows.items[row].start;
    uint32_t *known = find_latest(index, latest, start);
    if (known) {
        *known = row;
        return true;
    }
    return vec_push(&latest->rows, row) && map_insert(&latest->slots, hash_u64(start), (uint32_t)latest->rows.count - 1);
}

/* The code that moved gets a row at its new place. */
static bool follow(struct code_index *index, struct latest *latest, const struct code_moved_entry *move)
{
    const uint32_t *from = find_latest(index, latest, move->from);
    if (!from)
        return true;
    struct known_code code = index->rows.items[*from];
    code.start = move->to;
    code.since = move->time;
    code.was_there = false;
    return index->rows.count < INDEX_NONE / 2 && vec_push(&index->rows, code) &&
           set_latest(index, latest, (uint32_t)index->rows.count - 1);
}

static bool follow_moves(struct code_index *index)
{
    size_t count = index->rows.count + index->moves.count;
    struct latest latest = {0};
    if (index->moves.count == 0)
        return true;
    struct happening *all = happenings_by_time(index);
    bool done = all;
    for (size_t i = 0; done && i < count; i++) {
        bool moved = all[i].row == INDEX_NONE;
        if (!moved && index->rows.items[all[i].row].size == 0)
            continue;
        done = moved ? follow(index, &latest, &index->moves.items[all[i].move].entry) : set_latest(index, &latest, all[i].row);
    }
    memory_release(all);
    map_free(&latest.slots);
    vec_free(&latest.rows);
    return done;
}

/* ---- search ---- */

bool code_index_finish(struct code_index *index)
{
    VEC(struct time_range) places = {0}, numbers = {0};
    bool done = follow_moves(index);
    for (uint32_t i = 0; done && i < index->rows.count; i++) {
        const struct known_code *code = &index->rows.items[i];
        if (code->size > 0)
            done = vec_push(&places, ((struct time_range){code->start, code->size, code->since})) &&
                   vec_push(&index->place_rows, i);
        else
            done = vec_push(&numbers, ((struct time_range){code->start, 1, code->since})) && vec_push(&index->number_rows, i);
    }
    done = done && time_ranges_build(&index->places, places.items, places.count) &&
           time_ranges_build(&index->numbers, numbers.items, numbers.count);
    vec_free(&places);
    vec_free(&numbers);
    vec_free(&index->moves);
    index->finished = true;
    return done;
}

static uint32_t find(const struct code_index *index, const struct time_ranges *ranges, const uint32_t *rows, uint64_t key,
                     uint64_t time)
{
    uint32_t found = time_ranges_newest(ranges, key, time);
    if (found != UINT32_MAX)
        return rows[found];
    found = time_ranges_next(ranges, key, time);
    return found != UINT32_MAX && index->rows.items[rows[found]].was_there ? rows[found] : INDEX_NONE;
}

uint32_t code_index_at(const struct code_index *index, uint64_t address, uint64_t time)
{
    return find(index, &index->places, index->place_rows.items, address, time);
}

uint32_t code_index_numbered(const struct code_index *index, enum runtime_kind runtime, uint64_t number, uint64_t time)
{
    uint32_t row = find(index, &index->numbers, index->number_rows.items, number, time);
    return row != INDEX_NONE && index->rows.items[row].runtime == runtime ? row : INDEX_NONE;
}

struct code_place code_index_frame(const struct code_index *index, const struct frame_entry *frame, uint64_t time)
{
    uint32_t row = code_index_numbered(index, frame->runtime, frame->address, time);
    if (row != INDEX_NONE)
        return (struct code_place){row, frame->position};
    row = code_index_at(index, frame->address, time);
    if (row == INDEX_NONE || index->rows.items[row].runtime != frame->runtime)
        return (struct code_place){INDEX_NONE, 0};
    uint64_t offset = frame->address - index->rows.items[row].start + frame->position;
    return (struct code_place){row, offset < UINT32_MAX ? (uint32_t)offset : UINT32_MAX};
}

uint32_t code_index_line(const struct code_index *index, uint32_t row, uint64_t offset)
{
    const struct known_code *code = &index->rows.items[row];
    struct slice lines = {index->lines.items + code->lines, code->lines_length};
    struct code_line line = {0};
    uint32_t found = 0;
    while (code_line_read(&lines, &line) && line.offset <= offset)
        found = line.line;
    return found;
}

void code_index_free(struct code_index *index)
{
    vec_free(&index->rows);
    vec_free(&index->moves);
    string_table_free(&index->strings);
    vec_free(&index->lines);
    time_ranges_free(&index->places);
    time_ranges_free(&index->numbers);
    vec_free(&index->place_rows);
    vec_free(&index->number_rows);
    *index = (struct code_index){0};
}
