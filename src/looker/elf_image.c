#include "looker/elf_image.h"

#include "common/byte_reader.h"
#include "common/memory.h"
#include "unwind/eh_frame_index.h"
#include "unwind/memory.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

/* More program headers than any linker makes, and as many sections as count in 16 bits. */
enum { PROGRAM_HEADERS_MAX = 256, NOTES_MAX = 64 << 10 };

/* --- bytes --------------------------------------------------------------------------------------------------------------- */

/* Returns how many of the bytes from the beginning could be read. */
static size_t read_some(const struct elf_input *input, void *out, uint64_t offset, size_t length)
{
    if (input->bytes.text) {
        if (offset >= input->bytes.length)
            return 0;
        size_t there = input->bytes.length - (size_t)offset < length ? input->bytes.length - (size_t)offset : length;
        memcpy(out, input->bytes.text + offset, there);
        return there;
    }
    if (input->pid)
        return unwind_memory_copy_of(input->pid, out, input->base + offset, length, NULL);
    size_t done = 0;
    while (done < length && offset <= INT64_MAX - length) {
        ssize_t got = pread(input->file, (char *)out + done, length - done, (off_t)(offset + done));
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

static bool read_all(const struct elf_input *input, void *out, uint64_t offset, size_t length)
{
    return read_some(input, out, offset, length) == length;
}

static const struct elf_segment *segment_at(const struct elf_image *image, uint64_t address)
{
    for (size_t i = 0; i < image->segment_count; i++)
        if (address >= image->segments[i].start && address - image->segments[i].start < image->segments[i].length)
            return &image->segments[i];
    return NULL;
}

/* How many bytes of the file there are from the address to the end of its segment. */
static uint64_t rest_of_segment(const struct elf_image *image, uint64_t address)
{
    const struct elf_segment *segment = segment_at(image, address);
    return segment ? segment->length - (address - segment->start) : 0;
}

/* Where the bytes of an address are: in a file at an offset; in memory all addresses have one distance, which is that of the
 * segment with the file's first byte. */
static bool place_of(const struct elf_input *input, const struct elf_image *image, uint64_t address, uint64_t *offset)
{
    const struct elf_segment *segment = segment_at(image, address);
    if (!segment)
        return false;
    *offset = segment->offset + (address - segment->start);
    if (input->bytes.text || !input->pid)
        return true;
    for (size_t i = 0; i < image->segment_count; i++) {
        if (image->segments[i].offset == 0) {
            *offset = address - image->segments[i].start;
            return true;
        }
    }
    return false;
}

static size_t read_address(const struct elf_input *input, const struct elf_image *image, void *out, uint64_t address,
                           size_t length)
{
    uint64_t offset;
    return length <= rest_of_segment(image, address) && place_of(input, image, address, &offset)
               ? read_some(input, out, offset, length)
               : 0;
}

/* --- headers ------------------------------------------------------------------------------------------------------------- */

static bool header_is_usable(const Elf64_Ehdr *header)
{
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_ident[EI_DATA] == ELFDATA2LSB && (header->e_type == ET_EXEC || header->e_type == ET_DYN) &&
           header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phnum > 0 && header->e_phnum <= PROGRAM_HEADERS_MAX;
}

static void add_segment(struct elf_image *image, const Elf64_Phdr *header)
{
    uint64_t start = header->p_vaddr, end = start + header->p_memsz;
    if (start < image->start)
        image->start = start;
    if (end > image->end)
        image->end = end;
    if (header->p_flags & PF_X) {
        image->code_start = start;
        image->code_end = end;
    }
    if (image->segment_count < ELF_SEGMENTS_MAX && header->p_filesz <= header->p_memsz &&
        header->p_offset + header->p_filesz >= header->p_offset)
        image->segments[image->segment_count++] = (struct elf_segment){
            .start = start, .length = header->p_filesz, .offset = header->p_offset, .executable = header->p_flags & PF_X};
}

bool elf_image_read(const struct elf_input *input, struct elf_image *image)
{
    Elf64_Ehdr file;
    *image = (struct elf_image){.start = UINT64_MAX};
    if (!read_all(input, &file, 0, sizeof file) || !header_is_usable(&file))
        return false;
    if (file.e_shentsize == sizeof(Elf64_Shdr)) {
        image->sections = file.e_shoff;
        image->section_count = file.e_shnum;
        image->section_names = file.e_shstrndx;
    }
    for (unsigned i = 0; i < file.e_phnum; i++) {
        Elf64_Phdr header;
        if (!read_all(input, &header, file.e_phoff + i * sizeof header, sizeof header))
            return false;
        if (header.p_vaddr + header.p_memsz < header.p_vaddr)
            continue;
        switch (header.p_type) {
        case PT_LOAD:
            add_segment(image, &header);
            break;
        case PT_GNU_EH_FRAME:
            image->header = header.p_vaddr;
            image->header_length = header.p_memsz;
            break;
        case PT_NOTE:
            /* There may be several; properties stand in one of their own, aligned to 8. */
            if (!image->notes_length || header.p_align == 4) {
                image->notes = header.p_vaddr;
                image->notes_length = header.p_memsz;
            }
            break;
        }
    }
    uint64_t header_rest = rest_of_segment(image, image->header), notes_rest = rest_of_segment(image, image->notes);
    if (image->header_length > header_rest)
        image->header_length = header_rest;
    if (image->notes_length > notes_rest)
        image->notes_length = notes_rest;
    return image->start < image->end;
}

bool elf_image_bias(const struct elf_image *image, uint64_t address, uint64_t offset, uint64_t *bias)
{
    enum { PAGE = 4096 };
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        /* It is mapped from the beginning of its page on. */
        uint64_t before = segment->offset % PAGE, first = segment->offset - before;
        if (!segment->executable || offset < first || offset - first >= segment->length + before)
            continue;
        *bias = address - (segment->start + (offset - segment->offset));
        return *bias % PAGE == 0 && *bias + image->end > *bias + image->start;
    }
    return false;
}

static size_t find_build_id(const uint8_t *notes, size_t length, uint8_t id[MODULE_BUILD_ID_MAX])
{
    struct byte_reader in = byte_reader_of(notes, length);
    while (byte_reader_left(&in) > 0) {
        uint32_t name_length = byte_reader_u32(&in), data_length = byte_reader_u32(&in), type = byte_reader_u32(&in);
        const uint8_t *name = byte_reader_take(&in, ((uint64_t)name_length + 3) & ~(uint64_t)3);
        const uint8_t *data = byte_reader_take(&in, data_length);
        if (in.failed)
            return 0;
        if (type == NT_GNU_BUILD_ID && name_length == 4 && memcmp(name, "GNU", 4) == 0 && data_length <= MODULE_BUILD_ID_MAX) {
            memcpy(id, data, data_length);
            return data_length;
        }
        byte_reader_take(&in, -data_length & 3);
    }
    return 0;
}

size_t elf_image_build_id(const struct elf_input *input, const struct elf_image *image, uint8_t id[MODULE_BUILD_ID_MAX])
{
    size_t length = image->notes_length < NOTES_MAX ? (size_t)image->notes_length : NOTES_MAX;
    uint8_t *notes = length > 0 ? memory_array(length, 1) : NULL;
    size_t found = notes ? find_build_id(notes, read_address(input, image, notes, image->notes, length), id) : 0;
    memory_release(notes);
    return found;
}

/* --- tables -------------------------------------------------------------------------------------------------------------- */

/* What .eh_frame_hdr says; see the LSB, "Exception Frames". */
struct header {
    uint64_t eh_frame;
    uint64_t rows; /* the address of the sorted table */
    size_t count;  /* 0: no table, or not of the usual form */
};

static bool header_read(const struct elf_input *input, const struct elf_image *image, struct header *header)
{
    enum { USUAL_TABLE = POINTER_TO_DATA | POINTER_S32, BYTES = 32 };
    uint8_t bytes[BYTES];
    size_t length = image->header_length < BYTES ? (size_t)image->header_length : BYTES;
    if (length == 0 || read_address(input, image, bytes, image->header, length) != length)
        return false;
    struct byte_reader in = byte_reader_of(bytes, length);
    uint8_t version = byte_reader_u8(&in), eh_frame_encoding = byte_reader_u8(&in);
    uint8_t count_encoding = byte_reader_u8(&in), table_encoding = byte_reader_u8(&in);
    uint64_t at = image->header + (uint64_t)(in.at - bytes);
    header->eh_frame = eh_frame_pointer(&in, eh_frame_encoding, at, image->header);
    if (in.failed || version != 1)
        return false;
    at = image->header + (uint64_t)(in.at - bytes);
    uint64_t count = eh_frame_pointer(&in, count_encoding, at, image->header);
    uint64_t head = (uint64_t)(in.at - bytes);
    header->rows = image->header + head;
    uint64_t room = (image->header_length - head) / sizeof(struct eh_frame_index_row);
    bool usable = !in.failed && count_encoding != POINTER_NONE && table_encoding == USUAL_TABLE && count <= room;
    header->count = usable ? (size_t)count : 0;
    return true;
}

/* .eh_frame through the section headers, where no .eh_frame_hdr leads to it. Only a file has them. */
static bool find_section(const struct elf_input *input, const struct elf_image *image, uint64_t *address, uint64_t *length)
{
    static const char name[] = ".eh_frame";
    Elf64_Shdr names, section;
    if ((input->pid && !input->bytes.text) || image->section_names >= image->section_count ||
        !read_all(input, &names, image->sections + (uint64_t)image->section_names * sizeof names, sizeof names))
        return false;
    for (unsigned i = 0; i < image->section_count; i++) {
        char text[sizeof name];
        if (!read_all(input, &section, image->sections + (uint64_t)i * sizeof section, sizeof section))
            return false;
        if (section.sh_flags & SHF_ALLOC && section.sh_type != SHT_NOBITS &&
            read_all(input, text, names.sh_offset + section.sh_name, sizeof text) && memcmp(text, name, sizeof name) == 0) {
            *address = section.sh_addr;
            *length = section.sh_size;
            return true;
        }
    }
    return false;
}

/* How many bytes of .eh_frame the rows lead to, of at most `length`: entries lead back to others, never forward. What lies
 * behind in the segment is not of the tables. */
static uint64_t length_in_use(const struct elf_input *input, const struct elf_image *image, const struct elf_tables *tables,
                              uint64_t length)
{
    int32_t last = INT32_MIN;
    for (size_t i = 0; i < tables->index_count; i++)
        last = tables->index[i].fde > last ? tables->index[i].fde : last;
    uint64_t fde = tables->index_address + (uint64_t)last;
    uint8_t entry[sizeof(uint32_t)]; /* its length, without these bytes */
    if (tables->index_count == 0 || fde < tables->address || fde - tables->address >= length ||
        read_address(input, image, entry, fde, sizeof entry) != sizeof entry)
        return length;
    struct byte_reader in = byte_reader_of(entry, sizeof entry);
    uint64_t used = fde - tables->address + sizeof entry + byte_reader_u32(&in);
    return used < length ? used : length;
}

static bool load_index(const struct elf_input *input, const struct elf_image *image, const struct header *header, size_t most,
                       struct elf_tables *tables)
{
    size_t bytes = header->count * sizeof *tables->index;
    tables->index = bytes > 0 && bytes <= most ? memory_array(header->count, sizeof *tables->index) : NULL;
    if (!tables->index || read_address(input, image, tables->index, header->rows, bytes) != bytes)
        return false;
    tables->index_count = header->count;
    tables->index_address = image->header;
    return true;
}

/* From the entries themselves. */
static bool make_index(size_t most, struct elf_tables *tables)
{
    struct eh_frame_table table = {
        .bytes = tables->eh_frame, .length = tables->length, .address = tables->address, .index_address = tables->address};
    size_t count = eh_frame_index_count(&table);
    if (count == 0 || count > most / sizeof *tables->index)
        return false;
    tables->index = memory_array(count, sizeof *tables->index);
    tables->index_address = tables->address;
    tables->index_count = tables->index ? eh_frame_index_build(&table, tables->index, count) : 0;
    return tables->index_count > 0;
}

bool elf_tables_load(const struct elf_input *input, const struct elf_image *image, size_t most, struct elf_tables *tables)
{
    struct header header = {0};
    uint64_t length = 0;
    *tables = (struct elf_tables){0};
    if (header_read(input, image, &header))
        length = rest_of_segment(image, header.eh_frame);
    else
        find_section(input, image, &header.eh_frame, &length);
    if (length == 0 || length > rest_of_segment(image, header.eh_frame))
        return false;
    tables->address = header.eh_frame;
    if (header.count > 0 && !load_index(input, image, &header, most, tables))
        goto fail;
    length = length_in_use(input, image, tables, length);
    most -= elf_tables_bytes(tables);
    tables->eh_frame = length <= most ? memory_array((size_t)length, 1) : NULL;
    if (!tables->eh_frame)
        goto fail;
    tables->length = read_address(input, image, tables->eh_frame, header.eh_frame, (size_t)length);
    if (tables->length == 0 || (header.count == 0 && !make_index(most - tables->length, tables)))
        goto fail;
    return true;
fail:
    elf_tables_free(tables);
    return false;
}

void elf_tables_free(struct elf_tables *tables)
{
    memory_release(tables->eh_frame);
    memory_release(tables->index);
    *tables = (struct elf_tables){0};
}

struct eh_frame_table elf_tables_mapped(const struct elf_tables *tables, const struct elf_image *image, uint64_t bias)
{
    if (!tables->index)
        return (struct eh_frame_table){0};
    return (struct eh_frame_table){
        .bytes = tables->eh_frame,
        .length = tables->length,
        .address = bias + tables->address,
        .index = tables->index,
        .index_count = tables->index_count,
        .index_address = bias + tables->index_address,
        .code_start = bias + image->code_start,
        .code_end = bias + image->code_end,
    };
}
