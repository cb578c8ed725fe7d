#include "export/gecko_libs.h"

#include "common/sort.h"
#include "export/gecko_text.h"

/* The recorder calls a library by its file's name (libz.so.1.2.13), the program by its linker's (libz.so.1). */
static bool lib_equal(const struct gecko_lib *a, const struct gecko_lib *b)
{
    return a->start == b->start && a->end == b->end && a->bias == b->bias && slice_equal(a->build_id, b->build_id) &&
           (a->build_id.length > 0 || slice_equal(a->path, b->path));
}

bool gecko_libs_add(struct gecko_libs *libs, const struct module_entry *entry, struct arena *arena)
{
    struct gecko_lib lib = {entry->start, entry->end, entry->bias, entry->path, entry->build_id, libs->rows.count};
    /* A plug-in that comes and goes is mostly put where it was before. */
    for (size_t i = libs->rows.count; i > 0 && libs->rows.count - i < 8; i--)
        if (lib_equal(&libs->rows.items[i - 1], &lib))
            return true;
    return gecko_keep(arena, &lib.path) && gecko_keep(arena, &lib.build_id) && vec_push(&libs->rows, lib);
}

static bool is_before(const void *a, const void *b)
{
    const struct gecko_lib *one = a, *other = b;
    if (one->start != other->start)
        return one->start < other->start;
    if (one->end != other->end)
        return one->end < other->end;
    return one->row < other->row;
}

/* Whether `lib` is among the first `count` ones: those with its addresses are the last of them. */
static bool is_repeated(const struct gecko_libs *libs, size_t count, const struct gecko_lib *lib)
{
    for (size_t i = count; i-- > 0 && libs->rows.items[i].start == lib->start && libs->rows.items[i].end == lib->end;)
        if (lib_equal(&libs->rows.items[i], lib))
            return true;
    return false;
}

void gecko_libs_finish(struct gecko_libs *libs)
{
    size_t count = 0;
    sort_items(libs->rows.items, libs->rows.count, sizeof *libs->rows.items, is_before);
    for (size_t i = 0; i < libs->rows.count; i++)
        if (!is_repeated(libs, count, &libs->rows.items[i]))
            libs->rows.items[count++] = libs->rows.items[i];
    libs->rows.count = count;
}

void gecko_libs_free(struct gecko_libs *libs)
{
    vec_free(&libs->rows);
}

/* ---- writing ---- */

enum { ID_BYTES = 16, LONGEST_ID = 64 };

static char *put_hex(char *out, uint8_t byte, const char *digits)
{
    *out++ = digits[byte >> 4];
    *out++ = digits[byte & 15];
    return out;
}

/* The first 16 bytes as a GUID, whose first three parts are numbers in the byte order of the machine, and an age of 0. All
 * zeros where there is none. */
static void write_breakpad_id(struct slice build_id, struct json_writer *w)
{
    static const uint8_t place[ID_BYTES] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    char text[2 * ID_BYTES + 1], *p = text;
    for (size_t i = 0; i < ID_BYTES; i++)
        p = put_hex(p, place[i] < build_id.length ? (uint8_t)build_id.text[place[i]] : 0, "0123456789ABCDEF");
    *p = '0';
    json_write_string(w, (struct slice){text, sizeof text});
}

static void write_code_id(struct slice build_id, struct json_writer *w)
{
    char text[2 * LONGEST_ID], *p = text;
    for (size_t i = 0; i < build_id.length && i < LONGEST_ID; i++)
        p = put_hex(p, (uint8_t)build_id.text[i], "0123456789abcdef");
    json_write_string(w, (struct slice){text, (size_t)(p - text)});
}

/* Beyond what a double holds exactly, -1 says so. */
static void write_address(const char *key, uint64_t address, struct json_writer *w)
{
    json_write_key(w, key);
    json_write_integer(w, address < UINT64_C(1) << 53 ? (int64_t)address : -1);
}

static void write_text(const char *key, struct slice text, struct json_writer *w)
{
    json_write_key(w, key);
    json_write_string(w, text);
}

static void write_lib(const struct gecko_lib *lib, struct json_writer *w)
{
    const char *slash = memrchr(lib->path.text, '/', lib->path.length);
    struct slice name = slash ? slice_from(lib->path, (size_t)(slash + 1 - lib->path.text)) : lib->path;
    json_write_begin_object(w);
    write_address("start", lib->start, w);
    write_address("end", lib->end, w);
    write_address("offset", lib->start - module_image_base(lib->start), w);
    write_text("name", name, w);
    write_text("path", lib->path, w);
    write_text("debugName", name, w);
    write_text("debugPath", lib->path, w);
    json_write_key(w, "breakpadId");
    write_breakpad_id(lib->build_id, w);
    json_write_key(w, "codeId");
    write_code_id(lib->build_id, w);
    write_text("arch", SLICE(""), w);
    json_write_end_object(w);
}

void gecko_libs_write(const struct gecko_libs *libs, struct json_writer *w)
{
    json_write_begin_array(w);
    for (size_t i = 0; i < libs->rows.count; i++)
        write_lib(&libs->rows.items[i], w);
    json_write_end_array(w);
}

void gecko_libs_write_overlaps(const struct gecko_libs *libs, struct json_writer *w)
{
    uint64_t end = 0;
    json_write_begin_array(w);
    for (size_t i = 0; i < libs->rows.count; i++) {
        const struct gecko_lib *lib = &libs->rows.items[i];
        bool overlaps = lib->start < end || (i + 1 < libs->rows.count && lib[1].start < lib->end);
        if (overlaps)
            json_write_string(w, lib->path);
        if (lib->end > end)
            end = lib->end;
    }
    json_write_end_array(w);
}
