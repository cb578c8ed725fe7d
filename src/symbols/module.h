/* Symbols of one module, from wherever they can be had.
 *
 *     request (path, build id) ─▶ the module's own file ─┬▶ .symtab, .dynsym, .gnu_debugdata ─▶ names, starts, sizes
 *                                 its debug file(s) ─────┴▶ DWARF ─▶ files, lines, inlined calls
 *                                 the cache, the kernel, a JIT's map instead
 *
 * A file is used only if its build id is the one that was recorded. What is not found costs names, never the profile; why it
 * was not found is said. */
#ifndef SONDE_SYMBOLS_MODULE_H
#define SONDE_SYMBOLS_MODULE_H

#include "common/error.h"
#include "symbols/answers.h"
#include "symbols/request.h"

/* Fills `answers` (zeroed before) with a row for every address about which something is known. 0 unless memory runs out. */
int module_symbols(const struct symbol_search *search, const struct symbol_request *request, struct symbol_answers *answers,
                   struct symbol_outcome *outcome, struct error *error);

#endif
