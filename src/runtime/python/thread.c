/* The thread states of a thread: one for each interpreter whose code it runs, mostly one. Each says by which thread it is used,
 * so one that was found before is only asked again. The lists of the interpreters are searched for the others. */
#include "runtime/python/notes.h"

static uint64_t word_at(const uint8_t *bytes, uint16_t offset)
{
    uint64_t word;
    memcpy(&word, bytes + offset, sizeof word);
    return word;
}

static bool is_mine(struct python_state *state, uint64_t thread, uint64_t *next)
{
    const struct python_offsets *offsets = &state->layout->offsets;
    uint8_t *bytes = state->notes->bytes;
    if (!runtime_read(state->walk, thread, bytes, PYTHON_THREAD_BYTES))
        return false;
    *next = word_at(bytes, offsets->next_thread);
    return word_at(bytes, offsets->thread_id) == state->walk->thread.handle;
}

static size_t ask_known(struct python_state *state)
{
    struct python_notes *notes = state->notes;
    size_t count = 0;
    for (size_t i = 0; i < PYTHON_THREADS; i++) {
        uint64_t next, thread = notes->threads[i];
        if (thread != 0 && is_mine(state, thread, &next))
            notes->threads[count++] = thread;
    }
    for (size_t i = count; i < PYTHON_THREADS; i++)
        notes->threads[i] = 0;
    return count;
}

/* Interpreters that were made later come first: those that are run by another one come before it, as their frames do. */
static size_t search(struct python_state *state)
{
    enum { INTERPRETERS_MOST = 256, THREADS_MOST = 4096 };
    const struct python_offsets *offsets = &state->layout->offsets;
    struct python_notes *notes = state->notes;
    uint64_t interpreter = 0, thread, next;
    size_t threads = 0, count = 0;
    if (!runtime_read(state->walk, state->layout->runtime + offsets->interpreters, &interpreter, sizeof interpreter))
        return count;
    for (size_t i = 0; interpreter != 0 && i < INTERPRETERS_MOST; i++) {
        if (!runtime_read(state->walk, interpreter + offsets->threads, &thread, sizeof thread))
            break;
        for (; thread != 0 && threads < THREADS_MOST && count < PYTHON_THREADS; threads++, thread = next) {
            next = 0;
            if (is_mine(state, thread, &next))
                notes->threads[count++] = thread;
        }
        if (!runtime_read(state->walk, interpreter + offsets->next_interpreter, &interpreter, sizeof interpreter))
            break;
    }
    for (size_t i = count; i < PYTHON_THREADS; i++)
        notes->threads[i] = 0;
    return count;
}

size_t python_threads_find(struct python_state *state, bool anew)
{
    if (state->walk->thread.handle == 0)
        return 0;
    size_t count = anew ? 0 : ask_known(state);
    return count == 0 ? search(state) : count;
}

bool python_has_interpreters(struct python_state *state)
{
    const struct python_offsets *offsets = &state->layout->offsets;
    uint64_t first, next;
    return runtime_read(state->walk, state->layout->runtime + offsets->interpreters, &first, sizeof first) && first != 0 &&
           runtime_read(state->walk, first + offsets->next_interpreter, &next, sizeof next) && next != 0;
}
