/* Strings of CPython: 1, 2 or 4 bytes a character, behind a head that says which. */
#include "runtime/python/notes.h"

enum {
    LENGTH_AT = 16,
    STATE_AT = 32,
    STATE_KIND_SHIFT = 2,
    STATE_KIND_MASK = 7,
    STATE_COMPACT = 1 << 5,
    STATE_ASCII = 1 << 6,
    CHARACTERS_MOST = 1000, /* longer ones are cut */
    UTF8_MOST = 4,
};

/* UTF-8 has no room for halves of pairs, with which Python keeps bytes of file names that are no text. */
static size_t encode(uint32_t character, char *out)
{
    if ((character >= 0xd800 && character < 0xe000) || character > 0x10ffff)
        character = 0xfffd;
    if (character < 0x80) {
        out[0] = (char)character;
        return 1;
    }
    size_t length = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 1; character >>= 6)
        out[i] = (char)(0x80 | (character & 0x3f));
    out[0] = (char)(first[length] | character);
    return length;
}

/* How many bytes were read; the rest cannot be. A string may be the last thing in a mapping, so what is behind it may be
 * missing. */
static size_t read_some(struct python_state *state, uint64_t address, void *out, size_t length)
{
    struct unwind_memory *memory = state->walk->memory;
    if (unwind_memory_in_window(memory, address, length))
        return runtime_read(state->walk, address, out, length) ? length : 0;
    return memory->copy ? unwind_memory_copy_of(memory->pid, out, address, length, &memory->error) : 0;
}

static uint32_t character_at(const uint8_t *bytes, unsigned kind)
{
    uint32_t character = 0;
    memcpy(&character, bytes, kind);
    return character;
}

static bool append(struct raw_stack *raw, struct raw_text *text, const uint8_t *bytes, size_t count, unsigned kind)
{
    for (size_t i = 0; i < count; i++) {
        if (sizeof raw->text - raw->text_used < UTF8_MOST) {
            raw->cut = true;
            return false;
        }
        size_t length = encode(character_at(bytes + i * kind, kind), raw->text + raw->text_used);
        raw->text_used += (uint32_t)length;
        text->length += (uint32_t)length;
    }
    return true;
}

struct raw_text python_text(struct python_state *state, uint64_t string)
{
    struct raw_stack *raw = state->walk->raw;
    struct raw_text text = {raw->text_used, 0};
    uint8_t *bytes = state->notes->bytes;
    size_t got = read_some(state, string, bytes, sizeof state->notes->bytes);
    if (got < PYTHON_STRING_BYTES && got < state->layout->offsets.ascii)
        return text;
    uint64_t length;
    uint32_t word;
    memcpy(&length, bytes + LENGTH_AT, sizeof length);
    memcpy(&word, bytes + STATE_AT, sizeof word);
    unsigned kind = word >> STATE_KIND_SHIFT & STATE_KIND_MASK;
    if (!(word & STATE_COMPACT) || (kind != 1 && kind != 2 && kind != 4))
        return text;
    size_t start = word & STATE_ASCII ? state->layout->offsets.ascii : state->layout->offsets.compact;
    size_t left = length < CHARACTERS_MOST ? (size_t)length : CHARACTERS_MOST;
    uint64_t address = string + start;
    size_t have = got > start ? (got - start) / kind : 0;
    const uint8_t *from = bytes + start;
    while (left > 0) {
        size_t count = have < left ? have : left;
        if (!append(raw, &text, from, count, kind))
            break;
        left -= count;
        address += count * kind;
        have = left > 0 ? read_some(state, address, bytes, sizeof state->notes->bytes) / kind : 0;
        from = bytes;
        if (have == 0)
            break;
    }
    return text;
}
