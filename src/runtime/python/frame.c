/* One Python frame: what it runs, and where. */
#include "runtime/python/notes.h"

#include "sonde/api.h"

enum {
    TYPE_AT = 8,
    REFERENCE_MARKS = 3, /* 3.14: lowest bits of the reference to the code; before, they are 0 */
};

/* --- reading a frame -------------------------------------------------------------------------------------------------- */

enum { PAGE = 4096, NO_PAGE = 1 };
_Static_assert((int)RAW_COPY_BYTES >= (int)PAGE, "a page fits");

static size_t frame_bytes(const struct python_offsets *offsets)
{
    size_t most = offsets->previous > offsets->code ? offsets->previous : offsets->code;
    most = offsets->instruction > most ? offsets->instruction : most;
    most += sizeof(uint64_t);
    return offsets->owner >= most ? offsets->owner + 1U : most;
}

/* Frames lie one behind the other, in pages of their own: mostly one copy has many of them. */
static const uint8_t *frame_page(struct python_state *state, uint64_t address, size_t length)
{
    struct raw_stack *raw = state->walk->raw;
    uint64_t page = address - address % PAGE;
    struct unwind_memory *memory = state->walk->memory;
    if (!memory->copy || address + length > page + PAGE)
        return NULL;
    if (state->page_start != page) {
        memory->copy_length = 0; /* it is not what it says any more */
        state->page_start = NO_PAGE;
        if (unwind_memory_copy_of(memory->pid, raw->copy, page, PAGE, &memory->error) != PAGE)
            return NULL;
        state->page_start = page;
    }
    return raw->copy + address % PAGE;
}

bool python_frame_read(struct python_state *state, uint64_t address, struct python_frame *frame)
{
    const struct python_offsets *offsets = &state->layout->offsets;
    size_t length = frame_bytes(offsets);
    uint8_t bytes[PYTHON_FRAME_BYTES];
    if (address % sizeof(uint64_t) != 0 || address < PAGE || address > INT64_MAX)
        return false;
    const uint8_t *from = NULL;
    if (!unwind_memory_in_window(state->walk->memory, address, length))
        from = frame_page(state, address, length);
    if (!from) {
        if (!runtime_read(state->walk, address, bytes, length))
            return false;
        from = bytes;
    }
    int32_t index;
    memcpy(&frame->previous, from + offsets->previous, sizeof frame->previous);
    memcpy(&frame->code, from + offsets->code, sizeof frame->code);
    memcpy(&frame->instruction, from + offsets->instruction, sizeof frame->instruction);
    memcpy(&index, from + offsets->instruction, sizeof index);
    frame->code &= ~(uint64_t)REFERENCE_MARKS;
    if (offsets->instruction_bytes > 0)
        frame->instruction = index;
    frame->owner = offsets->owner ? from[offsets->owner] : 0;
    frame->is_entry = offsets->is_entry ? from[offsets->is_entry] : 0;
    return true;
}

/* --- its code ------------------------------------------------------------------------------------------------------------- */

bool python_is_code(struct python_state *state, uint64_t address)
{
    uint64_t type;
    return address >= PAGE && address <= INT64_MAX && runtime_read(state->walk, address + TYPE_AT, &type, sizeof type) &&
           type == state->layout->code_type;
}

static size_t code_bytes(const struct python_offsets *offsets)
{
    size_t most = offsets->file > offsets->name ? offsets->file : offsets->name;
    most = offsets->first_line > most ? offsets->first_line : most;
    most = offsets->line_table > most ? offsets->line_table : most;
    return most + sizeof(uint64_t);
}

static struct raw_text copy_text(struct raw_stack *raw, const char *from, size_t length)
{
    struct raw_text text = {raw->text_used, (uint32_t)length};
    if (length > sizeof raw->text - raw->text_used) {
        raw->cut = true;
        text.length = 0;
        return text;
    }
    memcpy(raw->text + raw->text_used, from, length);
    raw->text_used += (uint32_t)length;
    return text;
}

static void read_texts(struct python_state *state, struct known_code *known)
{
    struct raw_stack *raw = state->walk->raw;
    known->name_text = python_text(state, known->name);
    known->file_text = python_text(state, known->file);
    size_t name = known->name_text.length, file = known->file_text.length;
    known->name_length = known->file_length = 0;
    if (name == 0 || name + file > sizeof known->text)
        return; /* read again next time */
    memcpy(known->text, raw->text + known->name_text.start, name);
    memcpy(known->text + name, raw->text + known->file_text.start, file);
    known->name_length = (uint16_t)name;
    known->file_length = (uint16_t)file;
}

/* NULL: it is no code object. */
static struct known_code *find_code(struct python_state *state, uint64_t address)
{
    const struct python_offsets *offsets = &state->layout->offsets;
    struct raw_stack *raw = state->walk->raw;
    uint8_t bytes[PYTHON_CODE_BYTES];
    struct known_code now = {.code = address};
    uint64_t type;
    if (address < PAGE || address > INT64_MAX || !runtime_read(state->walk, address, bytes, code_bytes(offsets)))
        return NULL;
    memcpy(&type, bytes + TYPE_AT, sizeof type);
    memcpy(&now.name, bytes + offsets->name, sizeof now.name);
    memcpy(&now.file, bytes + offsets->file, sizeof now.file);
    memcpy(&now.line_table, bytes + offsets->line_table, sizeof now.line_table);
    memcpy(&now.first_line, bytes + offsets->first_line, sizeof now.first_line);
    if (type != state->layout->code_type)
        return NULL;
    struct known_code *known = &state->notes->codes[(address >> 4 ^ address >> 12) % KNOWN_CODES];
    bool same = known->code == now.code && known->name == now.name && known->file == now.file &&
                known->line_table == now.line_table && known->first_line == now.first_line;
    if (same && known->walk == state->notes->walk)
        return known;
    if (same && known->name_length > 0) {
        known->name_text = copy_text(raw, known->text, known->name_length);
        known->file_text = copy_text(raw, known->text + known->name_length, known->file_length);
    } else {
        *known = now;
        read_texts(state, known);
    }
    known->walk = state->notes->walk;
    return known;
}

/* The lines of a function where it calls others are met again and again. */
static uint32_t find_line(struct python_state *state, struct known_code *known, int64_t offset)
{
    for (size_t i = 0; i < KNOWN_LINES; i++)
        if (offset > 0 && known->lines[i].offset == offset)
            return known->lines[i].line;
    uint32_t line = python_line(state, known->line_table, known->first_line, offset);
    if (offset > 0 && offset <= INT32_MAX) {
        size_t at = known->next_line++ % KNOWN_LINES;
        known->lines[at].offset = (uint32_t)offset;
        known->lines[at].line = line;
    }
    return line;
}

bool python_frame_add(struct python_state *state, const struct python_frame *frame, uint64_t place)
{
    const struct python_offsets *offsets = &state->layout->offsets;
    struct known_code *known = find_code(state, frame->code);
    if (!known)
        return false;
    int64_t offset = offsets->instruction_bytes > 0
                         ? frame->instruction * offsets->instruction_bytes
                         : (int64_t)((uint64_t)frame->instruction - (frame->code + offsets->bytecode));
    return runtime_add_frame(state->walk->raw, &(struct raw_runtime_frame){.stack_address = place,
                                                                           .function = known->name_text,
                                                                           .file = known->file_text,
                                                                           .line = find_line(state, known, offset),
                                                                           .category = SONDE_CATEGORY_PYTHON,
                                                                           .javascript = true});
}
