/* The vdso: a small library that the kernel maps into every process, and that is in no file. */
#ifndef SONDE_SYMBOLS_VDSO_H
#define SONDE_SYMBOLS_VDSO_H

#include "symbols/elf_file.h"
#include "symbols/request.h"

/* That of this machine, if its build is the one that was recorded; *out stays NULL otherwise. -ENOMEM or 0. */
int vdso_open(struct slice build_id, struct elf_file **out, struct symbol_outcome *outcome);

/* What profiles call it: "[vdso]" as Linux does, "linux-vdso.so.1" as loaders do. */
bool vdso_is_name(struct slice name);

#endif
