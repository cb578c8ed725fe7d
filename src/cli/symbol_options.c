#include "cli/symbol_options.h"

#include "symbols/fetch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int symbol_options_check(const struct command *command, const struct symbol_options *options)
{
    for (size_t i = 0; i < options->folders.values.count; i++) {
        const char *folder = options->folders.values.items[i];
        struct stat status;
        int code = stat(folder, &status) != 0 ? errno : S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
        if (code)
            return usage_error(command, "--symbol-dir %s: %s", folder, strerror(code));
    }
    return OPTIONS_GO_ON;
}

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
