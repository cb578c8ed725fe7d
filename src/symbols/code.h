/* The machine code of a module, from the very build that was recorded. */
#ifndef SONDE_SYMBOLS_CODE_H
#define SONDE_SYMBOLS_CODE_H

#include "symbols/debug_file.h"

enum code_arch { CODE_X86_64, CODE_AARCH64 };

struct module_code {
    struct module_files files;
    enum code_arch arch;
};

/* The request's addresses do not matter. -ENOENT where the module is not here, -ESTALE where it was rebuilt since, -EBADMSG
 * where it cannot be read, -ENOTSUP where it is code of another kind of CPU, -ENOMEM; the message names the module. `code` is
 * to be closed in any case. */
int module_code_open(const struct symbol_search *search, const struct symbol_request *request, struct module_code *code,
                     struct error *error);
void module_code_close(struct module_code *code);

/* The bytes from a relative address to the end of the section it is in; empty where there is no code. */
struct slice module_code_at(const struct module_code *code, uint64_t address);

/* "x86_64", "aarch64" */
const char *code_arch_name(enum code_arch arch);

#endif
