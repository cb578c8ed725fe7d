#include "export/gecko_stacks.h"

#include "common/number_text.h"
#include "export/gecko_categories.h"
#include "export/gecko_table.h"

#include <errno.h>

enum { MOST_ROWS = INDEX_NONE - 1 };

/* ---- frames ---- */

/* A frame of a language runtime is told from native ones by the shape `name (file:line:column)`. The place there is that of the
 * function, which is part of its identity; 0 where nobody said it. The line that ran has a column of its own. */
static struct slice script_location(struct text_buffer *text, struct slice name, struct slice file, uint32_t line,
                                    uint32_t column)
{
    char number[24];
    text_cut(text, 0);
    text_add(text, name);
    text_add(text, name.length > 0 ? SLICE(" (") : SLICE(""));
    text_add(text, file);
    text_add_char(text, ':');
    text_add(text, (struct slice){number, integer_text(line, number)});
    if (column > 0) {
        text_add_char(text, ':');
        text_add(text, (struct slice){number, integer_text(column, number)});
    }
    text_add(text, name.length > 0 ? SLICE(")") : SLICE(""));
    return text_slice(text);
}

static struct slice frame_location(struct gecko_stacks *stacks, const struct frame_entry *frame)
{
    if (frame->kind != FRAME_RUNTIME || frame->file.length == 0)
        return frame->text;
    return script_location(&stacks->scratch, frame->text, frame->file, 0, 0);
}

static struct slice code_location(struct gecko_stacks *stacks, const struct known_code *code)
{
    struct slice name = string_table_get(&stacks->code->strings, code->name);
    struct slice file = string_table_get(&stacks->code->strings, code->file);
    if (name.length == 0)
        name = SLICE("(anonymous)");
    return file.length > 0 ? script_location(&stacks->scratch, name, file, code->line, code->column) : name;
}

static uint64_t frame_hash(const struct gecko_frame *frame)
{
    uint64_t place = (uint64_t)frame->line << 32 | frame->column;
    uint64_t category = (uint64_t)frame->category << 32 | frame->subcategory;
    uint64_t how = (uint64_t)frame->implementation << 8 | frame->runtime;
    return hash_combine(hash_combine(frame->location * 2u + frame->relevant_for_js, place), hash_combine(category, how));
}

static bool frame_equal(const struct gecko_frame *a, const struct gecko_frame *b)
{
    return a->native == b->native && a->idle == b->idle && a->location == b->location &&
           a->relevant_for_js == b->relevant_for_js && a->line == b->line && a->column == b->column &&
           a->category == b->category && a->subcategory == b->subcategory && a->implementation == b->implementation &&
           a->runtime == b->runtime;
}

static bool find_row(struct gecko_stacks *stacks, const struct gecko_frame *frame, uint32_t *row)
{
    uint64_t hash = frame_hash(frame);
    for (struct map_probe probe = map_probe(&stacks->frame_rows, hash); map_probe_next(&probe, row);)
        if (frame_equal(&stacks->frames.items[*row], frame))
            return true;
    *row = (uint32_t)stacks->frames.count;
    return stacks->frames.count < MOST_ROWS && vec_push(&stacks->frames, *frame) && map_insert(&stacks->frame_rows, hash, *row);
}

/* Of a frame that has a text. */
static bool frame_row(struct gecko_stacks *stacks, const struct frame_entry *entry, uint32_t *row)
{
    struct string_index location = string_table_add(&stacks->strings, frame_location(stacks, entry));
    if (!string_exists(location) || stacks->scratch.failed)
        return false;
    struct gecko_frame frame = {
        .location = location.i,
        .line = entry->line,
        .column = entry->column,
        .category = entry->category,
        .subcategory = entry->subcategory,
        .implementation = UINT32_MAX,
        .relevant_for_js = entry->relevant_for_js,
    };
    return find_row(stacks, &frame, row);
}

/* Of a frame in code that a runtime told of. */
static bool code_frame_row(struct gecko_stacks *stacks, struct code_place place, enum frame_tier tier, uint32_t *row)
{
    const struct known_code *code = &stacks->code->rows.items[place.row];
    tier = tier != TIER_NONE ? tier : (enum frame_tier)code->tier;
    struct string_index location = string_table_add(&stacks->strings, code_location(stacks, code));
    struct string_index name = string_table_add(&stacks->strings, frame_tier_name(tier));
    if (!string_exists(location) || !string_exists(name) || stacks->scratch.failed)
        return false;
    struct gecko_frame frame = {
        .location = location.i,
        .line = code_index_line(stacks->code, place.row, place.offset),
        .subcategory = tier,
        .implementation = tier != TIER_NONE ? name.i : UINT32_MAX,
        .runtime = code->runtime,
    };
    return find_row(stacks, &frame, row);
}

static bool is_native_at(const struct gecko_frame *frame, uint64_t address)
{
    return frame->native && !frame->idle && frame->address == address;
}

/* An address is a key of its own: its hash has nothing to do with those of other frames. */
static bool native_frame_row(struct gecko_stacks *stacks, uint64_t address, uint32_t *row)
{
    uint64_t hash = hash_u64(address);
    for (struct map_probe probe = map_probe(&stacks->frame_rows, hash); map_probe_next(&probe, row);)
        if (is_native_at(&stacks->frames.items[*row], address))
            return true;
    struct gecko_frame frame = {
        .native = true, .address = address, .location = stacks->native_count, .implementation = UINT32_MAX};
    *row = (uint32_t)stacks->frames.count;
    if (stacks->frames.count >= MOST_ROWS || !vec_push(&stacks->frames, frame) || !map_insert(&stacks->frame_rows, hash, *row))
        return false;
    stacks->native_count++;
    return true;
}

/* ---- stacks ---- */

static bool stack_push(struct gecko_stacks *stacks, uint64_t hash, uint32_t prefix, uint32_t frame, uint32_t *row)
{
    *row = (uint32_t)stacks->stacks.count;
    return stacks->stacks.count < MOST_ROWS && vec_push(&stacks->stacks, ((struct gecko_stack){prefix, frame})) &&
           map_insert(&stacks->stack_rows, hash, *row);
}

static bool child_of_frame(struct gecko_stacks *stacks, uint32_t prefix, uint32_t frame, uint32_t *stack)
{
    uint64_t hash = hash_combine(prefix, ~(uint64_t)frame);
    for (struct map_probe probe = map_probe(&stacks->stack_rows, hash); map_probe_next(&probe, stack);)
        if (stacks->stacks.items[*stack].prefix == prefix && stacks->stacks.items[*stack].frame == frame)
            return true;
    return stack_push(stacks, hash, prefix, frame, stack);
}

static bool child_with_text(struct gecko_stacks *stacks, uint32_t prefix, const struct frame_entry *entry, uint32_t *stack)
{
    uint32_t frame;
    return frame_row(stacks, entry, &frame) && child_of_frame(stacks, prefix, frame, stack);
}

/* The way nearly all frames go: one look-up, by address, without finding the frame first. */
static bool native_child(struct gecko_stacks *stacks, uint32_t prefix, uint64_t address, uint32_t *stack)
{
    uint64_t hash = hash_combine(prefix, address);
    for (struct map_probe probe = map_probe(&stacks->stack_rows, hash); map_probe_next(&probe, stack);) {
        struct gecko_stack row = stacks->stacks.items[*stack];
        if (row.prefix != prefix)
            continue;
        if (is_native_at(&stacks->frames.items[row.frame], address))
            return true;
    }
    uint32_t frame;
    return native_frame_row(stacks, address, &frame) && stack_push(stacks, hash, prefix, frame, stack);
}

/* Where a frame is in code that a runtime told of. All but the youngest frame stand behind a call. */
static struct code_place find_code(const struct code_index *code, const struct frame_entry *frame, bool is_youngest,
                                   uint64_t time)
{
    struct code_place place = {INDEX_NONE, 0};
    if (!code || frame->kind == FRAME_LABEL || frame->kind == FRAME_RUNTIME)
        return place;
    if (frame->kind == FRAME_NUMBERED)
        return code_index_frame(code, frame, time);
    uint64_t address = frame->address - (!is_youngest && frame->address > 0);
    place.row = code_index_at(code, address, time);
    if (place.row != INDEX_NONE)
        place.offset = (uint32_t)(address - code->rows.items[place.row].start);
    return place;
}

static bool child_of(struct gecko_stacks *stacks, uint32_t prefix, const struct frame_entry *entry, bool is_youngest,
                     uint64_t time, uint32_t *stack)
{
    struct code_place place = find_code(stacks->code, entry, is_youngest, time);
    uint32_t row;
    if (place.row != INDEX_NONE)
        return code_frame_row(stacks, place, entry->tier, &row) && child_of_frame(stacks, prefix, row, stack);
    if (entry->kind == FRAME_NATIVE || entry->kind == FRAME_NUMBERED)
        return native_child(stacks, prefix, entry->address, stack);
    return child_with_text(stacks, prefix, entry, stack);
}

bool gecko_stacks_begin(struct gecko_stacks *stacks)
{
    if (stacks->stacks.count > 0)
        return true;
    struct frame_entry root = {.kind = FRAME_LABEL, .text = SLICE("(root)"), .category = INDEX_NONE, .subcategory = INDEX_NONE};
    uint32_t stack;
    return child_with_text(stacks, INDEX_NONE, &root, &stack);
}

int gecko_stacks_add(struct gecko_stacks *stacks, struct gecko_path *path, uint32_t shared, const struct frames_slice *frames,
                     uint64_t time, uint32_t *stack)
{
    if (shared > path->stacks.count) {
        path->stacks.count = 0;
        return -EINVAL;
    }
    if (!gecko_stacks_begin(stacks) || !vec_reserve(&path->stacks, (size_t)shared + frames->count))
        return -ENOMEM;
    uint32_t *stack_at = path->stacks.items;
    uint32_t depth = shared, prefix = depth > 0 ? stack_at[depth - 1] : GECKO_ROOT;
    struct frame_reader reader;
    struct frame_entry frame;
    frame_reader_init(&reader, frames);
    while (frame_reader_next(&reader, &frame)) {
        if (!child_of(stacks, prefix, &frame, reader.left == 0, time, &prefix))
            return -ENOMEM;
        stack_at[depth++] = prefix;
    }
    path->stacks.count = reader.left == 0 ? depth : 0;
    *stack = prefix;
    return reader.left == 0 ? 0 : -EINVAL;
}

static bool idle_frame_row(struct gecko_stacks *stacks, uint32_t base, uint32_t *row)
{
    uint64_t hash = hash_combine(base, ~(uint64_t)0);
    for (struct map_probe probe = map_probe(&stacks->frame_rows, hash); map_probe_next(&probe, row);)
        if (stacks->frames.items[*row].idle && stacks->frames.items[*row].idle_of == base)
            return true;
    struct gecko_frame frame = stacks->frames.items[base];
    frame.idle = true;
    frame.idle_of = base;
    *row = (uint32_t)stacks->frames.count;
    return stacks->frames.count < MOST_ROWS && vec_push(&stacks->frames, frame) && map_insert(&stacks->frame_rows, hash, *row);
}

bool gecko_stacks_idle(struct gecko_stacks *stacks, uint32_t stack, uint32_t *idle)
{
    struct gecko_stack base = stacks->stacks.items[stack];
    uint32_t frame;
    return idle_frame_row(stacks, base.frame, &frame) && child_of_frame(stacks, base.prefix, frame, idle);
}

bool gecko_stacks_label(struct gecko_stacks *stacks, uint32_t stack, struct slice label, uint32_t category, uint32_t *labelled)
{
    struct frame_entry frame = {.kind = FRAME_LABEL, .text = label, .file = SLICE(""), .category = category};
    return child_with_text(stacks, stack, &frame, labelled);
}

void gecko_stacks_free(struct gecko_stacks *stacks)
{
    string_table_free(&stacks->strings);
    vec_free(&stacks->frames);
    vec_free(&stacks->stacks);
    map_free(&stacks->frame_rows);
    map_free(&stacks->stack_rows);
    text_free(&stacks->scratch);
    stacks->native_count = 0;
}

/* ---- writing ---- */

static char *put_number(char *out, uint32_t number)
{
    return out + integer_text(number, out);
}

static void write_stacks(const struct gecko_stacks *stacks, struct json_writer *w)
{
    gecko_table_begin(w, SLICE("{\"prefix\":0,\"frame\":1}"));
    for (size_t i = 0; i < stacks->stacks.count; i++) {
        struct gecko_stack row = stacks->stacks.items[i];
        char text[64], *p = text;
        *p++ = '[';
        if (row.prefix == INDEX_NONE) {
            memcpy(p, "null", 4);
            p += 4;
        } else {
            p = put_number(p, row.prefix);
        }
        *p++ = ',';
        p = put_number(p, row.frame);
        *p++ = ']';
        json_write_raw(w, (struct slice){text, (size_t)(p - text)});
    }
    gecko_table_end(w);
}

static void write_or_null(struct json_writer *w, uint32_t number, bool known)
{
    if (known)
        json_write_integer(w, number);
    else
        json_write_null(w);
}

/* UINT32_MAX = none. */
static uint32_t category_of(const struct gecko_frame *frame, const struct gecko_categories *categories)
{
    if (frame->idle)
        return categories->idle;
    if (frame->native)
        return categories->native;
    return frame->runtime > 0 ? categories->of_runtime[frame->runtime] : frame->category;
}

/* Cells at the end that say nothing are left out. */
static void write_frame(const struct gecko_frame *frame, uint32_t location, const struct gecko_categories *categories,
                        struct json_writer *w)
{
    uint32_t category = category_of(frame, categories), subcategory = frame->idle || frame->native ? 0 : frame->subcategory;
    bool has_category = gecko_category_exists(categories, category), has_implementation = frame->implementation != UINT32_MAX;
    json_write_begin_array(w);
    json_write_integer(w, location);
    json_write_boolean(w, frame->relevant_for_js);
    json_write_integer(w, 0);
    if (has_category || has_implementation || frame->line > 0 || frame->column > 0) {
        write_or_null(w, frame->implementation, has_implementation);
        write_or_null(w, frame->line, frame->line > 0);
        write_or_null(w, frame->column, frame->column > 0);
    }
    if (has_category) {
        json_write_integer(w, gecko_category_place(categories, category));
        json_write_integer(w, gecko_subcategory(categories, category, subcategory));
    }
    json_write_end_array(w);
}

static void write_frames(const struct gecko_stacks *stacks, const struct gecko_categories *categories, struct json_writer *w)
{
    uint32_t first_native = (uint32_t)string_table_count(&stacks->strings);
    gecko_table_begin(w, SLICE("{\"location\":0,\"relevantForJS\":1,\"innerWindowID\":2,\"implementation\":3,\"line\":4,"
                               "\"column\":5,\"category\":6,\"subcategory\":7}"));
    for (size_t i = 0; i < stacks->frames.count; i++) {
        const struct gecko_frame *frame = &stacks->frames.items[i];
        write_frame(frame, frame->location + (frame->native ? first_native : 0), categories, w);
    }
    gecko_table_end(w);
}

/* `"0x…"` without zeros in front. */
static void write_address(uint64_t address, struct json_writer *w)
{
    char text[20];
    char *end = text + sizeof text, *p = end;
    *--p = '"';
    do
        *--p = "0123456789abcdef"[address & 15];
    while ((address >>= 4) != 0);
    *--p = 'x';
    *--p = '0';
    *--p = '"';
    json_write_raw(w, (struct slice){p, (size_t)(end - p)});
}

static void write_strings(const struct gecko_stacks *stacks, struct json_writer *w)
{
    json_write_begin_array(w);
    for (size_t i = 0; i < string_table_count(&stacks->strings); i++)
        json_write_string(w, string_table_get(&stacks->strings, string_at(i)));
    for (size_t i = 0; i < stacks->frames.count; i++)
        if (stacks->frames.items[i].native && !stacks->frames.items[i].idle)
            write_address(stacks->frames.items[i].address, w);
    json_write_end_array(w);
}

void gecko_stacks_write(const struct gecko_stacks *stacks, const struct gecko_categories *categories, struct json_writer *w)
{
    json_write_key(w, "stackTable");
    write_stacks(stacks, w);
    json_write_key(w, "frameTable");
    write_frames(stacks, categories, w);
    json_write_key(w, "stringTable");
    write_strings(stacks, w);
}
