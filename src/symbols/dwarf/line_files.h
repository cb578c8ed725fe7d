/* The head of a line table: how its program is to be read, and the names of the files that its rows, and the calls in the
 * unit's entries, have the numbers of. */
#ifndef SONDE_SYMBOLS_DWARF_LINE_FILES_H
#define SONDE_SYMBOLS_DWARF_LINE_FILES_H

#include "common/arena.h"
#include "symbols/dwarf/unit.h"

struct dwarf_line_file {
    struct slice name;
    uint64_t folder; /* its number */
    bool has_path;
    struct slice path; /* once it was asked for */
};

struct dwarf_line_files {
    struct dwarf_sizes sizes;
    uint8_t minimum_length, line_range, opcode_base;
    int8_t line_base;
    uint8_t operand_counts[256]; /* of opcodes below opcode_base */
    struct byte_reader program;
    VEC(struct slice) folders;
    VEC(struct dwarf_line_file) files;
};

/* A zeroed value is empty. */
void dwarf_line_files_free(struct dwarf_line_files *files);

/* Reads the head of the table at `offset` of the file's .debug_line; `unit` says what its texts mean. 0, -ENOMEM or -EINVAL. */
int dwarf_line_files_read(struct dwarf_line_files *files, const struct dwarf_unit *unit, uint64_t offset,
                          struct dwarf_work *work);

/* Adds a file that the program defines, as compilers did long ago; the cursor is at its name. */
int dwarf_line_files_define(struct dwarf_line_files *files, struct byte_reader *cursor);

/* The whole path of file number `index` as the debug information has it, in `arena` where it has to be put together. Empty
 * where there is no such file, or memory (*result is then -ENOMEM). */
struct slice dwarf_line_files_path(struct dwarf_line_files *files, uint64_t index, struct slice comp_dir, struct arena *arena,
                                   int *result);

#endif
