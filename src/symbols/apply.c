#include "symbols/apply.h"

#include "common/count.h"
#include "symbols/given_names.h"
#include "symbols/symbolication.h"

/* ---- begin and end ---- */

static bool index_sources(struct symbolication *symbolication)
{
    const struct source_table *sources = &symbolication->profile->sources;
    for (size_t i = 0; i < sources->rows.count; i++) {
        const struct source *source = &sources->rows.items[i];
        uint64_t hash = hash_u64(source->filename.i);
        uint32_t known;
        bool found = string_exists(source->id) || !string_exists(source->filename);
        for (struct map_probe probe = map_probe(&symbolication->by_file, hash); !found && map_probe_next(&probe, &known);)
            found = string_same(sources->rows.items[known].filename, source->filename);
        if (!found && !map_insert(&symbolication->by_file, hash, (uint32_t)i))
            return false;
    }
    return true;
}

struct symbolication *symbolication_begin(struct profile *profile, struct error *error)
{
    struct symbolication *symbolication = memory_zeroed(1, sizeof *symbolication);
    if (symbolication) {
        symbolication->profile = profile;
        symbolication->raw = (struct raw_tables){profile->native_symbols, profile->funcs, profile->frames, profile->stacks,
                                                 profile->sources.rows.count};
        symbolication->keeps_names = given_names_are_kept(profile);
        if (modules_collect(symbolication) && index_sources(symbolication))
            return symbolication;
        symbolication_end(symbolication);
    }
    error_out_of_memory(error);
    return NULL;
}

void symbolication_end(struct symbolication *symbolication)
{
    if (!symbolication)
        return;
    struct raw_tables *raw = &symbolication->raw;
    if (symbolication->is_updated) {
        columns_free(raw->native_symbols.columns, COUNT(raw->native_symbols.columns));
        columns_free(raw->funcs.columns, COUNT(raw->funcs.columns));
        columns_free(raw->frames.columns, COUNT(raw->frames.columns));
    }
    if (symbolication->has_own_stacks)
        columns_free(raw->stacks.columns, COUNT(raw->stacks.columns));
    modules_free(symbolication);
    map_free(&symbolication->by_file);
    shape_free(&symbolication->shape);
    stack_moves_free(&symbolication->moves);
    memory_release(symbolication);
}

struct module_addresses symbolication_addresses(const struct symbolication *symbolication, struct lib_index lib)
{
    if (lib.i >= symbolication->module_count)
        return (struct module_addresses){0};
    const struct symbol_module *module = &symbolication->modules[lib.i];
    return (struct module_addresses){module->addresses, module->address_count, module->samples};
}

/* ---- answers ---- */

int symbolication_add(struct symbolication *symbolication, struct lib_index lib, struct symbol_answers *answers,
                      struct error *error)
{
    if (lib.i < symbolication->module_count)
        return module_take_answers(symbolication, &symbolication->modules[lib.i], answers) ? 0 : error_out_of_memory(error);
    symbol_answers_free(answers);
    return 0;
}

void symbolication_leave(struct symbolication *symbolication, struct lib_index lib)
{
    if (lib.i < symbolication->module_count)
        symbolication->modules[lib.i].is_done = true;
}

/* ---- the new tables ---- */

/* One after the other, so that a failure leaves the old ones in their place. */
struct update {
    struct shape shape;
    struct stack_moves moves;
    bool moves_stacks; /* samples have to be told */
    struct arena shared_arena, reference_arena;
    struct native_symbol_table native_symbols;
    struct func_table funcs;
    struct frame_table frames;
    struct stack_table stacks;
    struct column *references; /* REFERENCES columns for each thread */
};

enum { REFERENCES = 5 };

static struct column *reference(struct thread *thread, size_t which)
{
    struct column *const columns[REFERENCES] = {&thread->samples.stack, &thread->markers.cause_stack,
                                                &thread->js_allocations.stack, &thread->native_allocations.stack,
                                                &thread->page_faults.stack};
    return columns[which];
}

static void write_symbols(struct update *update)
{
    for (size_t i = 0; i < update->shape.native_symbols.count; i++)
        native_symbol_append(&update->native_symbols, &update->shape.native_symbols.items[i]);
}

static void write_funcs(const struct symbolication *symbolication, struct update *update)
{
    for (size_t i = 0; i < update->shape.funcs.count; i++) {
        const struct shaped_func *shaped = &update->shape.funcs.items[i];
        struct func func = func_table_get(&symbolication->raw.funcs, func_at(shaped->origin));
        func.name = string_at(shaped->name);
        func.source = source_at(shaped->source);
        func.resource = resource_at(shaped->resource);
        if (shaped->is_shaped) {
            func.line = func.column = INDEX_NONE;
            func.original_location = location_none();
        }
        func_table_append(&update->funcs, &func);
    }
}

static void write_frames(const struct symbolication *symbolication, struct update *update)
{
    for (size_t i = 0; i < update->shape.frames.count; i++) {
        const struct shaped_frame *shaped = &update->shape.frames.items[i];
        struct frame frame = frame_table_get(&symbolication->raw.frames, frame_at(shaped->origin));
        if (shaped->is_shaped) {
            frame.func = func_at(shaped->func);
            frame.native_symbol = native_symbol_at(shaped->native_symbol);
            frame.line = shaped->line;
            frame.column = INDEX_NONE;
            frame.inline_depth = shaped->inline_depth;
        }
        if (shaped->inline_depth > 0 && shaped->is_shaped)
            frame.original_location = location_none();
        frame_table_append(&update->frames, &frame);
    }
}

static int write_stacks(struct symbolication *symbolication, struct update *update, struct error *error)
{
    const struct stack_moves *before = &symbolication->moves;
    struct stack_moves *moves = &update->moves;
    size_t raw_count = stack_count(&symbolication->raw.stacks);
    if (update->shape.calls.count == frame_count(&symbolication->raw.frames)) {
        update->moves_stacks = before->of_raw != NULL;
        return 0; /* nothing was inlined anywhere: the raw stacks serve */
    }
    if (stacks_expand(symbolication, &update->shape, &update->stacks, moves, error))
        return error->code;
    update->moves_stacks = !before->of_raw || memcmp(before->of_raw, moves->of_raw, raw_count * sizeof *moves->of_raw) != 0;
    return 0;
}

static void move_references(const struct symbolication *symbolication, const struct update *update, const struct column *from,
                            struct column *to)
{
    uint32_t rows[COLUMN_BLOCK_ROWS];
    size_t count = column_count(from);
    for (size_t first = 0; first < count; first += COLUMN_BLOCK_ROWS) {
        size_t piece = count - first < COLUMN_BLOCK_ROWS ? count - first : COLUMN_BLOCK_ROWS;
        column_read_u32(from, first, piece, rows);
        for (size_t i = 0; i < piece; i++) {
            uint32_t row = rows[i];
            if (row != INDEX_NONE && symbolication->moves.raw_of)
                row = symbolication->moves.raw_of[row];
            if (row != INDEX_NONE && update->moves.of_raw)
                row = update->moves.of_raw[row];
            column_append_index(to, row);
        }
    }
}

static bool write_references(const struct symbolication *symbolication, struct update *update)
{
    struct profile *profile = symbolication->profile;
    size_t count = profile->threads.count * REFERENCES;
    if (!update->moves_stacks)
        return true;
    update->references = memory_zeroed(count + 1, sizeof *update->references);
    if (!update->references)
        return false;
    columns_init(update->references, count, COLUMN_INTEGERS, &update->reference_arena);
    for (size_t i = 0; i < count; i++)
        move_references(symbolication, update, reference(&profile->threads.items[i / REFERENCES], i % REFERENCES),
                        &update->references[i]);
    return columns_seal(update->references, count);
}

static int build(struct symbolication *symbolication, struct update *update, struct func_changes *changes, struct error *error)
{
    if (!shape_build(symbolication, &update->shape))
        return error_out_of_memory(error);
    write_symbols(update);
    write_funcs(symbolication, update);
    write_frames(symbolication, update);
    if (write_stacks(symbolication, update, error))
        return error->code;
    bool sealed = columns_seal(update->native_symbols.columns, COUNT(update->native_symbols.columns));
    sealed &= columns_seal(update->funcs.columns, COUNT(update->funcs.columns));
    sealed &= columns_seal(update->frames.columns, COUNT(update->frames.columns));
    sealed &= columns_seal(update->stacks.columns, COUNT(update->stacks.columns));
    if (!sealed || !write_references(symbolication, update))
        return error_out_of_memory(error);
    return !changes || changes_collect(symbolication, &update->shape, changes) ? 0 : error_out_of_memory(error);
}

/* ---- exchanging them ---- */

/* Puts a table's new columns where the old ones are, and gives those back unless they are the raw ones. */
static void exchange(struct column *columns, const struct column *fresh, size_t count, bool old_are_raw, struct arena *arena)
{
    if (!old_are_raw)
        columns_free(columns, count);
    for (size_t i = 0; i < count; i++) {
        columns[i] = fresh[i];
        columns[i].arena = arena;
    }
}

static void commit_references(struct profile *profile, struct update *update)
{
    if (!update->moves_stacks)
        return;
    for (size_t i = 0; i < profile->threads.count * REFERENCES; i++)
        exchange(reference(&profile->threads.items[i / REFERENCES], i % REFERENCES), &update->references[i], 1, false,
                 &profile->reference_arena);
    arena_free(&profile->reference_arena);
    profile->reference_arena = update->reference_arena;
}

static void commit(struct symbolication *symbolication, struct update *update)
{
    struct profile *profile = symbolication->profile;
    struct arena *arena = &profile->shared_arena;
    bool is_first = !symbolication->is_updated;
    exchange(profile->native_symbols.columns, update->native_symbols.columns, COUNT(update->native_symbols.columns), is_first,
             arena);
    exchange(profile->funcs.columns, update->funcs.columns, COUNT(update->funcs.columns), is_first, arena);
    exchange(profile->frames.columns, update->frames.columns, COUNT(update->frames.columns), is_first, arena);
    const struct stack_table *stacks = update->moves.of_raw ? &update->stacks : &symbolication->raw.stacks;
    exchange(profile->stacks.columns, stacks->columns, COUNT(stacks->columns), !symbolication->has_own_stacks, arena);
    symbolication->has_own_stacks = update->moves.of_raw != NULL;
    commit_references(profile, update);
    arena_free(arena);
    *arena = update->shared_arena;
    vec_free(&profile->sources.rows);
    profile->sources.rows.items = update->shape.sources.items;
    profile->sources.rows.count = update->shape.sources.count;
    profile->sources.rows.capacity = update->shape.sources.capacity;
    update->shape.sources.items = NULL;

    stack_moves_free(&symbolication->moves);
    symbolication->moves = update->moves;
    shape_free(&symbolication->shape);
    symbolication->shape = update->shape;
    vec_free(&symbolication->shape.funcs);
    vec_free(&symbolication->shape.native_symbols);
    symbolication->is_updated = true;
    profile->meta.symbolicated = true;
    for (size_t m = 0; m < symbolication->module_count; m++)
        profile->meta.symbolicated &= symbolication->modules[m].is_done || symbolication->modules[m].frame_count == 0;
}

static void discard(struct symbolication *symbolication, struct update *update)
{
    columns_free(update->native_symbols.columns, COUNT(update->native_symbols.columns));
    columns_free(update->funcs.columns, COUNT(update->funcs.columns));
    columns_free(update->frames.columns, COUNT(update->frames.columns));
    columns_free(update->stacks.columns, COUNT(update->stacks.columns));
    if (update->references)
        columns_free(update->references, symbolication->profile->threads.count * REFERENCES);
    stack_moves_free(&update->moves);
    shape_free(&update->shape);
    arena_free(&update->shared_arena);
    arena_free(&update->reference_arena);
}

int symbolication_update(struct symbolication *symbolication, struct func_changes *changes, struct error *error)
{
    struct update update = {0};
    columns_init(update.native_symbols.columns, COUNT(update.native_symbols.columns), COLUMN_INTEGERS, &update.shared_arena);
    columns_init(update.funcs.columns, COUNT(update.funcs.columns), COLUMN_INTEGERS, &update.shared_arena);
    columns_init(update.frames.columns, COUNT(update.frames.columns), COLUMN_INTEGERS, &update.shared_arena);
    columns_init(update.stacks.columns, COUNT(update.stacks.columns), COLUMN_INTEGERS, &update.shared_arena);
    int failed = build(symbolication, &update, changes, error);
    if (failed) {
        discard(symbolication, &update);
        if (changes)
            func_changes_free(changes);
    } else {
        commit(symbolication, &update);
    }
    memory_release(update.references);
    return failed;
}

int symbolication_apply(struct symbolication *symbolication, struct lib_index lib, struct symbol_answers *answers,
                        struct func_changes *changes, struct error *error)
{
    int failed = symbolication_add(symbolication, lib, answers, error);
    return failed ? failed : symbolication_update(symbolication, changes, error);
}
