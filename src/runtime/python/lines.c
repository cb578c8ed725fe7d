/* From an instruction to its line, by the table of the code object, which every version has in another form:
 *
 *     to 3.9    {bytes of code, signed change of the line}, the change comes first … after the bytes: lnotab
 *     3.10      {bytes of code, signed change of the line}, −128: code without a line
 *     3.11 on   {units of code, kind, what the kind says}: only the first byte of an entry has its highest bit set */
#include "runtime/python/notes.h"

/* The bytes of a bytes object, one after the other. */
struct table {
    struct python_state *state;
    uint64_t address;
    uint64_t left;   /* not read yet */
    size_t at, have; /* in notes->bytes */
};

static bool table_open(struct table *table, struct python_state *state, uint64_t object)
{
    enum { SIZE_AT = 16, LARGEST = 1 << 22 };
    uint64_t size;
    *table = (struct table){.state = state, .address = object + state->layout->offsets.bytes};
    if (!runtime_read(state->walk, object + SIZE_AT, &size, sizeof size) || size > LARGEST)
        return false;
    table->left = size;
    return true;
}

/* -1 at the end. */
static int table_peek(struct table *table)
{
    uint8_t *bytes = table->state->notes->bytes;
    if (table->at == table->have) {
        size_t length =
            table->left < sizeof table->state->notes->bytes ? (size_t)table->left : sizeof table->state->notes->bytes;
        if (length == 0 || !runtime_read(table->state->walk, table->address, bytes, length))
            return -1;
        table->address += length;
        table->left -= length;
        table->at = 0;
        table->have = length;
    }
    return bytes[table->at];
}

static int table_next(struct table *table)
{
    int byte = table_peek(table);
    table->at += byte >= 0;
    return byte;
}

static int64_t line_by_lnotab(struct table *table, int64_t line, int64_t offset)
{
    int64_t address = 0;
    for (int bytes; (bytes = table_next(table)) >= 0;) {
        int change = table_next(table);
        address += bytes;
        if (address > offset || change < 0)
            break;
        line += (int8_t)change;
    }
    return line;
}

static int64_t line_by_ranges(struct table *table, int64_t line, int64_t offset)
{
    enum { NO_LINE = -128 };
    int64_t end = 0;
    for (int bytes; (bytes = table_next(table)) >= 0;) {
        int change = table_next(table);
        if (change < 0)
            return 0;
        end += bytes;
        if ((int8_t)change != NO_LINE)
            line += (int8_t)change;
        if (offset < end)
            return (int8_t)change == NO_LINE ? 0 : line;
    }
    return 0;
}

static int64_t take_signed(struct table *table)
{
    enum { BITS = 6, MORE = 1 << BITS, MOST = 60 };
    uint64_t value = 0;
    int byte = MORE;
    for (unsigned shift = 0; shift < MOST && byte & MORE; shift += BITS) {
        byte = table_next(table);
        if (byte < 0)
            return 0;
        value |= (uint64_t)(byte & (MORE - 1)) << shift;
    }
    return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

static int64_t line_by_locations(struct table *table, int64_t line, int64_t offset)
{
    enum { FIRST = 0x80, UNITS = 7, KIND_SHIFT = 3, KIND = 15, ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14, NONE = 15, UNIT = 2 };
    int64_t end = 0;
    for (int first; (first = table_next(table)) >= 0;) {
        if (!(first & FIRST))
            return 0;
        int kind = first >> KIND_SHIFT & KIND;
        if (kind == NO_COLUMNS || kind == LONG)
            line += take_signed(table);
        else if (kind >= ONE_LINE && kind < NO_COLUMNS)
            line += kind - ONE_LINE;
        end += ((first & UNITS) + 1) * UNIT;
        if (offset < end)
            return kind == NONE ? 0 : line;
        for (int byte; (byte = table_peek(table)) >= 0 && !(byte & FIRST);)
            table->at++;
    }
    return 0;
}

uint32_t python_line(struct python_state *state, uint64_t line_table, uint32_t first_line, int64_t offset)
{
    struct table table;
    int64_t line = 0;
    if (offset < 0)
        return first_line;
    if (!table_open(&table, state, line_table))
        return 0;
    switch ((enum python_lines)state->layout->offsets.lines) {
    case PYTHON_LINES_LNOTAB:
        line = line_by_lnotab(&table, first_line, offset);
        break;
    case PYTHON_LINES_RANGES:
        line = line_by_ranges(&table, first_line, offset);
        break;
    case PYTHON_LINES_LOCATIONS:
        line = line_by_locations(&table, first_line, offset);
        break;
    }
    return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}
