/* A module that was loaded after modules were last looked for, found by an address in it.
 *
 * In a signal handler the dynamic linker cannot be asked for all modules, which takes its locks. But it tells of one address,
 * by _dl_find_object() (glibc 2.35 and later), which is made for unwinders in handlers. The tables are read where they are.
 * That is safe only for a module in which the thread provably is: it cannot be unloaded while the thread has to return there.
 * So it is not asked for an address that was guessed, nor for any behind it (see unwind.c). */
#ifndef SONDE_UNWIND_FOUND_MODULE_H
#define SONDE_UNWIND_FOUND_MODULE_H

#include "unwind/module_list.h"

/* Fills in start, end and tables. False: there is no such module, it has no tables, or the C library is too old. Safe in a
 * signal handler. */
bool found_module(uint64_t address, struct unwind_module *out);

#endif
