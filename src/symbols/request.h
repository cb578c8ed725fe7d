/* What is asked about a module, where its symbols are searched for, and how the search ended. */
#ifndef SONDE_SYMBOLS_REQUEST_H
#define SONDE_SYMBOLS_REQUEST_H

#include "common/slice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* "full", "names-only" … as JSON and profiles have it. */
const char *symbol_status_name(enum symbol_status status);
bool symbol_status_parse(struct slice name, enum symbol_status *status);

#endif
