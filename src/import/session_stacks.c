#include "import/session_state.h"

#include <inttypes.h>
#include <stdio.h>

/* Stands for the oldest frames where they are missing. */
static const struct slice truncated_name = {"(truncated stack)", sizeof "(truncated stack)" - 1};

/* ---- frames of the session ---- */

static uint64_t hash_of(const struct session_frame *frame)
{
    if (frame->kind == FRAME_NATIVE)
        return hash_combine(hash_combine(frame->address, frame->module), frame->code);
    if (frame->kind == FRAME_NUMBERED)
        return hash_combine(hash_combine(frame->address, frame->code), (uint64_t)frame->position << 8 | frame->tier);
    uint64_t place = (uint64_t)frame->line << 32 | frame->column;
    uint64_t meaning = (uint64_t)frame->category << 32 | frame->subcategory;
    return hash_combine(hash_combine((uint64_t)frame->text.i << 32 | frame->file.i, place), meaning);
}

static bool same_frame(const struct session_frame *a, const struct session_frame *b)
{
    return a->kind == b->kind && a->module == b->module && a->address == b->address && string_same(a->text, b->text) &&
           string_same(a->file, b->file) && a->line == b->line && a->column == b->column && a->category == b->category &&
           a->subcategory == b->subcategory && a->relevant_for_js == b->relevant_for_js && a->code == b->code &&
           a->code_before == b->code_before && a->position == b->position && a->tier == b->tier;
}

/* The row of the frame; INDEX_NONE when the heap is empty. */
static uint32_t intern_frame(struct session_process *process, const struct session_frame *frame)
{
    uint64_t hash = hash_of(frame);
    uint32_t row;
    for (struct map_probe probe = map_probe(&process->frame_of_key, hash); map_probe_next(&probe, &row);)
        if (same_frame(&process->frames.items[row], frame))
            return row;
    row = (uint32_t)process->frames.count;
    if (row >= INDEX_NONE - 1 || !vec_push(&process->frames, *frame))
        return INDEX_NONE;
    return map_insert(&process->frame_of_key, hash, row) ? row : INDEX_NONE;
}

static uint32_t read_frame(struct session_import *import, const struct frame_entry *entry, uint64_t time)
{
    struct session_frame frame = {
        .kind = entry->kind,
        .module = INDEX_NONE,
        .code = INDEX_NONE,
        .code_before = INDEX_NONE,
        .text = STRING_NONE,
        .file = STRING_NONE,
        .as_caller = INDEX_NONE,
        .as_youngest = INDEX_NONE,
        .as_idle = INDEX_NONE,
    };
    const struct code_index *code = &import->process.code;
    if (entry->kind == FRAME_NUMBERED) {
        struct code_place place = code_index_frame(code, entry, time);
        frame.address = place.row == INDEX_NONE ? entry->address : 0;
        frame.code = place.row;
        frame.position = place.offset;
        frame.tier = entry->tier;
    } else if (entry->kind == FRAME_NATIVE) {
        frame.address = entry->address;
        frame.code = code_index_at(code, entry->address, time);
        frame.code_before = entry->address > 0 ? code_index_at(code, entry->address - 1, time) : INDEX_NONE;
        /* A call can be the last thing in a module: the return address is behind it then. */
        frame.module = session_find_module(import, entry->address, time);
        if (frame.module == INDEX_NONE && entry->address > 0)
            frame.module = session_find_module(import, entry->address - 1, time);
    } else {
        frame.relevant_for_js = entry->relevant_for_js;
        frame.text = session_text(import, entry->text);
        frame.file = session_text(import, entry->file);
        frame.line = entry->line;
        frame.column = entry->column;
        frame.category = entry->category;
        frame.subcategory = entry->subcategory;
        if (!string_exists(frame.text) || !string_exists(frame.file))
            return INDEX_NONE;
    }
    return intern_frame(&import->process, &frame);
}

/* ---- frames of the profile ---- */

static struct frame plain_frame(void)
{
    return (struct frame){
        .address = COLUMN_ABSENT,
        .lib = lib_none(),
        .category = category_none(),
        .subcategory = INDEX_NONE,
        .func = func_none(),
        .native_symbol = native_symbol_none(),
        .implementation = STRING_NONE,
        .line = INDEX_NONE,
        .column = INDEX_NONE,
        .original_location = location_none(),
    };
}

static struct func plain_func(struct string_index name)
{
    return (struct func){
        .name = name,
        .resource = resource_none(),
        .source = source_none(),
        .line = INDEX_NONE,
        .column = INDEX_NONE,
        .original_location = location_none(),
    };
}

static struct string_index address_text(struct session_import *import, uint64_t address)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    return session_text(import, slice_of(text));
}

static bool same_row(const struct shared_frame *a, const struct shared_frame *b)
{
    return a->func == b->func && a->address == b->address && a->place == b->place && a->meaning == b->meaning;
}

/* The row of the frame, which processes share: most of what they run is in the same libraries. */
static uint32_t share_frame(struct session_import *import, const struct frame *frame)
{
    struct shared_frame shared = {
        .func = frame->func.i,
        .address = frame->address,
        .place = (uint64_t)frame->line << 32 | frame->column,
        .meaning = (uint64_t)frame->category.i << 32 | frame->subcategory,
    };
    uint64_t hash =
        hash_combine(hash_combine(shared.func, (uint64_t)shared.address), hash_combine(shared.place, shared.meaning));
    uint32_t row;
    for (struct map_probe probe = map_probe(&import->frame_of_content, hash); map_probe_next(&probe, &row);)
        if (same_row(&import->shared_frames.items[row], &shared))
            return import->shared_frames.items[row].row;
    shared.row = frame_table_append(&import->profile->frames, frame).i;
    row = (uint32_t)import->shared_frames.count;
    if (shared.row == INDEX_NONE || !vec_push(&import->shared_frames, shared) ||
        !map_insert(&import->frame_of_content, hash, row))
        return INDEX_NONE;
    return shared.row;
}

static uint32_t share_frame_of(struct session_import *import, const struct func *func, struct frame *frame)
{
    if (!string_exists(func->name))
        return INDEX_NONE;
    frame->func = func_table_add(&import->profile->funcs, func);
    return func_exists(frame->func) ? share_frame(import, frame) : INDEX_NONE;
}

/* Each address of a library has a func of its own, so that symbols can make of it what they want. */
static struct func_index func_of_address(struct session_import *import, const struct session_module *module, uint64_t address)
{
    uint64_t hash = hash_combine(address, module->lib.i);
    uint32_t row;
    for (struct map_probe probe = map_probe(&import->func_of_address, hash); map_probe_next(&probe, &row);) {
        const struct native_func *known = &import->native_funcs.items[row];
        if (known->address == address && lib_same(known->lib, module->lib))
            return known->func;
    }
    struct func func = plain_func(address_text(import, address));
    func.resource = module->resource;
    struct native_func native = {module->lib, address, func_at(func_count(&import->profile->funcs))};
    if (!string_exists(func.name) || !map_insert(&import->func_of_address, hash, (uint32_t)import->native_funcs.count) ||
        !vec_push(&import->native_funcs, native))
        return func_none();
    return func_table_append(&import->profile->funcs, &func);
}

/* In code that a runtime told of. */
static uint32_t make_code(struct session_import *import, uint32_t row, uint64_t offset, enum frame_tier tier,
                          struct category_index category)
{
    struct frame frame = plain_frame();
    if (!session_code_frame(import, row, offset, tier, &frame))
        return INDEX_NONE;
    if (category_exists(category)) {
        frame.category = category;
        frame.subcategory = 0;
    }
    frame.func = session_code_func(import, &import->process.code.rows.items[row]);
    return func_exists(frame.func) ? share_frame(import, &frame) : INDEX_NONE;
}

static uint32_t make_numbered(struct session_import *import, const struct session_frame *from, struct category_index category)
{
    if (from->code != INDEX_NONE)
        return make_code(import, from->code, from->position, from->tier, category);
    struct frame frame = plain_frame();
    struct func func = plain_func(address_text(import, from->address));
    frame.category = category;
    frame.subcategory = category_exists(category) ? 0 : INDEX_NONE;
    return share_frame_of(import, &func, &frame);
}

static uint32_t make_native(struct session_import *import, const struct session_frame *from, uint64_t address,
                            struct category_index category)
{
    uint32_t code = address == from->address ? from->code : from->code_before;
    if (code != INDEX_NONE)
        return make_code(import, code, address - import->process.code.rows.items[code].start, TIER_NONE, category);
    struct frame frame = plain_frame();
    frame.category = category_exists(category) ? category : session_native_category(import);
    frame.subcategory = category_exists(frame.category) ? 0 : INDEX_NONE;
    struct session_module *module;
    if (from->module != INDEX_NONE)
        module = &import->process.modules.rows.items[from->module];
    else if (!session_jit(import, &module))
        return INDEX_NONE;
    if (!module) {
        struct func func = plain_func(address_text(import, address));
        return share_frame_of(import, &func, &frame);
    }
    if (!session_use_module(import, module))
        return INDEX_NONE;
    uint64_t relative = address - module_image_base(module->start);
    frame.lib = module->lib;
    frame.address = relative <= INT64_MAX ? (int64_t)relative : COLUMN_ABSENT;
    frame.func = func_of_address(import, module, relative);
    return func_exists(frame.func) ? share_frame(import, &frame) : INDEX_NONE;
}

/* Of a label, or of a language runtime. */
static uint32_t make_named(struct session_import *import, const struct session_frame *from, struct category_index category)
{
    struct profile *profile = import->profile;
    struct frame frame = plain_frame();
    struct func func = plain_func(from->text);
    frame.subcategory = from->subcategory;
    frame.category = session_category(import, from->category, &frame.subcategory);
    if (category_exists(category)) {
        frame.category = category;
        frame.subcategory = 0;
    }
    if (from->kind == FRAME_RUNTIME) {
        import->any_runtime_frame = true;
        func.is_js = true;
        frame.line = from->line > 0 ? from->line : INDEX_NONE;
        frame.column = from->column > 0 ? from->column : INDEX_NONE;
        struct source source = {STRING_NONE, from->file, 1, 1, STRING_NONE, STRING_NONE};
        if (profile_text(profile, from->file).length > 0) {
            func.source = source_table_add(&profile->sources, &source);
            func.resource = location_script_resource(&import->locations, profile_text(profile, from->file));
            if (!source_exists(func.source) || !resource_exists(func.resource))
                return INDEX_NONE;
        }
    } else {
        func.relevant_for_js = from->relevant_for_js;
    }
    return share_frame_of(import, &func, &frame);
}

/* The row of the profile's frames. Return addresses are those behind the call; a byte before them is the call itself. */
static uint32_t frame_row(struct session_import *import, uint32_t index, enum stack_end end)
{
    struct session_frame *frame = &import->process.frames.items[index];
    bool native = frame->kind == FRAME_NATIVE;
    uint32_t *row = end == END_IDLE ? &frame->as_idle : native && end == END_AT_PC ? &frame->as_youngest : &frame->as_caller;
    if (*row == INDEX_NONE) {
        struct category_index category = category_none();
        if (end == END_IDLE) {
            category = session_named_category(import, SLICE("Idle"), SLICE("transparent"));
            if (!category_exists(category))
                return INDEX_NONE;
        }
        uint64_t address = frame->address - (end == END_AT_CALL && frame->address > 0);
        if (native)
            *row = make_native(import, frame, address, category);
        else if (frame->kind == FRAME_NUMBERED)
            *row = make_numbered(import, frame, category);
        else
            *row = make_named(import, frame, category);
    }
    return *row;
}

/* ---- stacks ---- */

bool session_read_path(struct session_import *import, struct stack_path *path, uint32_t shared,
                       const struct frames_slice *frames, bool truncated, uint64_t time, bool *bad)
{
    struct frame_reader reader;
    struct frame_entry entry;
    if (truncated != path->truncated)
        for (size_t i = 0; i < path->steps.count; i++)
            path->steps.items[i].caller = INDEX_NONE;
    path->truncated = truncated;
    path->steps.count = shared;
    frame_reader_init(&reader, frames);
    while (frame_reader_next(&reader, &entry)) {
        struct path_step step = {read_frame(import, &entry, time), INDEX_NONE};
        if (step.frame == INDEX_NONE || !vec_push(&path->steps, step))
            return false;
    }
    *bad = reader.left > 0;
    return true;
}

static uint32_t truncated_row(struct session_import *import)
{
    struct session_frame frame = {
        .kind = FRAME_LABEL,
        .module = INDEX_NONE,
        .code = INDEX_NONE,
        .code_before = INDEX_NONE,
        .text = session_text(import, truncated_name),
        .file = import->no_text,
        .as_caller = INDEX_NONE,
        .as_youngest = INDEX_NONE,
        .as_idle = INDEX_NONE,
    };
    uint32_t index = string_exists(frame.text) ? intern_frame(&import->process, &frame) : INDEX_NONE;
    uint32_t row = index == INDEX_NONE ? INDEX_NONE : frame_row(import, index, END_AT_CALL);
    return row == INDEX_NONE ? INDEX_NONE : stack_builder_add(&import->stacks, INDEX_NONE, row);
}

/* Labels can be younger than the youngest frame of native code, which is the one at the pc all the same. */
static size_t youngest_native(const struct session_process *process, const struct stack_path *path)
{
    size_t i = path->steps.count;
    while (i > 0 && process->frames.items[path->steps.items[i - 1].frame].kind != FRAME_NATIVE)
        i--;
    return i > 0 ? i - 1 : path->steps.count;
}

/* Frames below the one at the pc are callers, and what they become is kept for the next stack that shares them. */
bool session_stack_of_path(struct session_import *import, struct stack_path *path, enum stack_end end, uint32_t *stack)
{
    size_t count = path->steps.count, pc = end == END_AT_CALL ? count : youngest_native(&import->process, path);
    uint32_t row = INDEX_NONE;
    *stack = INDEX_NONE;
    if (count == 0)
        return true;
    if (path->truncated) {
        row = truncated_row(import);
        if (row == INDEX_NONE)
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct path_step *step = &path->steps.items[i];
        bool is_idle = end == END_IDLE && i + 1 == count, is_caller = i < pc && !is_idle;
        if (is_caller && step->caller != INDEX_NONE) {
            row = step->caller;
            continue;
        }
        uint32_t frame = frame_row(import, step->frame, is_idle ? END_IDLE : i == pc ? END_AT_PC : END_AT_CALL);
        row = frame == INDEX_NONE ? INDEX_NONE : stack_builder_add(&import->stacks, row, frame);
        if (row == INDEX_NONE)
            return false;
        if (is_caller)
            step->caller = row;
    }
    *stack = row;
    return true;
}

bool session_read_stack(struct session_import *import, struct stack_path *path, const struct stack_part *part, uint64_t time,
                        enum stack_end end, uint32_t *stack)
{
    struct session_process *process = &import->process;
    size_t known = path->chunk == process->chunk ? path->steps.count : 0;
    bool bad = part->shared > known;
    *stack = INDEX_NONE;
    /* One without frames (the thread ran, or its stack could not be read) says nothing of the one before. */
    if (part->shared == 0 && part->frames.count == 0)
        return true;
    path->chunk = process->chunk;
    if (!bad && !session_read_path(import, path, part->shared, &part->frames, part->truncated, time, &bad))
        return false;
    if (bad) {
        import->quality.bad_entries++;
        path->steps.count = 0;
        return true;
    }
    return session_stack_of_path(import, path, end, stack);
}

bool session_stack_with(struct session_import *import, uint32_t prefix, uint32_t *frame, struct slice name,
                        struct category_index category, uint32_t *stack)
{
    if (*frame == INDEX_NONE) {
        struct frame made = plain_frame();
        struct func func = plain_func(session_text(import, name));
        made.category = category;
        made.subcategory = 0;
        *frame = category_exists(category) ? share_frame_of(import, &func, &made) : INDEX_NONE;
    }
    *stack = *frame == INDEX_NONE ? INDEX_NONE : stack_builder_add(&import->stacks, prefix, *frame);
    return *stack != INDEX_NONE;
}

bool session_stack_of_mapping(struct session_import *import, uint32_t *stack)
{
    struct category_index category = category_none();
    if (import->mapped_frame == INDEX_NONE) {
        category = session_named_category(import, SLICE("Mapped"), SLICE("brown"));
        if (!category_exists(category))
            return false;
    }
    return session_stack_with(import, *stack, &import->mapped_frame, SLICE("(mapped memory)"), category, stack);
}
