/* An interpreted function has a native frame whose code is always the same, and in it two words of its own:
 *
 *     caller ─▶ InterpreterEntryTrampoline: push fp; push context, function, …, bytecode array, offset in it
 *                 └─▶ handler of a bytecode ─▶ handler of the next ─▶ …     jumps, in the frame of the trampoline
 *                       └─▶ what the bytecode calls, perhaps from a frame of the handler's own
 *
 * So the frame is that of a function if its return address is in the trampoline, or where the function is resumed that was
 * optimised before; or if the thread was interrupted in a handler
 * that has no frame of its own. Frames that are not of functions have their type where those of functions have a pointer. */
#include "runtime/v8/walk.h"

enum { WORD_BYTES = 8, CALLERS_WORDS = 2 * WORD_BYTES }; /* frame pointer and return address of the caller */

static bool is_in(const struct v8_range *range, uint64_t address)
{
    return address >= range->start && address < range->end;
}

static bool is_resumed(const struct v8_interpreter *place, uint64_t pc)
{
    for (unsigned i = 0; i < V8_RESUMES; i++)
        if (place->resumes[i] == pc)
            return pc != 0;
    return false;
}

static bool is_place_of(const struct v8_interpreter *place, const struct unwind_frame *frame)
{
    return frame->exact ? is_in(&place->handlers, frame->pc)
                        : is_in(&place->entry, frame->pc - 1) || is_resumed(place, frame->pc);
}

static bool may_be_interpreted(const struct v8_layout *layout, const struct v8_interpreter *copy,
                               const struct unwind_frame *frame)
{
    for (unsigned i = 0; i < V8_PLACES; i++)
        if (is_place_of(&layout->places[i], frame))
            return true;
    return copy && is_place_of(copy, frame);
}

static bool is_pointer(const struct v8_words *words, uint64_t value)
{
    return (value & (uint64_t)words->object_tag_mask) == (uint64_t)words->object_tag;
}

static bool read_word(struct runtime_walk *walk, uint64_t frame, int32_t offset, uint64_t *word)
{
    return runtime_read(walk, frame + (uint64_t)(int64_t)offset, word, sizeof *word);
}

/* The address of the bytecode that is being run; 0 = this is no frame of a function, or not yet. */
static uint64_t bytecode_address(struct runtime_walk *walk, const struct v8_words *words, uint64_t frame, uint64_t sp)
{
    uint64_t context, array, offset, fraction = (UINT64_C(1) << words->smi_shift) - 1;
    int32_t lowest = words->bytecode_offset < words->bytecode_array ? words->bytecode_offset : words->bytecode_array;
    if (sp > frame + (uint64_t)(int64_t)lowest || !read_word(walk, frame, words->context_or_type, &context) ||
        !read_word(walk, frame, words->bytecode_array, &array) || !read_word(walk, frame, words->bytecode_offset, &offset))
        return 0;
    return is_pointer(words, context) && is_pointer(words, array) && (offset & fraction) == 0
               ? array + (offset >> words->smi_shift)
               : 0;
}

void v8_walk(const struct v8_layout *layout, struct runtime_walk *walk)
{
    struct raw_stack *raw = walk->raw;
    for (uint32_t i = 0; i + 1 < raw->native_count; i++) {
        const struct unwind_frame *frame = &raw->native[i];
        uint64_t callers_sp = raw->native[i + 1].sp;
        if (!may_be_interpreted(layout, walk->thread.copy, frame) || callers_sp < frame->sp + CALLERS_WORDS)
            continue;
        uint64_t bytecode = bytecode_address(walk, &layout->words, callers_sp - CALLERS_WORDS, frame->sp);
        struct raw_runtime_frame found = {.stack_address = frame->sp, .runtime = RUNTIME_V8, .number = bytecode};
        if (bytecode != 0 && !runtime_add_frame(raw, &found))
            return;
    }
}
