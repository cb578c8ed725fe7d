/* The files of a module: itself, its debug file, and the file that dwz moved shared debug information into.
 *
 * Where the module is looked for (docs/symbols.md has the same for users):
 *
 *     FOLDER/module, FOLDER/.build-id/xx/yyyy, FOLDER/path/of/module       each folder of the search
 *     ROOT/path/of/module                                                 the recorded process's root
 *     /path/of/module
 *
 * and its debug file, unless the module itself has debug information:
 *
 *     FOLDER/.build-id/xx/yyyy.debug, FOLDER/module.debug, FOLDER/path/of/module.debug, FOLDER/link, FOLDER/path/of/link
 *     FOLDER/usr/lib/debug/.build-id/xx/yyyy.debug
 *     DEBUG/.build-id/xx/yyyy.debug                                       in the root, then on this machine
 *     /path/of/link, /path/of/.debug/link, DEBUG/path/of/link             `link` is what .gnu_debuglink says
 *     what was downloaded before, by whomever (debuginfod)
 *
 * A file is taken only if its build id is the one that is wanted; where the module has none, only if the checksum of the link
 * is right. */
#ifndef SONDE_SYMBOLS_DEBUG_FILE_H
#define SONDE_SYMBOLS_DEBUG_FILE_H

#include "symbols/elf_file.h"
#include "symbols/request.h"

struct module_files {
    struct elf_file *file;      /* NULL = not found, though its debug file may be */
    struct elf_file *debug;     /* NULL = none found, or none needed */
    struct elf_file *alternate; /* of dwz; NULL = none */
};

/* Finds what there is. What was wrong with what was not used goes to `outcome`. -ENOMEM or 0; `files` is to be closed in any
 * case. */
int module_files_find(const struct symbol_search *search, const struct symbol_request *request, struct module_files *files,
                      struct symbol_outcome *outcome, struct error *error);

/* One of them that was written to since it was opened, or NULL. */
const struct elf_file *module_files_changed(const struct module_files *files);
void module_files_close(struct module_files *files);

/* The one with debug information, or NULL. */
struct elf_file *module_files_dwarf(const struct module_files *files);

#endif
