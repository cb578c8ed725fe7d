#include "symbols/elf_file.h"

#include "common/memory.h"
#include "common/vec.h"
#include "symbols/file_map.h"
#include "symbols/root_open.h"
#include "symbols/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

enum { PAGE = 4096 };

/* A section whose contents are not in the file as they are. */
struct unpacked {
    const struct elf_section *section;
    char *bytes; /* NULL = damaged */
    size_t size;
};

/* A segment with machine code. */
struct code_segment {
    uint64_t address, offset, size;
};

struct elf_file {
    char *path;
    struct slice image;
    struct slice mapped; /* the same, unless the bytes are somebody else's */
    struct stat opened;  /* as the file was then */
    bool is_64;
    uint16_t machine;
    uint64_t base;
    struct slice build_id;
    VEC(struct elf_section) sections;
    VEC(struct code_segment) code;
    VEC(struct unpacked) unpacked;
    struct elf_file *mini;
    char *mini_bytes;
    bool mini_tried;
};

/* ---- bytes of it ---- */

static struct slice part_of(struct slice image, uint64_t offset, uint64_t size)
{
    if (offset > image.length || size > image.length - offset)
        return (struct slice){0};
    return (struct slice){image.text + offset, (size_t)size};
}

/* The text that begins at an offset and ends with a NUL; empty where there is none. */
static struct slice text_at(struct slice table, uint64_t offset)
{
    if (offset >= table.length)
        return SLICE("");
    struct slice rest = slice_from(table, (size_t)offset);
    const char *end = memchr(rest.text, '\0', rest.length);
    return end ? slice_until(rest, (size_t)(end - rest.text)) : SLICE("");
}

static uint32_t u32_at(const char *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

struct slice elf_file_raw(const struct elf_file *file, const struct elf_section *section)
{
    if (!section || section->type == SHT_NOBITS || section->type == SHT_NULL)
        return (struct slice){0};
    return part_of(file->image, section->offset, section->size);
}

/* ---- headers ---- */

static int not_read(struct error *error, const char *why)
{
    return error_set(error, -EBADMSG, "%s", why);
}

static int read_sections(struct elf_file *file, Elf *elf, struct error *error)
{
    size_t count, names_index;
    if (elf_getshdrnum(elf, &count) != 0 || count == 0)
        return 0; /* stripped of these, too: what segments say is still there */
    if (count > file->image.length / sizeof(Elf32_Shdr))
        return not_read(error, "it has more sections than bytes");
    if (!vec_reserve(&file->sections, count))
        return error_out_of_memory(error);
    for (size_t i = 0; i < count; i++) {
        GElf_Shdr header;
        if (!gelf_getshdr(elf_getscn(elf, i), &header))
            return not_read(error, "its section headers are damaged");
        file->sections.items[file->sections.count++] = (struct elf_section){
            .name = {NULL, header.sh_name},
            .type = header.sh_type,
            .link = header.sh_link,
            .flags = header.sh_flags,
            .address = header.sh_addr,
            .offset = header.sh_offset,
            .size = header.sh_size,
            .entry_size = header.sh_entsize,
        };
    }
    struct slice names = {0};
    if (elf_getshdrstrndx(elf, &names_index) == 0)
        names = elf_file_raw(file, elf_file_section_at(file, names_index));
    for (size_t i = 0; i < count; i++)
        file->sections.items[i].name = text_at(names, file->sections.items[i].name.length);
    return 0;
}

/* Notes begin at multiples of 4, or of 8 in segments that say so. */
static struct slice find_build_id(struct slice notes, uint64_t alignment)
{
    size_t step = alignment == 8 ? 8 : 4, at = 0;
    while (at < notes.length && notes.length - at >= sizeof(Elf64_Nhdr)) {
        uint64_t name_size = u32_at(notes.text + at), size = u32_at(notes.text + at + 4);
        uint32_t type = u32_at(notes.text + at + 8);
        uint64_t name = at + sizeof(Elf64_Nhdr), content = (name + name_size + step - 1) & ~(uint64_t)(step - 1);
        if (content > notes.length || size > notes.length - content)
            break;
        if (type == NT_GNU_BUILD_ID && name_size == sizeof ELF_NOTE_GNU && size > 0 &&
            memcmp(notes.text + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
            return (struct slice){notes.text + content, (size_t)size};
        at = (size_t)((content + size + step - 1) & ~(uint64_t)(step - 1));
    }
    return (struct slice){0};
}

static int read_segments(struct elf_file *file, Elf *elf, struct error *error)
{
    size_t count;
    bool loaded = false;
    if (elf_getphdrnum(elf, &count) != 0 || count > file->image.length / sizeof(Elf32_Phdr))
        return 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment))
            break;
        if (segment.p_type == PT_LOAD && !loaded) {
            file->base = segment.p_vaddr & ~(uint64_t)(PAGE - 1);
            loaded = true;
        }
        struct code_segment code = {segment.p_vaddr, segment.p_offset, segment.p_filesz};
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) && !vec_push(&file->code, code))
            return error_out_of_memory(error);
        if (segment.p_type == PT_NOTE && file->build_id.length == 0)
            file->build_id = find_build_id(part_of(file->image, segment.p_offset, segment.p_filesz), segment.p_align);
    }
    return 0;
}

static int read_headers(struct elf_file *file, struct error *error)
{
    elf_version(EV_CURRENT);
    /* libelf only reads what it is given to read. */
    Elf *elf = elf_memory((char *)(uintptr_t)file->image.text, file->image.length);
    GElf_Ehdr header;
    int result = 0;
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        result = not_read(error, "it is not an ELF file");
    else if (header.e_ident[EI_DATA] != ELFDATA2LSB)
        result = not_read(error, "it is for a CPU with the most significant byte first");
    else if (header.e_shoff > file->image.length)
        result = not_read(error, "its end is missing");
    else
        result = read_sections(file, elf, error);
    if (result == 0) {
        file->is_64 = header.e_ident[EI_CLASS] == ELFCLASS64;
        file->machine = header.e_machine;
        /* Sections first: in a debug file what the segments point to is gone. */
        for (size_t i = 0; i < file->sections.count && file->build_id.length == 0; i++)
            if (file->sections.items[i].type == SHT_NOTE)
                file->build_id = find_build_id(elf_file_raw(file, &file->sections.items[i]), 4);
        result = read_segments(file, elf, error);
    }
    elf_end(elf);
    return result;
}

/* ---- opening ---- */

static int map_file(struct elf_file *file, int fd, struct error *error)
{
    if (fstat(fd, &file->opened) != 0)
        return error_set(error, -errno, "%m");
    int result = file_map(fd, false, &file->mapped, error);
    file->image = file->mapped;
    if (result == 0 && file->image.length < sizeof(Elf32_Ehdr))
        result = not_read(error, "it is not an ELF file");
    return result;
}

int elf_file_open(const char *root, const char *path, struct elf_file **out, struct error *error)
{
    int fd = root_open(root, path);
    if (fd < 0)
        return error_set(error, -errno, "%m");
    size_t root_length = root ? strlen(root) : 0, length = strlen(path);
    struct elf_file *file = memory_zeroed(1, sizeof *file);
    char *copy = memory_array(root_length + length + 1, 1);
    int result = 0;
    if (!file || !copy) {
        memory_release(copy);
        result = error_out_of_memory(error);
    } else {
        if (root)
            memcpy(copy, root, root_length);
        memcpy(copy + root_length, path, length + 1);
        file->path = copy;
        result = map_file(file, fd, error);
    }
    close(fd);
    if (result == 0)
        result = read_headers(file, error);
    if (result == 0)
        *out = file;
    else
        elf_file_close(file);
    return result;
}

int elf_file_memory(struct slice image, struct elf_file **out, struct error *error)
{
    struct elf_file *file = memory_zeroed(1, sizeof *file);
    if (!file)
        return error_out_of_memory(error);
    file->image = image;
    int result = image.length < sizeof(Elf32_Ehdr) ? not_read(error, "it is not an ELF file") : read_headers(file, error);
    if (result == 0)
        *out = file;
    else
        elf_file_close(file);
    return result;
}

void elf_file_close(struct elf_file *file)
{
    if (!file)
        return;
    elf_file_close(file->mini);
    memory_release(file->mini_bytes);
    for (size_t i = 0; i < file->unpacked.count; i++)
        memory_release(file->unpacked.items[i].bytes);
    vec_free(&file->unpacked);
    vec_free(&file->sections);
    vec_free(&file->code);
    file_unmap(file->mapped);
    memory_release(file->path);
    memory_release(file);
}

/* ---- what it says ---- */

const char *elf_file_path(const struct elf_file *file)
{
    return file->path ? file->path : "";
}

bool elf_file_has_changed(const struct elf_file *file)
{
    struct stat now;
    const struct stat *then = &file->opened;
    if (file_map_is_cut(file->mapped))
        return true;
    /* Another file that took its name leaves this one as it was. */
    return file->path && stat(file->path, &now) == 0 && now.st_dev == then->st_dev && now.st_ino == then->st_ino &&
           (now.st_size != then->st_size || now.st_mtim.tv_sec != then->st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != then->st_mtim.tv_nsec);
}

struct slice elf_file_bytes(const struct elf_file *file)
{
    return file->image;
}

bool elf_file_is_64(const struct elf_file *file)
{
    return file->is_64;
}

struct slice elf_file_build_id(const struct elf_file *file)
{
    return file->build_id;
}

uint16_t elf_file_machine(const struct elf_file *file)
{
    return file->machine;
}

struct slice elf_file_code(const struct elf_file *file, uint64_t address)
{
    bool has_sections = false;
    for (size_t i = 0; i < file->sections.count; i++) {
        const struct elf_section *section = &file->sections.items[i];
        if (!(section->flags & SHF_EXECINSTR))
            continue;
        struct slice bytes = elf_file_raw(file, section);
        has_sections = true;
        if (address >= section->address && address - section->address < bytes.length)
            return slice_from(bytes, (size_t)(address - section->address));
    }
    /* Sections say better what is in the file: in debug files segments are as they were. */
    for (size_t i = 0; i < file->code.count && !has_sections; i++) {
        const struct code_segment *segment = &file->code.items[i];
        struct slice bytes = part_of(file->image, segment->offset, segment->size);
        if (address >= segment->address && address - segment->address < bytes.length)
            return slice_from(bytes, (size_t)(address - segment->address));
    }
    return (struct slice){0};
}

uint64_t elf_file_image_base(const struct elf_file *file)
{
    return file->base;
}

uint64_t elf_file_address_of_offset(const struct elf_file *file, uint64_t offset)
{
    for (size_t i = 0; i < file->code.count; i++) {
        const struct code_segment *segment = &file->code.items[i];
        /* What is mapped of it begins with the page that it begins in. */
        uint64_t first = segment->offset - segment->offset % PAGE, skew = segment->offset - first;
        if (offset >= first && offset - first < segment->size + skew)
            return segment->address - skew + (offset - first) - file->base;
    }
    return offset;
}

size_t elf_file_section_count(const struct elf_file *file)
{
    return file->sections.count;
}

const struct elf_section *elf_file_section_at(const struct elf_file *file, size_t index)
{
    return index < file->sections.count ? &file->sections.items[index] : NULL;
}

const struct elf_section *elf_file_section_of_type(const struct elf_file *file, uint32_t type)
{
    for (size_t i = 0; i < file->sections.count; i++)
        if (file->sections.items[i].type == type)
            return &file->sections.items[i];
    return NULL;
}

const struct elf_section *elf_file_section_named(const struct elf_file *file, const char *name)
{
    struct slice wanted = slice_of(name);
    for (size_t i = 0; i < file->sections.count; i++)
        if (slice_equal(file->sections.items[i].name, wanted))
            return &file->sections.items[i];
    return NULL;
}

/* `.debug_X`, or `.zdebug_X` instead. */
static const struct elf_section *find_section(const struct elf_file *file, const char *name)
{
    const struct elf_section *section = elf_file_section_named(file, name);
    char old[64];
    if (section || strncmp(name, ".debug_", 7) != 0)
        return section;
    int length = snprintf(old, sizeof old, ".z%s", name + 1);
    return length > 0 && (size_t)length < sizeof old ? elf_file_section_named(file, old) : NULL;
}

bool elf_file_has(const struct elf_file *file, const char *name)
{
    return elf_file_raw(file, find_section(file, name)).length > 0;
}

/* ---- contents ---- */

/* The header of a packed section, as ELF has it now. */
static int unpack_section(const struct elf_file *file, struct slice raw, char **out, size_t *size, struct error *error)
{
    uint64_t unpacked_size;
    uint32_t kind;
    if (file->is_64 && raw.length >= sizeof(Elf64_Chdr)) {
        Elf64_Chdr header;
        memcpy(&header, raw.text, sizeof header);
        kind = header.ch_type;
        unpacked_size = header.ch_size;
        raw = slice_from(raw, sizeof header);
    } else if (!file->is_64 && raw.length >= sizeof(Elf32_Chdr)) {
        Elf32_Chdr header;
        memcpy(&header, raw.text, sizeof header);
        kind = header.ch_type;
        unpacked_size = header.ch_size;
        raw = slice_from(raw, sizeof header);
    } else {
        return not_read(error, "a packed section is too short");
    }
    *size = (size_t)unpacked_size;
    if (kind == ELFCOMPRESS_ZLIB)
        return unpack_zlib(raw, unpacked_size, out, error);
    if (kind == ELFCOMPRESS_ZSTD)
        return unpack_zstd(raw, unpacked_size, out, error);
    return not_read(error, "a section is packed in an unknown way");
}

/* As GNU tools packed before ELF knew of it: "ZLIB", the size with the most significant byte first, and the stream. */
static int unpack_old_section(struct slice raw, char **out, size_t *size, struct error *error)
{
    uint64_t unpacked_size = 0;
    for (size_t i = 4; i < 12; i++)
        unpacked_size = unpacked_size << 8 | (unsigned char)raw.text[i];
    *size = (size_t)unpacked_size;
    return unpack_zlib(slice_from(raw, 12), unpacked_size, out, error);
}

int elf_file_contents(struct elf_file *file, const char *name, struct slice *out, struct error *error)
{
    *out = (struct slice){0};
    const struct elf_section *section = find_section(file, name);
    struct slice raw = elf_file_raw(file, section);
    bool old =
        section && slice_starts_with(section->name, SLICE(".z")) && raw.length >= 12 && slice_starts_with(raw, SLICE("ZLIB"));
    if (raw.length == 0)
        return 0;
    if (!old && !(section->flags & SHF_COMPRESSED)) {
        *out = raw;
        return 0;
    }
    for (size_t i = 0; i < file->unpacked.count; i++)
        if (file->unpacked.items[i].section == section) {
            *out = (struct slice){file->unpacked.items[i].bytes, file->unpacked.items[i].size};
            return 0;
        }
    struct unpacked unpacked = {.section = section};
    struct error why = {0};
    int result = old ? unpack_old_section(raw, &unpacked.bytes, &unpacked.size, &why)
                     : unpack_section(file, raw, &unpacked.bytes, &unpacked.size, &why);
    if (result < 0)
        unpacked.size = 0;
    if (result == -ENOMEM || !vec_push(&file->unpacked, unpacked)) {
        memory_release(unpacked.bytes);
        return error_out_of_memory(error);
    }
    *out = (struct slice){unpacked.bytes, unpacked.size};
    return 0;
}

/* ---- links to other files ---- */

bool elf_file_debug_link(const struct elf_file *file, struct slice *name, uint32_t *crc)
{
    struct slice link = elf_file_raw(file, elf_file_section_named(file, ".gnu_debuglink"));
    *name = text_at(link, 0);
    size_t at = (name->length + 1 + 3) & ~(size_t)3;
    if (name->length == 0 || at > link.length || link.length - at < sizeof *crc)
        return false;
    *crc = u32_at(link.text + at);
    return true;
}

bool elf_file_alternate_link(const struct elf_file *file, struct slice *path, struct slice *build_id)
{
    struct slice link = elf_file_raw(file, elf_file_section_named(file, ".gnu_debugaltlink"));
    *path = text_at(link, 0);
    if (path->length == 0 || path->length + 1 >= link.length)
        return false;
    *build_id = slice_from(link, path->length + 1);
    return true;
}

int elf_file_mini_debug(struct elf_file *file, struct elf_file **out, struct error *error)
{
    struct slice packed = elf_file_raw(file, elf_file_section_named(file, ".gnu_debugdata"));
    size_t size;
    if (packed.length > 0 && !file->mini_tried) {
        struct error why = {0};
        file->mini_tried = true;
        int result = unpack_xz(packed, &file->mini_bytes, &size, &why);
        if (result == 0)
            result = elf_file_memory((struct slice){file->mini_bytes, size}, &file->mini, &why);
        if (result == -ENOMEM)
            return error_out_of_memory(error);
    }
    *out = file->mini;
    return 0;
}
