/* Where symbols come from, as command lines say it. */
#ifndef SONDE_CLI_SYMBOL_OPTIONS_H
#define SONDE_CLI_SYMBOL_OPTIONS_H

#include "cli/options.h"
#include "symbols/module.h"

#include <limits.h>

struct symbol_options {
    struct text_list folders;
    bool mangled, no_cache;
};

/* For the table of a command whose options struct has a `struct symbol_options symbols`. */
#define OPTION_ENTRIES_SYMBOLS(type)                                                                                           \
    {.name = "symbol-dir",                                                                                                     \
     .kind = OPTION_LIST,                                                                                                      \
     .target = offsetof(type, symbols.folders),                                                                                \
     .argument = "DIR",                                                                                                        \
     .help = "look here first for modules and their debug files;\nrepeatable"},                                                \
        {.name = "mangled",                                                                                                    \
         .kind = OPTION_FLAG,                                                                                                  \
         .target = offsetof(type, symbols.mangled),                                                                            \
         .help = "leave names of functions as they are in the file"},                                                          \
    {                                                                                                                          \
        .name = "no-cache", .kind = OPTION_FLAG, .target = offsetof(type, symbols.no_cache),                                   \
        .help = "neither read nor write the cache of symbols"                                                                  \
    }

/* OPTIONS_GO_ON, or the exit status where one of the folders is none, and that was said. */
int symbol_options_check(const struct command *command, const struct symbol_options *options);

/* A search with everything its pointers point to. */
struct cli_search {
    struct symbol_search search;
    char cache[PATH_MAX], debuginfod_cache[PATH_MAX];
};

/* `options` may be NULL: then nothing was said. The cache is $XDG_CACHE_HOME/sonde/symbols, or
 * ~/.cache/sonde/symbols. `out` must not move. */
void cli_search_init(const struct symbol_options *options, struct cli_search *out);

#endif
