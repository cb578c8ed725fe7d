#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/text_profile.h"

#include <stdio.h>

enum { MAX_COLUMNS = 200, MAX_ROWS = 100 };

/* The text as a grid. */
struct drawing {
    struct slice rows[MAX_ROWS];
    size_t row_count;
    size_t starts[MAX_COLUMNS];
    size_t column_count;
};

static struct slice trim(struct slice text)
{
    while (text.length > 0 && text.text[text.length - 1] == ' ')
        text.length--;
    while (text.length > 0 && text.text[0] == ' ')
        text = slice_from(text, 1);
    return text;
}

static void drawing_read(struct drawing *drawing, const char *text)
{
    *drawing = (struct drawing){0};
    while (*text != '\0') {
        struct slice row = {text, strcspn(text, "\n")};
        text += row.length + (text[row.length] == '\n');
        if (trim(row).length == 0)
            continue;
        assert_true(drawing->row_count < MAX_ROWS);
        drawing->rows[drawing->row_count++] = row;
    }
    if (drawing->row_count == 0)
        return;
    struct slice first = drawing->rows[0];
    for (size_t i = 0; i < first.length; i++) {
        bool starts = first.text[i] != ' ' && (i == 0 || (first.text[i - 1] == ' ' && (i == 1 || first.text[i - 2] == ' ')));
        if (!starts)
            continue;
        assert_true(drawing->column_count < MAX_COLUMNS);
        drawing->starts[drawing->column_count++] = i;
    }
}

/* Empty where the row is too short. */
static struct slice drawing_cell(const struct drawing *drawing, size_t row, size_t column)
{
    struct slice text = drawing->rows[row];
    size_t start = drawing->starts[column];
    size_t end = column + 1 < drawing->column_count ? drawing->starts[column + 1] : text.length;
    if (start >= text.length)
        return SLICE("");
    return trim((struct slice){text.text + start, (end < text.length ? end : text.length) - start});
}

static bool first_row_is_times(const struct drawing *drawing)
{
    for (size_t i = 0; i < drawing->column_count; i++) {
        struct slice cell = drawing_cell(drawing, 0, i);
        for (size_t k = 0; k < cell.length; k++)
            if (cell.text[k] < '0' || cell.text[k] > '9')
                return false;
    }
    return drawing->column_count > 0;
}

/* ---- cells ---- */

struct cell {
    struct slice name, category, lib, file, symbol; /* empty = none */
    uint32_t line;                                  /* INDEX_NONE = none */
    int64_t address;                                /* COLUMN_ABSENT = none */
    uint32_t inline_depth;
};

static uint64_t parse_number(struct slice text, int base)
{
    char copy[32], *end;
    assert_true(text.length > 0 && text.length < sizeof copy);
    snprintf(copy, sizeof copy, "%.*s", (int)text.length, text.text);
    uint64_t number = strtoull(copy, &end, base);
    assert_true(*end == '\0');
    return number;
}

static void parse_modifier(struct cell *cell, struct slice key, struct slice value)
{
    if (slice_is(key, "cat"))
        cell->category = value;
    else if (slice_is(key, "lib"))
        cell->lib = value;
    else if (slice_is(key, "file"))
        cell->file = value;
    else if (slice_is(key, "sym"))
        cell->symbol = value;
    else if (slice_is(key, "line"))
        cell->line = (uint32_t)parse_number(value, 10);
    else if (slice_is(key, "address"))
        cell->address = (int64_t)parse_number(value, 16);
    else if (slice_is(key, "inl"))
        cell->inline_depth = (uint32_t)parse_number(value, 10);
    else
        fail_msg("there is no modifier [%.*s:]", (int)key.length, key.text);
}

static struct cell parse_cell(struct slice text)
{
    struct cell cell = {.line = INDEX_NONE, .address = COLUMN_ABSENT};
    const char *open = memchr(text.text, '[', text.length);
    cell.name = open ? slice_until(text, (size_t)(open - text.text)) : text;
    if (slice_starts_with(cell.name, SLICE("0x")))
        cell.address = (int64_t)parse_number(slice_from(cell.name, 2), 16);
    for (text = slice_from(text, cell.name.length); text.length > 0;) {
        const char *colon = memchr(text.text, ':', text.length), *close = memchr(text.text, ']', text.length);
        assert_true(text.text[0] == '[' && colon && close && colon < close);
        parse_modifier(&cell, (struct slice){text.text + 1, (size_t)(colon - text.text) - 1},
                       (struct slice){colon + 1, (size_t)(close - colon) - 1});
        text = slice_from(text, (size_t)(close - text.text) + 1);
    }
    return cell;
}

/* ---- rows of the tables, each found again if it is there already ---- */

static struct string_index add_string(struct profile *profile, struct slice text)
{
    struct string_index string = string_table_add(&profile->strings, text);
    assert_true(string_exists(string));
    return string;
}

static struct lib_index add_lib(struct profile *profile, struct slice name)
{
    char path[200];
    int length = snprintf(path, sizeof path, "/path/to/%.*s", (int)name.length, name.text);
    struct lib lib = {.name = add_string(profile, name),
                      .path = add_string(profile, (struct slice){path, (size_t)length}),
                      .breakpad_id = add_string(profile, SLICE("SOMETHING_FAKE")),
                      .code_id = STRING_NONE,
                      .arch = add_string(profile, SLICE(""))};
    lib.debug_name = lib.name;
    lib.debug_path = lib.path;
    struct lib_index index = lib_table_add(&profile->libs, &lib);
    assert_true(lib_exists(index));
    return index;
}

static struct native_symbol_index add_symbol(struct profile *profile, struct lib_index lib, struct slice text)
{
    const char *first = memchr(text.text, ':', text.length);
    const char *second = first ? memchr(first + 1, ':', (size_t)(text.text + text.length - first) - 1) : NULL;
    assert_non_null(second);
    struct slice size = {second + 1, (size_t)(text.text + text.length - second) - 1};
    struct native_symbol symbol = {
        .lib = lib,
        .address = parse_number((struct slice){first + 1, (size_t)(second - first) - 1}, 16),
        .name = add_string(profile, slice_until(text, (size_t)(first - text.text))),
        .size = size.length > 0 ? (int64_t)parse_number(size, 16) : COLUMN_ABSENT,
    };
    for (size_t i = 0; i < native_symbol_count(&profile->native_symbols); i++) {
        struct native_symbol known = native_symbol_get(&profile->native_symbols, native_symbol_at(i));
        if (lib_same(known.lib, symbol.lib) && known.address == symbol.address && string_same(known.name, symbol.name))
            return native_symbol_at(i);
    }
    return native_symbol_append(&profile->native_symbols, &symbol);
}

static struct func_index add_func(struct profile *profile, const struct cell *cell)
{
    struct func func = {
        .name = add_string(profile, cell->name),
        .is_js = slice_ends_with(cell->name, SLICE("js")),
        .relevant_for_js = slice_ends_with(cell->name, SLICE("-relevantForJS")),
        .resource = resource_none(),
        .source = source_none(),
        .line = INDEX_NONE,
        .column = INDEX_NONE,
        .original_location = location_none(),
    };
    if (cell->lib.length > 0) {
        struct resource resource = {add_string(profile, cell->lib), STRING_NONE, RESOURCE_LIBRARY};
        func.resource = resource_table_add(&profile->resources, &resource);
    }
    if (cell->file.length > 0) {
        struct source source = {STRING_NONE, add_string(profile, cell->file), 1, 1, STRING_NONE, STRING_NONE};
        func.source = source_table_add(&profile->sources, &source);
    }
    return func_table_add(&profile->funcs, &func);
}

static bool same_frame(const struct frame *a, const struct frame *b)
{
    return func_same(a->func, b->func) && category_same(a->category, b->category) && a->line == b->line &&
           a->address == b->address && a->inline_depth == b->inline_depth &&
           native_symbol_same(a->native_symbol, b->native_symbol);
}

static struct frame_index add_frame(struct profile *profile, const struct cell *cell)
{
    struct slice category = cell->category;
    if (category.length == 0 && slice_ends_with(cell->name, SLICE("js")))
        category = SLICE("JavaScript");
    struct frame frame = {
        .address = cell->address,
        .lib = cell->lib.length > 0 ? add_lib(profile, cell->lib) : lib_none(),
        .inline_depth = cell->inline_depth,
        .category = category_none(),
        .subcategory = 0,
        .func = add_func(profile, cell),
        .native_symbol = native_symbol_none(),
        .implementation = STRING_NONE,
        .line = cell->line,
        .column = INDEX_NONE,
        .original_location = location_none(),
    };
    if (category.length > 0) {
        frame.category = category_list_find(&profile->categories, &profile->strings, category);
        assert_true(category_exists(frame.category));
    }
    if (cell->symbol.length > 0)
        frame.native_symbol = add_symbol(profile, frame.lib, cell->symbol);
    for (size_t i = 0; i < frame_count(&profile->frames); i++) {
        struct frame known = frame_table_get(&profile->frames, frame_at(i));
        if (same_frame(&known, &frame))
            return frame_at(i);
    }
    return frame_table_append(&profile->frames, &frame);
}

static struct stack_index add_stack(struct profile *profile, struct stack_index prefix, struct frame_index frame)
{
    for (size_t i = 0; i < stack_count(&profile->stacks); i++)
        if (stack_same(stack_prefix(&profile->stacks, stack_at(i)), prefix) &&
            frame_same(stack_frame(&profile->stacks, stack_at(i)), frame))
            return stack_at(i);
    return stack_table_append(&profile->stacks, prefix, frame);
}

/* ---- the profile ---- */

void text_profile_open(struct profile *profile)
{
    profile_init(profile);
    assert_true(category_list_add_default(&profile->categories, &profile->strings));
    profile->meta.symbolicated = true;
    profile->meta.product = add_string(profile, SLICE("Firefox"));
}

struct thread *text_profile_add_thread(struct profile *profile, const char *samples)
{
    struct drawing drawing;
    drawing_read(&drawing, samples);
    bool has_times = first_row_is_times(&drawing);
    struct thread *thread = profile_add_thread(profile);
    assert_non_null(thread);
    thread->name = add_string(profile, SLICE("Empty"));
    thread->process_type = add_string(profile, SLICE("default"));
    thread->pid = thread->tid = add_string(profile, SLICE("0"));
    for (size_t column = 0; column < drawing.column_count; column++) {
        struct stack_index stack = stack_none();
        for (size_t row = has_times; row < drawing.row_count; row++) {
            struct slice text = drawing_cell(&drawing, row, column);
            if (text.length == 0)
                break;
            struct cell cell = parse_cell(text);
            stack = add_stack(profile, stack, add_frame(profile, &cell));
        }
        column_append_index(&thread->samples.stack, stack.i);
        column_append_number(&thread->samples.time,
                             has_times ? (double)parse_number(drawing_cell(&drawing, 0, column), 10) : (double)column);
    }
    return thread;
}

void text_profile(struct profile *profile, const char *samples)
{
    struct error error = {0};
    text_profile_open(profile);
    text_profile_add_thread(profile, samples);
    if (profile_finish(profile, &error) != 0)
        fail_msg("%s", error.message);
}
