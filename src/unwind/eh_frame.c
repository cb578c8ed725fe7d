#include "unwind/eh_frame.h"

/* The length of an entry or the pointer to its CIE can be cut off anywhere. */
struct entry {
    size_t id_offset;          /* where the id stands: what a CIE pointer is relative to */
    int32_t id;                /* 0: a CIE; otherwise the distance back to it, or forth where it is negative */
    struct byte_reader inside; /* what follows the id, up to the end of the entry */
    size_t next;
};

static enum eh_frame_entry_kind entry_read(const struct eh_frame_table *table, size_t offset, struct entry *entry)
{
    if (offset >= table->length)
        return offset == table->length ? EH_FRAME_END : EH_FRAME_BAD;
    size_t left = table->length - offset;
    struct byte_reader in = byte_reader_of(table->bytes + offset, left);
    uint64_t length = byte_reader_u32(&in);
    if (length == UINT32_MAX)
        length = byte_reader_u64(&in);
    if (in.failed)
        return EH_FRAME_BAD;
    if (length == 0)
        return EH_FRAME_END;
    const uint8_t *inside = byte_reader_take(&in, length);
    if (!inside)
        return EH_FRAME_BAD;
    entry->inside = byte_reader_of(inside, (size_t)length);
    entry->id_offset = (size_t)(inside - table->bytes);
    entry->next = entry->id_offset + (size_t)length;
    entry->id = (int32_t)byte_reader_u32(&entry->inside); /* of 4 bytes behind a length of 8, too, unlike in .debug_frame */
    if (entry->inside.failed)
        return EH_FRAME_BAD;
    return entry->id == 0 ? EH_FRAME_CIE : EH_FRAME_FDE;
}

enum eh_frame_entry_kind eh_frame_entry(const struct eh_frame_table *table, size_t offset, size_t *next)
{
    struct entry entry;
    enum eh_frame_entry_kind kind = entry_read(table, offset, &entry);
    *next = kind == EH_FRAME_CIE || kind == EH_FRAME_FDE ? entry.next : offset;
    return kind;
}

uint64_t eh_frame_pointer(struct byte_reader *in, uint8_t encoding, uint64_t address, uint64_t data)
{
    if (encoding == POINTER_NONE)
        return 0;
    if (encoding == POINTER_ALIGNED) {
        byte_reader_take(in, -address & 7);
        return byte_reader_u64(in);
    }
    uint64_t value = 0;
    switch (encoding & POINTER_FORMAT) {
    case POINTER_ABSOLUTE:
    case POINTER_U64:
    case POINTER_S64:
        value = byte_reader_u64(in);
        break;
    case POINTER_ULEB:
        value = byte_reader_uleb(in);
        break;
    case POINTER_U16:
        value = byte_reader_u16(in);
        break;
    case POINTER_U32:
        value = byte_reader_u32(in);
        break;
    case POINTER_SLEB:
        value = (uint64_t)byte_reader_sleb(in);
        break;
    case POINTER_S16:
        value = (uint64_t)(int16_t)byte_reader_u16(in);
        break;
    case POINTER_S32:
        value = (uint64_t)(int32_t)byte_reader_u32(in);
        break;
    default:
        byte_reader_fail(in);
    }
    if (value == 0)
        return 0; /* a null pointer, whatever it is relative to */
    switch (encoding & (POINTER_BASE | POINTER_INDIRECT)) {
    case POINTER_ABSOLUTE:
    case POINTER_TO_TEXT: /* with a base of 0 on all systems that Sonde knows */
        return value;
    case POINTER_TO_HERE:
        return address + value;
    case POINTER_TO_DATA:
        return data + value;
    default:
        byte_reader_fail(in);
        return 0;
    }
}

/* Moves past a pointer whose value does not matter: its format alone says how long it is. */
static void pointer_skip(struct byte_reader *in, uint8_t encoding, uint64_t address)
{
    eh_frame_pointer(in, encoding == POINTER_ALIGNED || encoding == POINTER_NONE ? encoding : encoding & POINTER_FORMAT,
                     address, 0);
}

static uint64_t address_of(const struct eh_frame_table *table, const uint8_t *at)
{
    return table->address + (uint64_t)(at - table->bytes);
}

/* What the letters behind the z say, from the data that belongs to them. A letter that is not known ends the reading: its data
 * has an unknown length, but the length of all the data is known, so the instructions behind are still found. Yet what the
 * letter means for the frame is not known, so the whole CIE is refused. */
static bool augmentation_read(const struct eh_frame_table *table, const char *letters, struct byte_reader *data,
                              struct frame_description *out)
{
    for (; *letters; letters++) {
        switch (*letters) {
        case 'L': /* how the pointer to the exception table is encoded */
            byte_reader_u8(data);
            break;
        case 'P': { /* the personality routine */
            uint8_t encoding = byte_reader_u8(data);
            pointer_skip(data, encoding, address_of(table, data->at));
            break;
        }
        case 'R':
            out->pointer_encoding = byte_reader_u8(data);
            break;
        case 'S':
            out->signal_frame = true;
            break;
        case 'B':
            out->b_key = true;
            break;
        case 'G': /* aarch64: memory tagging of the frame, no data */
            break;
        default:
            return false;
        }
    }
    return !data->failed;
}

static bool cie_read(const struct eh_frame_table *table, size_t offset, struct frame_description *out, bool *has_data)
{
    struct entry entry;
    if (entry_read(table, offset, &entry) != EH_FRAME_CIE)
        return false;
    struct byte_reader *in = &entry.inside;
    uint8_t version = byte_reader_u8(in);
    if (version != 1 && version != 3 && version != 4)
        return false;
    const char *letters = (const char *)in->at;
    while (byte_reader_u8(in) != 0)
        ;
    if (in->failed)
        return false;
    if (version == 4) {
        uint8_t address_size = byte_reader_u8(in), segment_size = byte_reader_u8(in);
        if (address_size != 8 || segment_size != 0)
            return false;
    }
    out->code_factor = byte_reader_uleb(in);
    out->data_factor = byte_reader_sleb(in);
    out->return_register = version == 1 ? byte_reader_u8(in) : byte_reader_uleb(in);
    out->pointer_encoding = POINTER_ABSOLUTE;
    out->signal_frame = out->b_key = false;
    *has_data = letters[0] == 'z';
    if (*has_data) {
        struct byte_reader data = byte_reader_block(in);
        if (in->failed || !augmentation_read(table, letters + 1, &data, out))
            return false;
    } else if (letters[0]) {
        return false;
    }
    out->common_program = *in;
    return !in->failed;
}

bool eh_frame_read(const struct eh_frame_table *table, size_t offset, struct frame_description *out)
{
    struct entry entry;
    if (entry_read(table, offset, &entry) != EH_FRAME_FDE)
        return false;
    /* A CIE before the section has an offset past its end. */
    bool has_data;
    if (!cie_read(table, entry.id_offset - (size_t)entry.id, out, &has_data))
        return false;
    struct byte_reader *in = &entry.inside;
    out->start = eh_frame_pointer(in, out->pointer_encoding, address_of(table, in->at), table->index_address);
    /* The length is stored like the start, but is no address. */
    out->length = eh_frame_pointer(in, out->pointer_encoding & POINTER_FORMAT, address_of(table, in->at), 0);
    if (has_data)
        byte_reader_block(in);
    out->program = *in;
    return !in->failed && out->start + out->length >= out->start;
}

static uint64_t function_of(const struct eh_frame_table *table, size_t row)
{
    return table->index_address + (uint64_t)table->index[row].function;
}

bool eh_frame_coarse_make(const struct eh_frame_table *table, struct eh_frame_coarse *coarse)
{
    size_t rows = table->index_count, step = (rows + EH_FRAME_COARSE_LOOKS - 1) / EH_FRAME_COARSE_LOOKS, steps = 0;
    uint64_t start = function_of(table, 0), end = function_of(table, rows - 1);
    if (end < start)
        return false;
    *coarse = (struct eh_frame_coarse){.start = start, .bytes = (end - start) / EH_FRAME_COARSE_PIECES + 1, .step = step};
    for (size_t piece = 0; piece <= EH_FRAME_COARSE_PIECES; piece++) {
        uint64_t address = start + piece * coarse->bytes;
        while ((steps + 1) * step < rows && function_of(table, (steps + 1) * step) <= address)
            steps++;
        coarse->before[piece] = (uint16_t)steps;
    }
    return true;
}

/* The row that is looked for is the one before the first whose function starts behind the address: that one is low … high. */
struct search {
    size_t low, high;
    uint64_t start, end; /* about where the functions of these rows are, for a good guess; if not start < end, not known */
};

static void search_coarsely(const struct eh_frame_coarse *coarse, uint64_t address, struct search *search)
{
    if (address < coarse->start || address - coarse->start >= EH_FRAME_COARSE_PIECES * coarse->bytes)
        return;
    size_t piece = (size_t)((address - coarse->start) / coarse->bytes);
    size_t high = ((size_t)coarse->before[piece + 1] + 1) * coarse->step;
    search->low = coarse->before[piece] * coarse->step + 1;
    search->high = high < search->high ? high : search->high;
    search->start = coarse->start + piece * coarse->bytes;
    search->end = search->start + coarse->bytes;
}

/* The row at which the address would be if all functions from `start` to `end`, those of `rows`, were of one size. */
static size_t guess(uint64_t address, uint64_t start, uint64_t end, size_t rows)
{
    if (address <= start)
        return 0;
    double share = (double)(address - start) / (double)(end - start);
    size_t row = share < 1 ? (size_t)(share * (double)rows) : rows;
    return row < rows ? row : rows - 1;
}

bool eh_frame_find(const struct eh_frame_table *table, uint64_t address, struct frame_description *out)
{
    /* The last row whose function starts at or before the address. Guesses find it in fewer looks than halving, which takes
     * sixteen in a large program, each in memory that is seldom used. */
    enum { GUESSES = 8 };
    struct search at = {0, table->index ? table->index_count : 0, table->code_start, table->code_end};
    if (table->coarse)
        search_coarsely(table->coarse, address, &at);
    for (unsigned looks = 0; at.low < at.high; looks++) {
        size_t rows = at.high - at.low;
        size_t middle = at.low + (looks < GUESSES && at.start < at.end ? guess(address, at.start, at.end, rows) : rows / 2);
        uint64_t function = function_of(table, middle);
        if (function <= address) {
            at.low = middle + 1;
            at.start = function;
        } else {
            at.high = middle;
            at.end = function;
        }
    }
    size_t low = at.low;
    if (low == 0)
        return false;
    uint64_t fde = table->index_address + (uint64_t)table->index[low - 1].fde;
    if (fde < table->address || fde - table->address >= table->length || !eh_frame_read(table, fde - table->address, out))
        return false;
    return address >= out->start && address - out->start < out->length;
}
