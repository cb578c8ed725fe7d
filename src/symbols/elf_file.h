/* One ELF file: opened, mapped, and never trusted.
 *
 * Its headers are read when it is opened; sections when they are asked for, and only then unpacked, if they are packed. What is
 * damaged reads as absent. Only little-endian files are taken, of 32 and 64 bits.
 *
 * A file belongs to one thread at a time. */
#ifndef SONDE_SYMBOLS_ELF_FILE_H
#define SONDE_SYMBOLS_ELF_FILE_H

#include "common/error.h"
#include "common/slice.h"

#include <stdint.h>

struct elf_file;

struct elf_section {
    struct slice name;
    uint32_t type, link;
    uint64_t flags, address, offset, size, entry_size;
};

/* `root` NULL = this machine's; else paths, and the links on the way, are as a process with that root sees them. -ENOENT and
 * its like where there is no file, -EBADMSG where it is not one of ours or damaged. */
int elf_file_open(const char *root, const char *path, struct elf_file **out, struct error *error);

/* Bytes that are in memory already, and outlive it. */
int elf_file_memory(struct slice image, struct elf_file **out, struct error *error);

/* NULL is fine. Everything it gave out ends here. */
void elf_file_close(struct elf_file *file);

/* Where it was opened, as a path of this machine; empty for bytes in memory. */
const char *elf_file_path(const struct elf_file *file);

/* Whether it was written to since it was opened: what was read of it may be of neither build. */
bool elf_file_has_changed(const struct elf_file *file);

/* All of its bytes. */
struct slice elf_file_bytes(const struct elf_file *file);
bool elf_file_is_64(const struct elf_file *file);

/* EM_X86_64, EM_AARCH64, … */
uint16_t elf_file_machine(const struct elf_file *file);

/* Machine code, from an address (as in the file) to the end of the section or segment that it is in. Empty where there is no
 * code, or where it is in another file, as that of a debug file is. */
struct slice elf_file_code(const struct elf_file *file, uint64_t address);

/* Empty where it has none. */
struct slice elf_file_build_id(const struct elf_file *file);

/* Where its first loaded segment begins, rounded down to a page: what relative addresses are relative to. */
uint64_t elf_file_image_base(const struct elf_file *file);

/* The address, relative to that, of code that the file has at `offset`; `offset` where it has none. */
uint64_t elf_file_address_of_offset(const struct elf_file *file, uint64_t offset);

size_t elf_file_section_count(const struct elf_file *file);
const struct elf_section *elf_file_section_at(const struct elf_file *file, size_t index); /* NULL if there is none */
const struct elf_section *elf_file_section_of_type(const struct elf_file *file, uint32_t type);
const struct elf_section *elf_file_section_named(const struct elf_file *file, const char *name);

/* The bytes of a section as they are in the file; empty where they are not in it. */
struct slice elf_file_raw(const struct elf_file *file, const struct elf_section *section);

/* The contents of the section, unpacked and kept; those of `.zdebug_X` for `.debug_X`. Empty where it is not there or damaged.
 * -ENOMEM or 0. */
int elf_file_contents(struct elf_file *file, const char *name, struct slice *out, struct error *error);

/* Whether it has such a section, with bytes in it, under either name. */
bool elf_file_has(const struct elf_file *file, const char *name);

/* .gnu_debuglink: the name of the debug file and the checksum of all its bytes. */
bool elf_file_debug_link(const struct elf_file *file, struct slice *name, uint32_t *crc);

/* .gnu_debugaltlink: where dwz put what several files share, and the build id of that file. */
bool elf_file_alternate_link(const struct elf_file *file, struct slice *path, struct slice *build_id);

/* .gnu_debugdata ("mini debug info"): a packed ELF file with the symbols that are not exported. NULL where there is none or it
 * is damaged; it belongs to `file`. -ENOMEM or 0. */
int elf_file_mini_debug(struct elf_file *file, struct elf_file **out, struct error *error);

#endif
