#include "unwind/module_load.h"

#include "unwind/eh_frame_index.h"
#include "unwind/eh_frame_section.h"
#include "unwind/memory.h"

#include <elf.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

static size_t align(size_t offset)
{
    return (offset + 15) & ~(size_t)15;
}

void *mapping_create(size_t bytes)
{
    struct mapping *mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED)
        return NULL;
    mapping->bytes = bytes;
    return mapping;
}

/* Given out once: what a process has at its beginning it mostly keeps to its end. What nobody touches costs nothing. */
enum { FIRST_BYTES = 64 << 10, FIRST_ROOM = FIRST_BYTES - 16 };
_Alignas(4096) static struct {
    _Atomic size_t taken; /* or more. Relaxed: only a number */
    _Alignas(16) char bytes[FIRST_ROOM];
} first;

void *mapping_create_small(size_t bytes)
{
    if (bytes > FIRST_ROOM)
        return mapping_create(bytes);
    size_t size = align(bytes), at = atomic_fetch_add_explicit(&first.taken, size, memory_order_relaxed);
    return at <= FIRST_ROOM - size ? first.bytes + at : mapping_create(bytes);
}

void mapping_free(struct mapping *mapping)
{
    if (mapping->bytes > 0)
        munmap(mapping, mapping->bytes);
}

/* The segment that an address is in; NULL: none. */
static const struct module_segment *segment_at(const struct seen_module *seen, uint64_t address)
{
    for (size_t i = 0; i < seen->segment_count; i++)
        if (address >= seen->segments[i].start && address < seen->segments[i].end)
            return &seen->segments[i];
    return NULL;
}

/* How many bytes there are from the address to the end of its segment. */
static uint64_t rest_of_segment(const struct seen_module *seen, uint64_t address)
{
    const struct module_segment *segment = segment_at(seen, address);
    return segment ? segment->end - address : 0;
}

static void read_build_id(struct seen_module *seen, uint64_t notes, uint64_t length)
{
    struct byte_reader in = byte_reader_of((const uint8_t *)(uintptr_t)notes, (size_t)length);
    while (byte_reader_left(&in) > 0) {
        uint32_t name_length = byte_reader_u32(&in), data_length = byte_reader_u32(&in), type = byte_reader_u32(&in);
        const uint8_t *name = byte_reader_take(&in, ((uint64_t)name_length + 3) & ~(uint64_t)3);
        const uint8_t *data = byte_reader_take(&in, data_length);
        if (in.failed)
            return;
        if (type == NT_GNU_BUILD_ID && name_length == 4 && memcmp(name, "GNU", 4) == 0 && data_length <= MODULE_BUILD_ID_MAX) {
            memcpy(seen->build_id, data, data_length);
            seen->build_id_length = (uint8_t)data_length;
            return;
        }
        byte_reader_take(&in, -data_length & 3);
    }
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool seen_module_read(struct seen_module *seen, uint64_t bias, const ElfW(Phdr) * headers, size_t count)
{
    uint64_t notes = 0, notes_length = 0;
    memset(seen, 0, sizeof *seen);
    seen->bias = bias;
    seen->start = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        uint64_t start = bias + headers[i].p_vaddr, end = start + headers[i].p_memsz;
        if (end < start)
            continue;
        switch (headers[i].p_type) {
        case PT_LOAD:
            if (start < seen->start)
                seen->start = start;
            if (end > seen->end)
                seen->end = end;
            if (headers[i].p_flags & PF_X) {
                seen->code_start = start;
                seen->code_end = end;
            }
            if (seen->segment_count < MODULE_SEGMENTS_MAX) {
                struct module_segment *segment = &seen->segments[seen->segment_count++];
                *segment = (struct module_segment){.start = start,
                                                   .end = start + headers[i].p_filesz,
                                                   .offset = headers[i].p_offset,
                                                   .writable = headers[i].p_flags & PF_W,
                                                   .readable = headers[i].p_flags & PF_R};
            }
            break;
        case PT_GNU_EH_FRAME:
            seen->header = start;
            seen->header_length = headers[i].p_memsz;
            break;
        case PT_NOTE:
            /* There may be several; properties stand in one of their own, aligned to 8. */
            if (!notes || headers[i].p_align == 4) {
                notes = start;
                notes_length = headers[i].p_memsz;
            }
            break;
        }
    }
    /* In place: the module cannot go while the dynamic linker tells of it. */
    read_build_id(seen, notes, least(notes_length, rest_of_segment(seen, notes)));
    seen->header_length = least(seen->header_length, rest_of_segment(seen, seen->header));
    if (seen->header_length > 0)
        memcpy(seen->header_start, (const void *)(uintptr_t)seen->header, least(seen->header_length, MODULE_HEADER_BYTES));
    return seen->start < seen->end;
}

static bool has_address(const struct dl_phdr_info *module, uint64_t address)
{
    for (size_t i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &module->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && address - (module->dlpi_addr + header->p_vaddr) < header->p_memsz)
            return true;
    }
    return false;
}

bool module_stays(const struct dl_phdr_info *module)
{
    /* A function of the C library that nobody puts another in front of but sanitizers, whose libraries stay as well. */
    return has_address(module, getauxval(AT_PHDR)) || has_address(module, getauxval(AT_BASE)) ||
           has_address(module, getauxval(AT_SYSINFO_EHDR)) || has_address(module, (uintptr_t)dl_iterate_phdr) ||
           has_address(module, (uintptr_t)module_stays);
}

bool module_is(const struct unwind_module *module, const struct seen_module *seen)
{
    return module->start == seen->start && module->end == seen->end && module->bias == seen->bias &&
           module->build_id_length == seen->build_id_length &&
           memcmp(module->build_id, seen->build_id, seen->build_id_length) == 0 &&
           strcmp(module->path, seen_module_path(seen)) == 0;
}

/* What .eh_frame_hdr says; see the LSB, "Exception Frames". */
struct header {
    uint64_t eh_frame;
    uint64_t rows; /* the address of the sorted table */
    size_t count;  /* 0: no table, or not of the usual form */
};

static bool header_read(const struct seen_module *seen, struct header *header)
{
    enum { USUAL_TABLE = POINTER_TO_DATA | POINTER_S32 };
    const uint8_t *bytes = seen->header_start;
    struct byte_reader in = byte_reader_of(bytes, (size_t)least(seen->header_length, MODULE_HEADER_BYTES));
    uint8_t version = byte_reader_u8(&in), eh_frame_encoding = byte_reader_u8(&in);
    uint8_t count_encoding = byte_reader_u8(&in), table_encoding = byte_reader_u8(&in);
    uint64_t at = seen->header + (uint64_t)(in.at - bytes);
    header->eh_frame = eh_frame_pointer(&in, eh_frame_encoding, at, seen->header);
    if (in.failed || version != 1)
        return false;
    at = seen->header + (uint64_t)(in.at - bytes);
    uint64_t count = eh_frame_pointer(&in, count_encoding, at, seen->header);
    header->rows = seen->header + (uint64_t)(in.at - bytes);
    uint64_t room = (seen->header_length - (header->rows - seen->header)) / sizeof(struct eh_frame_index_row);
    bool usable = !in.failed && count_encoding != POINTER_NONE && table_encoding == USUAL_TABLE && count <= room;
    header->count = usable ? (size_t)count : 0;
    return true;
}

/* Changes the size of a mapping, which may move. */
static struct loaded_module *resize(struct loaded_module *loaded, size_t bytes)
{
    void *moved = mremap(loaded, loaded->mapping.bytes, bytes, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED)
        return NULL;
    loaded = moved;
    loaded->mapping.bytes = bytes;
    return loaded;
}

static void fill_in(struct loaded_module *loaded, const struct seen_module *seen, uint32_t id,
                    const struct eh_frame_table *table)
{
    char *path = (char *)(loaded + 1);
    memcpy(path, seen_module_path(seen), seen->path_length + (size_t)1);
    loaded->module = (struct unwind_module){
        .start = seen->start,
        .end = seen->end,
        .bias = seen->bias,
        .id = id,
        .path = path,
        .build_id_length = seen->build_id_length,
        .eh_frame = *table,
    };
    loaded->module.eh_frame.code_start = seen->code_start;
    loaded->module.eh_frame.code_end = seen->code_end;
    memcpy(loaded->module.build_id, seen->build_id, seen->build_id_length);
}

/* How many bytes a coarse index takes; 0: there is none. */
static size_t coarse_bytes(size_t rows)
{
    return eh_frame_coarse_is_wanted(rows) ? align(sizeof(struct eh_frame_coarse)) : 0;
}

/* Where there is room for so many bytes. */
static void make_coarse(struct eh_frame_table *table, void *place, size_t bytes)
{
    if (bytes > 0 && coarse_bytes(table->index_count) > 0 && eh_frame_coarse_make(table, place))
        table->coarse = place;
}

/* --- tables in place ----------------------------------------------------------------------------------------------------- */

/* NULL where they are not all in what is mapped from the file, and to be read. */
static struct loaded_module *load_in_place(const struct seen_module *seen, uint32_t id, const struct header *header)
{
    const struct module_segment *rows = segment_at(seen, header->rows), *entries = segment_at(seen, header->eh_frame);
    if (header->count == 0 || !rows || !rows->readable || !entries || !entries->readable ||
        header->count * sizeof(struct eh_frame_index_row) > rows->end - header->rows ||
        header->rows % _Alignof(struct eh_frame_index_row) != 0)
        return NULL;
    size_t coarse_at = align(sizeof(struct loaded_module) + seen->path_length + 1);
    struct loaded_module *loaded = mapping_create_small(coarse_at + coarse_bytes(header->count));
    if (!loaded)
        return NULL;
    struct eh_frame_table table = {
        .bytes = (const uint8_t *)(uintptr_t)header->eh_frame,
        .length = (size_t)(entries->end - header->eh_frame),
        .address = header->eh_frame,
        .index = (const void *)(uintptr_t)header->rows,
        .index_count = header->count,
        .index_address = seen->header,
    };
    make_coarse(&table, (char *)loaded + coarse_at, coarse_bytes(header->count));
    fill_in(loaded, seen, id, &table);
    return loaded;
}

/* --- copied tables ------------------------------------------------------------------------------------------------------- */

/* How many bytes of .eh_frame the rows lead to, of at most `length`: entries lead back to others, never forward. What lies
 * behind in the segment is not of the tables. */
static uint64_t length_in_use(const struct header *header, uint64_t index_address, const struct eh_frame_index_row *rows,
                              size_t count, uint64_t length)
{
    int32_t last = INT32_MIN;
    for (size_t i = 0; i < count; i++)
        last = rows[i].fde > last ? rows[i].fde : last;
    uint64_t fde = index_address + (uint64_t)last;
    uint32_t entry; /* its length, without these bytes */
    if (count == 0 || fde < header->eh_frame || unwind_memory_copy(&entry, fde, sizeof entry) != sizeof entry)
        return length;
    uint64_t used = fde - header->eh_frame + sizeof entry + entry;
    return used < length ? used : length;
}

/* With the index of the module itself. A mapping holds: the struct, the path, the coarse index, the index, .eh_frame. It has
 * room for the rest of the segment: pages that nobody writes take no memory. */
static struct loaded_module *load_copied(const struct seen_module *seen, uint32_t id, const struct header *header,
                                         uint64_t length)
{
    size_t coarse_at = align(sizeof(struct loaded_module) + seen->path_length + 1);
    size_t index_at = coarse_at + coarse_bytes(header->count);
    size_t index_bytes = header->count * sizeof(struct eh_frame_index_row);
    size_t bytes_at = align(index_at + index_bytes);
    struct loaded_module *loaded = mapping_create(bytes_at + length);
    if (!loaded)
        return NULL;
    struct eh_frame_index_row *index = (void *)((char *)loaded + index_at);
    size_t count = unwind_memory_copy(index, header->rows, index_bytes) / sizeof *index;
    length = length_in_use(header, seen->header, index, count, length);
    uint8_t *bytes = (uint8_t *)loaded + bytes_at;
    struct eh_frame_table table = {
        .bytes = bytes,
        .length = unwind_memory_copy(bytes, header->eh_frame, length),
        .address = header->eh_frame,
        .index = count > 0 ? index : NULL,
        .index_count = count,
        .index_address = seen->header,
    };
    make_coarse(&table, (char *)loaded + coarse_at, coarse_bytes(header->count));
    fill_in(loaded, seen, id, &table);
    return loaded;
}

/* With an index that is made from the entries. A mapping holds: the struct, the path, .eh_frame, the index. */
static struct loaded_module *load_indexed(const struct seen_module *seen, uint32_t id, uint64_t eh_frame, uint64_t length)
{
    size_t bytes_at = align(sizeof(struct loaded_module) + seen->path_length + 1);
    struct loaded_module *loaded = mapping_create(bytes_at + length);
    if (!loaded)
        return NULL;
    struct eh_frame_table table = {.bytes = (uint8_t *)loaded + bytes_at, .address = eh_frame, .index_address = eh_frame};
    table.length = unwind_memory_copy((uint8_t *)loaded + bytes_at, eh_frame, length);
    table.length = eh_frame_length(&table);

    size_t count = eh_frame_index_count(&table), index_at = align(bytes_at + table.length);
    struct loaded_module *resized = resize(loaded, index_at + count * sizeof(struct eh_frame_index_row));
    if (!resized) {
        mapping_free(&loaded->mapping);
        return NULL;
    }
    loaded = resized;
    table.bytes = (uint8_t *)loaded + bytes_at;
    struct eh_frame_index_row *index = (void *)((char *)loaded + index_at);
    table.index_count = eh_frame_index_build(&table, index, count);
    table.index = table.index_count > 0 ? index : NULL;
    fill_in(loaded, seen, id, &table);
    return loaded;
}

/* --- either -------------------------------------------------------------------------------------------------------------- */

struct loaded_module *module_load(const struct seen_module *seen, uint32_t id)
{
    struct header header = {0};
    uint64_t length = 0;
    if (seen->header && header_read(seen, &header)) {
        struct loaded_module *loaded = seen->stays ? load_in_place(seen, id, &header) : NULL;
        if (loaded)
            return loaded;
        length = rest_of_segment(seen, header.eh_frame);
    } else {
        eh_frame_section_find(seen_module_path(seen), seen->start, seen->bias, &header.eh_frame, &length);
    }
    if (length > rest_of_segment(seen, header.eh_frame))
        length = 0;
    return header.count > 0 ? load_copied(seen, id, &header, length) : load_indexed(seen, id, header.eh_frame, length);
}
