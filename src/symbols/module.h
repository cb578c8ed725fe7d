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

/* Where to look, the same for all modules. Arrays are the caller's. */
struct symbol_search {
    const char *const *folders; /* --symbol-dir: each may hold NAME, NAME.debug, the folder layout of the recorded machine, or
                                   .build-id/xx/yyyy.debug */
    size_t folder_count;
    const char *root;             /* a recorded process's root, e.g. /proc/PID/root; NULL = this machine's */
    const char *debug_folder;     /* NULL = /usr/lib/debug */
    const char *cache_folder;     /* NULL = no cache */
    const char *debuginfod_cache; /* where the client of debuginfod keeps its files; NULL = nowhere */
    bool debuginfod;              /* ask servers for whole profiles (symbolicate.h), if DEBUGINFOD_URLS names some */
};

struct symbol_request {
    struct slice path;         /* as recorded */
    struct slice name;         /* its file name; "[vdso]" and "[kernel]" are special */
    struct slice build_id;     /* bytes; empty = unknown, then the file is taken as it is */
    uint32_t pid;              /* for maps of code that was compiled at run time; 0 = unknown */
    const uint64_t *addresses; /* relative, ascending */
    size_t address_count;
};

enum symbol_status {
    SYMBOLS_FULL,         /* debug information was there */
    SYMBOLS_NAMES_ONLY,   /* a symbol table, no debug information */
    SYMBOLS_EXPORTS_ONLY, /* of the symbol table only what other modules link to */
    SYMBOLS_NONE,         /* the file has none, and no debug file was found */
    SYMBOLS_NO_FILE,      /* the module is not on this machine */
    SYMBOLS_OTHER_BUILD,  /* it is, but it is not the one that was recorded */
    SYMBOLS_DAMAGED,      /* it cannot be read */
};

struct symbol_outcome {
    enum symbol_status status;
    bool cached;      /* everything came from the cache */
    char detail[256]; /* which file, and what was wrong with it; one line, may be empty */
};

/* Fills `answers` (zeroed before) with a row for every address about which something is known. 0 unless memory runs out. */
int module_symbols(const struct symbol_search *search, const struct symbol_request *request, struct symbol_answers *answers,
                   struct symbol_outcome *outcome, struct error *error);

#endif
