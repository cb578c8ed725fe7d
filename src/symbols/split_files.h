/* Split DWARF: what the compiler left in .dwo files beside its objects, or what `dwp` gathered of them in one .dwp file.
 *
 *     MODULE.dwp, DEBUGFILE.dwp, FOLDER/module.dwp, FOLDER/path/of/module.dwp         first: it has all units
 *     COMPDIR/name.dwo, beside the module, FOLDER/name.dwo, FOLDER/COMPDIR/name.dwo   else, for each unit
 */
#ifndef SONDE_SYMBOLS_SPLIT_FILES_H
#define SONDE_SYMBOLS_SPLIT_FILES_H

#include "common/vec.h"
#include "symbols/debug_file.h"
#include "symbols/dwarf/lookup.h"

struct split_files {
    const struct symbol_search *search;
    const struct symbol_request *request;
    const struct module_files *files;
    struct elf_file *package; /* the .dwp */
    bool package_tried;
    bool out_of_memory;
    VEC(struct elf_file *) objects; /* the .dwo files opened so far */
    size_t missing;                 /* units whose file was not found */
};

/* For dwarf_files.split, with a `struct split_files` as data. */
bool split_files_open(void *data, struct slice comp_dir, struct slice dwo_name, uint64_t dwo_id, struct dwarf_sections *out);

/* One of them that was written to since it was opened, or NULL. */
const struct elf_file *split_files_changed(const struct split_files *split);
void split_files_close(struct split_files *split);

/* Debug sections of a file, unpacked; `suffix` is ".dwo" for those of split files, "" for others. -ENOMEM or 0. */
int dwarf_sections_of(struct elf_file *file, const char *suffix, struct dwarf_sections *out, struct error *error);

#endif
