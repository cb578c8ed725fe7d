/* Reading the profile a command is about. */
#ifndef SONDE_CLI_LOAD_H
#define SONDE_CLI_LOAD_H

#include "cli/symbol_options.h"
#include "import/importer.h"
#include "symbols/symbolicate.h"

/* Which profiles get symbols when they are read. */
enum load_symbols {
    LOAD_SYMBOLS_OF_SESSIONS, /* recordings of our own, which have addresses only; files of others are taken as they are */
    LOAD_SYMBOLS_OF_ALL,
    LOAD_NO_SYMBOLS,
};

struct load_options {
    enum load_symbols symbols;
    const struct symbol_options *search; /* NULL = nothing was said */
    struct symbol_report *report;        /* zeroed, gets what was found of each module; NULL = not wanted */
    struct import_options import;
};

/* Reads `file` (`-` = standard input), with a bar on a terminal while it takes long. `profile` needs no initialisation and is
 * to be freed in any case. `options` may be NULL. EXIT_OK, or EXIT_DATA after saying what is wrong. */
int load_profile_with(const char *file, const struct load_options *options, struct profile *profile);
int load_profile(const char *file, struct profile *profile);

/* The same by any thread, which says nothing: 0, or a negative errno with `error` filled. */
int load_profile_quietly(const char *file, const struct load_options *options, struct profile *profile, struct error *error);

/* The process that a session recorded first, and the root of its file system, where that process still runs: its files are
 * those that it sees, in a container, say. Another process that has its number by now has other files, which are not of the
 * build that was recorded. Where there is none `root` is empty. Returns its number, 0 = unknown. */
enum { PROCESS_ROOT_SIZE = 40 };
uint32_t load_find_process(const struct profile *profile, char root[PROCESS_ROOT_SIZE]);

/* How messages and headings name it: "standard input" for `-`. */
const char *load_name(const char *file);

#endif
