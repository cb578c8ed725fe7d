/* Frames of processed profiles become rows of the profile, with what older versions said of them elsewhere: categories on
 * stacks, libraries on resources, implementations instead of subcategories. */
#include "common/text_buffer.h"
#include "import/processed_shared.h"

/* Before PROCESSED_FRAME_CATEGORIES stacks had categories, too. Where frames have none, those of the last stack with the frame
 * are the frame's. */
static void move_stack_categories(struct processed *p, struct shared_tables *tables)
{
    struct column *category = &tables->frames[FRAME_CATEGORY], *subcategory = &tables->frames[FRAME_SUBCATEGORY];
    if (column_count(category) > 0 || tables->frame_rows == 0) {
        if (column_count(subcategory) == 0)
            column_fill(subcategory, tables->frame_rows, 0);
        return;
    }
    row_map stack_of_frame = {0};
    if (!vec_reserve(&stack_of_frame, tables->frame_rows)) {
        processed_out_of_memory(p);
        return;
    }
    stack_of_frame.count = tables->frame_rows;
    memset(stack_of_frame.items, 0xff, tables->frame_rows * sizeof *stack_of_frame.items);
    for (size_t i = 0; i < tables->stack_rows; i++) {
        size_t frame = column_get_index(&p->profile->stacks.frame, tables->stack_base + i) - tables->frame_base;
        if (frame < tables->frame_rows)
            stack_of_frame.items[frame] = (uint32_t)i;
    }
    column_free(subcategory);
    for (size_t i = 0; i < tables->frame_rows; i++) {
        uint32_t stack = stack_of_frame.items[i];
        column_append(category, shared_cell(&tables->stacks[STACK_CATEGORY], stack));
        column_append(subcategory, shared_cell(&tables->stacks[STACK_SUBCATEGORY], stack));
    }
    vec_free(&stack_of_frame);
}

/* "JIT (IMPLEMENTATION)" */
static struct string_index jit_subcategory_name(struct processed *p, struct string_index implementation)
{
    struct text_buffer text = {0};
    text_add(&text, SLICE("JIT ("));
    text_add(&text, profile_text(p->profile, implementation));
    text_add_char(&text, ')');
    struct string_index name = text.failed ? STRING_NONE : string_table_add(&p->profile->strings, text_slice(&text));
    text_free(&text);
    return name;
}

/* The subcategory of JavaScript that stands for an implementation, added if it is new. The first one is JavaScript itself. */
static uint32_t jit_subcategory(struct processed *p, struct string_index implementation)
{
    uint64_t hash = hash_u64(implementation.i);
    uint32_t row;
    for (struct map_probe probe = map_probe(&p->implementation_rows, hash); map_probe_next(&probe, &row);)
        if (string_same(p->implementations.items[row], implementation))
            return row + 1;
    struct category *category = &p->profile->categories.rows.items[p->jit_category.i];
    struct string_index name = jit_subcategory_name(p, implementation);
    row = (uint32_t)p->implementations.count;
    if (!string_exists(name) || !vec_push(&p->implementations, implementation) || !vec_push(&category->subcategories, name) ||
        !map_insert(&p->implementation_rows, hash, row))
        processed_out_of_memory(p);
    return row + 1;
}

/* The cells of up to COLUMN_BLOCK_ROWS frames. */
struct frame_cells {
    int64_t columns[FRAME_COLUMNS][COLUMN_BLOCK_ROWS];
};

static void read_frame_cells(const struct processed *p, const struct shared_tables *tables, size_t first, size_t rows,
                             struct frame_cells *cells)
{
    for (size_t c = 0; c < FRAME_COLUMNS; c++) {
        if (column_count(&tables->frames[c]) > 0)
            column_read(&tables->frames[c], first, rows, cells->columns[c]);
        else
            for (size_t i = 0; i < rows; i++)
                cells->columns[c][i] = COLUMN_ABSENT;
    }
    if (p->version < PROCESSED_FRAME_FLAGS)
        return;
    static const struct {
        int column;
        int64_t flag;
    } flagged[] = {
        {FRAME_ADDRESS, PROCESSED_FRAME_HAS_ADDRESS},      {FRAME_LIB, PROCESSED_FRAME_HAS_ADDRESS},
        {FRAME_CATEGORY, PROCESSED_FRAME_HAS_CATEGORY},    {FRAME_SUBCATEGORY, PROCESSED_FRAME_HAS_CATEGORY},
        {FRAME_NATIVE_SYMBOL, PROCESSED_FRAME_HAS_SYMBOL}, {FRAME_LINE, PROCESSED_FRAME_HAS_LINE},
        {FRAME_COLUMN, PROCESSED_FRAME_HAS_COLUMN},        {FRAME_ORIGINAL_LOCATION, PROCESSED_FRAME_HAS_LOCATION},
    };
    const int64_t *flags = cells->columns[FRAME_FLAGS];
    for (size_t f = 0; f < COUNT(flagged); f++)
        for (size_t i = 0; i < rows; i++)
            if (!(flags[i] & flagged[f].flag))
                cells->columns[flagged[f].column][i] = COLUMN_ABSENT;
    for (size_t i = 0; i < rows; i++)
        cells->columns[FRAME_INLINE_DEPTH][i] = flags[i] & PROCESSED_FRAME_INLINED ? 1 : 0;
}

/* A subcategory that is one of its category's, or INDEX_NONE where there is no category. */
static uint32_t frame_subcategory(struct processed *p, struct category_index category, int64_t subcategory, size_t row)
{
    if (!category_exists(category))
        return INDEX_NONE;
    size_t limit = p->profile->categories.rows.items[category.i].subcategories.count;
    return shared_checked(p, subcategory, limit, "frameTable", row, "subcategory");
}

static void add_frame(struct processed *p, const struct shared_tables *tables, const struct frame_cells *cells, size_t i,
                      size_t row)
{
    const struct profile *profile = p->profile;
    const int64_t(*c)[COLUMN_BLOCK_ROWS] = cells->columns;
    int64_t window = c[FRAME_INNER_WINDOW_ID][i];
    struct frame frame = {
        .address = c[FRAME_ADDRESS][i],
        .lib = {shared_checked(p, c[FRAME_LIB][i], INDEX_NONE, "frameTable", row, "lib")},
        .inline_depth = shared_number(p, c[FRAME_INLINE_DEPTH][i], 0, "frameTable", row),
        .category = {shared_checked(p, c[FRAME_CATEGORY][i], profile->categories.rows.count, "frameTable", row, "category")},
        .func = {shared_mapped(p, &tables->func_map, c[FRAME_FUNC][i], "frameTable", row, "func")},
        .native_symbol = {shared_mapped(p, &tables->symbol_map, c[FRAME_NATIVE_SYMBOL][i], "frameTable", row, "nativeSymbol")},
        .implementation = processed_string(p, c[FRAME_IMPLEMENTATION][i], "frameTable", row),
        .inner_window_id = window == COLUMN_ABSENT ? 0 : (uint64_t)window,
        .line = shared_number(p, c[FRAME_LINE][i], INDEX_NONE, "frameTable", row),
        .column = shared_number(p, c[FRAME_COLUMN][i], INDEX_NONE, "frameTable", row),
        .original_location = {shared_checked(p, c[FRAME_ORIGINAL_LOCATION][i], profile->locations.rows.count, "frameTable", row,
                                             "originalLocation")},
    };
    frame.subcategory = frame_subcategory(p, frame.category, c[FRAME_SUBCATEGORY][i], row);
    if (!func_exists(frame.func)) {
        processed_fail(p, "frameTable row %zu has no func", row);
        return;
    }
    if (p->version < PROCESSED_FRAME_LIB) {
        struct resource_index resource = func_resource(&profile->funcs, frame.func);
        frame.lib = lib_at(resource_exists(resource) ? p->resource_libs.items[resource.i] : INDEX_NONE);
    }
    if (string_exists(frame.implementation) && category_exists(p->jit_category)) {
        frame.category = p->jit_category;
        frame.subcategory = jit_subcategory(p, frame.implementation);
    }
    frame_table_append(&p->profile->frames, &frame);
}

void shared_add_frames(struct processed *p, struct shared_tables *tables)
{
    struct frame_cells cells;
    if (p->version < PROCESSED_FRAME_CATEGORIES && json_ok(p->r))
        move_stack_categories(p, tables);
    if (shared_out_of_rows(p, tables->frames, FRAME_COLUMNS))
        return;
    for (size_t first = 0; first < tables->frame_rows && json_ok(p->r); first += COLUMN_BLOCK_ROWS) {
        size_t rows = tables->frame_rows - first < COLUMN_BLOCK_ROWS ? tables->frame_rows - first : COLUMN_BLOCK_ROWS;
        read_frame_cells(p, tables, first, rows, &cells);
        for (size_t i = 0; i < rows && json_ok(p->r); i++)
            add_frame(p, tables, &cells, i, first + i);
    }
}
