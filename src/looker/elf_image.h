/* What an ELF file says about itself that is needed to walk stacks through it: where its segments are mapped, its build id,
 * and its unwind tables. From the file, or from the memory of a process that has it mapped, where there is no file.
 *
 * Addresses here are those in the file; a process has them `bias` higher. Nothing in the bytes is trusted. They are read, never
 * mapped: a file that gets shorter meanwhile is a read that fails. */
#ifndef SONDE_LOOKER_ELF_IMAGE_H
#define SONDE_LOOKER_ELF_IMAGE_H

#include "common/slice.h"
#include "unwind/modules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where bytes come from: the first of these that is set. */
struct elf_input {
    struct slice bytes; /* a file in memory */
    pid_t pid;          /* the memory of this process … */
    uint64_t base;      /* … where the file's first byte is mapped here */
    int file;           /* a descriptor */
};

enum { ELF_SEGMENTS_MAX = 32 };

struct elf_segment {
    uint64_t start, length; /* only what comes from the file … */
    uint64_t offset;        /* … where it is from here on */
    bool executable;
};

struct elf_image {
    uint64_t start, end;            /* lowest address … end of the highest */
    uint64_t code_start, code_end;  /* the last segment with code: mostly the only one */
    uint64_t header, header_length; /* .eh_frame_hdr; 0: none */
    uint64_t notes, notes_length;   /* 0: none */
    uint64_t sections;              /* where the section headers are in the file … */
    unsigned section_count, section_names;
    size_t segment_count;
    struct elf_segment segments[ELF_SEGMENTS_MAX];
};

/* False where it is no 64-bit ELF file, or nothing of it is to be mapped. */
bool elf_image_read(const struct elf_input *input, struct elf_image *image);

/* By how much the process has its addresses higher, if it has the file from `offset` on at `address`, as code; false where the
 * file has no code there. */
bool elf_image_bias(const struct elf_image *image, uint64_t address, uint64_t offset, uint64_t *bias);

/* Returns its length; 0: none. */
size_t elf_image_build_id(const struct elf_input *input, const struct elf_image *image, uint8_t id[MODULE_BUILD_ID_MAX]);

/* The unwind tables, in memory of their own. */
struct elf_tables {
    uint8_t *eh_frame;
    size_t length;
    uint64_t address;
    struct eh_frame_index_row *index;
    size_t index_count;
    uint64_t index_address;
};

/* Reads the tables, of at most `most` bytes in all. False, with nothing allocated, where the file has none, they are damaged or
 * too large, or memory runs out. */
bool elf_tables_load(const struct elf_input *input, const struct elf_image *image, size_t most, struct elf_tables *tables);
void elf_tables_free(struct elf_tables *tables);

/* The memory that the tables take. */
static inline size_t elf_tables_bytes(const struct elf_tables *tables)
{
    return tables->length + tables->index_count * sizeof *tables->index;
}

/* The tables as a process sees them. */
struct eh_frame_table elf_tables_mapped(const struct elf_tables *tables, const struct elf_image *image, uint64_t bias);

#endif
