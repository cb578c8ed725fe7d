#include "symbols/given_names.h"
#include "symbols/symbolication.h"

/* While the answers of one module become rows. */
struct shaping {
    struct symbolication *symbolication;
    const struct symbol_module *module;
    struct lib_index lib;
    struct shape *shape;
    struct map symbol_of_start; /* rows of `starts` */
    VEC(struct symbol_start) starts;
    struct map func_of_key;    /* rows of the funcs */
    struct map source_of_file; /* sources that were added, rows of the shape's */
    size_t next_func;          /* of the module's funcs: the next one whose row can be used anew */
    VEC(uint32_t) free_frames; /* frames that were inlined by answers of old … */
    size_t next_frame;         /* … and the next one of them to be used anew */
    struct map marked;         /* answers for frames that have their inlined calls */
};

/* A native symbol to be, in the order in which frames first need them. */
struct symbol_start {
    uint64_t address;
    uint32_t name;
    int64_t size;
    uint32_t row; /* INDEX_NONE until it has one */
};

/* ---- texts ---- */

static struct string_index own_string(struct shaping *shaping, struct string_index of_answer)
{
    const struct symbol_module *module = shaping->module;
    uint32_t *known = &module->strings[of_answer.i];
    if (*known == INDEX_NONE)
        *known = string_table_add(&shaping->symbolication->profile->strings, symbol_text(&module->answers, of_answer)).i;
    return string_at(*known);
}

/* ---- native symbols ---- */

/* The row of `starts`; INDEX_NONE when the heap is empty. */
static uint32_t find_start(struct shaping *shaping, uint64_t address)
{
    uint64_t hash = hash_u64(address);
    uint32_t row;
    for (struct map_probe probe = map_probe(&shaping->symbol_of_start, hash); map_probe_next(&probe, &row);)
        if (shaping->starts.items[row].address == address)
            return row;
    row = (uint32_t)shaping->starts.count;
    struct symbol_start start = {.address = address, .row = INDEX_NONE};
    return vec_push(&shaping->starts, start) && map_insert(&shaping->symbol_of_start, hash, row) ? row : INDEX_NONE;
}

/* What a frame's symbol is by its answer, by the symbol it had before, or by its func, which is called after the address unless
 * somebody knew better. */
static bool symbol_of_frame(struct shaping *shaping, size_t index, struct symbol_start *symbol)
{
    const struct symbolication *symbolication = shaping->symbolication;
    uint32_t frame = shaping->module->frames[index], row = shaping->module->rows[index];
    uint32_t old = column_get_index(&symbolication->raw.frames.native_symbol, frame);
    if (row != INDEX_NONE) {
        const struct symbol_answer *answer = &shaping->module->answers.rows.items[row];
        symbol->address = answer->symbol_start;
        symbol->size =
            answer->symbol_size > 0 && answer->symbol_size <= INT64_MAX ? (int64_t)answer->symbol_size : COLUMN_ABSENT;
        symbol->name = own_string(shaping, string_exists(answer->symbol) ? answer->symbol : answer->outer.function).i;
    } else if (old != INDEX_NONE) {
        struct native_symbol known = native_symbol_get(&symbolication->raw.native_symbols, native_symbol_at(old));
        symbol->address = known.address;
        symbol->size = COLUMN_ABSENT;
        symbol->name = known.name.i;
    } else {
        symbol->address = (uint64_t)column_get(&symbolication->raw.frames.address, frame);
        symbol->size = COLUMN_ABSENT;
        symbol->name = func_name(&symbolication->raw.funcs, frame_func(&symbolication->raw.frames, frame_at(frame))).i;
    }
    return symbol->name != INDEX_NONE;
}

/* Whether calls that are inlined at the addresses of this answer came with the profile. */
static bool is_marked(const struct shaping *shaping, uint32_t answer)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&shaping->marked, hash_u64(answer)); map_probe_next(&probe, &row);)
        if (row == answer)
            return true;
    return false;
}

static bool is_inlined(const struct shaping *shaping, uint32_t frame)
{
    return column_get(&shaping->symbolication->raw.frames.inline_depth, frame) > 0;
}

/* Finds out which symbols there are and which of them keep the row that one of their frames pointed to. `taken` says which rows
 * are. `frame_starts` gets the row of `starts` for each frame. */
static bool collect_starts(struct shaping *shaping, uint32_t *frame_starts, bool *taken)
{
    const struct symbolication *symbolication = shaping->symbolication;
    for (size_t i = 0; i < shaping->module->frame_count; i++) {
        uint32_t frame = shaping->module->frames[i];
        struct symbol_start symbol;
        frame_starts[i] = INDEX_NONE;
        if (is_inlined(shaping, frame) && !symbolication->keeps_names)
            continue;
        if (!symbol_of_frame(shaping, i, &symbol))
            return false;
        frame_starts[i] = find_start(shaping, symbol.address);
        if (frame_starts[i] == INDEX_NONE)
            return false;
        struct symbol_start *start = &shaping->starts.items[frame_starts[i]];
        start->name = symbol.name; /* the last one wins, as for the size */
        start->size = symbol.size;
        uint32_t old = column_get_index(&symbolication->raw.frames.native_symbol, frame);
        if (old != INDEX_NONE && start->row == INDEX_NONE && !taken[old] &&
            lib_same(shaping->shape->native_symbols.items[old].lib, shaping->lib)) {
            start->row = old;
            taken[old] = true;
        }
    }
    return true;
}

/* Gives every symbol a row: its own, else one of the module's that nobody needs, else a new one. */
static bool place_starts(struct shaping *shaping, const bool *taken, size_t raw_count)
{
    struct shape *shape = shaping->shape;
    size_t next = 0;
    for (size_t i = 0; i < shaping->starts.count; i++) {
        struct symbol_start *start = &shaping->starts.items[i];
        while (start->row == INDEX_NONE && next < raw_count) {
            if (!taken[next] && lib_same(shape->native_symbols.items[next].lib, shaping->lib))
                start->row = (uint32_t)next;
            next++;
        }
        if (start->row == INDEX_NONE) {
            start->row = (uint32_t)shape->native_symbols.count;
            if (start->row >= INDEX_NONE - 1 || !vec_push(&shape->native_symbols, (struct native_symbol){0}))
                return false;
        }
        shape->native_symbols.items[start->row] =
            (struct native_symbol){shaping->lib, start->address, string_at(start->name), start->size};
    }
    return true;
}

static bool shape_symbols(struct shaping *shaping)
{
    const struct symbol_module *module = shaping->module;
    size_t raw_count = native_symbol_count(&shaping->symbolication->raw.native_symbols);
    uint32_t *frame_starts = memory_array(module->frame_count + 1, sizeof *frame_starts);
    bool *taken = memory_zeroed(raw_count + 1, sizeof *taken);
    bool done =
        frame_starts && taken && collect_starts(shaping, frame_starts, taken) && place_starts(shaping, taken, raw_count);
    for (size_t i = 0; done && i < module->frame_count; i++)
        if (frame_starts[i] != INDEX_NONE)
            shaping->shape->frames.items[module->frames[i]].native_symbol = shaping->starts.items[frame_starts[i]].row;
    memory_release(frame_starts);
    memory_release(taken);
    return done;
}

/* ---- funcs ---- */

/* The source with this file name and nothing else; INDEX_NONE in *found for no file. */
static bool source_of_file(struct shaping *shaping, struct string_index file, uint32_t *found)
{
    struct shape *shape = shaping->shape;
    struct source source = {STRING_NONE, file, 1, 1, STRING_NONE, STRING_NONE};
    uint64_t hash = hash_u64(file.i);
    *found = INDEX_NONE;
    if (!string_exists(file))
        return true;
    const struct map *maps[] = {&shaping->symbolication->by_file, &shaping->source_of_file};
    for (size_t m = 0; m < 2; m++)
        for (struct map_probe probe = map_probe(maps[m], hash); map_probe_next(&probe, found);)
            if (string_same(shape->sources.items[*found].filename, file))
                return true;
    *found = (uint32_t)shape->sources.count;
    return vec_push(&shape->sources, source) && map_insert(&shaping->source_of_file, hash, *found);
}

/* The next of the module's funcs that nobody needs, else a new one like `old`. INDEX_NONE when the heap is empty. */
static uint32_t next_func(struct shaping *shaping, uint32_t old)
{
    const struct symbol_module *module = shaping->module;
    struct shape *shape = shaping->shape;
    if (shaping->next_func < module->func_count)
        return module->funcs[shaping->next_func++];
    struct shaped_func func = {.origin = shape->funcs.items[old].origin, .resource = module->resource.i};
    uint32_t row = (uint32_t)shape->funcs.count;
    return row < INDEX_NONE - 1 && vec_push(&shape->funcs, func) ? row : INDEX_NONE;
}

/* The func of this name and file, in place of the func `old`; INDEX_NONE when the heap is empty. */
static uint32_t func_of_key(struct shaping *shaping, struct string_index name, struct string_index file, uint32_t old)
{
    struct shape *shape = shaping->shape;
    uint32_t source, row;
    if (!string_exists(name) || !source_of_file(shaping, file, &source))
        return INDEX_NONE;
    uint64_t hash = hash_combine(name.i, source);
    for (struct map_probe probe = map_probe(&shaping->func_of_key, hash); map_probe_next(&probe, &row);)
        if (shape->funcs.items[row].name == name.i && shape->funcs.items[row].source == source)
            return row;
    row = next_func(shaping, old);
    if (row == INDEX_NONE || !map_insert(&shaping->func_of_key, hash, row))
        return INDEX_NONE;
    struct shaped_func *func = &shape->funcs.items[row];
    func->name = name.i;
    func->source = source;
    func->is_shaped = true;
    return row;
}

/* ---- frames ---- */

/* A row for an inlined call; INDEX_NONE when the heap is empty. */
static uint32_t next_frame(struct shaping *shaping)
{
    struct shape *shape = shaping->shape;
    if (shaping->next_frame < shaping->free_frames.count)
        return shaping->free_frames.items[shaping->next_frame++];
    uint32_t row = (uint32_t)shape->frames.count;
    return row < INDEX_NONE - 1 && vec_push(&shape->frames, (struct shaped_frame){0}) ? row : INDEX_NONE;
}

static struct string_index call_name(struct shaping *shaping, struct string_index name)
{
    return string_exists(name) ? own_string(shaping, name)
                               : string_table_add(&shaping->symbolication->profile->strings, SLICE("(unknown)"));
}

/* False also when the heap is empty. */
static bool own_file(struct shaping *shaping, struct string_index of_answer, struct string_index *file)
{
    *file = string_exists(of_answer) ? own_string(shaping, of_answer) : STRING_NONE;
    return string_exists(*file) == string_exists(of_answer);
}

static uint32_t line_of(uint32_t line)
{
    return line > 0 ? line : INDEX_NONE;
}

/* The calls that were inlined at a frame, from the outermost one on. */
static bool shape_inlines(struct shaping *shaping, uint32_t frame, const struct symbol_answer *answer, uint32_t old_func)
{
    struct shape *shape = shaping->shape;
    struct expansion expansion = {(uint32_t)shape->calls.count, 1};
    if (shape->calls.count > UINT32_MAX - 1 - answer->inline_count || !vec_push(&shape->calls, frame))
        return false;
    for (uint32_t depth = 1; depth <= answer->inline_count; depth++) {
        const struct symbol_call *call =
            &shaping->module->answers.inlines.items[answer->first_inline + answer->inline_count - depth];
        struct string_index file;
        if (!own_file(shaping, call->file, &file))
            return false;
        uint32_t func = func_of_key(shaping, call_name(shaping, call->function), file, old_func);
        uint32_t row = func == INDEX_NONE ? INDEX_NONE : next_frame(shaping);
        if (row == INDEX_NONE || !vec_push(&shape->calls, row))
            return false;
        shape->frames.items[row] = (struct shaped_frame){
            .origin = frame,
            .func = func,
            .native_symbol = shape->frames.items[frame].native_symbol,
            .line = line_of(call->line),
            .inline_depth = depth,
            .is_shaped = true,
        };
        expansion.count++;
    }
    shape->expansions[frame] = expansion;
    return true;
}

/* The name that a frame came with and keeps; STRING_NONE for one that an answer names. */
static struct string_index kept_name(const struct shaping *shaping, uint32_t frame)
{
    const struct raw_tables *raw = &shaping->symbolication->raw;
    struct string_index name = func_name(&raw->funcs, frame_func(&raw->frames, frame_at(frame)));
    bool is_kept =
        shaping->symbolication->keeps_names && given_name_is_one(profile_text(shaping->symbolication->profile, name));
    return is_kept ? name : STRING_NONE;
}

/* The file of the answer, unless the frame came with one. False when the heap is empty. */
static bool kept_file(struct shaping *shaping, uint32_t frame, struct string_index of_answer, struct string_index *file)
{
    const struct raw_tables *raw = &shaping->symbolication->raw;
    struct source_index source = func_table_get(&raw->funcs, frame_func(&raw->frames, frame_at(frame))).source;
    *file = source_exists(source) ? shaping->shape->sources.items[source.i].filename : STRING_NONE;
    return string_exists(*file) || own_file(shaping, of_answer, file);
}

static bool shape_frame(struct shaping *shaping, size_t index)
{
    struct shape *shape = shaping->shape;
    uint32_t frame = shaping->module->frames[index], row = shaping->module->rows[index];
    uint32_t old_func = shape->frames.items[frame].func, line = shape->frames.items[frame].line;
    const struct symbol_answer *answer = row == INDEX_NONE ? NULL : &shaping->module->answers.rows.items[row];
    struct string_index name = kept_name(shaping, frame), file = STRING_NONE;
    if (answer && string_exists(name)) {
        line = line == INDEX_NONE ? line_of(answer->outer.line) : line;
        if (!kept_file(shaping, frame, answer->outer.file, &file))
            return false;
    } else if (answer) {
        name = call_name(shaping, string_exists(answer->outer.function) ? answer->outer.function : answer->symbol);
        line = line_of(answer->outer.line);
        if (!own_file(shaping, answer->outer.file, &file))
            return false;
    } else {
        uint32_t source = shape->funcs.items[old_func].source;
        name = shape->native_symbols.items[shape->frames.items[frame].native_symbol].name;
        file = source == INDEX_NONE ? STRING_NONE : shape->sources.items[source].filename;
    }
    uint32_t func = func_of_key(shaping, name, file, old_func);
    if (func == INDEX_NONE)
        return false;
    shape->frames.items[frame].func = func;
    shape->frames.items[frame].line = line;
    shape->frames.items[frame].is_shaped = true;
    bool has_inlines = answer && answer->inline_count > 0 && !is_marked(shaping, row);
    return !has_inlines || shape_inlines(shaping, frame, answer, old_func);
}

/* An inlined call that came with the profile: the row of its func may be wanted by others. */
static bool shape_inlined(struct shaping *shaping, uint32_t frame)
{
    const struct raw_tables *raw = &shaping->symbolication->raw;
    struct shaped_frame *shaped = &shaping->shape->frames.items[frame];
    struct func_index old = frame_func(&raw->frames, frame_at(frame));
    struct string_index file;
    if (!kept_file(shaping, frame, STRING_NONE, &file))
        return false;
    shaped->func = func_of_key(shaping, func_name(&raw->funcs, old), file, old.i);
    shaped->is_shaped = true;
    return shaped->func != INDEX_NONE;
}

/* Calls that were inlined by answers of old give their rows back. Those that came with the profile's own names stay as they
 * are: the answers for their addresses are marked, so that nothing is inlined there twice. */
static bool take_inlined(struct shaping *shaping)
{
    const struct symbol_module *module = shaping->module;
    for (size_t i = 0; i < module->frame_count; i++) {
        uint32_t frame = module->frames[i];
        if (!is_inlined(shaping, frame))
            continue;
        if (shaping->symbolication->keeps_names) {
            if (module->rows[i] != INDEX_NONE && !map_insert(&shaping->marked, hash_u64(module->rows[i]), module->rows[i]))
                return false;
            continue;
        }
        if (!vec_push(&shaping->free_frames, frame))
            return false;
        shaping->shape->expansions[frame].count = 0;
    }
    return true;
}

static bool shape_frames(struct shaping *shaping)
{
    const struct symbol_module *module = shaping->module;
    if (!take_inlined(shaping))
        return false;
    for (size_t i = 0; i < module->frame_count; i++) {
        uint32_t frame = module->frames[i];
        if (!is_inlined(shaping, frame) ? !shape_frame(shaping, i)
                                        : shaping->symbolication->keeps_names && !shape_inlined(shaping, frame))
            return false;
    }
    return true;
}

/* ---- the whole ---- */

static bool shape_start(const struct symbolication *symbolication, struct shape *shape)
{
    const struct raw_tables *raw = &symbolication->raw;
    size_t frames = frame_count(&raw->frames), funcs = func_count(&raw->funcs),
           symbols = native_symbol_count(&raw->native_symbols);
    shape->expansions = memory_array(frames + 1, sizeof *shape->expansions);
    if (!shape->expansions || !vec_reserve(&shape->frames, frames + 1) || !vec_reserve(&shape->calls, frames + 1) ||
        !vec_reserve(&shape->funcs, funcs + 1) || !vec_reserve(&shape->native_symbols, symbols + 1) ||
        !vec_reserve(&shape->sources, raw->source_count + 1))
        return false;
    for (uint32_t i = 0; i < frames; i++) {
        shape->expansions[i] = (struct expansion){i, 1};
        shape->calls.items[i] = i;
        shape->frames.items[i] = (struct shaped_frame){
            .origin = i,
            .func = column_get_index(&raw->frames.func, i),
            .native_symbol = column_get_index(&raw->frames.native_symbol, i),
            .line = column_get_index(&raw->frames.line, i),
            .inline_depth = (uint32_t)column_get(&raw->frames.inline_depth, i),
        };
    }
    for (uint32_t i = 0; i < funcs; i++)
        shape->funcs.items[i] = (struct shaped_func){
            .name = column_get_index(&raw->funcs.name, i),
            .source = column_get_index(&raw->funcs.source, i),
            .origin = i,
            .resource = column_get_index(&raw->funcs.resource, i),
        };
    for (uint32_t i = 0; i < symbols; i++)
        shape->native_symbols.items[i] = native_symbol_get(&raw->native_symbols, native_symbol_at(i));
    for (size_t i = 0; i < raw->source_count; i++)
        shape->sources.items[i] = symbolication->profile->sources.rows.items[i];
    shape->frames.count = shape->calls.count = frames;
    shape->funcs.count = funcs;
    shape->native_symbols.count = symbols;
    shape->sources.count = raw->source_count;
    return true;
}

static bool shape_module(struct shaping *shaping, uint32_t module)
{
    shaping->module = &shaping->symbolication->modules[module];
    shaping->lib = lib_at(module);
    shaping->next_func = shaping->next_frame = 0;
    shaping->starts.count = shaping->free_frames.count = 0;
    map_free(&shaping->symbol_of_start);
    map_free(&shaping->func_of_key);
    map_free(&shaping->marked);
    return shape_symbols(shaping) && shape_frames(shaping);
}

bool shape_build(struct symbolication *symbolication, struct shape *shape)
{
    struct shaping shaping = {.symbolication = symbolication, .shape = shape};
    bool done = shape_start(symbolication, shape);
    for (uint32_t m = 0; done && m < symbolication->module_count; m++)
        if (symbolication->modules[m].has_answers)
            done = shape_module(&shaping, m);
    map_free(&shaping.symbol_of_start);
    map_free(&shaping.func_of_key);
    map_free(&shaping.marked);
    map_free(&shaping.source_of_file);
    vec_free(&shaping.starts);
    vec_free(&shaping.free_frames);
    return done;
}

void shape_free(struct shape *shape)
{
    vec_free(&shape->frames);
    vec_free(&shape->funcs);
    vec_free(&shape->native_symbols);
    vec_free(&shape->sources);
    vec_free(&shape->calls);
    memory_release(shape->expansions);
    shape->expansions = NULL;
}
