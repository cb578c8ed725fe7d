#include "symbols/dwarf/line_files.h"

#include <errno.h>

enum { MOST_FORMATS = 32, LONGEST_PATH = 16 << 10 };

void dwarf_line_files_free(struct dwarf_line_files *files)
{
    vec_free(&files->folders);
    vec_free(&files->files);
}

/* --- versions 2 to 4 --- */

int dwarf_line_files_define(struct dwarf_line_files *files, struct byte_reader *cursor)
{
    struct dwarf_line_file file = {.name = dwarf_text(cursor)};
    file.folder = byte_reader_uleb(cursor);
    byte_reader_uleb(cursor); /* time */
    byte_reader_uleb(cursor); /* size */
    if (cursor->failed)
        return -EINVAL;
    return vec_push(&files->files, file) ? 0 : -ENOMEM;
}

static int read_old_lists(struct dwarf_line_files *files, struct byte_reader *cursor)
{
    for (;;) {
        struct slice folder = dwarf_text(cursor);
        if (cursor->failed)
            return -EINVAL;
        if (folder.length == 0)
            break;
        if (!vec_push(&files->folders, folder))
            return -ENOMEM;
    }
    while (byte_reader_left(cursor) > 0 && *cursor->at != 0) {
        int result = dwarf_line_files_define(files, cursor);
        if (result != 0)
            return result;
    }
    byte_reader_u8(cursor);
    return cursor->failed ? -EINVAL : 0;
}

/* --- version 5: lists whose rows have whatever columns the compiler likes --- */

struct formats {
    uint16_t content[MOST_FORMATS], form[MOST_FORMATS];
    uint8_t count;
};

static bool read_formats(struct formats *formats, struct byte_reader *cursor, struct dwarf_sizes sizes)
{
    bool takes_bytes = false;
    formats->count = byte_reader_u8(cursor);
    if (formats->count > MOST_FORMATS)
        return false;
    for (unsigned i = 0; i < formats->count; i++) {
        uint64_t content = byte_reader_uleb(cursor), form = byte_reader_uleb(cursor);
        if (form > UINT16_MAX || form == FORM_implicit_const || !dwarf_form_known((unsigned)form))
            return false;
        formats->content[i] = content <= UINT16_MAX ? (uint16_t)content : 0;
        formats->form[i] = (uint16_t)form;
        takes_bytes |= dwarf_form_size((unsigned)form, sizes) != 0;
    }
    /* Rows of no bytes could be any number. */
    return !cursor->failed && (takes_bytes || formats->count == 0);
}

static bool read_row(const struct formats *formats, struct byte_reader *cursor, const struct dwarf_unit *unit,
                     struct dwarf_sizes sizes, struct dwarf_line_file *row)
{
    *row = (struct dwarf_line_file){0};
    for (unsigned i = 0; i < formats->count; i++) {
        struct dwarf_value value = dwarf_form_read(cursor, formats->form[i], 0, sizes);
        if (formats->content[i] == LNCT_path)
            row->name = dwarf_unit_text(unit, value);
        else if (formats->content[i] == LNCT_directory_index)
            row->folder = value.number;
    }
    return !cursor->failed;
}

static int read_list(struct dwarf_line_files *files, struct byte_reader *cursor, const struct dwarf_unit *unit, bool folders)
{
    struct formats formats;
    if (!read_formats(&formats, cursor, files->sizes))
        return -EINVAL;
    uint64_t count = byte_reader_uleb(cursor);
    if (formats.count == 0)
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        struct dwarf_line_file row;
        if (!read_row(&formats, cursor, unit, files->sizes, &row))
            return -EINVAL;
        if (folders ? !vec_push(&files->folders, row.name) : !vec_push(&files->files, row))
            return -ENOMEM;
    }
    return 0;
}

/* --- the head --- */

static int read_lists(struct dwarf_line_files *files, struct byte_reader *cursor, const struct dwarf_unit *unit)
{
    if (files->sizes.version < 5)
        return read_old_lists(files, cursor);
    int result = read_list(files, cursor, unit, true);
    return result == 0 ? read_list(files, cursor, unit, false) : result;
}

int dwarf_line_files_read(struct dwarf_line_files *files, const struct dwarf_unit *unit, uint64_t offset,
                          struct dwarf_work *work)
{
    files->folders.count = files->files.count = 0;
    files->program = (struct byte_reader){0};
    struct byte_reader cursor = dwarf_section_at(unit->file->sections.line, offset);
    files->sizes = unit->head.sizes;
    dwarf_initial_length(&cursor, &files->sizes.offset);
    uint16_t version = byte_reader_u16(&cursor);
    if (version < 2 || version > 5)
        return -EINVAL;
    files->sizes.version = (uint8_t)version;
    if (version >= 5) {
        files->sizes.address = byte_reader_u8(&cursor);
        byte_reader_u8(&cursor); /* size of segment selectors */
    }
    uint64_t head_size = dwarf_word(&cursor, files->sizes.offset);
    if (cursor.failed || head_size > byte_reader_left(&cursor) || (files->sizes.address != 4 && files->sizes.address != 8))
        return -EINVAL;
    if (!dwarf_work_spend(work, byte_reader_left(&cursor)))
        return -EINVAL;
    struct byte_reader head = {cursor.at, cursor.at + head_size, false};
    files->minimum_length = byte_reader_u8(&head);
    /* Instructions that hold several operations: of no machine that programs are recorded on. */
    if (version >= 4)
        byte_reader_u8(&head);
    byte_reader_u8(&head); /* whether rows are statements at first */
    files->line_base = (int8_t)byte_reader_u8(&head);
    files->line_range = byte_reader_u8(&head);
    files->opcode_base = byte_reader_u8(&head);
    for (unsigned i = 1; i < files->opcode_base; i++)
        files->operand_counts[i] = byte_reader_u8(&head);
    int result = head.failed || files->opcode_base == 0 ? -EINVAL : read_lists(files, &head, unit);
    if (result == 0)
        files->program = (struct byte_reader){cursor.at + head_size, cursor.end, false};
    return result;
}

/* --- paths --- */

static bool is_absolute(struct slice path)
{
    return path.length > 0 && path.text[0] == '/';
}

/* Puts the parts that are not empty together, with slashes between them. */
static struct slice join(const struct slice *parts, size_t count, struct arena *arena, int *result)
{
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += parts[i].length + 1;
    /* Every text is at most DWARF_LONGEST_TEXT, but thousands of such paths would fill the memory. */
    if (length > LONGEST_PATH)
        return (struct slice){0};
    char *path = arena_bytes(arena, length);
    if (!path) {
        *result = -ENOMEM;
        return (struct slice){0};
    }
    length = 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].length == 0)
            continue;
        if (length > 0 && path[length - 1] != '/')
            path[length++] = '/';
        memcpy(path + length, parts[i].text, parts[i].length);
        length += parts[i].length;
    }
    return (struct slice){path, length};
}

static struct slice make_path(const struct dwarf_line_files *files, const struct dwarf_line_file *file, struct slice comp_dir,
                              struct arena *arena, int *result)
{
    /* Number 0 of the folders is the compiler's: in the list from version 5 on, and left out before. */
    bool listed = files->sizes.version >= 5;
    struct slice folder = {0};
    if (is_absolute(file->name) || file->name.length == 0)
        return file->name;
    if (listed && file->folder < files->folders.count)
        folder = files->folders.items[file->folder];
    else if (!listed && file->folder > 0 && file->folder <= files->folders.count)
        folder = files->folders.items[file->folder - 1];
    if (is_absolute(folder) || (listed && file->folder == 0))
        return join((struct slice[]){folder, file->name}, 2, arena, result);
    return join((struct slice[]){comp_dir, folder, file->name}, 3, arena, result);
}

struct slice dwarf_line_files_path(struct dwarf_line_files *files, uint64_t index, struct slice comp_dir, struct arena *arena,
                                   int *result)
{
    /* They count from 0 since version 5, and from 1 before. */
    if (files->sizes.version < 5)
        index--;
    if (index >= files->files.count)
        return (struct slice){0};
    struct dwarf_line_file *file = &files->files.items[index];
    if (!file->has_path) {
        file->path = make_path(files, file, comp_dir, arena, result);
        file->has_path = true;
    }
    return file->path;
}
