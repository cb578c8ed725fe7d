/* Names of functions from the symbol tables of ELF files: .symtab, or .dynsym where that is gone.
 *
 * Files are read when the first address in them is asked for, and kept; C++ names are shown as they were written. */
#ifndef SONDE_SYMBOLS_ELF_NAMES_H
#define SONDE_SYMBOLS_ELF_NAMES_H

#include "profile/address_names.h"

struct elf_names;

/* NULL when the heap is empty. */
struct elf_names *elf_names_open(void);
void elf_names_close(struct elf_names *names);

/* To be asked as long as `names` is open. */
struct address_names elf_names_interface(struct elf_names *names);

#endif
