#include "runtime/python/walk.h"

#include "runtime/python/notes.h"

enum { THREAD_STATE_BYTES = 1024, STACK_MOST = 1 << 30, NO_PAGE = 1, NATIVE_NONE = -1 };

/* --- places ----------------------------------------------------------------------------------------------------------- */

static bool runs_python(const struct python_state *state, const struct unwind_frame *frame)
{
    return frame->pc >= state->layout->eval_start && frame->pc <= state->layout->eval_end;
}

/* Variables of the interpreter's loop lie in its native frame: that is the one to be replaced. Where it is not to be found, the
 * address itself orders frames well enough. */
static uint64_t place_of(struct python_state *state, uint64_t address)
{
    const struct raw_stack *raw = state->walk->raw;
    uint32_t i = runtime_native_at(raw, address, state->cursor);
    if (i == UINT32_MAX)
        return address;
    state->cursor = i;
    bool is_loop = runs_python(state, &raw->native[i]);
    if (i != state->last_match && is_loop)
        state->matched++;
    state->is_split = state->is_split || !is_loop;
    state->last_match = i;
    return raw->native[i].sp;
}

/* Frames of the interpreter's loop. The youngest is not counted where it is at its very beginning or end, so that it has
 * nothing to say yet or any more. */
static uint32_t count_loops(const struct python_state *state)
{
    const struct raw_stack *raw = state->walk->raw;
    uint32_t count = 0;
    for (uint32_t i = 1; i < raw->native_count; i++)
        count += runs_python(state, &raw->native[i]);
    return count;
}

/* Whether the thread can have Python frames at all: threads of native libraries have none, and nothing is read for them. */
static bool may_have_frames(const struct python_state *state)
{
    const struct raw_stack *raw = state->walk->raw;
    const struct runtime_layout *head = &state->layout->head;
    if (raw->native_count <= 1)
        return true;
    for (uint32_t i = 0; i < raw->native_count; i++)
        if (raw->native[i].pc >= head->module_start && raw->native[i].pc < head->module_end)
            return true;
    return false;
}

/* --- 3.10 and before: a native frame for each ------------------------------------------------------------------------- */

static int64_t next_loop(const struct python_state *state, int64_t at)
{
    const struct raw_stack *raw = state->walk->raw;
    for (at++; at < raw->native_count; at++)
        if (runs_python(state, &raw->native[at]))
            return at;
    return NATIVE_NONE;
}

/* Of all interpreters together: one that runs another has its frames below that one's. */
static void tie_to_loops(struct python_state *state, uint32_t first)
{
    struct raw_stack *raw = state->walk->raw;
    uint32_t loops = 0, frames = raw->runtime_count - first;
    for (int64_t at = next_loop(state, NATIVE_NONE); at != NATIVE_NONE; at = next_loop(state, at))
        loops++;
    int64_t at = next_loop(state, NATIVE_NONE);
    /* One that has just been called has not said so yet, or the one that is about to return has already. */
    if (loops == frames + 1 && raw->end == UNWIND_COMPLETE)
        at = next_loop(state, at);
    uint64_t place = 0;
    for (uint32_t i = first; i < raw->runtime_count; i++) {
        place++;
        if (at != NATIVE_NONE) {
            place = raw->native[at].sp;
            at = next_loop(state, at);
            state->matched++;
        }
        raw->runtime[i].stack_address = place;
    }
}

static void walk_frames_each(struct python_state *state, uint64_t frame)
{
    struct raw_stack *raw = state->walk->raw;
    struct python_frame each;
    for (size_t i = 0; frame != 0 && i < RAW_RUNTIME_MAX; i++, frame = each.previous)
        if (!python_frame_read(state, frame, &each) || !python_frame_add(state, &each, 0)) {
            raw->cut = true;
            break;
        }
}

/* --- 3.11 and 3.12: the chain of _PyCFrame ---------------------------------------------------------------------------- */

struct cframe {
    uint64_t frame, previous;
};

static bool is_in_thread_state(uint64_t thread, uint64_t address)
{
    return address - thread < THREAD_STATE_BYTES;
}

/* Older variables of the thread's stack lie higher. */
static bool is_older(const struct python_state *state, uint64_t address, uint64_t older)
{
    const struct runtime_thread *thread = &state->walk->thread;
    bool bounded = address >= thread->stack_start && address < thread->stack_end;
    return older % sizeof(uint64_t) == 0 && older > address &&
           (bounded ? older < thread->stack_end : older - address < STACK_MOST);
}

static bool read_cframe(struct python_state *state, uint64_t thread, uint64_t address, struct cframe *cframe)
{
    const struct python_offsets *offsets = &state->layout->offsets;
    uint8_t bytes[PYTHON_CFRAME_BYTES];
    if (address % sizeof(uint64_t) != 0 || !runtime_read(state->walk, address, bytes, sizeof bytes))
        return false;
    memcpy(&cframe->frame, bytes + offsets->cframe_frame, sizeof cframe->frame);
    memcpy(&cframe->previous, bytes + offsets->cframe_previous, sizeof cframe->previous);
    return is_in_thread_state(thread, address) || is_in_thread_state(thread, cframe->previous) ||
           is_older(state, address, cframe->previous);
}

static bool ends_loop(const struct python_state *state, const struct python_frame *frame)
{
    const struct python_offsets *offsets = &state->layout->offsets;
    return offsets->chain == PYTHON_CFRAMES ? frame->is_entry != 0 : frame->owner >= offsets->shim_owner;
}

/* Whether the frames that this loop runs lead to what the loop before it runs. While a loop begins they need not: the _PyCFrame
 * is found before anything is in it. */
static bool is_whole(struct python_state *state, uint64_t thread, const struct cframe *cframe)
{
    struct cframe older;
    struct python_frame frame;
    uint64_t address = cframe->frame;
    if (!read_cframe(state, thread, cframe->previous, &older))
        return false;
    for (size_t i = 0; i <= RAW_RUNTIME_MAX; i++, address = frame.previous) {
        if (address == 0 || !python_frame_read(state, address, &frame))
            return false;
        if (ends_loop(state, &frame))
            return frame.previous == older.frame;
        if (i == 0 && !python_is_code(state, frame.code))
            return false;
    }
    return true; /* more than are kept */
}

/* Frames from `frame` on, up to the last one of its loop. False: that is all that can be read. */
static bool add_loop(struct python_state *state, uint64_t frame, uint64_t place)
{
    struct python_frame each;
    for (;; frame = each.previous) {
        if (frame == 0 || !python_frame_read(state, frame, &each) || !python_frame_add(state, &each, place)) {
            state->walk->raw->cut = true;
            return false;
        }
        if (each.is_entry)
            return true;
    }
}

/* Frames up to the end of the chain. Each loop has a frame of its own at the end of those that it runs, on the native stack. */
static void add_chain(struct python_state *state, uint64_t frame)
{
    struct raw_stack *raw = state->walk->raw;
    const struct python_offsets *offsets = &state->layout->offsets;
    uint32_t pending = raw->runtime_count;
    uint64_t place = 0;
    struct python_frame each;
    for (size_t left = 2 * RAW_RUNTIME_MAX; frame != 0 && left > 0; left--, frame = each.previous) {
        if (!python_frame_read(state, frame, &each)) {
            raw->cut = true;
            break;
        }
        if (each.owner < offsets->shim_owner) {
            if (!python_frame_add(state, &each, 0)) {
                raw->cut = true;
                break;
            }
            continue;
        }
        place = place_of(state, frame);
        for (; pending < raw->runtime_count; pending++)
            raw->runtime[pending].stack_address = place;
    }
    for (; pending < raw->runtime_count; pending++)
        raw->runtime[pending].stack_address = place + 1;
}

static void walk_cframes(struct python_state *state, uint64_t thread, uint64_t address)
{
    struct cframe cframe;
    bool first = true;
    while (!is_in_thread_state(thread, address)) {
        if (!read_cframe(state, thread, address, &cframe)) {
            state->walk->raw->cut = true;
            return;
        }
        bool whole = !first || is_whole(state, thread, &cframe);
        first = false;
        if (whole && state->layout->offsets.chain == PYTHON_CFRAME_SHIMS) {
            add_chain(state, cframe.frame);
            return;
        }
        if (whole && !add_loop(state, cframe.frame, place_of(state, address)))
            return;
        address = cframe.previous;
    }
}

/* --- all of them ------------------------------------------------------------------------------------------------------ */

static void walk_thread_state(struct python_state *state, uint64_t thread)
{
    const struct python_offsets *offsets = &state->layout->offsets;
    uint64_t frame;
    state->cursor = 0;
    state->last_match = UINT32_MAX;
    if (!runtime_read(state->walk, thread + offsets->frame, &frame, sizeof frame) || frame == 0)
        return;
    switch ((enum python_chain)offsets->chain) {
    case PYTHON_FRAME_EACH:
        walk_frames_each(state, frame);
        break;
    case PYTHON_CFRAMES:
    case PYTHON_CFRAME_SHIMS:
        walk_cframes(state, thread, frame);
        break;
    case PYTHON_SHIMS:
        add_chain(state, frame);
        break;
    }
}

static size_t walk_thread_states(struct python_state *state, bool anew)
{
    size_t count = python_threads_find(state, anew);
    uint32_t first = state->walk->raw->runtime_count;
    state->matched = 0;
    state->notes->walk++;
    for (size_t i = 0; i < count; i++)
        walk_thread_state(state, state->notes->threads[i]);
    if (state->layout->offsets.chain == PYTHON_FRAME_EACH)
        tie_to_loops(state, first);
    return count;
}

/* Native frames of the interpreter's loop that nobody accounts for: the thread runs another interpreter, too. Where compilers
 * have split the loop's function its frames cannot be counted, but an interpreter that is alone has no other. */
static bool may_run_others(struct python_state *state)
{
    return state->is_split ? python_has_interpreters(state) : state->matched < count_loops(state);
}

void python_walk(const struct python_layout *layout, struct runtime_walk *walk)
{
    struct raw_stack *raw = walk->raw;
    struct python_notes *notes = (struct python_notes *)(void *)raw->notes;
    struct python_state state = {.layout = layout, .walk = walk, .notes = notes, .page_start = NO_PAGE};
    uint64_t owner = layout->runtime ^ (uint64_t)(uint32_t)walk->process << 48;
    if (!may_have_frames(&state))
        return;
    if (notes->owner != owner)
        memset(notes, 0, sizeof *notes);
    notes->owner = owner;

    uint32_t before = raw->runtime_count, text_before = raw->text_used;
    bool cut_before = raw->cut;
    size_t known = walk_thread_states(&state, false);
    /* A state without frames may be what is left of that of a thread that ended, whose handle this one has. */
    bool is_old = raw->runtime_count == before && !raw->cut;
    if (known > 0 && known < PYTHON_THREADS && (is_old || may_run_others(&state))) {
        raw->runtime_count = before;
        raw->text_used = text_before;
        raw->cut = cut_before;
        walk_thread_states(&state, true);
    }
    walk->memory->copy_length = 0; /* raw->copy was used for other things */
}
