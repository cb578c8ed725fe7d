#include "runtime/hotspot/names.h"

#include "common/bounded_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* --- texts --------------------------------------------------------------------------------------------------------------- */

static size_t digits(const char *text)
{
    size_t count = 0;
    while (isdigit((unsigned char)text[count]))
        count++;
    return count;
}

void hotspot_class_text(const char *internal, char *out, size_t room)
{
    static const char lambda[] = "$$Lambda";
    struct bounded_text text = bounded_text_begin(out, room);
    const char *cut = strstr(internal, lambda);
    size_t length = strlen(internal);
    if (cut) {
        const char *rest = cut + sizeof lambda - 1;
        size_t number = rest[0] == '$' ? digits(rest + 1) + 1 : 0;
        if (rest[number] == '\0' || rest[number] == '+' || rest[number] == '/')
            length = (size_t)(rest - internal);
    } else if ((cut = strstr(internal, "+0x")) || (cut = strstr(internal, "/0x"))) {
        length = (size_t)(cut - internal);
    }
    bounded_text_add(&text, internal, length);
    for (size_t i = 0; i < text.length; i++)
        if (out[i] == '/')
            out[i] = '.';
}

/* One type at the start of `signature`; returns what is behind it, NULL where there is none. */
static const char *append_type(struct bounded_text *text, const char *signature)
{
    static const char letters[] = "BCDFIJSZV";
    static const char *const names[] = {"byte", "char", "double", "float", "int", "long", "short", "boolean", "void"};
    size_t dimensions = strspn(signature, "[");
    const char *at = signature + dimensions, *letter, *end;
    if (*at == 'L') {
        end = strchr(at, ';');
        if (!end)
            return NULL;
        const char *name = end;
        while (name > at + 1 && name[-1] != '/')
            name--;
        bounded_text_add(text, name, (size_t)(end - name));
    } else {
        letter = *at ? strchr(letters, *at) : NULL;
        if (!letter)
            return NULL;
        bounded_text_add(text, names[letter - letters], strlen(names[letter - letters]));
        end = at;
    }
    while (dimensions-- > 0)
        bounded_text_add(text, "[]", 2);
    return end + 1;
}

void hotspot_parameters_text(const char *signature, char *out, size_t room)
{
    struct bounded_text text = bounded_text_begin(out, room);
    if (*signature != '(')
        return;
    bounded_text_add(&text, "(", 1);
    const char *at = signature + 1;
    while (at && *at && *at != ')') {
        if (at != signature + 1)
            bounded_text_add(&text, ", ", 2);
        at = append_type(&text, at);
    }
    bounded_text_add(&text, ")", 1);
}

/* --- reading them -------------------------------------------------------------------------------------------------------- */

static bool read_symbol(struct hotspot_reader *reader, uint64_t symbol, char *out, size_t room)
{
    uint64_t length;
    out[0] = '\0';
    if (symbol == 0 || symbol % 8 != 0 || !hotspot_get(reader, symbol, SYMBOL_LENGTH, &length) || length == 0)
        return false;
    if (length > room - 1)
        length = room - 1;
    if (!hotspot_read(reader, symbol + reader->layout->field[SYMBOL_TEXT].offset, out, length))
        return false;
    out[length] = '\0';
    return strlen(out) == length;
}

/* An entry of a constant pool that is a text: entries are words behind the pool, those of texts point to them. */
static bool read_entry(struct hotspot_reader *reader, uint64_t pool, uint64_t index, char *out, size_t room)
{
    uint64_t symbol, length;
    out[0] = '\0';
    return index != 0 && hotspot_get(reader, pool, POOL_LENGTH, &length) && index < length &&
           hotspot_read(reader, pool + reader->layout->size[SIZE_POOL] + 8 * index, &symbol, sizeof symbol) &&
           read_symbol(reader, symbol, out, room);
}

/* The package as a folder, and the file that the compiler noted; by its class, where the VM does not say. */
static void find_file(struct hotspot_reader *reader, uint64_t pool, uint64_t holder, const char *internal,
                      struct hotspot_name *out)
{
    char file[HOTSPOT_FILE_ROOM / 2];
    const char *slash = strrchr(internal, '/');
    size_t package = slash ? (size_t)(slash - internal) + 1 : 0;
    uint64_t index;
    if ((!hotspot_get(reader, pool, POOL_SOURCE_FILE, &index) && !hotspot_get(reader, holder, CLASS_SOURCE_FILE, &index)) ||
        !read_entry(reader, pool, index, file, sizeof file) || strchr(file, '/'))
        return;
    if (package > sizeof out->file / 2)
        package = 0;
    snprintf(out->file, sizeof out->file, "%.*s%s", (int)package, internal, file);
}

/* A signed number of the line table: the lowest bit is the sign. */
static bool unpack_signed(const struct hotspot_layout *layout, const uint8_t *bytes, size_t length, size_t *at, int32_t *value)
{
    uint32_t number;
    if (!hotspot_unpack(layout, bytes, length, at, &number))
        return false;
    *value = (int32_t)(number >> 1 ^ (0 - (number & 1)));
    return true;
}

/* Behind the bytecodes: pairs of steps {bytecodes, lines}, most in one byte (5 and 3 bits), which 0xff says is not enough; 0
 * ends them. */
static void read_lines(struct hotspot_reader *reader, uint64_t address, struct hotspot_name *out)
{
    enum { ESCAPE = 0xff };
    uint8_t bytes[4096];
    size_t length = sizeof bytes, at = 0;
    uint32_t bci = 0, line = 0;
    while (length > 0 && !hotspot_read(reader, address, bytes, length))
        length /= 2;
    while (at < length && out->line_count < HOTSPOT_LINES_ROOM) {
        uint8_t byte = bytes[at++];
        int32_t bci_step = byte >> 3, line_step = byte & 7;
        if (byte == 0)
            return;
        if (byte == ESCAPE && (!unpack_signed(reader->layout, bytes, length, &at, &bci_step) ||
                               !unpack_signed(reader->layout, bytes, length, &at, &line_step)))
            return;
        bci += (uint32_t)bci_step;
        line += (uint32_t)line_step;
        if (bci > UINT16_MAX || line > UINT16_MAX)
            return;
        out->lines[out->line_count++] = (struct hotspot_line){bci, line};
    }
}

bool hotspot_method_name(struct hotspot_reader *reader, uint64_t method, struct hotspot_name *out)
{
    const struct hotspot_layout *layout = reader->layout;
    char internal[HOTSPOT_FILE_ROOM], name[256], signature[HOTSPOT_NAME_ROOM], text[HOTSPOT_NAME_ROOM / 2];
    uint64_t code, pool, holder, symbol, index, flags, size;
    out->line_count = 0;
    out->name[0] = out->file[0] = '\0';
    if (!hotspot_get(reader, method, METHOD_CONST, &code) || !hotspot_get(reader, code, CONST_CONSTANTS, &pool) ||
        !hotspot_get(reader, pool, POOL_HOLDER, &holder) || !hotspot_get(reader, holder, CLASS_NAME, &symbol) ||
        !read_symbol(reader, symbol, internal, sizeof internal) || !hotspot_get(reader, code, CONST_NAME, &index) ||
        !read_entry(reader, pool, index, name, sizeof name))
        return false;
    hotspot_class_text(internal, text, sizeof text);
    size_t length = (size_t)snprintf(out->name, sizeof out->name, "%s.%s", text, name);
    if (hotspot_get(reader, code, CONST_SIGNATURE, &index) && read_entry(reader, pool, index, signature, sizeof signature) &&
        length < sizeof out->name)
        hotspot_parameters_text(signature, out->name + length, sizeof out->name - length);
    find_file(reader, pool, holder, internal, out);
    if (hotspot_get(reader, code, CONST_FLAGS, &flags) && flags & layout->line_table_flag &&
        hotspot_get(reader, code, CONST_CODE_SIZE, &size))
        read_lines(reader, code + layout->size[SIZE_CONST_METHOD] + size, out);
    return true;
}
