/* Where functions are that no symbol names, by the unwind tables of a module.
 *
 * Packages come without debug information, and a stripped file names only what it exports. But nearly every function has its
 * place in .eh_frame, so that the addresses of one function can be taken together, under a name made of where it begins. */
#ifndef SONDE_SYMBOLS_UNNAMED_FUNCTIONS_H
#define SONDE_SYMBOLS_UNNAMED_FUNCTIONS_H

#include "symbols/elf_symbols.h"

/* For those of `found` that have no name: start and size of the function that the address is in; both 0 where none is known.
 * The name stays empty. `file` is the one with the code, not its debug file. */
void unnamed_functions_find(const struct elf_file *file, const uint64_t *addresses, size_t count, struct elf_symbol *found);

enum { UNNAMED_FUNCTION_MAX = 24 };

/* "fun_12ab": by where it begins, relative to the module. */
struct slice unnamed_function_name(uint64_t start, char out[UNNAMED_FUNCTION_MAX]);

#endif
