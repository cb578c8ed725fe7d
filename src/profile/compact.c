#include "profile/compact.h"

#include "common/count.h"

/* Which rows of a table are used, and what number each of them has then. */
struct rows {
    size_t count;
    bool *used;
    uint32_t *map;
};

struct compaction {
    struct profile *profile;
    struct rows stacks, frames, funcs, symbols, libs, sources, resources;
};

static bool rows_init(struct rows *rows, size_t count)
{
    *rows = (struct rows){count, memory_zeroed(count, sizeof *rows->used), memory_array(count, sizeof *rows->map)};
    return rows->used && rows->map;
}

static void rows_free(struct rows *rows)
{
    memory_release(rows->used);
    memory_release(rows->map);
}

static void rows_use(struct rows *rows, uint32_t row)
{
    if (row < rows->count)
        rows->used[row] = true;
}

/* How many are used. */
static uint32_t rows_number(struct rows *rows)
{
    uint32_t next = 0;
    for (size_t i = 0; i < rows->count; i++) {
        rows->map[i] = next;
        next += rows->used[i];
    }
    return next;
}

/* ---- what is used ---- */

/* What a column refers to, all of it or (`of` given) only the used rows of the column's table. */
static void use_column(const struct column *column, const struct rows *of, struct rows *rows)
{
    uint32_t values[COLUMN_BLOCK_ROWS];
    size_t count = column_count(column);
    for (size_t first = 0; first < count; first += COLUMN_BLOCK_ROWS) {
        size_t piece = count - first < COLUMN_BLOCK_ROWS ? count - first : COLUMN_BLOCK_ROWS;
        column_read_u32(column, first, piece, values);
        for (size_t i = 0; i < piece; i++)
            if (!of || (first + i < of->count && of->used[first + i]))
                rows_use(rows, values[i]);
    }
}

static void use_stacks(struct compaction *c)
{
    for (size_t i = 0; i < c->profile->threads.count; i++) {
        const struct thread *thread = &c->profile->threads.items[i];
        use_column(&thread->samples.stack, NULL, &c->stacks);
        use_column(&thread->markers.cause_stack, NULL, &c->stacks);
        use_column(&thread->js_allocations.stack, NULL, &c->stacks);
        use_column(&thread->native_allocations.stack, NULL, &c->stacks);
        use_column(&thread->page_faults.stack, NULL, &c->stacks);
    }
    for (size_t i = c->stacks.count; i > 0; i--) {
        struct stack_index prefix = stack_prefix(&c->profile->stacks, stack_at(i - 1));
        if (c->stacks.used[i - 1] && stack_exists(prefix))
            c->stacks.used[prefix.i] = true;
    }
}

static void use_locations(struct compaction *c, const struct column *column, const struct rows *of)
{
    const struct profile *profile = c->profile;
    for (size_t i = 0; i < column_count(column) && i < of->count; i++) {
        uint32_t location = of->used[i] ? column_get_index(column, i) : INDEX_NONE;
        if (location < profile->locations.rows.count)
            rows_use(&c->sources, profile->locations.rows.items[location].source.i);
    }
}

static void use_all(struct compaction *c, const struct func_roots *roots)
{
    const struct profile *profile = c->profile;
    const struct frame_table *frames = &profile->frames;
    use_stacks(c);
    use_column(&profile->stacks.frame, &c->stacks, &c->frames);
    use_column(&frames->func, &c->frames, &c->funcs);
    use_column(&frames->native_symbol, &c->frames, &c->symbols);
    use_column(&frames->lib, &c->frames, &c->libs);
    use_locations(c, &frames->original_location, &c->frames);
    for (size_t i = 0; i < roots->funcs.count; i++) {
        uint32_t func = roots->funcs.items[i];
        if (func < c->funcs.count)
            c->funcs.used[func] = true;
        else
            rows_use(&c->resources, func - (uint32_t)c->funcs.count);
    }
    use_column(&profile->funcs.resource, &c->funcs, &c->resources);
    use_column(&profile->funcs.source, &c->funcs, &c->sources);
    use_locations(c, &profile->funcs.original_location, &c->funcs);
    use_column(&profile->native_symbols.lib, &c->symbols, &c->libs);
}

/* ---- what stays ---- */

static bool keep_used(struct column *columns, size_t count, const struct rows *rows)
{
    return columns_keep(columns, count, rows->used, rows->count);
}

/* How many rows a parent stands before its child: fewer, where rows between them go. */
static bool shorten_prefixes(struct compaction *c)
{
    struct stack_table *stacks = &c->profile->stacks;
    struct column up;
    column_init(&up, COLUMN_INTEGERS, stacks->up.arena);
    for (size_t i = 0; i < c->stacks.count; i++) {
        struct stack_index prefix = stack_prefix(stacks, stack_at(i));
        if (c->stacks.used[i])
            column_append(&up, stack_exists(prefix) ? c->stacks.map[i] - c->stacks.map[prefix.i] : 0);
    }
    column_free(&stacks->up);
    stacks->up = up;
    return column_seal(&stacks->up) && keep_used(&stacks->frame, 1, &c->stacks);
}

static bool renumber_threads(struct compaction *c)
{
    bool done = true;
    for (size_t i = 0; i < c->profile->threads.count; i++) {
        struct thread *thread = &c->profile->threads.items[i];
        done &= column_renumber(&thread->samples.stack, c->stacks.map) &&
                column_renumber(&thread->markers.cause_stack, c->stacks.map) &&
                column_renumber(&thread->js_allocations.stack, c->stacks.map) &&
                column_renumber(&thread->native_allocations.stack, c->stacks.map) &&
                column_renumber(&thread->page_faults.stack, c->stacks.map);
    }
    return done;
}

static bool keep_tables(struct compaction *c)
{
    struct profile *profile = c->profile;
    struct frame_table *frames = &profile->frames;
    map_free(&profile->funcs.by_key);
    return shorten_prefixes(c) && renumber_threads(c) && column_renumber(&profile->stacks.frame, c->frames.map) &&
           keep_used(frames->columns, COUNT(frames->columns), &c->frames) && column_renumber(&frames->func, c->funcs.map) &&
           column_renumber(&frames->native_symbol, c->symbols.map) &&
           keep_used(profile->funcs.columns, COUNT(profile->funcs.columns), &c->funcs) &&
           keep_used(profile->native_symbols.columns, COUNT(profile->native_symbols.columns), &c->symbols);
}

static bool forget_texts(struct compaction *c)
{
    struct profile *profile = c->profile;
    struct string_index empty = string_table_add(&profile->strings, SLICE(""));
    for (size_t i = 0; i < c->libs.count; i++)
        if (!c->libs.used[i])
            profile->libs.rows.items[i] = (struct lib){empty, empty, empty, empty, empty, STRING_NONE, STRING_NONE};
    for (size_t i = 0; i < c->sources.count; i++)
        if (!c->sources.used[i])
            profile->sources.rows.items[i] =
                (struct source){.id = STRING_NONE, .filename = empty, .source_map_url = STRING_NONE, .content = STRING_NONE};
    for (size_t i = 0; i < c->resources.count; i++)
        if (!c->resources.used[i])
            profile->resources.rows.items[i] =
                (struct resource){.name = empty, .host = STRING_NONE, .type = profile->resources.rows.items[i].type};
    return string_exists(empty);
}

static bool tell_changes(const struct compaction *c, struct func_changes *changes, uint32_t count_after)
{
    changes->count_after = count_after;
    for (size_t i = 0; i < c->funcs.count; i++)
        if (!vec_push(&changes->start, (uint32_t)changes->funcs.count) ||
            (c->funcs.used[i] && !vec_push(&changes->funcs, c->funcs.map[i])))
            return false;
    return vec_push(&changes->start, (uint32_t)changes->funcs.count);
}

static bool begin(struct compaction *c)
{
    const struct profile *profile = c->profile;
    return rows_init(&c->stacks, stack_count(&profile->stacks)) && rows_init(&c->frames, frame_count(&profile->frames)) &&
           rows_init(&c->funcs, func_count(&profile->funcs)) &&
           rows_init(&c->symbols, native_symbol_count(&profile->native_symbols)) &&
           rows_init(&c->libs, profile->libs.rows.count) && rows_init(&c->sources, profile->sources.rows.count) &&
           rows_init(&c->resources, profile->resources.rows.count);
}

int profile_compact(struct profile *profile, const struct func_roots *roots, struct func_changes *changes, struct error *error)
{
    struct compaction c = {.profile = profile};
    bool done = begin(&c);
    if (done) {
        use_all(&c, roots);
        rows_number(&c.stacks);
        rows_number(&c.frames);
        rows_number(&c.symbols);
        uint32_t funcs = rows_number(&c.funcs);
        done = keep_tables(&c) && forget_texts(&c) && tell_changes(&c, changes, funcs);
    }
    struct rows *const tables[] = {&c.stacks, &c.frames, &c.funcs, &c.symbols, &c.libs, &c.sources, &c.resources};
    for (size_t i = 0; i < COUNT(tables); i++)
        rows_free(tables[i]);
    return done ? 0 : error_out_of_memory(error);
}
