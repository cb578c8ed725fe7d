/* Which functions addresses are in, by the symbol tables of a module's files.
 *
 * A whole batch of addresses is asked for at once: then one pass over the tables, unsorted as they are, keeps the few symbols
 * that matter, and only those are sorted. Names that are not asked for are not read.
 *
 * Of the symbols around an address the innermost one with a size is taken; where none has a size, the nearest before the
 * address. Of several at the same start: the largest; what others link to before what is local; then the name with the fewest
 * underscores in front, which is the one that people call it by (`malloc`, not `__libc_malloc`); then a global before a weak
 * one; then the last in the table. */
#ifndef SONDE_SYMBOLS_ELF_SYMBOLS_H
#define SONDE_SYMBOLS_ELF_SYMBOLS_H

#include "symbols/elf_file.h"

struct elf_symbol {
    uint64_t start, size; /* as in the file; a size that the table does not have reaches to the next symbol */
    struct slice name;    /* lives as long as the file does; empty = no symbol is known there */
};

enum elf_symbol_tables {
    ELF_NO_SYMBOLS,
    ELF_EXPORTS,    /* .dynsym alone */
    ELF_ALL_SYMBOLS /* a .symtab, here or in the packed or separate debug file */
};

/* `addresses` are ascending, as in the file. `found` has room for as many. `file` and `debug` may be NULL. -ENOMEM or 0. */
int elf_symbols_find(struct elf_file *file, struct elf_file *debug, const uint64_t *addresses, size_t count,
                     struct elf_symbol *found, enum elf_symbol_tables *tables, struct error *error);

#endif
