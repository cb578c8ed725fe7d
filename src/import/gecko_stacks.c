/* Frames and stacks of a thread become rows of the shared tables.
 *
 * Native frames that a call returns to hold the address after the call, which may belong to another line or even another
 * function. The Firefox Profiler takes one off these addresses, and so the numbers of a tree agree only if it is done here
 * the same way. A stack has up to two roles:
 *
 *     walked     something was called from it, or a marker was recorded there: its address is one of return
 *     sampled    a sample was taken right there: its address is where the processor was
 *
 *     in the file             in the profile
 *     0: main                 0: main            walked
 *     1: └ work               1: └ work          walked (address - 1)
 *                             2: └ work'         sampled (a copy of the frame with the address as it is)
 *     2:   └ malloc           3:   └ malloc      sampled
 *     3: └ unused
 *
 * A frame with both roles is copied. The copies stand behind all other frames of the profile, so the numbers of their rows are
 * known only at the end: until then a stack holds FRAME_COPY + the number of the copy. */
#include "import/gecko_state.h"

enum stack_role { STACK_SAMPLED = 1, STACK_BACKTRACE = 2, STACK_PREFIX = 4 };
enum frame_role { FRAME_SAMPLED = 1, FRAME_RETURN = 2 };

#define FRAME_COPY (UINT32_C(1) << 31)
#define MOST_ROWS (FRAME_COPY - 1)

#define vec_fill(vec, n, value)                                                                                                \
    __extension__({                                                                                                            \
        __auto_type filled_ = (vec);                                                                                           \
        bool room_ = vec_reserve(filled_, (n));                                                                                \
        if (room_) {                                                                                                           \
            filled_->count = (n);                                                                                              \
            for (size_t at_ = 0; at_ < filled_->count; at_++)                                                                  \
                filled_->items[at_] = (value);                                                                                 \
        }                                                                                                                      \
        room_;                                                                                                                 \
    })

/* ---- checks ---- */

static bool check(struct json_reader *r, bool right, const char *table, size_t row)
{
    if (!right)
        json_fail(r, "row %zu of the %s points outside of its tables, in the thread that ends", row, table);
    return right;
}

static bool check_rows(const struct gecko_thread *staged, struct json_reader *r)
{
    for (size_t i = 0; i < staged->frames.count; i++)
        if (!check(r, staged->frames.items[i].location < staged->strings.count, "frame table", i))
            return false;
    for (size_t i = 0; i < staged->stacks.count; i++) {
        const struct staged_stack *stack = &staged->stacks.items[i];
        if (!check(r, stack->frame < staged->frames.count && (stack->prefix < i || stack->prefix == INDEX_NONE), "stack table",
                   i))
            return false;
    }
    return true;
}

/* ---- roles ---- */

static bool has_address(const struct gecko_thread *staged, uint32_t frame)
{
    return staged->located.items[frame].address != COLUMN_ABSENT;
}

/* A thread that waits is on the same stack for many samples. */
static bool note_samples(struct gecko_thread *staged, struct json_reader *r)
{
    uint32_t before = INDEX_NONE;
    for (size_t i = 0; i < staged->sample_stacks.count; i++) {
        uint32_t stack = staged->sample_stacks.items[i];
        if (stack == before || stack == INDEX_NONE)
            continue;
        if (!check(r, stack < staged->stacks.count, "samples", i))
            return false;
        before = stack;
        staged->stack_roles.items[stack] |= STACK_SAMPLED;
        staged->frame_roles.items[staged->stacks.items[stack].frame] |= FRAME_SAMPLED;
    }
    return true;
}

/* The frame of `stack` holds an address of return. */
static bool note_return(struct gecko *gecko, uint32_t stack, bool by_backtrace)
{
    struct gecko_thread *staged = &gecko->thread;
    uint32_t frame = staged->stacks.items[stack].frame;
    uint8_t *role = &staged->frame_roles.items[frame];
    if (*role & FRAME_RETURN || !has_address(staged, frame))
        return true;
    *role |= FRAME_RETURN;
    if (!(*role & FRAME_SAMPLED))
        return true;
    staged->copy_of_frame.items[frame] = (uint32_t)gecko->copies.count;
    return gecko->copies.count < MOST_ROWS && vec_push(&gecko->copies, ((struct frame_copy){.by_backtrace = by_backtrace}));
}

static bool note_backtrace(struct gecko *gecko, struct json_reader *r, uint32_t stack, const char *table, size_t row)
{
    if (stack == INDEX_NONE)
        return true;
    if (!check(r, stack < gecko->thread.stacks.count, table, row))
        return false;
    gecko->thread.stack_roles.items[stack] |= STACK_BACKTRACE;
    return note_return(gecko, stack, true);
}

static bool note_backtraces(struct gecko *gecko, struct json_reader *r)
{
    const struct gecko_thread *staged = &gecko->thread;
    for (size_t i = 0; i < staged->markers.count; i++)
        if (!note_backtrace(gecko, r, staged->markers.items[staged->order.items[i].row].cause_stack, "markers", i))
            return false;
    for (size_t i = 0; i < staged->js_allocations.count; i++)
        if (!note_backtrace(gecko, r, staged->js_allocations.items[i].stack, "JS allocations", i))
            return false;
    for (size_t i = 0; i < staged->native_allocations.count; i++)
        if (!note_backtrace(gecko, r, staged->native_allocations.items[i].stack, "native allocations", i))
            return false;
    return true;
}

static bool note_prefixes(struct gecko *gecko)
{
    const struct gecko_thread *staged = &gecko->thread;
    for (size_t i = 0; i < staged->stacks.count; i++) {
        uint32_t prefix = staged->stacks.items[i].prefix;
        if (prefix == INDEX_NONE || staged->stack_roles.items[prefix] & STACK_PREFIX)
            continue;
        staged->stack_roles.items[prefix] |= STACK_PREFIX;
        if (!note_return(gecko, prefix, false))
            return false;
    }
    return true;
}

/* ---- rows ---- */

static bool locate_frames(struct gecko *gecko)
{
    struct gecko_thread *staged = &gecko->thread;
    if (!vec_reserve(&staged->located, staged->frames.count))
        return false;
    staged->located.count = staged->frames.count;
    for (size_t i = 0; i < staged->frames.count; i++) {
        const struct staged_frame *frame = &staged->frames.items[i];
        if (!location_resolve(&gecko->locations, staged->strings.items[frame->location], frame->relevant_for_js,
                              &staged->located.items[i]))
            return false;
    }
    return true;
}

static void append_frames(struct gecko *gecko)
{
    const struct gecko_thread *staged = &gecko->thread;
    for (size_t i = 0; i < staged->frames.count; i++) {
        const struct staged_frame *row = &staged->frames.items[i];
        const struct located *located = &staged->located.items[i];
        struct frame frame = {
            .address = located->address,
            .lib = located->lib,
            .category = category_at(row->category),
            .subcategory = row->subcategory,
            .func = located->func,
            .native_symbol = native_symbol_none(),
            .implementation = STRING_NONE,
            .inner_window_id = row->inner_window_id,
            .line = row->line,
            .column = row->column,
            .original_location = location_none(),
        };
        if (staged->frame_roles.items[i] & FRAME_RETURN) {
            if (staged->copy_of_frame.items[i] != INDEX_NONE)
                gecko->copies.items[staged->copy_of_frame.items[i]].frame = frame;
            frame.address = frame.address == 0 ? COLUMN_ABSENT : frame.address - 1;
        }
        frame_table_append(&gecko->profile->frames, &frame);
    }
}

static uint32_t append_stack(struct gecko *gecko, uint32_t prefix, uint32_t frame)
{
    uint32_t row = (uint32_t)gecko->stack_frames.count;
    column_append(&gecko->profile->stacks.up, prefix == INDEX_NONE ? 0 : (int64_t)(row - prefix));
    gecko->stack_frames.items[gecko->stack_frames.count++] = frame;
    return row;
}

static bool append_stacks(struct gecko *gecko, uint32_t first_frame)
{
    struct gecko_thread *staged = &gecko->thread;
    size_t count = staged->stacks.count;
    if (!vec_reserve(&gecko->stack_frames, gecko->stack_frames.count + 2 * count) || !vec_reserve(&staged->walked, count) ||
        !vec_reserve(&staged->sampled, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct staged_stack *stack = &staged->stacks.items[i];
        uint8_t roles = staged->stack_roles.items[i];
        uint32_t prefix = stack->prefix == INDEX_NONE ? INDEX_NONE : staged->walked.items[stack->prefix];
        uint32_t copy = staged->copy_of_frame.items[stack->frame];
        uint32_t frame = first_frame + stack->frame;
        staged->walked.items[i] = staged->sampled.items[i] = INDEX_NONE;
        if (roles & (STACK_PREFIX | STACK_BACKTRACE))
            staged->walked.items[i] = append_stack(gecko, prefix, frame);
        if (roles & STACK_SAMPLED)
            staged->sampled.items[i] = append_stack(gecko, prefix, copy == INDEX_NONE ? frame : FRAME_COPY + copy);
    }
    return true;
}

bool gecko_finish_stacks(struct gecko *gecko, struct json_reader *r)
{
    struct gecko_thread *staged = &gecko->thread;
    size_t first_frame = frame_count(&gecko->profile->frames);
    if (!check_rows(staged, r))
        return false;
    if (first_frame + staged->frames.count > MOST_ROWS || gecko->stack_frames.count + 2 * staged->stacks.count > MOST_ROWS) {
        json_fail(r, "more frames or stacks than can be counted");
        return false;
    }
    if (!vec_fill(&staged->stack_roles, staged->stacks.count, 0) || !vec_fill(&staged->frame_roles, staged->frames.count, 0) ||
        !vec_fill(&staged->copy_of_frame, staged->frames.count, INDEX_NONE) || !locate_frames(gecko))
        return false;
    if (!note_samples(staged, r) || !note_backtraces(gecko, r) || !note_prefixes(gecko))
        return false;
    append_frames(gecko);
    return append_stacks(gecko, (uint32_t)first_frame);
}

bool gecko_finish_copies(struct gecko *gecko)
{
    VEC(uint32_t) row_of = {0};
    if (!vec_reserve(&row_of, gecko->copies.count))
        return false;
    for (int by_backtrace = 1; by_backtrace >= 0; by_backtrace--)
        for (size_t i = 0; i < gecko->copies.count; i++)
            if (gecko->copies.items[i].by_backtrace == by_backtrace)
                row_of.items[i] = frame_table_append(&gecko->profile->frames, &gecko->copies.items[i].frame).i;
    for (size_t i = 0; i < gecko->stack_frames.count; i++) {
        uint32_t frame = gecko->stack_frames.items[i];
        column_append_index(&gecko->profile->stacks.frame, frame & FRAME_COPY ? row_of.items[frame - FRAME_COPY] : frame);
    }
    vec_free(&row_of);
    return true;
}
