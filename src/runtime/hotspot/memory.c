#include "runtime/hotspot/memory.h"

#include <string.h>

/* Word by word: other threads may be writing there, and sanitizers know nothing of it. */
static void read_direct(uint64_t address, uint8_t *out, size_t length)
{
    size_t done = 0;
    for (; length - done >= sizeof(uint64_t); done += sizeof(uint64_t)) {
        uint64_t word = unwind_memory_word(address + done);
        memcpy(out + done, &word, sizeof word);
    }
    for (; done < length; done++)
        out[done] = unwind_memory_byte(address + done);
}

bool hotspot_read(struct hotspot_reader *reader, uint64_t address, void *out, size_t length)
{
    struct unwind_memory *memory = reader->memory;
    if (unwind_memory_in_window(memory, address, length) ||
        (reader->code && hotspot_code_is_there(reader->code, address, length))) {
        read_direct(address, out, length);
        return true;
    }
    if (memory->copy && reader->pages)
        return hotspot_pages_read(reader->pages, memory, address, out, length);
    return memory->copy && unwind_memory_copy_of(memory->pid, out, address, length, &memory->error) == length;
}

bool hotspot_read_text(struct hotspot_reader *reader, uint64_t address, char *out, size_t room)
{
    enum { PIECE = 16 };
    size_t length = 0;
    while (length < room - 1) {
        /* Piece by piece, none of which goes over the end of a page. */
        size_t piece = PIECE - (address + length) % PIECE;
        if (piece > room - 1 - length)
            piece = room - 1 - length;
        if (!hotspot_read(reader, address + length, out + length, piece))
            break;
        size_t text = strnlen(out + length, piece);
        length += text;
        if (text < piece) {
            out[length] = '\0';
            return true;
        }
    }
    out[length] = '\0';
    return length > 0;
}

bool hotspot_get(struct hotspot_reader *reader, uint64_t object, enum hotspot_field field, uint64_t *value)
{
    const struct hotspot_field_place *place = &reader->layout->field[field];
    uint64_t word = 0;
    if (place->bytes == 0 || !hotspot_read(reader, object + place->offset, &word, place->bytes))
        return false;
    unsigned spare = 64 - 8 * (unsigned)place->bytes;
    *value = place->is_signed ? (uint64_t)((int64_t)(word << spare) >> spare) : word;
    return true;
}

bool hotspot_unpack(const struct hotspot_layout *layout, const uint8_t *bytes, size_t length, size_t *at, uint32_t *value)
{
    enum { BYTES_MAX = 5, ENDS_BELOW = 192, FIRST_WITHOUT_ZERO = 20 };
    /* From 20 on no byte is 0. */
    const uint32_t base = layout->version >= FIRST_WITHOUT_ZERO;
    uint32_t sum = 0;
    for (unsigned i = 0; i < BYTES_MAX; i++) {
        if (*at >= length || bytes[*at] < base)
            return false;
        uint8_t byte = bytes[(*at)++];
        sum += (byte - base) << 6 * i;
        if (byte < ENDS_BELOW)
            break;
    }
    *value = sum;
    return true;
}
