#include "cli/symbol_options.h"

#include "symbols/fetch.h"

#include <stdio.h>
#include <stdlib.h>

/* False where there is no place for a cache. */
static bool find_cache(char path[PATH_MAX])
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (base && base[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/sonde/symbols", base);
    else if (home && home[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/.cache/sonde/symbols", home);
    return length > 0 && length < PATH_MAX;
}

void cli_search_init(const struct symbol_options *options, struct cli_search *out)
{
    const char *servers = getenv("DEBUGINFOD_URLS");
    bool cached = !(options && options->no_cache) && find_cache(out->cache);
    out->search = (struct symbol_search){
        .cache_folder = cached ? out->cache : NULL,
        .debuginfod_cache = fetch_cache_folder(out->debuginfod_cache, PATH_MAX) ? out->debuginfod_cache : NULL,
        .debuginfod = servers && *servers,
    };
    if (options) {
        out->search.folders = options->folders.values.items;
        out->search.folder_count = options->folders.values.count;
    }
}
